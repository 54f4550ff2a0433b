#include "keelson/api/raw.h"

#include <gtest/gtest.h>

#include "keelson/api/sharing.h"

namespace keelson {
namespace {

TEST(RawExtension, KeepsWhatCame) {
  const RawExtension raw = R"({ "kind" : "Pod" })";
  EXPECT_EQ(raw.raw(), R"({ "kind" : "Pod" })");
  EXPECT_TRUE(RawExtension().empty());
  EXPECT_FALSE(raw == RawExtension(R"({"kind":"Pod"})"));
}

std::string FieldSet(std::string_view ip) {
  std::string json =
      R"({"f:metadata":{"f:labels":{".":{},"f:app":{},"f:pod-template-hash":{}}},"f:status":{"f:podIPs":{".":{},)";
  json += R"("k:{\"ip\":\"})";
  json += ip;
  json +=
      R"(\"}":{".":{},"f:ip":{}}},"f:startTime":{},"f:conditions":{"k:{\"type\":\"Ready\"}":{".":{},"f:status":{}}}}})";
  return json;
}

TEST(FieldsV1, PiecesAddUpToTheText) {
  for (const std::string& json :
       {std::string(), std::string("{}"), FieldSet("10.0.0.1"),
        std::string(R"({"f:a":{"k:{\"name\":\"x,}{\\\"\"}":{}}})"), std::string("not json at all,,,")}) {
    const FieldsV1 fields(json);
    EXPECT_EQ(fields.ToString(), json);
    EXPECT_EQ(fields.empty(), json.empty());
    EXPECT_EQ(fields, FieldsV1(json));
  }
}

TEST(FieldsV1, SetsThatDifferInOneMemberShareTheRest) {
  FieldsV1 one(FieldSet("10.0.0.1"));
  FieldsV1 two(FieldSet("10.0.0.254"));
  ShareNodes(one);
  ShareNodes(two);
  EXPECT_FALSE(one == two);
  ASSERT_GT(one.pieces().size(), 1u);
  EXPECT_EQ(one.pieces()[0].data(), two.pieces()[0].data());
}

}  // namespace
}  // namespace keelson
