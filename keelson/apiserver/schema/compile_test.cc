#include "keelson/apiserver/schema/compile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <re2/re2.h>

#include "keelson/codec/json_reader.h"

namespace keelson::apiserver {

namespace {

using testing::ElementsAre;

Result<SchemaPtr> FromText(std::string_view text) {
  return CompileSchema(FromJson<apiextensionsv1::JSONSchemaProps>(text).OrExit());
}

TEST(CompileSchema, KeepsEveryKeywordOfAStructuralSchema) {
  const SchemaPtr schema = FromText(R"({"type":"object","required":["b","a"],"properties":{
    "b":{"type":"array","items":{"type":"object","properties":{"k":{"type":"string"}}},
         "x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],"maxItems":3},
    "a":{"type":"integer","minimum":1,"maximum":2.5,"exclusiveMaximum":true,"default":2,"enum":[1,2]},
    "c":{"x-kubernetes-int-or-string":true,"anyOf":[{"type":"integer"},{"type":"string"}]},
    "d":{"type":"object","additionalProperties":{"type":"string","pattern":"^a+$"},"x-kubernetes-map-type":"atomic"}},
    "x-kubernetes-validations":[{"rule":"self.a > 0","reason":"FieldValueRequired","fieldPath":".a"}]})")
                               .OrExit();
  EXPECT_EQ(schema->type, SchemaType::kObject);
  EXPECT_THAT(schema->required, ElementsAre("b", "a"));
  ASSERT_EQ(schema->properties.size(), 4u);
  EXPECT_EQ(schema->properties[0].name, "a");
  const Schema& a = schema->properties[0].schema;
  EXPECT_EQ(a.maximum, 2.5);
  EXPECT_TRUE(a.exclusive_maximum);
  EXPECT_EQ(a.default_, Json(2));
  EXPECT_THAT(a.enum_, ElementsAre(Json(1), Json(2)));
  const Schema* b = schema->FindProperty("b");
  EXPECT_EQ(b->list_type, ListType::kMap);
  EXPECT_THAT(b->list_keys, ElementsAre("k"));
  EXPECT_EQ(b->max_items, 3);
  EXPECT_EQ(b->items->FindProperty("k")->type, SchemaType::kString);
  const Schema* c = schema->FindProperty("c");
  EXPECT_TRUE(c->int_or_string);
  ASSERT_EQ(c->any_of.size(), 2u);
  EXPECT_EQ(c->any_of[1].type, SchemaType::kString);
  const Schema* d = schema->FindProperty("d");
  EXPECT_TRUE(d->atomic_map);
  EXPECT_TRUE(d->additional_allowed);
  EXPECT_TRUE(RE2::PartialMatch("aaa", *d->Member("any")->compiled_pattern));
  EXPECT_EQ(schema->rules.at(0).field_path, ".a");
  EXPECT_EQ(schema->rules.at(0).reason, "FieldValueRequired");
}

TEST(CompileSchema, KnowsWhereDefaultsAndRulesAre) {
  const SchemaPtr schema = FromText(R"({"type":"object","properties":{
    "a":{"type":"array","items":{"type":"string","default":"x"}},
    "b":{"type":"object","additionalProperties":{"type":"string","x-kubernetes-validations":[{"rule":"true"}]}},
    "c":{"type":"string","default":null}}})")
                               .OrExit();
  EXPECT_TRUE(schema->has_defaults);
  EXPECT_TRUE(schema->has_rules);
  EXPECT_TRUE(schema->FindProperty("a")->has_defaults);
  EXPECT_FALSE(schema->FindProperty("a")->has_rules);
  EXPECT_TRUE(schema->FindProperty("b")->has_rules);
  EXPECT_FALSE(schema->FindProperty("c")->has_defaults);
}

TEST(CompileSchema, RefusesWhatHasNoStructuralForm) {
  EXPECT_EQ(FromText(R"({"properties":{"a":{"$ref":"#/x"}}})").error().message(),
            "OpenAPIV3Schema '$ref' is not supported");
  EXPECT_EQ(FromText(R"({"items":[{"type":"string"}]})").error().message(),
            "OpenAPIV3Schema 'items' must be a schema, but is an array");
  EXPECT_FALSE(FromText(R"({"pattern":"a("})"));
}

}  // namespace

}  // namespace keelson::apiserver
