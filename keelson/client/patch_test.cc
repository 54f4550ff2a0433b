#include "keelson/client/patch.h"

#include <gtest/gtest.h>

#include "keelson/api/apps/v1.h"
#include "keelson/api/core/v1.h"

namespace keelson {
namespace {

TEST(Patch, FromTwoBuiltinObjectsIsStrategic) {
  corev1::Pod before{.metadata = {.name = "web"}, .spec = {.containers = {{.name = "a"}, {.name = "b"}}}};
  corev1::Pod after = before;
  after.spec.containers[1].image = "b:2";
  const Result<Patch> patch = Patch::From(before, after);
  ASSERT_TRUE(patch);
  EXPECT_EQ(patch->type(), PatchType::kStrategic);
  EXPECT_EQ(patch->text(), R"({"spec":{"$setElementOrder/containers":[{"name":"a"},{"name":"b"}],)"
                           R"("containers":[{"image":"b:2","name":"b"}]}})");
}

TEST(Patch, FromTwoDocumentsIsAMergePatch) {
  const Unstructured before =
      Unstructured::Parse(
          R"({"apiVersion":"example.com/v1","kind":"W","metadata":{"resourceVersion":"7"},"spec":{"a":1,"b":2}})")
          .value();
  Unstructured after = before;
  ASSERT_TRUE(after.SetNested({"spec", "a"}, 3));
  after.RemoveNested({"spec", "b"});
  const Result<Patch> patch = Patch::From(before, after);
  ASSERT_TRUE(patch);
  EXPECT_EQ(patch->type(), PatchType::kMerge);
  EXPECT_EQ(patch->text(), R"({"spec":{"a":3,"b":null}})");
  const Result<Patch> locked = Patch::From(before, after, {.optimistic_lock = true});
  ASSERT_TRUE(locked);
  EXPECT_EQ(locked->text(), R"({"metadata":{"resourceVersion":"7"},"spec":{"a":3,"b":null}})");
}

TEST(Patch, WithoutAChangeIsEmpty) {
  const corev1::ConfigMap map{.metadata = {.name = "a"}, .data = {{"k", "v"}}};
  EXPECT_TRUE(Patch::From(map, map)->empty());
  EXPECT_FALSE(Patch::From(map, corev1::ConfigMap{.metadata = {.name = "a"}})->empty());
}

TEST(Patch, AnOptimisticLockNeedsAVersion) {
  const corev1::ConfigMap map{.metadata = {.name = "a"}};
  EXPECT_FALSE(Patch::From(map, map, {.optimistic_lock = true}));
}

TEST(Patch, ApplyLeavesOutWhatWasNotSet) {
  appsv1::Deployment web{
      .metadata = {.name = "web", .namespace_ = "default", .managedFields = {{.manager = "x"}}},
      .spec = {.replicas = 3,
               .selector = metav1::LabelSelector{.matchLabels = {{"app", "web"}}},
               .template_ = {.metadata = {.labels = {{"app", "web"}}},
                             .spec = {.volumes = {{.name = "tmp", .emptyDir = corev1::EmptyDirVolumeSource{}}},
                                      .containers = {{.name = "app", .image = "app:1"}}}}}};
  const Patch apply = Patch::Apply(web);
  EXPECT_EQ(apply.text(),
            R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","namespace":"default"},)"
            R"("spec":{"replicas":3,"selector":{"matchLabels":{"app":"web"}},)"
            R"("template":{"metadata":{"labels":{"app":"web"}},)"
            R"("spec":{"containers":[{"image":"app:1","name":"app"}],"volumes":[{"emptyDir":{},"name":"tmp"}]}}}})");
}

TEST(Patch, SaysItsMediaType) {
  EXPECT_EQ(MediaTypeOf(PatchType::kJson), "application/json-patch+json");
  EXPECT_EQ(MediaTypeOf(PatchType::kApply), "application/apply-patch+yaml");
}

}  // namespace
}  // namespace keelson
