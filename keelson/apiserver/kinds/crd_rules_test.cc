#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "keelson/api/apiextensions/v1.h"
#include "keelson/apiserver/kinds/rules.h"
#include "keelson/codec/json_reader.h"

namespace keelson::apiserver {

namespace {

using apiextensionsv1::CustomResourceDefinition;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const ErasedRules& Rules() {
  static const RulesTable table = RulesTable::Builtin();
  return table.Of(TypeOf<CustomResourceDefinition>());
}

// With its defaults and the status that a create leaves it with.
CustomResourceDefinition Widgets(std::string_view versions) {
  CustomResourceDefinition crd;
  crd.metadata.name = "widgets.example.com";
  crd.spec.group = "example.com";
  crd.spec.scope = "Namespaced";
  crd.spec.names.plural = "widgets";
  crd.spec.names.kind = "Widget";
  crd.spec.versions = FromJson<List<apiextensionsv1::CustomResourceDefinitionVersion>>(versions).OrExit();
  Rules().set_defaults(&crd);
  return crd;
}

constexpr std::string_view kOneVersion = R"([{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{
    "type":"object","properties":{"size":{"type":"integer"}}}}}])";

std::vector<std::string> Fields(const FieldErrors& errors) {
  std::vector<std::string> fields;
  for (const metav1::StatusCause& cause : errors.causes()) fields.emplace_back(cause.field);
  return fields;
}

std::vector<std::string> WrongFields(const CustomResourceDefinition& crd) {
  FieldErrors errors;
  Rules().validate(&crd, errors);
  return Fields(errors);
}

TEST(CustomResourceDefinitionRules, NamesAndConversionHaveDefaults) {
  const CustomResourceDefinition crd = Widgets(kOneVersion);
  EXPECT_EQ(crd.spec.names.singular, "widget");
  EXPECT_EQ(crd.spec.names.listKind, "WidgetList");
  EXPECT_EQ(crd.spec.conversion->strategy, "None");
  EXPECT_THAT(WrongFields(crd), IsEmpty());
}

TEST(CustomResourceDefinitionRules, WhatVersionsHaveInCommonIsNamedOnce) {
  EXPECT_THAT(WrongFields(Widgets(R"([{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{
                  "type":"object","properties":{"a":{}}}}}])")),
              ElementsAre("spec.validation.openAPIV3Schema.properties[a].type"));
  EXPECT_THAT(WrongFields(Widgets(R"([
                  {"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}},
                  {"name":"v2","served":true,"storage":false,"schema":{"openAPIV3Schema":{
                   "type":"object","properties":{"a":{}}}}}])")),
              ElementsAre("spec.versions[1].schema.openAPIV3Schema.properties[a].type"));
}

TEST(CustomResourceDefinitionRules, AStorageVersionIsRemembered) {
  const CustomResourceDefinition old = Widgets(kOneVersion);
  CustomResourceDefinition crd = old;
  crd.spec.versions[0].name = "v2";
  struct Nothing : Lookup {
    std::optional<AnyValue> FindAny(const Type&, const ObjectKey&) const override { return std::nullopt; }
    std::vector<AnyValue> FindAnyAll(const Type&, std::string_view) const override { return {}; }
  } nothing;
  std::vector<std::string> warnings;
  WriteContext context{
      .lookup = nothing, .now = {}, .user_name = {}, .user_groups = {}, .subresource = {}, .warnings = warnings};
  ASSERT_TRUE(Rules().prepare_update(&crd, &old, context));
  EXPECT_THAT(crd.status.storedVersions, ElementsAre(String("v1"), String("v2")));
  FieldErrors errors;
  Rules().validate_update(&crd, &old, errors);
  EXPECT_THAT(Fields(errors), ElementsAre("status.storedVersions[0]"));
}

TEST(CustomResourceDefinitionRules, DefaultsAreValuesThatTheSchemaTakes) {
  const auto with_field = [](std::string_view field) {
    return Widgets(R"([{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object",
                        "properties":{"f":)" +
                   std::string(field) + "}}}}]");
  };
  EXPECT_THAT(WrongFields(with_field(R"({"type":"string","default":"x"})")), IsEmpty());
  EXPECT_THAT(WrongFields(with_field(R"({"type":"string","default":1})")),
              ElementsAre("spec.validation.openAPIV3Schema.properties[f].default"));
  FieldErrors errors;
  const CustomResourceDefinition ruled = with_field(
      R"({"type":"string","default":"x","x-kubernetes-validations":[{"rule":"self == 'y'","message":"must be y"}]})");
  Rules().validate(&ruled, errors);
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors.causes()[0].field, "spec.validation.openAPIV3Schema.properties[f].default");
  EXPECT_THAT(errors.causes()[0].message.str(), HasSubstr("must be y"));
}

TEST(CustomResourceDefinitionRules, UnknownFormatsAreTold) {
  std::vector<std::string> warnings;
  const CustomResourceDefinition crd = Widgets(R"([{"name":"v1","served":true,"storage":true,"schema":{
      "openAPIV3Schema":{"type":"object","properties":{"a":{"type":"string","format":"fancy"},
                                                       "b":{"type":"string","format":"date-time"}}}}}])");
  Rules().warn(&crd, warnings);
  EXPECT_THAT(warnings, ElementsAre("unrecognized format \"fancy\""));
}

}  // namespace

}  // namespace keelson::apiserver
