#include "keelson/apiserver/openapi/protobuf.h"

#include <gtest/gtest.h>

#include "keelson/codec/json_reader.h"

namespace keelson::apiserver::openapi {
namespace {

std::string Field(int number, const std::string& bytes) {
  std::string written;
  const auto varint = [&](size_t value) {
    for (; value >= 0x80; value >>= 7) written += static_cast<char>(value | 0x80);
    written += static_cast<char>(value);
  };
  varint(static_cast<size_t>(number) << 3 | 2);
  varint(bytes.size());
  return written + bytes;
}
std::string Named(const std::string& name, const std::string& value) { return Field(1, name) + Field(2, value); }
std::string Any(const std::string& yaml) { return Field(2, yaml); }

Json Parsed(std::string_view text) { return ParseJson(text).value(); }

TEST(OpenApiProtobuf, Version2HasDefinitionsWithTheirExtensions) {
  const std::string bytes = DocumentToProtobufV2(Parsed(R"({
      "swagger": "2.0", "info": {"title": "T", "version": "1"},
      "definitions": {"a.B": {"type": "object", "required": ["c"], "minProperties": 0, "additionalProperties": false,
        "properties": {"c": {"$ref": "#/definitions/a.C", "description": "d"}, "e": {"enum": ["x", 1]},
                       "l": {"type": "array", "items": {"type": "string"}, "maxItems": 3}},
        "x-kubernetes-map-type": "atomic"}}})"));
  const std::string c = Field(1, "#/definitions/a.C") + Field(4, "d");
  const std::string e = Field(20, Any("x\n")) + Field(20, Any("1\n"));
  const std::string l =
      std::string("\x70\x03", 2) + Field(22, Field(1, "array")) + Field(23, Field(1, Field(22, Field(1, "string"))));
  const std::string schema = Field(19, "c") + Field(21, std::string("\x10\x00", 2)) + Field(22, Field(1, "object")) +
                             Field(25, Field(1, Named("c", c)) + Field(1, Named("e", e)) + Field(1, Named("l", l))) +
                             Field(31, Named("x-kubernetes-map-type", Any("atomic\n")));
  EXPECT_EQ(bytes,
            Field(1, "2.0") + Field(2, Field(1, "T") + Field(2, "1")) + Field(9, Field(1, Named("a.B", schema))));
}

TEST(OpenApiProtobuf, Version2TellsParametersByWhereTheyStand) {
  const std::string bytes = DocumentToProtobufV2(Parsed(R"({"paths": {"/p": {
      "parameters": [{"$ref": "#/parameters/limit-query"}],
      "post": {"operationId": "o", "parameters": [
        {"name": "body", "in": "body", "required": true, "schema": {"type": "object"}},
        {"name": "name", "in": "path", "required": true, "type": "string", "uniqueItems": true},
        {"name": "dryRun", "in": "query", "type": "string"}],
        "responses": {"200": {"description": "OK"}}}}}})"));
  const std::string body =
      Field(2, "body") + Field(3, "body") + std::string("\x20\x01", 2) + Field(5, Field(22, Field(1, "object")));
  const std::string name = std::string("\x08\x01", 2) + Field(2, "path") + Field(4, "name") + Field(5, "string") +
                           std::string("\x98\x01\x01", 3);
  const std::string dry_run = Field(2, "query") + Field(4, "dryRun") + Field(6, "string");
  const std::string post =
      Field(5, "o") + Field(8, Field(1, Field(1, body))) + Field(8, Field(1, Field(2, Field(4, name)))) +
      Field(8, Field(1, Field(2, Field(3, dry_run)))) + Field(9, Field(1, Named("200", Field(1, Field(1, "OK")))));
  const std::string item = Field(4, post) + Field(9, Field(2, Field(1, "#/parameters/limit-query")));
  EXPECT_EQ(bytes, Field(8, Field(2, Named("/p", item))));
}

TEST(OpenApiProtobuf, Version3TellsReferencesFromSchemas) {
  const std::string bytes = DocumentToProtobufV3(Parsed(R"({"openapi": "3.0.0", "components": {"schemas": {"a.B": {
      "allOf": [{"$ref": "#/components/schemas/a.C"}], "default": 0, "nullable": true, "minimum": 1,
      "not": {"required": ["x"]}}}}})"));
  const std::string one("\x00\x00\x00\x00\x00\x00\xf0\x3f", 8);
  const std::string schema = std::string("\x08\x01", 2) + "\x69" + one +
                             Field(26, Field(2, Field(1, "#/components/schemas/a.C"))) + Field(29, Field(23, "x")) +
                             Field(33, "\x09" + std::string(8, '\0'));
  EXPECT_EQ(bytes, Field(1, "3.0.0") + Field(5, Field(1, Field(1, Named("a.B", Field(1, schema))))));
}

}  // namespace
}  // namespace keelson::apiserver::openapi
