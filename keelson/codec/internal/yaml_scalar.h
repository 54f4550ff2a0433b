// What a scalar without quotes means, by the rules of Kubernetes' YAML (YAML 1.1 as go-yaml v2 reads it).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace keelson::internal {

struct YamlScalar {
  enum class Kind : uint8_t {
    kNull,       // "", ~, null
    kBool,       // true, yes, on, y and their opposites, in three spellings each
    kInt,        // decimal, 0x1f, 0o17, 017, 0b11, with underscores anywhere
    kUnsigned,   // from 2^63 to 2^64 - 1
    kFloat,      // also .inf and .nan
    kTimestamp,  // 2006-01-02, 2006-01-02T15:04:05Z: a string in JSON
    kMerge,      // <<
    kString,
  };
  Kind kind = Kind::kString;
  bool boolean = false;
  int64_t integer = 0;
  uint64_t unsigned_integer = 0;
  double real = 0;
};

YamlScalar ResolveYamlScalar(std::string_view text);

// "null", "bool", "int", "float", "timestamp", "merge", "str": the names of YAML's tags.
std::string_view ToString(YamlScalar::Kind kind);

// Whether YAML 1.1 would read the text as a number to the base of sixty, 1:30, which Kubernetes' YAML reads as a string
// but never writes without quotes.
bool IsBase60Number(std::string_view text);

// As YAML is written: 1.5, 1e+06, .inf. Keys that are floats turn into strings by way of the narrow form.
std::string FormatYamlFloat(double real);
std::string FormatYamlFloat(float real);

}  // namespace keelson::internal
