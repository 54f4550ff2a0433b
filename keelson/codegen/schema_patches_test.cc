// +keelson:schema, from the marker to the finished schema.
#include <gtest/gtest.h>

#include "keelson/codec/json_reader.h"
#include "keelson/codec/json_writer.h"
#include "keelson/codegen/schema_flatten.h"
#include "keelson/codegen/schema_markers.h"

namespace keelson::codegen {
namespace {

Schema Parse(std::string_view json) { return ParseJson(json)->object(); }

Schema Marked(const std::string& marker, Schema schema, Diagnostics& problems, MarkerTarget target) {
  const std::vector<Marker> markers = {{.text = marker, .position = {.file = "a.h", .line = 1, .column = 4}}};
  ApplySchemaMarkers(ParseMarkers(markers, target, problems), SchemaDefinitions(), schema, problems);
  return schema;
}

std::string Finished(const SchemaDefinitions& definitions, const Schema& schema) {
  Schema flat = SchemaFlattener(definitions).Flatten(schema);
  ApplySchemaPatches(flat);
  return ToJson(Json(flat));
}

TEST(SchemaPatches, AddAndTakeAwayKeywords) {
  Diagnostics problems;
  const Schema schema =
      Marked(R"(keelson:schema={"oneOf":[{"minLength":1}],"format":null,"maxLength":3})",
             Parse(R"({"type":"string","format":"x","maxLength":1})"), problems, MarkerTarget::kField);
  EXPECT_EQ(problems.Render(), "");
  EXPECT_EQ(Finished(SchemaDefinitions(), schema), R"({"maxLength":3,"oneOf":[{"minLength":1}],"type":"string"})");
}

TEST(SchemaPatches, AreNotMergedAsSchemasAre) {
  Diagnostics problems;
  SchemaDefinitions definitions;
  definitions.Add("T", Marked(R"(keelson:schema={"allOf":[{"required":["a"]},{"required":["b"]}]})",
                              Parse(R"({"type":"object"})"), problems, MarkerTarget::kType));
  EXPECT_EQ(Finished(definitions, Parse(R"({"$ref":"T","description":"d"})")),
            R"({"allOf":[{"required":["a"]},{"required":["b"]}],"description":"d","type":"object"})");
}

TEST(SchemaPatches, OfTheTypeComeBeforeThoseOfTheMember) {
  Diagnostics problems;
  SchemaDefinitions definitions;
  definitions.Add("T", Marked(R"(keelson:schema={"title":"type","minProperties":1})", Parse(R"({"type":"object"})"),
                              problems, MarkerTarget::kType));
  const Schema member =
      Marked(R"(keelson:schema={"title":"member"})", Parse(R"({"$ref":"T"})"), problems, MarkerTarget::kField);
  EXPECT_EQ(Finished(definitions, member), R"({"minProperties":1,"title":"member","type":"object"})");
}

TEST(SchemaPatches, OfAnOuterSchemaComeAfterThoseInside) {
  Schema schema = Parse(R"({"type":"object","#patches":[{"properties":{"a":{"title":"outer"},"b":null}}],
      "properties":{"a":{"type":"string","#patches":[{"title":"inner","example":1}]},"b":{"type":"string"}}})");
  ApplySchemaPatches(schema);
  EXPECT_EQ(ToJson(Json(schema)),
            R"({"properties":{"a":{"example":1,"title":"outer","type":"string"}},"type":"object"})");
}

TEST(SchemaPatches, AreObjects) {
  Diagnostics problems;
  Marked("keelson:schema=[1]", Parse(R"({"type":"string"})"), problems, MarkerTarget::kField);
  EXPECT_EQ(problems.Render(),
            "a.h:1:4: error: +keelson:schema: expected a JSON object with the keywords of a schema\n");
}

}  // namespace
}  // namespace keelson::codegen
