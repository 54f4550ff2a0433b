// The code of docs/cache.md, run against a history of ConfigMaps.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "keelson/api/apps/v1.h"
#include "keelson/api/core/v1.h"
#include "keelson/cache/cached_client.h"
#include "keelson/cache/history_test_support.h"
#include "keelson/cache/informer_factory.h"
#include "keelson/cache/told_test_support.h"
#include "keelson/cache/wait_for_cache_sync.h"
#include "keelson/controlplane/control_plane.h"
#include "keelson/core/periodic.h"
#include "keelson/workqueue/rate_limiting_queue.h"

namespace keelson {
namespace {

using namespace std::chrono_literals;

// snippet: controller
class MapController {
 public:
  explicit MapController(InformerFactory& informers)
      : maps_(informers.For<corev1::ConfigMap>()),
        lister_(maps_.lister()),
        registration_(maps_.AddHandler({
            .on_add = [this](const corev1::ConfigMap& map, bool) { Enqueue(map, "added"); },
            .on_update =
                [this](const corev1::ConfigMap& old, const corev1::ConfigMap& map) {
                  if (old.metadata.resourceVersion == map.metadata.resourceVersion) return;  // a resync
                  Enqueue(map, "updated");
                },
            .on_delete = [this](const corev1::ConfigMap& map, bool) { Enqueue(map, "deleted"); },
        })) {}

  Result<void> Run(int workers, const StopToken& stop) {
    KEELSON_RETURN_IF_ERROR(WaitForCacheSync(stop, maps_));
    std::vector<Thread> threads;
    for (int i = 0; i < workers; ++i) {
      threads.emplace_back("worker", [&] { Until(stop, 1s, [&] { Work(stop); }); });
    }
    return {};  // the threads are joined here, when stop has been requested
  }

 private:
  void Enqueue(const corev1::ConfigMap& map, std::string why) {
    queue_.Add(KeyOf(map).ToString(), {.causes = {std::move(why)}});
  }

  void Work(const StopToken& stop) {
    while (auto item = queue_.Get(stop)) {
      if (Sync(item->key)) {
        queue_.Forget(item->key);
      } else {
        queue_.AddRateLimited(item->key);
      }
    }
  }

  Result<void> Sync(const std::string& text) {
    KEELSON_TRY(key, ObjectKey::Parse(text));
    const auto map = lister_.In(key.namespace_).Get(key.name);
    if (!map) {
      Report(text + " is gone");
    } else {
      Report(text + " has " + std::to_string((*map)->data.size()) + " entries");
    }
    return {};
  }
  // end

 public:
  std::vector<std::string> reports;

 private:
  void Report(std::string text) {
    MutexLock lock(mutex_);
    reports.push_back(std::move(text));
  }
  Mutex mutex_;
  // snippet: controller
  RateLimitingQueue<std::string> queue_;
  const Informer<corev1::ConfigMap> maps_;
  const Lister<corev1::ConfigMap> lister_;
  const HandlerRegistration registration_;  // declared last: no call comes when the rest is gone
};
// end

// snippet: factory
Result<void> WatchSome(Client client, const StopToken& stop) {
  InformerFactory informers(client, {.resync = 10min});
  // Pods of one application, without what nobody here reads.
  informers.Configure<corev1::Pod>({.labels = labels::Parse("app=web").value()}, [](corev1::Pod& pod) -> Result<void> {
    pod.metadata.managedFields = {};
    return {};
  });
  const Informer<corev1::Pod> pods = informers.For<corev1::Pod>();
  KEELSON_RETURN_IF_ERROR(pods.AddFieldIndex("spec.nodeName"));
  KEELSON_RETURN_IF_ERROR(pods.AddIndex("image", [](const corev1::Pod& pod) {
    std::vector<std::string> images;
    for (const corev1::Container& container : pod.spec.containers) images.push_back(container.image);
    return images;
  }));
  const Informer<Unstructured> widgets = informers.For(GroupVersionKind{"example.com", "v1", "Widget"});
  const Informer<metav1::PartialObjectMetadata> secrets = informers.MetadataFor<corev1::Secret>();

  informers.Start(stop);
  KEELSON_RETURN_IF_ERROR(WaitForCacheSync(stop, Clock::Now() + 30s, informers));
  KEELSON_TRY(on_node, pods.lister().ByIndex("spec.nodeName", "node-1"));
  for (const corev1::Pod& pod : on_node) Logger().Info("On the node", "pod", KeyOf(pod).ToString());
  return {};
}
// end

// snippet: own writes
Result<int32_t> ScaleUp(const CachedClient& client, const ObjectKey& key) {
  KEELSON_TRY(web, client.Get<appsv1::Deployment>(key));  // from the cache
  web.spec.replicas = web.spec.replicas.value_or(1) + 1;
  KEELSON_RETURN_IF_ERROR(client.Update(web));              // to the server
  KEELSON_TRY(again, client.Get<appsv1::Deployment>(key));  // from the cache, when it has seen the update
  return again.spec.replicas.value_or(1);
}
// end

// snippet: namespaces
size_t CountPods(Client client, const StopToken& stop) {
  InformerFactory informers(client, {.namespaces = {"blue", "green"}});
  const std::vector<Informer<corev1::Pod>> pods = informers.AllOf<corev1::Pod>();
  informers.Start(stop);
  if (!WaitForCacheSync(stop, informers)) return 0;
  size_t count = 0;
  for (const Informer<corev1::Pod>& of_namespace : pods) count += of_namespace.lister().size();
  return count;
}
// end

// snippet: list by index
Result<std::vector<std::string>> PodsWithImage(const CachedClient& client, const std::string& image) {
  KEELSON_TRY(pods, client.List<corev1::Pod>({.fields = fields::Parse("image=" + image).value()}));
  std::vector<std::string> names;
  for (const corev1::Pod& pod : pods) names.push_back(pod.metadata.name);
  return names;
}
// end

// snippet: uncached reads
CachedClient MakeClient(Client live, InformerFactory& informers) {
  return CachedClient(live, informers,
                      {.uncached = UncachedRead::kError,
                       .uncached_by_kind = {{{"", "Namespace"}, UncachedRead::kStart}},
                       .live_kinds = {{"", "Secret"}}});
}
// end

corev1::Pod PodOf(const std::string& namespace_, const std::string& name, const std::string& image) {
  corev1::Pod pod{.metadata = {.name = name, .namespace_ = namespace_}};
  pod.spec.containers = {corev1::Container{.name = "main", .image = image}};
  return pod;
}

TEST(CacheGuide, ClientsReadFromTheCachesOfSomeNamespaces) {
  Simulated([] {
    const ControlPlane control_plane;
    const Client live = control_plane.client();
    for (const char* name : {"blue", "green", "red"}) {
      ASSERT_TRUE(live.Create(corev1::Namespace{.metadata = {.name = name}}));
      ASSERT_TRUE(live.Create(PodOf(name, "one", "nginx")));
    }
    StopSource stop;
    EXPECT_EQ(CountPods(live, stop.token()), 2u);

    InformerFactory informers(live);
    const CachedClient client = MakeClient(live, informers);
    const auto pods = informers.For<corev1::Pod>();
    ASSERT_TRUE(pods.AddIndex(
        "image", [](const corev1::Pod& pod) { return std::vector<std::string>{pod.spec.containers[0].image}; }));
    informers.Start(stop.token());
    ASSERT_TRUE(WaitForCacheSync(stop.token(), informers));
    ASSERT_TRUE(client.Create(PodOf("red", "two", "redis")));
    EXPECT_THAT(PodsWithImage(client, "redis").value(), ::testing::ElementsAre("two"));
    EXPECT_EQ(client.List<corev1::ConfigMap>().error().code(), ErrorCode::kUnsupported);
    EXPECT_TRUE(client.Get<corev1::Namespace>({"", "red"}));
    EXPECT_EQ(informers.size(), 2u);
    EXPECT_TRUE(client.List<corev1::Secret>());
    EXPECT_EQ(informers.size(), 2u);
  });
}

TEST(CacheGuide, TheControllerSeesEveryKeyAndItsLastState) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    Simulated(
        [] {
          History history;
          history.Set("a", "1");
          StopSource stop;
          InformerFactory informers(history.client());
          MapController controller(informers);
          informers.Start(stop.token());
          Thread runner("runner", [&] { EXPECT_TRUE(controller.Run(2, stop.token())); });
          (void)SleepFor(10s, {});
          history.Set("b", "1");
          (void)SleepFor(10s, {});
          history.Remove("b");
          (void)SleepFor(10s, {});
          stop.RequestStop();
          runner.Join();
          EXPECT_THAT(controller.reports, ::testing::ElementsAre("default/a has 1 entries", "default/b has 1 entries",
                                                                 "default/b is gone"));
        },
        seed);
  }
}

TEST(CacheGuide, WhatCannotSyncSaysWhy) {
  Simulated([] {
    const ScopedLogCapture quiet;
    History history;
    history.missing = true;
    const Result<void> done = WatchSome(history.client(), {});
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code(), ErrorCode::kTimeout);
    EXPECT_THAT(done.error().message(), ::testing::HasSubstr("pods"));
    EXPECT_NE(&ScaleUp, nullptr);
  });
}

}  // namespace
}  // namespace keelson
