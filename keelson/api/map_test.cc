#include "keelson/api/map.h"

#include <gtest/gtest.h>

#include "keelson/api/apiextensions/v1.h"
#include "keelson/api/sharing.h"

namespace keelson {
namespace {

using Schemas = Map<apiextensionsv1::JSONSchemaProps>;

TEST(Map, IsOnePointerWideAndEmptyAtFirst) {
  EXPECT_EQ(sizeof(Schemas), sizeof(void*));
  const Map<String> map;
  EXPECT_TRUE(map.empty());
  EXPECT_EQ(map.find("a"), nullptr);
}

TEST(Map, KeepsKeysInOrder) {
  Map<String> map = {{"b", "2"}, {"a", "1"}, {"b", "3"}};
  map.Set("c", "4");
  std::string seen;
  for (const auto& [key, value] : map) seen += key + "=" + value.str() + " ";
  EXPECT_EQ(seen, "a=1 b=3 c=4 ");
  EXPECT_EQ(map.size(), 3u);
}

TEST(Map, FindsSetsAndErases) {
  Map<int32_t> map;
  for (int i = 0; i < 200; ++i) map.Set(std::to_string(i * 7 % 200), i);
  EXPECT_EQ(map.size(), 200u);
  EXPECT_EQ(map.at("7"), 1);
  EXPECT_TRUE(map.contains("199"));
  map["7"] = 70;
  map["new"] += 5;
  EXPECT_EQ(map.at("7"), 70);
  EXPECT_EQ(map.at("new"), 5);
  EXPECT_TRUE(map.erase("7"));
  EXPECT_FALSE(map.erase("7"));
  EXPECT_EQ(map.find("7"), nullptr);
  EXPECT_EQ(map.size(), 200u);
  map.clear();
  EXPECT_TRUE(map.empty());
}

TEST(Map, KeyMayComeFromTheMapItself) {
  Map<String> map = {{"a", "x"}};
  for (int i = 0; i < 10; ++i) map.Set(std::string(std::as_const(map).begin().operator*().key) + "a", "y");
  EXPECT_EQ(map.size(), 2u);
  EXPECT_EQ(map.at("aa"), "y");
}

TEST(Map, ConvertsFromAndToStandardMap) {
  const std::map<std::string, std::string> standard = {{"a", "1"}, {"b", "2"}};
  const Map<String> map = standard;
  EXPECT_EQ(map.at("b"), "2");
  const std::map<std::string, std::string> back = map;
  EXPECT_EQ(back, standard);
}

TEST(Map, ReadingThroughConstNeverDetaches) {
  Schemas map = {{"a", {.type = "string"}}};
  const Schemas copy = map;
  const auto* before = copy.find("a");
  for (const auto& [key, value] : map) EXPECT_EQ(value.type, "string");
  EXPECT_EQ(map.find("a"), before);
  EXPECT_EQ(&std::as_const(map).at("a"), before);
  EXPECT_EQ(copy.find("a"), before);
}

TEST(Map, FirstWriteClonesWhatIsShared) {
  Schemas map = {{"a", {.type = "string"}}, {"b", {.type = "number"}}};
  const Schemas copy = map;
  map["a"].format = "date";
  map.Set("c", {});
  EXPECT_TRUE(map.erase("b"));
  EXPECT_EQ(copy.at("a").format, "");
  EXPECT_EQ(copy.size(), 2u);
  EXPECT_EQ(map.at("a").format, "date");
  EXPECT_EQ(map.size(), 2u);
}

TEST(Map, ReferenceThatOutlivesACopyDoesNotWriteIntoIt) {
  Schemas map = {{"a", {}}};
  apiextensionsv1::JSONSchemaProps& reference = map["a"];
  const Schemas copy = map;
  reference.type = "late";
  EXPECT_EQ(copy.at("a").type, "");
  EXPECT_EQ(map.at("a").type, "late");

  Map<String> texts = {{"k", "v"}};
  String& text = texts["k"];
  const Map<String> other = texts;
  text = "late";
  EXPECT_EQ(other.at("k"), "v");
}

TEST(Map, FrozenNodeIsClonedOnWrite) {
  Map<String> map = {{"app", "web"}};
  Map<String> equal = {{"app", "web"}};
  ShareNodes(map);
  ShareNodes(equal);
  EXPECT_EQ(map.find("app"), equal.find("app"));
  map["app"] = "api";
  map.Set("tier", "front");
  EXPECT_EQ(equal.at("app"), "web");
  EXPECT_EQ(equal.size(), 1u);
  EXPECT_TRUE(equal.erase("app"));
  EXPECT_EQ(map.at("app"), "api");
}

TEST(MapDeathTest, MissingKeyEndsTheProcess) {
  const Map<String> map;
  EXPECT_DEATH((void)map.at("a"), "Map key not found");
}

}  // namespace
}  // namespace keelson
