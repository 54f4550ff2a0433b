#include "keelson/apiserver/kinds/crd_structural.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "keelson/codec/json_reader.h"

namespace keelson::apiserver {

namespace {

using testing::ElementsAre;
using testing::IsEmpty;

apiextensionsv1::JSONSchemaProps Schema(std::string_view text) {
  return FromJson<apiextensionsv1::JSONSchemaProps>(text).OrExit();
}

std::vector<std::string> Problems(std::string_view text) {
  FieldErrors errors;
  const bool good = CheckStructural(Schema(text), Path("s"), errors);
  EXPECT_EQ(good, errors.empty());
  std::vector<std::string> problems;
  for (const metav1::StatusCause& cause : errors.causes()) {
    problems.push_back(cause.field.str() + ": " + cause.message.str());
  }
  return problems;
}

TEST(Structural, EveryValueHasAType) {
  EXPECT_THAT(
      Problems(R"({"type":"object","properties":{"a":{},"b":{"type":"array","items":{}},"c":{"type":"array"}}})"),
      ElementsAre("s.properties[a].type: Required value: must not be empty for specified object fields",
                  "s.properties[b].items.type: Required value: must not be empty for specified array items",
                  "s.properties[c].items: Required value: must be specified"));
  EXPECT_THAT(Problems(R"({"type":"object","properties":{"a":{"x-kubernetes-preserve-unknown-fields":true},
                           "b":{"x-kubernetes-int-or-string":true}}})"),
              IsEmpty());
}

TEST(Structural, JunctorsSayNothingButChecks) {
  EXPECT_THAT(Problems(R"({"type":"object","properties":{"a":{"type":"string","anyOf":[{"type":"string"}],
                           "not":{"default":"x"}}}})"),
              ElementsAre("s.properties[a].anyOf[0].type: Forbidden: must be empty to be structural",
                          "s.properties[a].not.default: Forbidden: must be undefined to be structural"));
}

TEST(Structural, OneFormOfAnyOfMayNameTypes) {
  EXPECT_THAT(Problems(R"({"type":"object","properties":{
      "a":{"x-kubernetes-int-or-string":true,"anyOf":[{"type":"integer"},{"type":"string"}]},
      "b":{"x-kubernetes-int-or-string":true,"allOf":[{"anyOf":[{"type":"integer"},{"type":"string"}]},{"minimum":1}]}}})"),
              IsEmpty());
  EXPECT_EQ(Problems(R"({"type":"object","properties":{
      "a":{"x-kubernetes-int-or-string":true,"anyOf":[{"type":"string"},{"type":"integer"}]}}})")
                .size(),
            2u);
}

TEST(Structural, WhatJunctorsOfTheRootSpeakOfIsThere) {
  EXPECT_THAT(Problems(R"({"type":"object","properties":{"a":{"type":"object"}},
                           "anyOf":[{"properties":{"a":{"properties":{"b":{}}}}}]})"),
              ElementsAre("s.properties[a].properties[b]: Required value: because it is defined in "
                          "s.anyOf[0].properties[a].properties[b]"));
}

TEST(Structural, MetadataOfTheRootMayRestrictNamesOnly) {
  EXPECT_THAT(Problems(R"({"type":"object","properties":{"metadata":{"type":"object","properties":{
                           "name":{"type":"string"}}}}})"),
              IsEmpty());
  EXPECT_THAT(Problems(R"({"type":"object","properties":{"metadata":{"type":"object","properties":{
                           "labels":{"type":"object"}}}}})"),
              ElementsAre("s.properties[metadata]: Forbidden: must not specify anything other than name and "
                          "generateName, but metadata is implicitly specified"));
}

TEST(Structural, KeywordsWithoutStructuralFormAreFoundAnywhere) {
  EXPECT_EQ(WhyNotConvertible(Schema(R"({"properties":{"a":{"not":{"$ref":"x"}}}})")),
            "OpenAPIV3Schema '$ref' is not supported");
  EXPECT_EQ(WhyNotConvertible(Schema(R"({"additionalProperties":{"items":[{}]}})")),
            "OpenAPIV3Schema 'items' must be a schema, but is an array");
  EXPECT_EQ(WhyNotConvertible(Schema(R"({"type":"object","properties":{"a":{"type":"string"}}})")), "");
}

}  // namespace

}  // namespace keelson::apiserver
