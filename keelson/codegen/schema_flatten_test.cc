#include "keelson/codegen/schema_flatten.h"

#include <gtest/gtest.h>

#include "keelson/codec/json_reader.h"
#include "keelson/codec/json_writer.h"

namespace keelson::codegen {
namespace {

Schema Parse(std::string_view json) {
  const Json parsed = ParseJson(json).value();
  return parsed.object();
}

// What `schema` becomes beside a type named "T".
std::string FlattenWith(std::string_view type, std::string_view schema) {
  SchemaDefinitions definitions;
  definitions.Add("T", Parse(type));
  return ToJson(Json(SchemaFlattener(definitions).Flatten(Parse(schema))));
}

TEST(SchemaFlatten, AReferenceBecomesWhatItRefersTo) {
  EXPECT_EQ(FlattenWith(R"({"type":"string","maxLength":3})", R"({"$ref":"T","type":"string"})"),
            R"({"maxLength":3,"type":"string"})");
  EXPECT_EQ(
      FlattenWith(R"({"type":"string"})",
                  R"({"type":"object","properties":{"a":{"$ref":"T"},"b":{"type":"array","items":{"$ref":"T"}}}})"),
      R"({"properties":{"a":{"type":"string"},"b":{"items":{"type":"string"},"type":"array"}},"type":"object"})");
}

TEST(SchemaFlatten, AChainOfNamesIsFollowed) {
  SchemaDefinitions definitions;
  definitions.Add("A", Parse(R"({"$ref":"B","description":"An A."})"));
  definitions.Add("B", Parse(R"({"type":"integer","minimum":1})"));
  SchemaFlattener flattener(definitions);
  EXPECT_EQ(ToJson(Json(flattener.Flatten(Parse(R"({"$ref":"A","maximum":9})")))),
            R"({"description":"An A.","maximum":9,"minimum":1,"type":"integer"})");
  EXPECT_EQ(ToJson(*definitions.FindMember(Parse(R"({"$ref":"A"})"), "minimum")), "1");
}

TEST(SchemaFlatten, WordsBesideTheReferenceWin) {
  EXPECT_EQ(FlattenWith(R"({"description":"of the type","title":"T","type":"string"})",
                        R"({"$ref":"T","description":"of the field"})"),
            R"({"description":"of the field","title":"T","type":"string"})");
}

TEST(SchemaFlatten, BoundsOnBothSidesHoldTogether) {
  EXPECT_EQ(
      FlattenWith(R"({"type":"string","minLength":1,"pattern":"a"})", R"({"$ref":"T","minLength":2,"pattern":"b"})"),
      R"({"allOf":[{"minLength":1,"pattern":"a"},{"minLength":2,"pattern":"b"}],"type":"string"})");
  // The same text is said once, the same bound twice.
  EXPECT_EQ(
      FlattenWith(R"({"type":"string","minLength":1,"pattern":"a"})", R"({"$ref":"T","minLength":1,"pattern":"a"})"),
      R"({"allOf":[{"minLength":1},{"minLength":1}],"pattern":"a","type":"string"})");
  EXPECT_EQ(FlattenWith(R"({"type":"object","minProperties":1})", R"({"$ref":"T","minProperties":1})"),
            R"({"minProperties":1,"type":"object"})");
}

TEST(SchemaFlatten, ValuesOfTheTypeHoldOverThoseOfTheField) {
  EXPECT_EQ(FlattenWith(R"({"type":"string","enum":["a","b"]})", R"({"$ref":"T","enum":["a"]})"),
            R"({"enum":["a","b"],"type":"string"})");
  EXPECT_EQ(FlattenWith(R"({"type":"string"})", R"({"$ref":"T","enum":["a"]})"), R"({"enum":["a"],"type":"string"})");
}

TEST(SchemaFlatten, RulesOfTheFieldComeFirst) {
  EXPECT_EQ(FlattenWith(R"({"type":"object","x-kubernetes-validations":[{"rule":"t"}]})",
                        R"({"$ref":"T","x-kubernetes-validations":[{"rule":"f"}]})"),
            R"({"type":"object","x-kubernetes-validations":[{"rule":"f"},{"rule":"t"}]})");
}

TEST(SchemaFlatten, MergingTypesOfTheFieldWin) {
  EXPECT_EQ(FlattenWith(R"({"type":"array","x-kubernetes-list-type":"atomic"})",
                        R"({"$ref":"T","x-kubernetes-list-type":"set"})"),
            R"({"type":"array","x-kubernetes-list-type":"set"})");
}

TEST(SchemaFlatten, InlinedStructsGiveTheirFields) {
  EXPECT_EQ(
      FlattenWith(R"({"description":"A base.","type":"object","required":["z"],"properties":{"z":{"type":"string"}}})",
                  R"({"type":"object","allOf":[{"$ref":"T"}],"required":["b"],"properties":{"b":{"type":"boolean"}}})"),
      R"({"properties":{"b":{"type":"boolean"},"z":{"type":"string"}},"required":["b","z"],"type":"object"})");
}

TEST(SchemaFlatten, FieldsOfOneNameAreMerged) {
  EXPECT_EQ(
      FlattenWith(R"({"type":"object","properties":{"a":{"type":"string","maxLength":9}}})",
                  R"({"type":"object","allOf":[{"$ref":"T"}],"properties":{"a":{"type":"string","minLength":1}}})"),
      R"({"properties":{"a":{"maxLength":9,"minLength":1,"type":"string"}},"type":"object"})");
}

TEST(SchemaFlatten, BuiltinTypesAreKnown) {
  SchemaDefinitions definitions;
  SchemaFlattener flattener(definitions);
  const Schema time = flattener.Flatten(Parse(R"({"$ref":"meta/v1.Time"})"));
  EXPECT_EQ(ToJson(Json(time)), R"({"format":"date-time","type":"string"})");
  const Json pod = flattener.Flatten(Parse(R"({"$ref":"core/v1.PodTemplateSpec"})"));
  const Json* containers = pod.find("properties")->find("spec")->find("properties")->find("containers");
  EXPECT_EQ(ToJson(*containers->find("x-kubernetes-list-map-keys")), R"(["name"])");
  EXPECT_EQ(ToJson(*containers->find("items")->find("required")), R"(["name"])");
  EXPECT_EQ(ToJson(pod).find("$ref"), std::string::npos);
  EXPECT_EQ(ToJson(*pod.find("properties")->find("metadata")), R"({"type":"object"})");
}

TEST(SchemaFlatten, EmbeddedMetadataHasFieldsWhenAsked) {
  SchemaDefinitions definitions(/*embedded_object_meta=*/true);
  const Json meta = SchemaFlattener(definitions).Flatten(Parse(R"({"$ref":"meta/v1.ObjectMeta"})"));
  EXPECT_NE(meta.find("properties")->find("labels"), nullptr);
  EXPECT_EQ(meta.find("properties")->find("uid"), nullptr);
}

TEST(SchemaFlatten, ATypeInsideItselfIsEmpty) {
  EXPECT_EQ(FlattenWith(R"({"type":"object","properties":{"next":{"$ref":"T"}}})", R"({"$ref":"T"})"),
            R"({"properties":{"next":{}},"type":"object"})");
}

TEST(SchemaFlatten, DescriptionsAreCutEverywhere) {
  Schema schema = Parse(
      R"({"description":"One. Two.","items":{"description":"Three. Four."},"properties":{"description":{"type":"string"}}})");
  Schema none = schema;
  CutDescriptions(schema, 7);
  EXPECT_EQ(
      ToJson(Json(schema)),
      R"({"description":"One.","items":{"description":"Three."},"properties":{"description":{"type":"string"}}})");
  CutDescriptions(none, 0);
  EXPECT_EQ(ToJson(Json(none)), R"({"items":{},"properties":{"description":{"type":"string"}}})");
}

}  // namespace
}  // namespace keelson::codegen
