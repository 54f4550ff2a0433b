// From YAML text to values, read as Kubernetes reads it.
//
//   Result<corev1::Pod> pod = FromYaml<corev1::Pod>(text);
//   Result<Json> document = ParseYaml(text);
//   Result<std::vector<std::string>> documents = SplitYamlToJson(manifest);   // separated by `---`, each as JSON
//
// Scalars without quotes mean what they mean to kubectl: `yes`, `on` and `y` are true, `017` is fifteen, `1_000` a
// thousand, a date is a string. Keys that are numbers or booleans become strings; `<<` merges; anchors and aliases are
// expanded, within a bound. JSON is accepted too. An error gives line and column, both counted from 1.
//
// Unlike for Kubernetes' reader, a key that stands twice in a mapping is an error, since one of the two would be lost;
// who wants to know of them and go on says so in the options.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "keelson/codec/json_reader.h"

namespace keelson {

// A key that its mapping has had already, and the line of the later one.
struct YamlRepeatedKey {
  size_t line = 0;
  std::string key = {};
};

struct YamlReadOptions {
  bool strict = false;       // as JsonReadOptions::strict
  bool share_nodes = false;  // as JsonReadOptions::share_nodes
  size_t max_bytes = size_t{16} << 20;
  int max_depth = 500;
  // The most that the JSON form of a text with aliases may take.
  size_t max_expanded_bytes = size_t{10} << 20;
  // Set, repeated keys are appended here and the last one counts. Null: they are an error.
  std::vector<YamlRepeatedKey>* repeated_keys = nullptr;
};

// The documents that are not empty, each as compact JSON.
Result<std::vector<std::string>> SplitYamlToJson(std::string_view text, const YamlReadOptions& options = {});

// The single document as compact JSON; "null" when there is none.
Result<std::string> YamlToJson(std::string_view text, const YamlReadOptions& options = {});

// Fills `value`, which is a default one of that type and stays so on an error.
Result<void> DecodeYaml(const Type& type, void* value, std::string_view text, const YamlReadOptions& options = {});

template <class T>
Result<T> FromYaml(std::string_view text, const YamlReadOptions& options = {}) {
  T value{};
  KEELSON_RETURN_IF_ERROR(DecodeYaml(TypeOf<T>(), &value, text, options));
  return value;
}

inline Result<Json> ParseYaml(std::string_view text, const YamlReadOptions& options = {}) {
  return FromYaml<Json>(text, options);
}

}  // namespace keelson
