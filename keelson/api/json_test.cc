#include "keelson/api/json.h"

#include <gtest/gtest.h>

#include "keelson/api/compare.h"
#include "keelson/api/sharing.h"

namespace keelson {
namespace {

Json Document() {
  return Json::Object({{"name", "web"},
                       {"replicas", 3},
                       {"ratio", 0.5},
                       {"on", true},
                       {"none", nullptr},
                       {"ports", Json::Array({80, "http", Json::Object({{"deep", 1}})})}});
}

TEST(Json, KnowsItsKind) {
  EXPECT_TRUE(Json().is_null());
  EXPECT_TRUE(Json(true).is_bool());
  EXPECT_TRUE(Json(1).is_int());
  EXPECT_TRUE(Json(1.0).is_double());
  EXPECT_TRUE(Json("x").is_string());
  EXPECT_TRUE(Json::Array().is_list());
  EXPECT_TRUE(Json::Object().is_object());
  EXPECT_TRUE(Json(1).is_number() && Json(1.5).is_number() && !Json("1").is_number());
  EXPECT_EQ(ToString(Json::Kind::kDouble), "number");
  EXPECT_EQ(ToString(Json::Kind::kList), "array");
}

TEST(Json, IntegersAndDoublesDiffer) {
  EXPECT_FALSE(Json(1) == Json(1.0));
  EXPECT_EQ(Json(1).number(), 1.0);
  EXPECT_EQ(Json(INT64_MIN).integer(), INT64_MIN);
  EXPECT_EQ(Json(0.0), Json(-0.0));
  EXPECT_EQ(Hash(Json(0.0)), Hash(Json(-0.0)));
}

TEST(Json, FindsMembers) {
  const Json document = Document();
  ASSERT_NE(document.find("name"), nullptr);
  EXPECT_EQ(document.find("name")->string(), "web");
  EXPECT_EQ(document.find("missing"), nullptr);
  const Json text = "text";
  EXPECT_EQ(text.find("name"), nullptr);
  EXPECT_EQ(document.find("ports")->list()[2].find("deep")->integer(), 1);
}

TEST(Json, CopiesShareAndWritesClone) {
  Json document = Document();
  const Json copy = document;
  EXPECT_EQ(document.find("name"), copy.find("name"));
  document.object()["ports"].list()[2].object()["deep"] = 2;
  document.object().Set("name", "api");
  EXPECT_EQ(copy, Document());
  EXPECT_NE(document, copy);
  EXPECT_EQ(document.find("ports")->list()[2].find("deep")->integer(), 2);
}

TEST(Json, ReferenceThatOutlivesACopyDoesNotWriteIntoIt) {
  Json document = Document();
  Json& name = document.object()["name"];
  const Json copy = document;
  name = "late";
  EXPECT_EQ(copy.find("name")->string(), "web");
  EXPECT_EQ(document.find("name")->string(), "late");
}

TEST(Json, MovesAndSwapsKinds) {
  Json a = Document();
  Json b = std::move(a);
  EXPECT_EQ(b, Document());
  b = 3;
  EXPECT_EQ(b.integer(), 3);
  b = Json("x");
  b = Json::Array({b, b});
  EXPECT_EQ(b, Json::Array({"x", "x"}));
}

TEST(Json, EqualDocumentsShareTheirNodes) {
  Json one = Document();
  Json two = Document();
  EXPECT_EQ(Hash(one), Hash(two));
  EXPECT_NE(one.find("ports"), two.find("ports"));
  ShareNodes(one);
  ShareNodes(two);
  EXPECT_EQ(one.find("ports"), two.find("ports"));
  two.object()["name"] = "other";
  EXPECT_EQ(one, Document());
}

TEST(JsonDeathTest, ReadingAnotherKindEndsTheProcess) {
  const Json number = 1;
  EXPECT_DEATH((void)number.string(), "another kind");
}

}  // namespace
}  // namespace keelson
