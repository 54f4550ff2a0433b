// Recorded patch cases for tests: what Kubernetes' own libraries answered (tests/data/README.md).
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "keelson/api/builtin_types.h"
#include "keelson/api/json.h"
#include "keelson/codec/json_reader.h"
#include "keelson/codec/json_writer.h"

namespace keelson {

inline void PrintTo(const Json& value, std::ostream* out) { *out << ToJson(value); }

namespace patch_cases {

// The documents of tests/data/<name>, one a line.
inline std::vector<Json> ReadCases(std::string_view name) {
  std::ifstream file(std::string(KEELSON_TEST_DATA) + "/" + std::string(name));
  EXPECT_TRUE(file.is_open()) << name;
  std::vector<Json> cases;
  for (std::string line; std::getline(file, line);) cases.push_back(ParseJson(line).value());
  EXPECT_FALSE(cases.empty()) << name;
  return cases;
}

inline Json Parse(std::string_view text) { return ParseJson(text).value(); }

inline const Json& Member(const Json& object, std::string_view name) { return object.object().at(name); }
inline bool Flag(const Json& object, std::string_view name) { return Member(object, name).boolean(); }
inline std::string Text(const Json& object, std::string_view name) { return Member(object, name).string().str(); }

inline const Type& BuiltinType(std::string_view name) {
  for (const Type* type : BuiltinTypes()) {
    if (type->name == name) return *type;
  }
  ADD_FAILURE() << "no type " << name;
  return TypeOf<Json>();
}

}  // namespace patch_cases

}  // namespace keelson
