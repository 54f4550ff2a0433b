#include "keelson/codec/merge_patch.h"

#include "keelson/api/core/v1.h"
#include "keelson/codec/patch_cases_test.h"

namespace keelson {
namespace {

using namespace patch_cases;

TEST(MergePatch, GivesWhatKubernetesGivesAndOtherwiseWhatTheRfcSays) {
  for (const Json& recorded : ReadCases("merge_patch.jsonl")) {
    SCOPED_TRACE(Text(recorded, "name"));
    const bool kubernetes = Flag(recorded, "kubernetes_ok");
    EXPECT_EQ(ApplyMergePatch(Member(recorded, "original"), Member(recorded, "patch")),
              Member(recorded, kubernetes ? "kubernetes_result" : "rfc_result"));
  }
}

TEST(MergePatch, LeavesTheDocumentAlone) {
  const Json document = Parse(R"({"a":{"b":1,"c":2}})");
  EXPECT_EQ(ApplyMergePatch(document, Parse(R"({"a":{"b":null}})")), Parse(R"({"a":{"c":2}})"));
  EXPECT_EQ(document, Parse(R"({"a":{"b":1,"c":2}})"));
}

TEST(MergePatch, AppliesToATypedObject) {
  corev1::ConfigMap map;
  map.metadata.name = "settings";
  map.data = {{"a", "1"}, {"b", "2"}};
  const Result<corev1::ConfigMap> patched = ApplyMergePatch(map, Parse(R"({"data":{"a":null,"c":"3"}})"));
  ASSERT_TRUE(patched) << patched.error().message();
  EXPECT_EQ(patched->data, (Map<String>{{"b", "2"}, {"c", "3"}}));
  EXPECT_EQ(patched->metadata.name, "settings");
}

TEST(CreateMergePatch, SaysOnlyWhatDiffers) {
  EXPECT_EQ(CreateMergePatch(Parse(R"({"a":1,"b":{"c":2,"d":3},"e":[1],"f":{"g":1}})"),
                             Parse(R"({"b":{"c":2,"d":4},"e":[1,2],"f":{"g":1},"h":{}})")),
            Parse(R"({"a":null,"b":{"d":4},"e":[1,2],"h":{}})"));
  EXPECT_EQ(CreateMergePatch(Parse(R"({"a":1,"b":[1.0]})"), Parse(R"({"a":1.0,"b":[1]})")), Parse("{}"));
  EXPECT_EQ(CreateMergePatch(Parse(R"({"a":{"b":1}})"), Parse(R"({"a":2})")), Parse(R"({"a":2})"));
}

TEST(CreateMergePatch, AppliedMakesTheOther) {
  const std::vector<Json> documents = {Parse("{}"), Parse(R"({"a":{"b":{"c":1}}})"), Parse(R"({"a":{"b":2},"d":[{}]})"),
                                       Parse(R"({"a":{"b":{}},"d":"x"})"), Parse(R"({"a":[1],"d":{"e":false}})")};
  for (const Json& from : documents) {
    for (const Json& to : documents) EXPECT_EQ(ApplyMergePatch(from, CreateMergePatch(from, to)), to);
  }
}

TEST(ThreeWayJsonMergePatch, MatchesKubernetes) {
  for (const Json& recorded : ReadCases("merge_patch_three_way_more.jsonl")) {
    const Result<Json> patch = CreateThreeWayJsonMergePatch(Member(recorded, "original"), Member(recorded, "modified"),
                                                            Member(recorded, "current"));
    SCOPED_TRACE(ToJson(recorded));
    ASSERT_EQ(patch.has_value(), Flag(recorded, "ok"));
    if (patch) {
      EXPECT_EQ(*patch, Member(recorded, "patch"));
    }
  }
}

TEST(ThreeWayJsonMergePatch, RefusesWhatIsNoObject) {
  const Result<Json> patch = CreateThreeWayJsonMergePatch(Parse("{}"), Parse("[]"), Parse("{}"));
  EXPECT_EQ(patch.error().message(), "modified: expected an object, found array");
}

}  // namespace
}  // namespace keelson
