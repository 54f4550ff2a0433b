// What the recordings do not show: that nothing is copied without need, and lists longer than a recording wants.
#include <gtest/gtest.h>

#include "keelson/api/apiextensions/v1.h"
#include "keelson/apiserver/schema/compile.h"
#include "keelson/apiserver/schema/correlate.h"
#include "keelson/apiserver/schema/defaults.h"
#include "keelson/apiserver/schema/formats.h"
#include "keelson/apiserver/schema/go_numbers.h"
#include "keelson/apiserver/schema/prune.h"
#include "keelson/apiserver/schema/validate.h"
#include "keelson/codec/json_reader.h"
#include "keelson/codec/json_writer.h"

namespace keelson::apiserver {
namespace {

SchemaPtr SchemaOf(std::string_view text) {
  return CompileSchema(FromJson<apiextensionsv1::JSONSchemaProps>(text).value()).value();
}

Json Parsed(std::string_view text) { return ParseJson(text).value(); }

TEST(Prune, KeepsTheNodesOfAValueThatHasNothingToRemove) {
  const SchemaPtr schema =
      SchemaOf(R"({"type":"object","properties":{"a":{"type":"array","items":{"type":"string"}}}})");
  Json value = Parsed(R"({"a":["x","y"]})");
  const Json* before = value.find("a");
  Prune(value, *schema);
  PruneNulls(value, *schema);
  ApplyDefaults(value, *schema);
  EXPECT_EQ(value.find("a"), before);
}

TEST(Prune, LeavesOtherHoldersOfTheValueAlone) {
  const SchemaPtr schema = SchemaOf(R"({"type":"object","properties":{"a":{"type":"object"}}})");
  const Json original = Parsed(R"({"a":{"x":1},"b":2})");
  Json value = original;
  std::vector<std::string> removed;
  Prune(value, *schema, &removed);
  EXPECT_EQ(ToJson(value), R"({"a":{}})");
  EXPECT_EQ(removed, (std::vector<std::string>{"a.x", "b"}));
  EXPECT_EQ(ToJson(original), R"({"a":{"x":1},"b":2})");
}

TEST(Defaults, AreNotSharedWithTheSchemaOnceWritten) {
  const SchemaPtr schema = SchemaOf(R"({"type":"object","properties":{"a":{"type":"object","default":{"b":1}}}})");
  Json value = Json::Object();
  ApplyDefaults(value, *schema);
  value.object()["a"].object().Set("b", 2);
  Json other = Json::Object();
  ApplyDefaults(other, *schema);
  EXPECT_EQ(ToJson(other), R"({"a":{"b":1}})");
}

TEST(Defaults, OfTheRootsHeadAreNotPartOfTheContent) {
  const SchemaPtr schema = SchemaOf(R"({"type":"object","properties":{"kind":{"type":"string","default":"X"}}})");
  Json value = Json::Object();
  ApplyDefaults(value, *schema);
  EXPECT_EQ(ToJson(value), "{}");
}

TEST(OldElements, OfEqualKeysAreTheFirstInShortAndLongLists) {
  const SchemaPtr schema = SchemaOf(
      R"({"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["n"],"items":{"type":"object"}})");
  for (const int size : {2, 40}) {
    JsonList list;
    for (int i = 0; i < size; ++i) list.push_back(Json::Object({{"n", i % (size / 2)}, {"at", i}}));
    const Json old(list);
    const OldElements elements(*schema, old);
    const Json wanted = Json::Object({{"n", 0}});
    ASSERT_NE(elements.Find(wanted), nullptr);
    EXPECT_EQ(elements.Find(wanted)->find("at")->integer(), 0);
    EXPECT_EQ(elements.Find(Json::Object({{"n", size}})), nullptr);
    EXPECT_EQ(elements.Find(Json::Object({{"n", "0"}})), nullptr);
    EXPECT_EQ(elements.Find(Json("text")), nullptr);
  }
}

TEST(Validate, NamesFieldsBelowThePathButNotInTheText) {
  const SchemaPtr schema = SchemaOf(R"({"type":"object","properties":{"n":{"type":"integer"}}})");
  FieldErrors errors;
  ValidateValue(*schema, Parsed(R"({"n":"x"})"), nullptr, Path("status"), errors);
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors.causes()[0].field, "status.n");
  EXPECT_EQ(errors.causes()[0].message, R"(Invalid value: "string": n in body must be of type integer: "string")");
  EXPECT_FALSE(MayRunRules(errors));
}

TEST(Validate, LooksAtTheHeadOnlyWhereTheSchemaRestrictsIt) {
  const SchemaPtr schema = SchemaOf(
      R"({"type":"object","required":["kind","metadata"],"properties":{"kind":{"enum":["A"]},"metadata":{"type":"object",
          "properties":{"name":{"type":"string","maxLength":3}}}}})");
  FieldErrors errors;
  ValidateDocument(*schema, {.api_version = "v1", .kind = "A", .name = "abc"}, Json(), nullptr, errors);
  EXPECT_TRUE(errors.empty());
  ValidateDocument(*schema, {.api_version = "v1", .kind = "B", .name = "abcd"}, Json(), nullptr, errors);
  ASSERT_EQ(errors.size(), 2u);
  EXPECT_EQ(errors.causes()[0].field, "kind");
  EXPECT_EQ(errors.causes()[1].field, "metadata.name");
}

TEST(Formats, AreFoundWhateverTheirDashes) {
  EXPECT_EQ(FindFormat("date-time"), FindFormat("datetime"));
  EXPECT_NE(FindFormat("date-time"), nullptr);
  EXPECT_EQ(FindFormat("unheard-of"), nullptr);
  EXPECT_EQ(FindFormat("a-format-with-a-name-that-is-too-long"), nullptr);
}

TEST(NormalizeNumbers, MakesIntegersOfWholeDoublesAnywhere) {
  Json value = Parsed(R"({"a":[1.0,1.5,{"b":-2.0}],"c":1e300})");
  NormalizeNumbers(value);
  EXPECT_EQ(ToJson(value), R"({"a":[1,1.5,{"b":-2}],"c":1e+300})");
}

}  // namespace
}  // namespace keelson::apiserver
