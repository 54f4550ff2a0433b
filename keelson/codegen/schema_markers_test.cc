#include "keelson/codegen/schema_markers.h"

#include <gtest/gtest.h>

#include "keelson/codec/json_equal.h"
#include "keelson/codec/json_reader.h"
#include "keelson/codec/json_writer.h"

namespace keelson::codegen {
namespace {

Schema Parse(std::string_view json) {
  const Json parsed = ParseJson(json).value();
  return parsed.object();
}

struct Outcome {
  Json schema;
  std::string problems;
};

Outcome Apply(std::string_view schema_json, const std::vector<std::string>& markers,
              MarkerTarget target = MarkerTarget::kField) {
  std::vector<Marker> written;
  for (const std::string& text : markers) {
    written.push_back({.text = text, .position = {"a.h", static_cast<int>(written.size()) + 1, 4}});
  }
  Diagnostics problems;
  SchemaDefinitions definitions;
  definitions.Add("Names", Parse(R"({"type":"array","items":{"type":"string"}})"));
  definitions.Add("Settings", Parse(R"({"type":"object"})"));
  Schema schema = Parse(schema_json);
  ApplySchemaMarkers(ParseMarkers(written, target, problems), definitions, schema, problems);
  return {schema, problems.Render()};
}

// Numbers by value: the bounds of integers are doubles.
void ExpectEqual(const Json& schema, std::string_view expected) {
  EXPECT_TRUE(NumericallyEqual(schema, ParseJson(expected).value())) << ToJson(schema);
}

void ExpectSchema(std::string_view before, const std::vector<std::string>& markers, std::string_view after) {
  const Outcome outcome = Apply(before, markers);
  ExpectEqual(outcome.schema, after);
  EXPECT_EQ(outcome.problems, "");
}

void ExpectProblem(std::string_view before, const std::vector<std::string>& markers, std::string_view problem) {
  EXPECT_NE(Apply(before, markers).problems.find(problem), std::string::npos) << Apply(before, markers).problems;
}

constexpr const char* kText = R"({"type":"string"})";
constexpr const char* kInteger = R"({"type":"integer"})";
constexpr const char* kTexts = R"({"items":{"type":"string"},"type":"array"})";

TEST(SchemaMarkers, BoundsOfNumbers) {
  ExpectSchema(
      kInteger,
      {"kubebuilder:validation:Minimum=-1", "kubebuilder:validation:Maximum=9", "kubebuilder:validation:MultipleOf=2",
       "kubebuilder:validation:ExclusiveMinimum=true", "kubebuilder:validation:ExclusiveMaximum=false"},
      R"({"exclusiveMinimum":true,"maximum":9,"minimum":-1,"multipleOf":2,"type":"integer"})");
}

TEST(SchemaMarkers, BoundsOfTextsAndLists) {
  ExpectSchema(kText,
               {"kubebuilder:validation:MinLength=0", "kubebuilder:validation:MaxLength=9",
                "kubebuilder:validation:Pattern=`^a$`", "kubebuilder:validation:Format=uuid"},
               R"({"format":"uuid","maxLength":9,"minLength":0,"pattern":"^a$","type":"string"})");
  ExpectSchema(kTexts,
               {"kubebuilder:validation:MinItems=1", "kubebuilder:validation:MaxItems=2",
                "kubebuilder:validation:UniqueItems=true"},
               R"({"items":{"type":"string"},"maxItems":2,"minItems":1,"type":"array","uniqueItems":true})");
}

TEST(SchemaMarkers, ItemsHaveBoundsOfTheirOwn) {
  ExpectSchema(kTexts, {"kubebuilder:validation:items:MaxLength=3", "kubebuilder:validation:items:Enum=a;b"},
               R"({"items":{"enum":["a","b"],"maxLength":3,"type":"string"},"type":"array"})");
  ExpectProblem(kText, {"kubebuilder:validation:items:MaxLength=3"}, "belongs on a list; this is of type string");
  ExpectProblem(R"({"$ref":"Names","type":"array"})", {"kubebuilder:validation:items:MaxLength=3"},
                "put the marker above its `using`");
}

TEST(SchemaMarkers, AMarkerOnAnotherTypeIsAProblem) {
  ExpectProblem(kInteger, {"kubebuilder:validation:MinLength=1"},
                "a.h:1:4: error: +kubebuilder:validation:MinLength: belongs on a string; this is of type integer");
  ExpectProblem(kText, {"kubebuilder:validation:Maximum=1"}, "belongs on a number; this is of type string");
  ExpectProblem(kText, {"kubebuilder:validation:MaxItems=1"}, "belongs on a list; this is of type string");
  ExpectProblem(kText, {"kubebuilder:validation:MaxProperties=1"}, "belongs on a map or struct");
  ExpectProblem(kText, {"listType=set"}, "belongs on a list");
  ExpectProblem(kText, {"mapType=atomic"}, "belongs on a map");
  ExpectProblem(kInteger, {"kubebuilder:validation:Maximum=1.5"}, "must be a whole number");
}

TEST(SchemaMarkers, WhatIsBehindAReferenceCounts) {
  ExpectSchema(R"({"$ref":"Settings"})", {"kubebuilder:validation:MinProperties=1"},
               R"({"$ref":"Settings","minProperties":1})");
  ExpectProblem(R"({"$ref":"Settings"})", {"kubebuilder:validation:MinLength=1"}, "this is of type object");
  ExpectSchema(R"({"$ref":"util/intstr.IntOrString"})", {"kubebuilder:validation:Pattern=`%$`"},
               R"({"$ref":"util/intstr.IntOrString","pattern":"%$"})");
}

TEST(SchemaMarkers, TheTypeIsChangedBeforeItIsAskedFor) {
  ExpectSchema(R"({"type":"object"})", {"kubebuilder:validation:MinLength=1", "kubebuilder:validation:Type=string"},
               R"({"minLength":1,"type":"string"})");
}

TEST(SchemaMarkers, DefaultsAreValues) {
  ExpectSchema(kText, {"kubebuilder:default=fast"}, R"({"default":"fast","type":"string"})");
  ExpectSchema(kInteger, {"kubebuilder:default:=3"}, R"({"default":3,"type":"integer"})");
  ExpectSchema(kTexts, {"kubebuilder:default={}"}, R"({"default":[],"items":{"type":"string"},"type":"array"})");
  // The marker of kubebuilder stands above that of Kubernetes.
  ExpectSchema(kText, {"kubebuilder:default=a", "default=\"b\""}, R"({"default":"a","type":"string"})");
}

TEST(SchemaMarkers, DefaultsAreOfTheType) {
  ExpectProblem(kText, {"kubebuilder:default=3"},
                "a.h:1:4: error: +kubebuilder:default: expected a value of type string; found 3: write \"3\"");
  ExpectProblem(kInteger, {"kubebuilder:default=few"}, "expected a value of type integer; found \"few\"");
  ExpectProblem(kTexts, {"kubebuilder:default=one"}, "expected a value of type array; found \"one\"");
  ExpectProblem(R"({"$ref":"Settings"})", {"default=true"}, "expected a value of type object; found true");
  ExpectProblem(kText, {"kubebuilder:default=slow", "kubebuilder:validation:Enum=fast;faster"},
                "expected one of \"fast\", \"faster\"; found \"slow\"");
  // Types that come late count, and some have several.
  ExpectSchema(R"({"type":"object"})", {"kubebuilder:default=3s", "kubebuilder:validation:Type=string"},
               R"({"default":"3s","type":"string"})");
  ExpectSchema(R"({"$ref":"util/intstr.IntOrString"})", {"kubebuilder:default=3"},
               R"({"$ref":"util/intstr.IntOrString","default":3})");
}

TEST(SchemaMarkers, ChoicesAreOfTheType) {
  ExpectProblem(kText, {"kubebuilder:validation:Enum=a;1"}, "expected a value of type string; found 1: write \"1\"");
  ExpectProblem(kTexts, {"kubebuilder:validation:items:Enum=true"}, "expected a value of type string; found true");
}

TEST(SchemaMarkers, TypesAreThoseOfSchemas) {
  ExpectProblem(kText, {"kubebuilder:validation:Type=strin"},
                "expected one of array, boolean, integer, number, object, string; found 'strin'");
  ExpectSchema(kText, {"kubebuilder:validation:Type=\"\""}, R"({"type":""})");
}

TEST(SchemaMarkers, ListMapsHaveKeys) {
  ExpectSchema(kTexts, {"listMapKey=a", "listMapKey=b", "listMapKey=a", "listType=map"},
               R"({"items":{"type":"string"},"type":"array","x-kubernetes-list-map-keys":["a","b"],)"
               R"("x-kubernetes-list-type":"map"})");
  ExpectProblem(kTexts, {"listMapKey=a"}, "needs +listType=map");
  ExpectProblem(kTexts, {"listType=bag"}, "expected one of atomic, map, set; found 'bag'");
}

TEST(SchemaMarkers, RulesInCel) {
  ExpectSchema(
      kText,
      {"kubebuilder:validation:XValidation:rule=\"self == oldSelf\",message=\"fixed\",reason=FieldValueInvalid,"
       "fieldPath=\".a\",optionalOldSelf=false"},
      R"({"type":"string","x-kubernetes-validations":[{"fieldPath":".a","message":"fixed",)"
      R"("optionalOldSelf":false,"reason":"FieldValueInvalid","rule":"self == oldSelf"}]})");
  ExpectProblem(kText, {"kubebuilder:validation:XValidation:rule=\"true\",reason=Bad"}, "found 'Bad'");
}

TEST(SchemaMarkers, OneOfSeveralMembers) {
  const Outcome outcome = Apply(R"({"type":"object"})",
                                {"kubebuilder:validation:AtLeastOneOf=a;b", "kubebuilder:validation:ExactlyOneOf=a;b",
                                 "kubebuilder:validation:AtMostOneOf=c;d"},
                                MarkerTarget::kType);
  EXPECT_EQ(outcome.problems, "");
  ExpectEqual(outcome.schema, R"json({"type":"object","x-kubernetes-validations":[)json"
                              R"json({"message":"at most one of the fields in [c d] may be set",)json"
                              R"json("rule":"(has(self.c)?1:0)+(has(self.d)?1:0) <= 1"},)json"
                              R"json({"message":"exactly one of the fields in [a b] must be set",)json"
                              R"json("rule":"(has(self.a)?1:0)+(has(self.b)?1:0) == 1"},)json"
                              R"json({"message":"at least one of the fields in [a b] must be set",)json"
                              R"json("rule":"has(self.a)||has(self.b)"}]})json");
}

TEST(SchemaMarkers, OtherWords) {
  ExpectSchema(kText,
               {"kubebuilder:title=\"A name\"", "kubebuilder:example=x", "nullable",
                "kubebuilder:externalDocs:url=\"https://example.com\",description=more"},
               R"({"example":"x","externalDocs":{"description":"more","url":"https://example.com"},"nullable":true,)"
               R"("title":"A name","type":"string"})");
  ExpectSchema(
      R"({"type":"object"})",
      {"kubebuilder:pruning:PreserveUnknownFields", "kubebuilder:validation:EmbeddedResource", "structType=atomic"},
      R"({"type":"object","x-kubernetes-embedded-resource":true,"x-kubernetes-map-type":"atomic",)"
      R"("x-kubernetes-preserve-unknown-fields":true})");
}

TEST(SchemaMarkers, ARequiredValueOfKubernetesIsNotEmpty) {
  ExpectSchema(kText, {"k8s:required"}, R"({"minLength":1,"type":"string"})");
  ExpectSchema(kText, {"k8s:required", "kubebuilder:validation:MinLength=3"}, R"({"minLength":3,"type":"string"})");
  ExpectSchema(kInteger, {"k8s:required"}, R"({"type":"integer"})");
}

TEST(SchemaMarkers, PresenceIsSaidByTheFirstFamilyThatSpeaks) {
  const auto presence = [](const std::vector<std::string>& texts) {
    std::vector<ParsedMarker> markers;
    for (const std::string& text : texts)
      markers.push_back({.name = text, .value = {}, .arguments = {}, .position = {}});
    return PresenceOf(markers);
  };
  EXPECT_EQ(presence({}), Presence::kUnsaid);
  EXPECT_EQ(presence({"optional"}), Presence::kOptional);
  EXPECT_EQ(presence({"k8s:required"}), Presence::kRequired);
  EXPECT_EQ(presence({"optional", "kubebuilder:validation:Required"}), Presence::kRequired);
}

}  // namespace
}  // namespace keelson::codegen
