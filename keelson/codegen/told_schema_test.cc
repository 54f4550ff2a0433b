#include "keelson/codegen/told_schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "keelson/codec/json_reader.h"
#include "keelson/codec/json_writer.h"

namespace keelson::codegen {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Schema Parse(std::string_view json) {
  auto parsed = ParseJson(json);
  EXPECT_TRUE(parsed) << json;
  return parsed ? parsed->object() : Schema();
}

const TypeSchema kString = {.keywords = {{"type", "string"}}, .type = "string"};
const TypeSchema kInt64 = {.keywords = {{"type", "integer"}, {"format", "int64"}}, .type = "integer"};

TEST(ToldSchema, SaysOnlyWhatTheTypeDoesNotSay) {
  const ToldSchema told =
      TellSchema(Parse(R"({"type":"string","description":"d","minLength":1})"), kString, SchemaPlace::kField);
  EXPECT_THAT(told.markers, ElementsAre("kubebuilder:validation:MinLength=1"));
  EXPECT_TRUE(told.rest.empty());
  EXPECT_TRUE(TellSchema(Parse(R"({"type":"string"})"), kString, SchemaPlace::kField).empty());
}

TEST(ToldSchema, TakesAFormatAwayThatTheSchemaDoesNotHave) {
  EXPECT_THAT(TellSchema(Parse(R"({"type":"integer","minimum":1.0,"maximum":2})"), kInt64, SchemaPlace::kField).markers,
              ElementsAre("kubebuilder:validation:Format=\"\"", "kubebuilder:validation:Minimum=1",
                          "kubebuilder:validation:Maximum=2"));
}

TEST(ToldSchema, LeavesToAPatchWhatMarkersCannotSay) {
  const ToldSchema told =
      TellSchema(Parse(R"({"type":"integer","format":"int64","minimum":0.5,"maxLength":3,"oneOf":[{"minimum":1}]})"),
                 kInt64, SchemaPlace::kField);
  EXPECT_THAT(told.markers, IsEmpty());
  EXPECT_EQ(ToJson(Json(told.rest)), R"({"maxLength":3,"minimum":0.5,"oneOf":[{"minimum":1}]})");
}

TEST(ToldSchema, TakesKeywordsOfBuiltinTypesAwayByNull) {
  const TypeSchema known = {.keywords = {{"anyOf", JsonList()}, {"x-kubernetes-int-or-string", true}}, .type = ""};
  const ToldSchema told = TellSchema(Parse(R"({"x-kubernetes-int-or-string":true})"), known, SchemaPlace::kType);
  EXPECT_EQ(ToJson(Json(told.rest)), R"({"anyOf":null})");
}

TEST(ToldSchema, ValuesOfAUseAreMarkersOnMembersOnly) {
  const Schema schema = Parse(R"({"type":"string","default":"a b","example":"c","nullable":true})");
  EXPECT_THAT(TellSchema(schema, kString, SchemaPlace::kField).markers,
              ElementsAre("kubebuilder:default=\"a b\"", "kubebuilder:example=c", "nullable"));
  const ToldSchema of_type = TellSchema(schema, kString, SchemaPlace::kType);
  EXPECT_THAT(of_type.markers, IsEmpty());
  EXPECT_EQ(ToJson(Json(of_type.rest)), R"({"default":"a b","example":"c","nullable":true})");
}

TEST(ToldSchema, DefaultsHaveTheSyntaxThatGivesThemBack) {
  const auto told = [](std::string_view value) {
    Schema schema;
    schema.Set("default", *ParseJson(value));
    return TellSchema(schema, {}, SchemaPlace::kField).markers;
  };
  EXPECT_THAT(told("true"), ElementsAre("kubebuilder:default=true"));
  EXPECT_THAT(told(R"("true")"), ElementsAre("kubebuilder:default=\"true\""));
  EXPECT_THAT(told(R"("1")"), ElementsAre("kubebuilder:default=\"1\""));
  EXPECT_THAT(told("-0.5"), ElementsAre("kubebuilder:default=-0.5"));
  EXPECT_THAT(told(R"(["a","b c"])"), ElementsAre("kubebuilder:default={a,\"b c\"}"));
  EXPECT_THAT(told(R"({"a":1,"b":"c"})"), ElementsAre("kubebuilder:default={\"a\": 1, \"b\": c}"));
  EXPECT_THAT(told(R"([1,"a"])"), ElementsAre("default=[1,\"a\"]"));
  EXPECT_THAT(told("{}"), ElementsAre("default={}"));
  EXPECT_THAT(told("[]"), ElementsAre("default=[]"));
  EXPECT_THAT(told(R"({"a":{"b":[1]}})"), ElementsAre(R"(default={"a":{"b":[1]}})"));
}

TEST(ToldSchema, ItemsHaveFormsOfTheirOwn) {
  const ToldSchema told = TellSchema(Parse(R"({"type":"string","enum":["a","b-c"],"maxLength":3,
      "x-kubernetes-validations":[{"rule":"self != ''"}]})"),
                                     kString, SchemaPlace::kItems);
  EXPECT_THAT(told.markers,
              ElementsAre("kubebuilder:validation:items:Enum=a;\"b-c\"", "kubebuilder:validation:items:MaxLength=3",
                          "kubebuilder:validation:items:XValidation:rule=\"self != ''\""));
  EXPECT_FALSE(TellSchema(Parse(R"({"type":"string","title":"t"})"), kString, SchemaPlace::kItems).rest.empty());
}

TEST(ToldSchema, RulesKeepAllTheirArguments) {
  const ToldSchema told =
      TellSchema(Parse(R"({"type":"object","x-kubernetes-validations":[
        {"rule":"a\nb","message":"say \"x\"","messageExpression":"'`' + \"","reason":"FieldValueInvalid",
         "fieldPath":".a","optionalOldSelf":true}]})"),
                 {.keywords = {{"type", "object"}}, .type = "object", .is_struct = true}, SchemaPlace::kType);
  EXPECT_THAT(told.markers,
              ElementsAre("kubebuilder:validation:XValidation:rule=\"a\\nb\",message=`say \"x\"`,"
                          "messageExpression=\"'`' + \\\"\",reason=\"FieldValueInvalid\",fieldPath=\".a\","
                          "optionalOldSelf=true"));
}

TEST(ToldSchema, ListsAndMapsTellTheirTopology) {
  const TypeSchema list = {.keywords = {{"type", "array"}}, .type = "array"};
  EXPECT_THAT(TellSchema(Parse(R"({"type":"array","x-kubernetes-list-type":"map",
                                   "x-kubernetes-list-map-keys":["a","b"]})"),
                         list, SchemaPlace::kField)
                  .markers,
              ElementsAre("listType=map", "listMapKey=a", "listMapKey=b"));
  const Schema atomic = Parse(R"({"type":"object","x-kubernetes-map-type":"atomic"})");
  TypeSchema object = {.keywords = {{"type", "object"}}, .type = "object"};
  EXPECT_THAT(TellSchema(atomic, object, SchemaPlace::kField).markers, ElementsAre("mapType=atomic"));
  object.is_struct = true;
  EXPECT_THAT(TellSchema(atomic, object, SchemaPlace::kType).markers, ElementsAre("structType=atomic"));
}

TEST(ToldSchema, TextsAreQuotedAsTheyNeed) {
  EXPECT_EQ(MarkerString("Cluster"), "Cluster");
  EXPECT_EQ(MarkerString("a-b"), "\"a-b\"");
  EXPECT_EQ(MarkerString(""), "\"\"");
  EXPECT_EQ(QuotedMarkerString("a\\d\"b"), "`a\\d\"b`");
  EXPECT_EQ(QuotedMarkerString("`\\"), "\"`\\\\\"");
  EXPECT_EQ(QuotedMarkerString("a\tb\x01"), "\"a\\tb\\x01\"");
  EXPECT_EQ(QuotedMarkerString("\u202e"), "\"\\xe2\\x80\\xae\"");
}

TEST(ToldDescription, IsTheCommentWhereThatGivesItBack) {
  const DescriptionText told = TellDescription("One.\n\n  indented\ntwo");
  EXPECT_TRUE(told.exact);
  EXPECT_THAT(told.lines, ElementsAre("One.", "", "  indented", "two"));
  EXPECT_THAT(TellDescription("").lines, IsEmpty());
}

TEST(ToldDescription, KnowsWhatACommentCannotHold) {
  for (const char* text :
       {"a ", "a\n", "\na", "a\n\n\nb", "+marker", "a\n  +b", "TODO: x", "a\n---\nb", "a\\", "a\rb", "\u202ea"}) {
    EXPECT_FALSE(TellDescription(text).exact) << text;
  }
  EXPECT_THAT(TellDescription("\n+a \n\n\nb\\\n").lines, ElementsAre("| +a", "", "b"));
}

}  // namespace
}  // namespace keelson::codegen
