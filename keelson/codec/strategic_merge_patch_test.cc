#include "keelson/codec/strategic_merge_patch.h"

#include "keelson/api/core/v1.h"
#include "keelson/codec/patch_cases_test.h"

namespace keelson {
namespace {

using namespace patch_cases;

constexpr const char* kApplyCases[] = {"strategic_merge.jsonl", "strategic_merge_more.jsonl"};
constexpr const char* kCreateCases[] = {"strategic_merge_create.jsonl", "strategic_merge_create_more.jsonl"};
constexpr const char* kThreeWayCases[] = {"strategic_merge_three_way.jsonl", "strategic_merge_three_way_more.jsonl"};

// Expects `result` to be what was recorded under `name`, or an error where an error was.
void ExpectAsRecorded(const Json& recorded, std::string_view name, const Result<Json>& result) {
  SCOPED_TRACE(ToJson(recorded));
  ASSERT_EQ(result.has_value(), Flag(recorded, "ok")) << (result ? ToJson(*result) : result.error().message());
  if (result) {
    EXPECT_EQ(*result, Member(recorded, name));
  }
}

Result<Json> PatchPod(std::string_view object, std::string_view patch) {
  return ApplyStrategicMergePatch(TypeOf<corev1::Pod>(), Parse(object), Parse(patch));
}

TEST(StrategicMergePatch, AppliesAsKubernetesDoes) {
  for (const char* file : kApplyCases) {
    for (const Json& recorded : ReadCases(file)) {
      ExpectAsRecorded(recorded, "result",
                       ApplyStrategicMergePatch(BuiltinType(Text(recorded, "type")), Member(recorded, "original"),
                                                Member(recorded, "patch")));
    }
  }
}

TEST(StrategicMergePatch, CreatesWhatKubernetesCreates) {
  for (const char* file : kCreateCases) {
    for (const Json& recorded : ReadCases(file)) {
      ExpectAsRecorded(recorded, "patch",
                       CreateStrategicMergePatch(BuiltinType(Text(recorded, "type")), Member(recorded, "original"),
                                                 Member(recorded, "modified")));
    }
  }
}

TEST(StrategicMergePatch, CreatesThreeWayPatchesAsKubernetesDoes) {
  for (const char* file : kThreeWayCases) {
    for (const Json& recorded : ReadCases(file)) {
      ExpectAsRecorded(
          recorded, "patch",
          CreateThreeWayStrategicMergePatch(BuiltinType(Text(recorded, "type")), Member(recorded, "original"),
                                            Member(recorded, "modified"), Member(recorded, "current"),
                                            {.overwrite = Flag(recorded, "overwrite")}));
    }
  }
}

TEST(StrategicMergePatch, CreatedPatchAppliedMakesTheOther) {
  for (const Json& recorded : ReadCases("strategic_merge_create.jsonl")) {
    if (!Flag(recorded, "ok")) continue;
    ExpectAsRecorded(recorded, "result",
                     ApplyStrategicMergePatch(BuiltinType(Text(recorded, "type")), Member(recorded, "original"),
                                              Member(recorded, "patch")));
  }
}

TEST(StrategicMergePatch, LeavesItsInputsAlone) {
  const char* object = R"({"spec":{"containers":[{"name":"a","image":"a:1"},{"name":"b"}]}})";
  const char* patch = R"({"spec":{"$setElementOrder/containers":[{"name":"b"},{"name":"a"}],
                          "containers":[{"name":"a","image":"a:2"}]}})";
  const Json object_json = Parse(object);
  const Json patch_json = Parse(patch);
  const Result<Json> patched = ApplyStrategicMergePatch(TypeOf<corev1::Pod>(), object_json, patch_json);
  EXPECT_EQ(*patched, Parse(R"({"spec":{"containers":[{"name":"b"},{"name":"a","image":"a:2"}]}})"));
  EXPECT_EQ(object_json, Parse(object));
  EXPECT_EQ(patch_json, Parse(patch));
}

// Go's answer to the second: a side effect of deleting in place, but what servers do.
TEST(StrategicMergePatch, NewElementGoesLastWhereThePatchDeletesOne) {
  const char* pod = R"({"spec":{"containers":[{"name":"a"},{"name":"b"},{"name":"c"}]}})";
  EXPECT_EQ(*PatchPod(pod, R"({"spec":{"$setElementOrder/containers":[{"name":"x"}],"containers":[{"name":"x"}]}})"),
            Parse(R"({"spec":{"containers":[{"name":"x"},{"name":"a"},{"name":"b"},{"name":"c"}]}})"));
  EXPECT_EQ(*PatchPod(pod, R"({"spec":{"$setElementOrder/containers":[{"name":"x"}],
                               "containers":[{"name":"x"},{"name":"a","$patch":"delete"}]}})"),
            Parse(R"({"spec":{"containers":[{"name":"b"},{"name":"c"},{"name":"x"}]}})"));
}

TEST(StrategicMergePatch, ErrorsNameThePathAndTheReason) {
  EXPECT_EQ(PatchPod(R"({"spec":{"containers":[{"name":"a"}]}})", R"({"spec":{"containers":[{"image":"x"}]}})")
                .error()
                .message(),
            "spec: containers: element 0 lacks the list's merge key \"name\"");
  EXPECT_EQ(PatchPod(R"({"spec":{"x":{}}})", R"({"spec":{"x":{}}})").error().message(),
            "spec: x: core/v1.PodSpec has no field \"x\"");
  EXPECT_EQ(PatchPod(R"({"metadata":{}})", R"({"metadata":{"$patch":"merge"}})").error().message(),
            "metadata: \"$patch\": expected \"replace\" or \"delete\", found \"merge\"");
}

TEST(StrategicMergePatch, NullElementsAreAnError) {
  EXPECT_FALSE(PatchPod(R"({"metadata":{"finalizers":[null]}})", R"({"metadata":{"finalizers":["a"]}})"));
  EXPECT_FALSE(PatchPod(R"({"metadata":{"finalizers":["a"]}})", R"({"metadata":{"finalizers":[null]}})"));
}

TEST(StrategicMergePatch, KeysThatAreObjectsAreComparedWhole) {
  EXPECT_EQ(*PatchPod(R"({"spec":{"containers":[{"name":{"x":1},"image":"a"}]}})",
                      R"({"spec":{"containers":[{"name":{"x":1},"image":"b"}]}})"),
            Parse(R"({"spec":{"containers":[{"name":{"x":1},"image":"b"}]}})"));
}

TEST(StrategicMergePatch, LongListsMergeByKey) {
  JsonList containers;
  JsonList changes;
  for (int i = 0; i < 20'000; ++i) {
    const std::string name = "c" + std::to_string(i);
    containers.push_back(Json::Object({{"name", name}}));
    changes.push_back(Json::Object({{"name", name}, {"image", "x"}}));
  }
  const auto pod = [](const JsonList& list) { return Json::Object({{"spec", Json::Object({{"containers", list}})}}); };
  EXPECT_EQ(*ApplyStrategicMergePatch(TypeOf<corev1::Pod>(), pod(containers), pod(changes)), pod(changes));
}

TEST(StrategicMergePatch, WorksOnTypedObjects) {
  corev1::Pod pod;
  pod.metadata.name = "web";
  pod.spec.containers = {{.name = "app", .image = "app:1"}, {.name = "proxy", .image = "proxy:1"}};
  const Result<corev1::Pod> patched =
      ApplyStrategicMergePatch(pod, Parse(R"({"spec":{"containers":[{"name":"app","image":"app:2"}]}})"));
  ASSERT_TRUE(patched) << patched.error().message();
  ASSERT_EQ(patched->spec.containers.size(), 2u);
  EXPECT_EQ(patched->spec.containers[0].image, "app:2");
  EXPECT_EQ(patched->spec.containers[1].image, "proxy:1");

  EXPECT_EQ(*CreateStrategicMergePatch(pod, *patched),
            Parse(R"({"spec":{"$setElementOrder/containers":[{"name":"app"},{"name":"proxy"}],
                              "containers":[{"name":"app","image":"app:2"}]}})"));
}

TEST(ThreeWayStrategicMergePatch, ConflictHasItsOwnCode) {
  const Json original = Parse(R"({"spec":{"nodeName":"a"}})");
  const Json modified = Parse(R"({"spec":{"nodeName":"b"}})");
  const Json current = Parse(R"({"spec":{"nodeName":"c"}})");
  const Type& type = TypeOf<corev1::Pod>();
  EXPECT_EQ(*CreateThreeWayStrategicMergePatch(type, original, modified, current), modified);
  EXPECT_EQ(CreateThreeWayStrategicMergePatch(type, original, modified, current, {.overwrite = false}).error().code(),
            ErrorCode::kConflict);
}

}  // namespace
}  // namespace keelson
