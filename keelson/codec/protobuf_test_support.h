// Objects that the Go libraries wrote, for the tests of protobuf.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "keelson/api/builtin_types.h"
#include "keelson/codec/internal/base64.h"
#include "keelson/codec/json_reader.h"

namespace keelson {

struct RecordedObject {
  std::string label;  // for messages: "core/v1.Pod full"
  const Type* type;
  std::string json;
  std::string protobuf;
};

inline const Type* FindBuiltinType(std::string_view name) {
  for (const Type* type : BuiltinTypes()) {
    if (type->name == name) return type;
  }
  return nullptr;
}

inline std::string TextOf(const Json& record, std::string_view member) {
  const Json* value = record.find(member);
  return value != nullptr && value->is_string() ? value->string().str() : std::string();
}

inline std::string BytesOf(const Json& record, std::string_view member) {
  std::string bytes;
  EXPECT_TRUE(internal::DecodeBase64(TextOf(record, member), bytes));
  return bytes;
}

// The text of the member "json" in a recorded line; `next` is the member behind it.
inline std::string JsonTextOf(std::string_view line, std::string_view next) {
  const size_t start = line.find("\"json\":") + 7;
  return std::string(line.substr(start, line.rfind(std::string(",\"").append(next).append("\":")) - start));
}

inline std::vector<std::string> LinesOf(const std::filesystem::path& path) {
  std::vector<std::string> lines;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

// Every recorded object that has a protobuf form.
inline std::vector<RecordedObject> RecordedObjects() {
  std::vector<RecordedObject> objects;
  for (const auto& file : std::filesystem::directory_iterator(KEELSON_TEST_DATA "/protobuf")) {
    if (file.path().filename() == "envelope.jsonl") continue;
    for (const std::string& line : LinesOf(file.path())) {
      const Json record = ParseJson(line).OrExit();
      const Json* protobuf = record.find("protobuf");
      if (protobuf == nullptr || !protobuf->is_string()) continue;
      const Type* type = FindBuiltinType(TextOf(record, "type"));
      EXPECT_NE(type, nullptr) << TextOf(record, "type");
      if (type == nullptr) continue;
      objects.push_back({.label = TextOf(record, "type") + " " + TextOf(record, "variant"),
                         .type = type,
                         .json = JsonTextOf(line, "protobuf"),
                         .protobuf = BytesOf(record, "protobuf")});
    }
  }
  EXPECT_GT(objects.size(), 500u);
  return objects;
}

// Fields of a message put together by hand.
inline std::string Varint(uint64_t value) {
  std::string out;
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  return out += static_cast<char>(value);
}
inline std::string BytesField(uint32_t number, std::string_view bytes) {
  return Varint(number << 3 | 2) + Varint(bytes.size()) + std::string(bytes);
}
inline std::string VarintField(uint32_t number, uint64_t value) { return Varint(number << 3) + Varint(value); }

}  // namespace keelson
