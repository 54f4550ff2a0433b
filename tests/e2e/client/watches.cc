// Watches: what they tell, where they start, how they end.
#include "feature.h"
#include "keelson/api/status_error.h"
#include "keelson/core/clock.h"
#include "keelson/core/thread.h"

namespace keelson::e2e {
namespace {

corev1::ConfigMap MapOf(const std::string& name, const std::string& set) {
  return {.metadata = {.name = name, .labels = {{"set", set}}}};
}

// The next event that is no bookmark, as "ADDED name".
template <class T>
Result<std::string> NextOf(WatchStream<T>& watch) {
  while (true) {
    KEELSON_TRY(event, watch.Next());
    if (!event) return Error::Internal("the watch ended");
    if (event->type == WatchEventType::kBookmark) continue;
    return std::string(ToString(event->type)) + " " + event->object.metadata.name.str();
  }
}

Result<void> ExpectNext(WatchStream<corev1::ConfigMap>& watch, const std::string& expected) {
  KEELSON_TRY(next, NextOf(watch));
  REQUIRE(next == expected, next + " instead of " + expected);
  return {};
}

Result<void> ChangesAreToldInOrder(const Cluster& cluster) {
  KEELSON_TRY(set, labels::Parse("set=order"));
  KEELSON_RETURN_IF_ERROR(cluster.client.Create(MapOf("there-before", "order")));
  KEELSON_TRY(watch, cluster.client.Watch<corev1::ConfigMap>({.labels = set}));
  KEELSON_RETURN_IF_ERROR(ExpectNext(watch, "ADDED there-before"));
  KEELSON_TRY(one, cluster.client.Create(MapOf("one", "order")));
  KEELSON_RETURN_IF_ERROR(ExpectNext(watch, "ADDED one"));
  one.data.Set("a", "1");
  KEELSON_TRY(updated, cluster.client.Update(one));
  KEELSON_RETURN_IF_ERROR(ExpectNext(watch, "MODIFIED one"));
  KEELSON_RETURN_IF_ERROR(cluster.client.Delete(one));
  KEELSON_RETURN_IF_ERROR(ExpectNext(watch, "DELETED one"));
  // What leaves the selection is gone for this watch.
  KEELSON_RETURN_IF_ERROR(cluster.client.Patch<corev1::ConfigMap>(
      cluster.Key("there-before"), Patch::Raw(PatchType::kMerge, R"({"metadata": {"labels": {"set": "other"}}})")));
  return ExpectNext(watch, "DELETED there-before");
}

Result<void> WatchesStartBehindAVersion(const Cluster& cluster) {
  KEELSON_TRY(set, labels::Parse("set=version"));
  KEELSON_RETURN_IF_ERROR(cluster.client.Create(MapOf("early", "version")));
  KEELSON_TRY(list, cluster.client.List<corev1::ConfigMap>({.labels = set}));
  REQUIRE(list.size() == 1, static_cast<int64_t>(list.size()));
  KEELSON_RETURN_IF_ERROR(cluster.client.Create(MapOf("late", "version")));
  KEELSON_TRY(watch, cluster.client.Watch<corev1::ConfigMap>(
                         {.labels = set, .resource_version = list.metadata.resourceVersion.str()}));
  return ExpectNext(watch, "ADDED late");
}

Result<void> OneObjectCanBeWatched(const Cluster& cluster) {
  KEELSON_TRY(watch, cluster.client.Watch<corev1::ConfigMap>({.name = "second"}));
  KEELSON_RETURN_IF_ERROR(cluster.client.Create(MapOf("first", "one")));
  KEELSON_RETURN_IF_ERROR(cluster.client.Create(MapOf("second", "one")));
  KEELSON_RETURN_IF_ERROR(cluster.client.Delete<corev1::ConfigMap>(cluster.Key("first")));
  KEELSON_RETURN_IF_ERROR(cluster.client.Delete<corev1::ConfigMap>(cluster.Key("second")));
  KEELSON_RETURN_IF_ERROR(ExpectNext(watch, "ADDED second"));
  return ExpectNext(watch, "DELETED second");
}

// A list by watch: everything, then a bookmark that says so.
template <class T>
Result<int> CountInitialEvents(const Client& client, const std::string& selector) {
  KEELSON_TRY(set, labels::Parse(selector));
  KEELSON_TRY(watch,
              client.Watch<T>({.labels = set, .version_match = VersionMatch::kNotOlderThan, .initial_events = true}));
  for (int seen = 0;; ++seen) {
    KEELSON_TRY(event, watch.Next());
    if (!event) return Error::Internal("the watch ended");
    if (event->type != WatchEventType::kBookmark) continue;
    REQUIRE(event->object.metadata.annotations.contains("k8s.io/initial-events-end"), "a bookmark without annotation");
    REQUIRE(!event->object.metadata.resourceVersion.empty(), "a bookmark without version");
    return seen;
  }
}

Result<void> InitialEventsEndWithABookmark(const Cluster& cluster) {
  for (const char* name : {"initial-1", "initial-2", "initial-3"}) {
    KEELSON_RETURN_IF_ERROR(cluster.client.Create(MapOf(name, "initial")));
  }
  KEELSON_TRY(json, CountInitialEvents<corev1::ConfigMap>(cluster.client, "set=initial"));
  REQUIRE(json == 3, json);
  KEELSON_TRY(protobuf, cluster.Connect(cluster.config,
                                        {.namespace_ = cluster.namespace_, .content_type = ContentType::kProtobuf}));
  KEELSON_TRY(binary, CountInitialEvents<corev1::ConfigMap>(protobuf, "set=initial"));
  REQUIRE(binary == 3, binary);
  return {};
}

Result<void> StopEndsAWaitAtOnce(const Cluster& cluster) {
  StopSource stop;
  KEELSON_TRY(set, labels::Parse("set=nothing"));
  KEELSON_TRY(watch, cluster.client.Watch<corev1::ConfigMap>(
                         {.labels = set, .scope = {.stop = stop.token(), .deadline = cluster.scope.deadline}}));
  TimePoint stopped{};
  Thread stopper("stopper", [&](const StopToken& token) {
    SleepFor(200ms, token);
    stopped = Clock::Now();
    stop.RequestStop();
  });
  const Error error = FailureOf(NextOf(watch));
  const TimePoint ended = Clock::Now();
  stopper.Join();
  REQUIRE(error.code() == ErrorCode::kCancelled, error.message());
  REQUIRE(ended - stopped < 500ms, "it took longer than half a second");
  return {};
}

Result<void> DeadlinesAndServersEndWatches(const Cluster& cluster) {
  KEELSON_TRY(set, labels::Parse("set=nothing"));
  KEELSON_TRY(hurried,
              cluster.client.Watch<corev1::ConfigMap>({.labels = set, .scope = {.deadline = Clock::Now() + 300ms}}));
  const Error error = FailureOf(NextOf(hurried));
  REQUIRE(IsTimeout(error), error.message());

  KEELSON_TRY(watch,
              cluster.client.Watch<corev1::ConfigMap>({.labels = set, .bookmarks = false, .server_timeout = 1s}));
  KEELSON_TRY(event, watch.Next());
  REQUIRE(!event, ToString(event->type));
  return {};
}

Result<void> ManyWatchesAndCallsShareAClient(const Cluster& cluster) {
  KEELSON_TRY(set, labels::Parse("set=many"));
  std::vector<WatchStream<corev1::ConfigMap>> watches;
  for (int i = 0; i < 50; ++i) {
    KEELSON_TRY(watch, cluster.client.Watch<corev1::ConfigMap>({.labels = set}));
    watches.push_back(std::move(watch));
  }
  KEELSON_RETURN_IF_ERROR(cluster.client.Create(MapOf("many", "many")));
  for (WatchStream<corev1::ConfigMap>& watch : watches) KEELSON_RETURN_IF_ERROR(ExpectNext(watch, "ADDED many"));
  return {};
}

}  // namespace

Area WatchFeatures() {
  return {"watches",
          {
              {"changes are told in order: ADDED, MODIFIED, DELETED", ChangesAreToldInOrder},
              {"a watch starts behind a version", WatchesStartBehindAVersion},
              {"one object can be watched", OneObjectCanBeWatched},
              {"initial events end with a bookmark, in JSON and protobuf", InitialEventsEndWithABookmark},
              {"a stop token ends a wait at once", StopEndsAWaitAtOnce},
              {"a deadline ends a watch with Timeout, the server's end is none", DeadlinesAndServersEndWatches},
              {"fifty watches and calls share one client", ManyWatchesAndCallsShareAClient},
          }};
}

}  // namespace keelson::e2e
