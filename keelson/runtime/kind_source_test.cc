#include "keelson/runtime/kind_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <stdexcept>

#include "keelson/api/core/v1.h"
#include "keelson/cache/history_test_support.h"
#include "keelson/cache/informer_factory.h"
#include "keelson/controlplane/control_plane.h"
#include "keelson/core/clock.h"
#include "keelson/core/random.h"
#include "keelson/core/thread.h"
#include "keelson/runtime/source_test_support.h"

namespace keelson {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

void Settle() { (void)SleepFor(1s, {}); }

// A watch of ConfigMaps of a History into a queue.
struct Watched {
  explicit Watched(History& history, KindSourceOptions options = {.kind = "ConfigMap"},
                   Enqueuer<Request> enqueuer = EnqueueSelf(), InformerOptions informer_options = {})
      : informer(Informer<corev1::ConfigMap>::Make(history.client(), {}, informer_options)),
        source({informer.core()}, std::move(enqueuer), std::move(options)) {}
  ~Watched() {
    source.Stop();
    stop.RequestStop();
  }

  void Start() {
    informer.Start(stop.token());
    ASSERT_TRUE(source.Start(queue, stop.token()));
  }
  Wake Sync(Duration span = 1min) { return source.WaitForSync(stop.token(), Clock::Now() + span); }

  StopSource stop;
  RequestQueue<Request> queue;
  Informer<corev1::ConfigMap> informer;
  KindSource<Request> source;
};

TEST(KindSource, InitialObjectsHaveLowPriorityAndChangesNormal) {
  InSimulation([] {
    History history;
    history.Set("a", "1");
    history.Set("b", "1");
    Watched watched(history, {.kind = "ConfigMap", .own_kind = true});
    watched.Start();
    ASSERT_EQ(watched.Sync(), Wake::kReady);
    EXPECT_EQ(watched.source.description(), "ConfigMap");
    EXPECT_THAT(Drain(watched.queue),
                UnorderedElementsAre("default/a: ConfigMap was there (low)", "default/b: ConfigMap was there (low)"));
    history.Set("a", "2");
    history.Set("c", "1");
    history.Remove("b");
    Settle();
    EXPECT_THAT(Drain(watched.queue),
                UnorderedElementsAre("default/a: ConfigMap updated", "default/b: ConfigMap deleted",
                                     "default/c: ConfigMap created"));
  });
}

TEST(KindSource, InitialObjectsHaveNormalPriorityWhereAskedFor) {
  InSimulation([] {
    History history;
    history.Set("a", "1");
    Watched watched(history, {.kind = "ConfigMap", .low_priority_for_unchanged = false, .own_kind = true});
    watched.Start();
    ASSERT_EQ(watched.Sync(), Wake::kReady);
    EXPECT_THAT(Drain(watched.queue), ElementsAre("default/a: ConfigMap was there"));
  });
}

TEST(KindSource, CausesNameTheObjectWhereItIsNotTheRequest) {
  InSimulation([] {
    History history;
    Watched watched(history, {.kind = "ConfigMap"},
                    [](const ObjectEvent&, RequestSink<Request>& sink) { sink.Add({"apps", "all"}); });
    watched.Start();
    ASSERT_EQ(watched.Sync(), Wake::kReady);
    history.Set("a", "1");
    Settle();
    history.Set("b", "1");
    Settle();
    EXPECT_THAT(Drain(watched.queue), ElementsAre("apps/all: ConfigMap default/a created, ConfigMap "
                                                  "default/b created"));
  });
}

TEST(KindSource, ResyncsHaveLowPriority) {
  InSimulation([] {
    History history;
    history.Set("a", "1");
    Watched watched(history, {.kind = "ConfigMap", .own_kind = true}, EnqueueSelf(), {.resync = 1min});
    watched.Start();
    ASSERT_EQ(watched.Sync(), Wake::kReady);
    EXPECT_EQ(Drain(watched.queue).size(), 1u);
    (void)SleepFor(65s, {});
    EXPECT_THAT(Drain(watched.queue), ElementsAre("default/a: ConfigMap resync (low)"));
  });
}

TEST(KindSource, TellsDeletionsThatWereMissed) {
  InSimulation([] {
    History history;
    history.Set("a", "1");
    std::vector<std::string> told;
    Watched watched(history, {.kind = "ConfigMap"}, [&](const ObjectEvent& event, RequestSink<Request>& sink) {
      told.push_back(std::string(ToString(event.type())) + (event.final_state_unknown() ? " unknown " : " ") +
                     event.As<corev1::ConfigMap>()->data.find("value")->str());
      EnqueueSelf()(event, sink);
    });
    watched.Start();
    ASSERT_EQ(watched.Sync(), Wake::kReady);
    Drain(watched.queue);
    told.clear();
    // It changes and goes while no watch is open, and history is forgotten.
    history.DropWatches();
    history.Set("a", "2");
    history.Remove("a");
    history.Forget();
    (void)SleepFor(1min, {});
    EXPECT_THAT(told, ElementsAre("deleted unknown 1"));
    EXPECT_THAT(Drain(watched.queue), ElementsAre("default/a: ConfigMap default/a deleted"));
  });
}

TEST(KindSource, PredicatesDropEvents) {
  InSimulation([] {
    History history;
    history.Set("a", "keep");
    history.Set("b", "drop");
    Watched watched(history, {.kind = "ConfigMap",
                              .predicate = LabelsMatch(labels::Selector::FromSet({{"value", "keep"}})),
                              .own_kind = true});
    watched.Start();
    ASSERT_EQ(watched.Sync(), Wake::kReady);
    EXPECT_THAT(Drain(watched.queue), ElementsAre("default/a: ConfigMap was there (low)"));
    history.Set("b", "drop too");
    history.Set("c", "keep");
    Settle();
    EXPECT_THAT(Drain(watched.queue), ElementsAre("default/c: ConfigMap created"));
  });
}

TEST(KindSource, NothingIsAddedWhenItHasStopped) {
  InSimulation([] {
    History history;
    history.Set("a", "1");
    Watched watched(history);
    watched.Start();
    ASSERT_EQ(watched.Sync(), Wake::kReady);
    Drain(watched.queue);
    watched.source.Stop();
    history.Set("a", "2");
    Settle();
    EXPECT_THAT(Drain(watched.queue), IsEmpty());
    // The cache goes on.
    const auto cached = watched.informer.lister().Get(ObjectKey{"default", "a"});
    ASSERT_TRUE(cached);
    EXPECT_EQ((*cached)->data.find("value")->view(), "2");
    EXPECT_FALSE(watched.source.Start(watched.queue, {}));
  });
}

TEST(KindSource, FillsItsCacheBeforeItStarts) {
  InSimulation([] {
    History history;
    history.Set("a", "1");
    InformerFactory factory(history.client());
    StopSource stop;
    KindSource<Request> source({factory.For<corev1::ConfigMap>().core()}, EnqueueSelf(),
                               {.kind = "ConfigMap", .own_kind = true});
    factory.Start(stop.token());
    Settle();
    EXPECT_EQ(factory.size(), 1u);
    EXPECT_THAT(history.requests(), ElementsAre("stream", "list 0", "watch 1"));
    // What changed while it stood by was there when it began.
    history.Set("b", "1");
    Settle();
    RequestQueue<Request> queue;
    ASSERT_TRUE(source.Start(queue, stop.token()));
    ASSERT_EQ(source.WaitForSync(stop.token(), TimePoint::max()), Wake::kReady);
    EXPECT_THAT(Drain(queue),
                UnorderedElementsAre("default/a: ConfigMap was there (low)", "default/b: ConfigMap was there (low)"));
    EXPECT_EQ(history.requests().size(), 3u);
    source.Stop();
    stop.RequestStop();
  });
}

TEST(KindSource, SaysWhyItHasNotSynced) {
  const ScopedLogCapture quiet;
  InSimulation([] {
    History history;
    history.missing = true;
    Watched watched(history);
    watched.Start();
    EXPECT_EQ(watched.Sync(20s), Wake::kTimeout);
    ASSERT_TRUE(watched.source.last_error());
    EXPECT_THAT(watched.source.last_error()->message(), HasSubstr("not"));
    history.missing = false;
    history.Set("a", "1");
    ASSERT_EQ(watched.Sync(10min), Wake::kReady);
    EXPECT_EQ(watched.source.last_error(), std::nullopt);
    EXPECT_EQ(Drain(watched.queue).size(), 1u);
  });
}

TEST(KindSource, WaitsUntilStop) {
  const ScopedLogCapture quiet;
  InSimulation([] {
    History history;
    history.missing = true;
    Watched watched(history);
    watched.Start();
    StopSource stop;
    stop.RequestStop();
    EXPECT_EQ(watched.source.WaitForSync(stop.token(), TimePoint::max()), Wake::kStopped);
  });
}

TEST(KindSource, ExceptionsAreLoggedAndTheNextEventComes) {
  const ScopedLogCapture log;
  InSimulation([] {
    History history;
    history.Set("bad", "1");
    history.Set("good", "1");
    history.Set("odd", "1");
    Watched watched(history,
                    {.kind = "ConfigMap",
                     .predicate = Predicate([](const ObjectEvent& event) {
                       if (event.identity().name == "odd") throw 5;
                       return true;
                     }),
                     .own_kind = true},
                    [](const ObjectEvent& event, RequestSink<Request>& sink) {
                      if (event.identity().name == "bad") throw std::runtime_error("no idea");
                      EnqueueSelf()(event, sink);
                    });
    watched.Start();
    ASSERT_EQ(watched.Sync(), Wake::kReady);
    EXPECT_THAT(Drain(watched.queue), ElementsAre("default/good: ConfigMap was there (low)"));
    history.Set("good", "2");
    Settle();
    EXPECT_THAT(Drain(watched.queue), ElementsAre("default/good: ConfigMap updated"));
  });
  EXPECT_THAT(log.lines(),
              UnorderedElementsAre(
                  AllOf(HasSubstr("default/bad"), HasSubstr("no idea"), HasSubstr("source=\"ConfigMap\"")),
                  AllOf(HasSubstr("default/odd"), HasSubstr("no std::exception"), HasSubstr("source=\"ConfigMap\""))));
}

TEST(KindSource, WatchesSeveralNamespacesByAnInformerEach) {
  InSimulation([] {
    const ControlPlane control_plane;
    const Client client = control_plane.client();
    for (const char* name : {"one", "two", "three"}) {
      ASSERT_TRUE(client.Create(corev1::Namespace{.metadata = {.name = name}}));
      ASSERT_TRUE(client.Create(corev1::ConfigMap{.metadata = {.name = "a", .namespace_ = name}}));
    }
    InformerFactory factory(client);
    StopSource stop;
    KindSource<Request> source({factory.For<corev1::ConfigMap>(Selection{.namespace_ = "one"}).core(),
                                factory.For<corev1::ConfigMap>(Selection{.namespace_ = "two"}).core()},
                               EnqueueSelf(), {.kind = "ConfigMap", .own_kind = true});
    factory.Start(stop.token());
    RequestQueue<Request> queue;
    ASSERT_TRUE(source.Start(queue, stop.token()));
    ASSERT_EQ(source.WaitForSync(stop.token(), TimePoint::max()), Wake::kReady);
    const std::vector<std::string> initial = Drain(queue);
    EXPECT_THAT(initial, UnorderedElementsAre("one/a: ConfigMap was there (low)", "two/a: ConfigMap was there (low)"));
    for (const char* name : {"one", "two", "three"}) {
      ASSERT_TRUE(client.Create(corev1::ConfigMap{.metadata = {.name = "b", .namespace_ = name}}));
    }
    Settle();
    EXPECT_THAT(Drain(queue), UnorderedElementsAre("one/b: ConfigMap created", "two/b: ConfigMap created"));
    source.Stop();
    stop.RequestStop();
  });
}

// One object and its owner in a cache of each form.
template <class T>
void OwnerOfWatched(const std::function<Informer<T>(InformerFactory&)>& watch) {
  InSimulation([&] {
    const ControlPlane control_plane;
    const Client client = control_plane.client();
    InformerFactory factory(client);
    StopSource stop;
    KindSource<Request> source({watch(factory).core()}, EnqueueOwner<corev1::Pod>(), {.kind = "Secret"});
    factory.Start(stop.token());
    RequestQueue<Request> queue;
    ASSERT_TRUE(source.Start(queue, stop.token()));
    ASSERT_EQ(source.WaitForSync(stop.token(), TimePoint::max()), Wake::kReady);
    corev1::Secret secret{.metadata = {.name = "s", .namespace_ = "default"}};
    secret.metadata.ownerReferences = {
        {.apiVersion = "v1", .kind = "Pod", .name = "web", .uid = "u1", .controller = true}};
    ASSERT_TRUE(client.Create(secret));
    Settle();
    EXPECT_THAT(Drain(queue), ElementsAre("default/web: Secret default/s created"));
    ASSERT_TRUE(client.Delete<corev1::Secret>({"default", "s"}));
    Settle();
    EXPECT_THAT(Drain(queue), ElementsAre("default/web: Secret default/s deleted"));
    source.Stop();
    stop.RequestStop();
  });
}

TEST(KindSource, ServesCachesOfEveryForm) {
  OwnerOfWatched<corev1::Secret>([](InformerFactory& factory) { return factory.For<corev1::Secret>(); });
  OwnerOfWatched<Unstructured>(
      [](InformerFactory& factory) { return factory.For(GroupVersionKind{"", "v1", "Secret"}); });
  OwnerOfWatched<metav1::PartialObjectMetadata>(
      [](InformerFactory& factory) { return factory.MetadataFor<corev1::Secret>(); });
}

TEST(KindSource, RequestsMayBeOfTheUsersOwnType) {
  InSimulation([] {
    History history;
    history.Set("a", "red");
    history.Set("b", "red");
    const auto informer = Informer<corev1::ConfigMap>::Make(history.client());
    StopSource stop;
    informer.Start(stop.token());
    RequestQueue<std::string> queue;
    KindSource<std::string> source({informer.core()},
                                   EnqueueMapped<corev1::ConfigMap, std::string>([](const corev1::ConfigMap& map) {
                                     return std::vector<std::string>{map.data.find("value")->str()};
                                   }),
                                   {.kind = "ConfigMap"});
    ASSERT_TRUE(source.Start(queue, stop.token()));
    ASSERT_EQ(source.WaitForSync(stop.token(), TimePoint::max()), Wake::kReady);
    const auto item = queue.TryGet();
    ASSERT_TRUE(item);
    EXPECT_EQ(item->key, "red");
    EXPECT_EQ(item->causes.size(), 2u);
    EXPECT_EQ(queue.Length(), 0u);
    source.Stop();
    stop.RequestStop();
  });
}

// Whatever the order of threads and whenever watches break: who works off the queue and looks at the cache comes to see
// every object as it is in the end.
TEST(KindSource, WhoFollowsTheQueueSeesTheLastStateOfEveryObject) {
  const ScopedLogCapture quiet;
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    InSimulation(
        [seed] {
          Random random(seed);
          History history;
          for (const char* name : {"a", "b", "c"}) history.Set(name, "0");
          Watched watched(history);
          std::map<std::string, std::string> seen;
          watched.Start();
          Thread worker("worker", [&](const StopToken& stop) {
            while (const auto item = watched.queue.Get(stop)) {
              const auto map = watched.informer.lister().Get(item->key);
              if (map) {
                seen[item->key.ToString()] = (*map)->data.find("value")->str();
              } else {
                seen.erase(item->key.ToString());
              }
            }
          });
          for (int step = 1; step <= 20; ++step) {
            const std::string name(1, static_cast<char>('a' + random.Uniform(0, 4)));
            switch (random.Uniform(0, 7)) {
              case 0: history.Remove(name); break;
              case 1: history.DropWatches(); break;
              case 2: history.Forget(); break;
              case 3: (void)SleepFor(random.Uniform(1, 2000) * 1ms, {}); break;
              default: history.Set(name, std::to_string(step));
            }
          }
          (void)SleepFor(10min, {});
          EXPECT_EQ(seen, history.contents()) << "seed " << seed;
        },
        seed);
  }
}

TEST(KindSource, StopEndsAnEnqueuerThatWaits) {
  InSimulation([] {
    History history;
    history.Set("a", "1");
    Watched watched(history, {.kind = "ConfigMap"},
                    [](const ObjectEvent&, RequestSink<Request>& sink) { (void)SleepFor(1000h, sink.stop()); });
    watched.Start();
    Settle();
    const TimePoint before = Clock::Now();
    watched.source.Stop();
    EXPECT_LT(Clock::Now() - before, 1s);
  });
}

}  // namespace
}  // namespace keelson
