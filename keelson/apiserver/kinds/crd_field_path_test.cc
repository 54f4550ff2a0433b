#include "keelson/apiserver/kinds/crd_field_path.h"

#include <gtest/gtest.h>

#include "keelson/codec/json_reader.h"

namespace keelson::apiserver {

namespace {

const apiextensionsv1::JSONSchemaProps& Widget() {
  static const auto schema = FromJson<apiextensionsv1::JSONSchemaProps>(R"({"type":"object","properties":{
      "spec":{"type":"object","properties":{
        "size":{"type":"integer"},
        "labels":{"type":"object","additionalProperties":{"type":"string"}},
        "open":{"type":"object","additionalProperties":true}}}}})")
                                 .OrExit();
  return schema;
}

std::string Reason(std::string_view text, bool brackets = true) {
  const Result<SchemaPlace> place = FindInSchema(text, Widget(), brackets);
  return place ? "" : std::string(place.error().message());
}

TEST(FindInSchema, FollowsPropertiesAndKeysOfMaps) {
  const Result<SchemaPlace> size = FindInSchema(".spec.size", Widget());
  ASSERT_TRUE(size) << size.error().message();
  EXPECT_EQ(size->path, "spec.size");
  EXPECT_EQ(size->root, "spec");
  EXPECT_EQ(size->schema->type, "integer");

  const Result<SchemaPlace> label = FindInSchema(".spec['labels']['a.b\\'c']", Widget());
  ASSERT_TRUE(label) << label.error().message();
  EXPECT_EQ(label->path, "spec.labels[a.b'c]");
  EXPECT_EQ(label->schema->type, "string");
}

TEST(FindInSchema, SaysWhyAPathLeadsNowhere) {
  EXPECT_EQ(Reason("spec"), "expected [ or . but got: spec");
  EXPECT_EQ(Reason(".spec.color"), "does not refer to a valid field");
  EXPECT_EQ(Reason(".spec.size.x"), "does not refer to a valid field");
  EXPECT_EQ(Reason(".spec.open.x.y"), "does not refer to a valid field");
  EXPECT_EQ(Reason(".spec."), "unexpected end of JSON path");
  EXPECT_EQ(Reason(".spec['size'"), "unexpected end of JSON path");
  EXPECT_EQ(Reason(".spec[size]"), "expected single quoted string but got size");
  EXPECT_EQ(Reason(".spec['\\q']"), "invalid string literal: invalid escape char \\q");
  EXPECT_EQ(Reason(".spec['size']", false), "array notation is not allowed");
}

}  // namespace

}  // namespace keelson::apiserver
