// Deletion: on conditions, with dependents, of many.
#include "feature.h"
#include "keelson/api/status_error.h"
#include "keelson/client/ignore_not_found.h"

namespace keelson::e2e {
namespace {

constexpr const char* kHold = "example.com/hold";

Result<void> PreconditionsGuardDeletion(const Cluster& cluster) {
  KEELSON_TRY(old, cluster.client.Create(corev1::ConfigMap{.metadata = {.name = "guarded"}}));
  corev1::ConfigMap changed = old;
  changed.data.Set("a", "1");
  KEELSON_TRY(present, cluster.client.Update(changed));
  const Error other = FailureOf(cluster.client.Delete(present, {.uid = "00000000-0000-0000-0000-000000000000"}));
  REQUIRE(IsConflict(other), other.message());
  const Error stale = FailureOf(cluster.client.Delete(
      present, {.uid = old.metadata.uid.str(), .resource_version = old.metadata.resourceVersion.str()}));
  REQUIRE(IsConflict(stale), stale.message());
  return cluster.client.Delete(
      present, {.uid = present.metadata.uid.str(), .resource_version = present.metadata.resourceVersion.str()});
}

// Two ConfigMaps, the second owned by the first.
Result<corev1::ConfigMap> MakeFamily(const Cluster& cluster, const std::string& owner, const std::string& child,
                                     const List<String>& finalizers) {
  KEELSON_TRY(made, cluster.client.Create(corev1::ConfigMap{.metadata = {.name = owner}}));
  const metav1::OwnerReference reference = {
      .apiVersion = "v1", .kind = "ConfigMap", .name = owner, .uid = made.metadata.uid, .blockOwnerDeletion = true};
  KEELSON_RETURN_IF_ERROR(cluster.client.Create(
      corev1::ConfigMap{.metadata = {.name = child, .ownerReferences = {reference}, .finalizers = finalizers}}));
  return made;
}

Result<bool> IsGone(const Cluster& cluster, const std::string& name) {
  KEELSON_TRY(found, IgnoreNotFound(cluster.client.Get<corev1::ConfigMap>(cluster.Key(name))));
  return !found;
}

Result<void> ForegroundDeletionWaitsForDependents(const Cluster& cluster) {
  KEELSON_TRY(owner, MakeFamily(cluster, "owner", "child", {kHold}));
  KEELSON_RETURN_IF_ERROR(cluster.client.Delete(owner, {.propagation = Propagation::kForeground}));
  KEELSON_TRY(dying, cluster.client.Get<corev1::ConfigMap>(cluster.Key("owner")));
  REQUIRE(dying.metadata.deletionTimestamp, "no deletionTimestamp");
  REQUIRE(dying.metadata.finalizers.size() == 1 && dying.metadata.finalizers[0] == "foregroundDeletion",
          "no finalizer");
  KEELSON_RETURN_IF_ERROR(Eventually("the child's deletion", cluster.scope, [&]() -> Result<bool> {
    KEELSON_TRY(child, cluster.client.Get<corev1::ConfigMap>(cluster.Key("child")));
    return child.metadata.deletionTimestamp.has_value();
  }));
  KEELSON_TRY(owner_gone, IsGone(cluster, "owner"));
  REQUIRE(!owner_gone, "the owner gone before its child");
  KEELSON_RETURN_IF_ERROR(cluster.client.Patch<corev1::ConfigMap>(
      cluster.Key("child"), Patch::Raw(PatchType::kMerge, R"({"metadata": {"finalizers": null}})")));
  return Eventually("the end of both", cluster.scope, [&]() -> Result<bool> {
    KEELSON_TRY(child, IsGone(cluster, "child"));
    KEELSON_TRY(both, IsGone(cluster, "owner"));
    return child && both;
  });
}

Result<void> OrphansStay(const Cluster& cluster) {
  KEELSON_TRY(owner, MakeFamily(cluster, "parent", "orphan", {}));
  KEELSON_RETURN_IF_ERROR(cluster.client.Delete(owner, {.propagation = Propagation::kOrphan}));
  return Eventually("the orphan", cluster.scope, [&]() -> Result<bool> {
    KEELSON_TRY(orphan, cluster.client.Get<corev1::ConfigMap>(cluster.Key("orphan")));
    KEELSON_TRY(parent_gone, IsGone(cluster, "parent"));
    return parent_gone && orphan.metadata.ownerReferences.empty();
  });
}

Result<void> BackgroundDeletionTakesDependentsLater(const Cluster& cluster) {
  KEELSON_TRY(owner, MakeFamily(cluster, "root", "leaf", {}));
  KEELSON_RETURN_IF_ERROR(cluster.client.Delete(owner, {.propagation = Propagation::kBackground}));
  KEELSON_TRY(owner_gone, IsGone(cluster, "root"));
  REQUIRE(owner_gone, "the owner still there");
  return Eventually("the leaf's end", cluster.scope, [&] { return IsGone(cluster, "leaf"); });
}

Result<void> CollectionsGoBySelector(const Cluster& cluster) {
  for (const char* name : {"one", "two", "three"}) {
    KEELSON_RETURN_IF_ERROR(cluster.client.Create(corev1::ConfigMap{
        .metadata = {.name = name, .labels = {{"keep", name == std::string("two") ? "yes" : "no"}}}}));
  }
  KEELSON_TRY(doomed, labels::Parse("keep=no"));
  KEELSON_RETURN_IF_ERROR(cluster.client.DeleteAllOf<corev1::ConfigMap>({.labels = doomed, .dry_run = true}));
  KEELSON_TRY(one, IsGone(cluster, "one"));
  REQUIRE(!one, "deleted by a dry run");
  KEELSON_RETURN_IF_ERROR(cluster.client.DeleteAllOf<corev1::ConfigMap>({.labels = doomed}));
  KEELSON_TRY(labelled, labels::Parse("keep"));
  KEELSON_TRY(left, cluster.client.List<corev1::ConfigMap>({.labels = labelled}));
  REQUIRE(left.size() == 1 && left.items[0].metadata.name == "two", static_cast<int64_t>(left.size()));
  return {};
}

Result<void> SelectorsOfNothingDeleteNothing(const Cluster& cluster) {
  KEELSON_RETURN_IF_ERROR(cluster.client.Create(corev1::ConfigMap{.metadata = {.name = "survivor"}}));
  const Error error = FailureOf(cluster.client.DeleteAllOf<corev1::ConfigMap>({.labels = labels::Selector::Nothing()}));
  REQUIRE(error.code() == ErrorCode::kInvalidArgument, error.message());
  KEELSON_TRY(gone, IsGone(cluster, "survivor"));
  REQUIRE(!gone, "nothing meant everything");
  return {};
}

}  // namespace

Area DeletionFeatures() {
  return {"deletions",
          {
              {"preconditions on uid and version guard", PreconditionsGuardDeletion},
              {"foreground deletion waits for dependents", ForegroundDeletionWaitsForDependents},
              {"orphans stay", OrphansStay},
              {"background deletion takes dependents later", BackgroundDeletionTakesDependentsLater},
              {"deletecollection goes by selector", CollectionsGoBySelector},
              {"a selector of nothing deletes nothing", SelectorsOfNothingDeleteNothing},
          }};
}

}  // namespace keelson::e2e
