// CreateOrUpdate and its relatives, with others writing at the same time.
#include <atomic>

#include "feature.h"
#include "keelson/api/status_error.h"
#include "keelson/client/create_or_update.h"
#include "keelson/client/ignore_not_found.h"
#include "keelson/client/retry_on_conflict.h"
#include "keelson/client/typed_client.h"
#include "keelson/core/thread.h"

namespace keelson::e2e {
namespace {

Result<void> CreateOrUpdateWritesWhatDiffers(const Cluster& cluster) {
  const corev1::ConfigMap map = {.metadata = {.name = "update", .namespace_ = cluster.namespace_}};
  const auto paint = [&](const char* color) {
    return CreateOrUpdate(cluster.client, map, [&](corev1::ConfigMap& object) { object.data.Set("color", color); });
  };
  KEELSON_TRY(created, paint("red"));
  REQUIRE(created.change == Change::kCreated, ToString(created.change));
  KEELSON_TRY(same, paint("red"));
  REQUIRE(same.change == Change::kNone, ToString(same.change));
  REQUIRE(same.object.metadata.resourceVersion == created.object.metadata.resourceVersion, "it was written");
  KEELSON_TRY(updated, paint("blue"));
  REQUIRE(updated.change == Change::kUpdated, ToString(updated.change));
  REQUIRE(updated.object.data.at("color") == "blue", updated.object.data.at("color"));
  return {};
}

Result<void> CreateOrPatchSplitsOffTheStatus(const Cluster& cluster) {
  appsv1::Deployment web = SampleDeployment("patch", 0);
  web.metadata.namespace_ = cluster.namespace_;
  web.spec.paused = true;
  // Nobody's controller looks at an annotation or at a condition of this type.
  const auto reconcile = [&](const char* note, const char* reason) {
    return CreateOrPatch(cluster.client, web, [&](appsv1::Deployment& object) {
      object.metadata.annotations.Set("note", note);
      if (reason == nullptr) return;
      object.status.replicas = 0;
      object.status.conditions = {{.type = "Tried", .status = "True", .reason = reason}};
    });
  };
  KEELSON_TRY(created, reconcile("one", nullptr));
  REQUIRE(created.change == Change::kCreated, ToString(created.change));
  KEELSON_TRY(main, reconcile("two", nullptr));
  REQUIRE(main.change == Change::kUpdated, ToString(main.change));
  REQUIRE(main.object.metadata.annotations.at("note") == "two", main.object.metadata.annotations.at("note"));
  KEELSON_TRY(both, reconcile("three", "E2e"));
  REQUIRE(both.change == Change::kUpdatedBoth, ToString(both.change));
  REQUIRE(both.object.metadata.annotations.at("note") == "three", both.object.metadata.annotations.at("note"));
  return cluster.client.Delete<appsv1::Deployment>(cluster.Key("patch"));
}

Result<void> ConcurrentWritersLoseNothing(const Cluster& cluster) {
  constexpr int kWriters = 4;
  constexpr int kIncrements = 10;
  const ObjectKey key = cluster.Key("counter");
  KEELSON_RETURN_IF_ERROR(
      cluster.client.Create(corev1::ConfigMap{.metadata = {.name = key.name}, .data = {{"count", "0"}}}));
  std::atomic<int> conflicts = 0;
  std::vector<Result<void>> outcomes(kWriters);
  const auto write = [&](Result<void>& outcome) {
    for (int i = 0; i < kIncrements && outcome; ++i) {
      Result<corev1::ConfigMap> written = RetryOnConflict(
          [&]() -> Result<corev1::ConfigMap> {
            KEELSON_TRY(map, cluster.client.Get<corev1::ConfigMap>(key));
            map.data.Set("count", std::to_string(std::stoi(map.data.at("count").str()) + 1));
            Result<corev1::ConfigMap> updated = cluster.client.Update(map);
            if (!updated && IsConflict(updated.error())) ++conflicts;
            return updated;
          },
          {.attempts = 100, .factor = 1.2, .scope = cluster.scope});
      if (!written) outcome = written.error();
    }
  };
  {
    std::vector<Thread> writers;
    for (Result<void>& outcome : outcomes) writers.emplace_back("writer", [&] { write(outcome); });
    for (Thread& writer : writers) writer.Join();
  }
  for (const Result<void>& outcome : outcomes) KEELSON_RETURN_IF_ERROR(outcome);
  KEELSON_TRY(map, cluster.client.Get<corev1::ConfigMap>(key));
  REQUIRE(map.data.at("count") == std::to_string(kWriters * kIncrements), map.data.at("count"));
  REQUIRE(conflicts > 0, "no conflict: the writers did not meet");
  return {};
}

Result<void> IgnoreNotFoundTellsAbsenceFromFailure(const Cluster& cluster) {
  KEELSON_TRY(absent, IgnoreNotFound(cluster.client.Get<corev1::ConfigMap>(cluster.Key("absent"))));
  REQUIRE(!absent, "an object");
  return IgnoreNotFound(cluster.client.Delete<corev1::ConfigMap>(cluster.Key("absent")));
}

Result<void> TypedClientsSayLess(const Cluster& cluster) {
  const TypedClient<corev1::ConfigMap> maps(cluster.admin, cluster.namespace_);
  KEELSON_RETURN_IF_ERROR(maps.Create({.metadata = {.name = "typed"}, .data = {{"a", "1"}}}));
  KEELSON_TRY(map, maps.Get("typed"));
  map.data.Set("a", "2");
  KEELSON_TRY(updated, maps.Update(map));
  REQUIRE(updated.data.at("a") == "2", updated.data.at("a"));
  KEELSON_TRY(patched, maps.Patch("typed", Patch::Merge(Json::Object({{"data", Json::Object({{"a", "3"}})}}))));
  REQUIRE(patched.data.at("a") == "3", patched.data.at("a"));
  KEELSON_TRY(list, maps.List());
  REQUIRE(list.size() >= 1, "an empty list");
  return maps.Delete("typed");
}

}  // namespace

Area ConvenienceFeatures() {
  return {"conveniences",
          {
              {"CreateOrUpdate writes what differs and nothing else", CreateOrUpdateWritesWhatDiffers},
              {"CreateOrPatch sends the status to /status", CreateOrPatchSplitsOffTheStatus},
              {"RetryOnConflict: concurrent writers lose no update", ConcurrentWritersLoseNothing},
              {"IgnoreNotFound", IgnoreNotFoundTellsAbsenceFromFailure},
              {"the client of one kind", TypedClientsSayLess},
          }};
}

}  // namespace keelson::e2e
