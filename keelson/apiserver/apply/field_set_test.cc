#include "keelson/apiserver/apply/field_set.h"

#include <gtest/gtest.h>

namespace keelson::apiserver {
namespace {

FieldSet Read(std::string_view text) {
  Result<FieldSet> set = FieldSet::Parse(text);
  EXPECT_TRUE(set) << (set ? "" : set.error().message());
  return set ? std::move(*set) : FieldSet();
}

TEST(FieldSet, TextComesBackAsItWasRead) {
  for (const std::string_view text :
       {R"({"f:data":{".":{},"f:a":{}},"f:immutable":{}})",
        R"({"f:spec":{"f:ports":{"k:{\"port\":80,\"protocol\":\"TCP\"}":{".":{},"f:port":{}}}}})",
        R"({"f:metadata":{"f:finalizers":{"v:\"a/b\"":{}}},"f:x":{"v:1":{},"i:0":{},"i:10":{}}})", R"({})"}) {
    EXPECT_EQ(Read(text).ToText(), text);
  }
}

TEST(FieldSet, StepsAreWrittenInTheOrderOfTheServer) {
  EXPECT_EQ(Read(R"({"i:10":{},"i:9":{},"v:true":{},"v:\"b\"":{},"v:2":{},"v:10":{},"k:{\"b\":1}":{},"k:{\"a\":2}":{},)"
                 R"("f:b":{},"f:B":{},"f:a":{}})")
                .ToText(),
            R"({"f:B":{},"f:a":{},"f:b":{},"k:{\"a\":2}":{},"k:{\"b\":1}":{},"v:2":{},"v:10":{},"v:\"b\"":{},)"
            R"("v:true":{},"i:9":{},"i:10":{}})");
}

TEST(FieldSet, StepsOfUnknownKindsAreLeftOut) {
  EXPECT_EQ(Read(R"({"f:a":{},"x:b":{"f:c":{}}})").ToText(), R"({"f:a":{}})");
}

TEST(FieldSet, MalformedTextIsAnError) {
  for (const std::string_view text :
       {"", "[]", "{", R"({"f:a"})", R"({"f:a":{})", R"({"fa":{}})", R"({"f:a":1})", R"({"k:[]":{}})", R"({"i:x":{}})",
        R"({"v:":{}})", "{}x", "{\"f:\x01\":{}}", "{\"f:\xff\":{}}", R"({"f:a\)"}) {
    EXPECT_FALSE(FieldSet::Parse(text)) << text;
  }
  std::string deep;
  for (int i = 0; i < 10'000; ++i) deep += R"({"f:a":)";
  EXPECT_FALSE(FieldSet::Parse(deep));
}

TEST(FieldSet, DifferenceKeepsWhatIsBelowAMember) {
  const FieldSet set = Read(R"({"f:a":{".":{},"f:b":{}},"f:c":{}})");
  EXPECT_EQ(set.Difference(Read(R"({"f:a":{}})")).ToText(), R"({"f:a":{"f:b":{}},"f:c":{}})");
  EXPECT_EQ(set.RecursiveDifference(Read(R"({"f:a":{}})")).ToText(), R"({"f:c":{}})");
  EXPECT_EQ(set.Difference(Read(R"({"f:a":{"f:b":{}}})")).ToText(), R"({"f:a":{},"f:c":{}})");
  EXPECT_TRUE(set.Difference(set).empty());
}

TEST(FieldSet, UnionAndIntersectionLookAtEveryLevel) {
  const FieldSet a = Read(R"({"f:a":{".":{},"f:b":{}},"f:c":{}})");
  const FieldSet b = Read(R"({"f:a":{"f:b":{},"f:d":{}},"f:e":{}})");
  EXPECT_EQ(a.Union(b).ToText(), R"({"f:a":{".":{},"f:b":{},"f:d":{}},"f:c":{},"f:e":{}})");
  EXPECT_EQ(a.Intersection(b).ToText(), R"({"f:a":{"f:b":{}}})");
}

TEST(FieldSet, MembersOfALevelComeBeforeWhatIsBelow) {
  std::vector<std::string> paths;
  Read(R"({"f:a":{"k:{\"name\":\"x\",\"port\":1}":{".":{},"f:y":{}}},"f:b":{}})").ForEach([&](const FieldPath& path) {
    paths.push_back(ToString(path));
  });
  EXPECT_EQ(paths, (std::vector<std::string>{".b", ".a[name=\"x\",port=1]", ".a[name=\"x\",port=1].y"}));
}

}  // namespace
}  // namespace keelson::apiserver
