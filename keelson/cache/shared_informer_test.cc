#include "keelson/cache/shared_informer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "keelson/cache/delta_queue.h"
#include "keelson/cache/history_test_support.h"
#include "keelson/cache/told_test_support.h"
#include "keelson/cache/wait_for_cache_sync.h"
#include "keelson/core/semaphore.h"

namespace keelson {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

using Maps = Informer<corev1::ConfigMap>;

// Time for everything that is under way to arrive; virtual.
void Settle() { (void)SleepFor(1min, {}); }

TEST(SharedInformer, HasSyncedOnlyWhenAWholeListIsInTheCache) {
  Simulated([] {
    History history;
    history.Set("a", "1");
    history.Set("b", "1");
    StopSource stop;
    const Maps maps = Maps::Make(history.client());
    EXPECT_FALSE(maps.HasSynced());
    history.faults.push_back({.on = Fault::kList, .what = Fault::kCut, .after_bytes = 200});
    maps.Start(stop.token());
    ASSERT_TRUE(WaitForCacheSync(stop.token(), maps));
    EXPECT_EQ(ContentsOf(maps.lister()), history.contents());
    EXPECT_THAT(history.requests(), ElementsAre("stream", "list 0", "list 0", "watch 2"));
  });
}

TEST(SharedInformer, AHandlerGetsTheFirstListAsInitialAdditionsThenChanges) {
  Simulated([] {
    History history;
    history.Set("a", "1");
    Told told;
    StopSource stop;
    const Maps maps = Maps::Make(history.client());
    const auto registration = maps.AddHandler(told.handlers());
    EXPECT_FALSE(registration.HasSynced());
    maps.Start(stop.token());
    ASSERT_TRUE(WaitForCacheSync(stop.token(), registration));
    EXPECT_THAT(told.lines(), ElementsAre("add a=1 initial"));
    history.Set("b", "1");
    history.Set("a", "2");
    history.Remove("b");
    Settle();
    EXPECT_THAT(told.lines(), UnorderedElementsAre("add a=1 initial", "add b=1", "update a=1 a=2", "delete b=1"));
    EXPECT_EQ(ContentsOf(maps.lister()), history.contents());
  });
}

TEST(SharedInformer, AHandlerThatComesLateGetsThePresentStateFirst) {
  Simulated([] {
    History history;
    history.Set("a", "1");
    StopSource stop;
    const Maps maps = Maps::Make(history.client());
    maps.Start(stop.token());
    ASSERT_TRUE(WaitForCacheSync(stop.token(), maps));
    history.Set("a", "2");
    history.Set("b", "1");
    Settle();
    Told told;
    const auto late = maps.AddHandler(told.handlers());
    ASSERT_TRUE(WaitForCacheSync(stop.token(), late));
    EXPECT_THAT(told.Take(), UnorderedElementsAre("add a=2 initial", "add b=1 initial"));
    history.Set("b", "2");
    Settle();
    EXPECT_THAT(told.Take(), ElementsAre("update b=1 b=2"));
    EXPECT_THAT(history.requests(), ElementsAre("stream", "list 0", "watch 1"));
  });
}

TEST(SharedInformer, AnEmptyListSyncsItsHandlers) {
  Simulated([] {
    History history;
    StopSource stop;
    const Maps maps = Maps::Make(history.client());
    const auto registration = maps.AddHandler({});
    maps.Start(stop.token());
    EXPECT_TRUE(WaitForCacheSync(stop.token(), maps, registration));
  });
}

TEST(SharedInformer, WhenAHandlerIsCalledTheCacheHasTheObjectAlready) {
  Simulated([] {
    History history;
    history.Set("a", "1");
    StopSource stop;
    const Maps maps = Maps::Make(history.client());
    const Lister<corev1::ConfigMap> lister = maps.lister();
    int seen = 0;
    const auto look = [&](const corev1::ConfigMap& map) {
      const auto cached = lister.Get(KeyOf(map));
      ASSERT_TRUE(cached);
      EXPECT_FALSE(IsOlderVersion((*cached)->metadata.resourceVersion, map.metadata.resourceVersion));
      ++seen;
    };
    const auto registration = maps.AddHandler({.on_add = [&](const auto& map, bool) { look(map); },
                                               .on_update = [&](const auto&, const auto& map) { look(map); }});
    maps.Start(stop.token());
    ASSERT_TRUE(WaitForCacheSync(stop.token(), registration));
    for (int i = 2; i < 20; ++i) history.Set("a", std::to_string(i));
    Settle();
    EXPECT_GE(seen, 2);
  });
}

TEST(SharedInformer, ADeletionMissedInAGapIsToldWithItsFinalStateUnknown) {
  Simulated([] {
    History history;
    history.Set("a", "1");
    history.Set("b", "1");
    Told told;
    StopSource stop;
    const Maps maps = Maps::Make(history.client());
    const auto registration = maps.AddHandler(told.handlers());
    maps.Start(stop.token());
    ASSERT_TRUE(WaitForCacheSync(stop.token(), registration));
    told.Take();
    history.DropWatches();
    history.Remove("a");
    history.Set("b", "2");
    history.Set("c", "1");
    history.Forget();
    Settle();
    EXPECT_THAT(told.lines(), UnorderedElementsAre("delete a=1 unknown", "update b=1 b=2", "add c=1"));
    EXPECT_EQ(ContentsOf(maps.lister()), history.contents());
  });
}

TEST(SharedInformer, AnObjectMadeAgainInAGapIsADeletionAndAnAddition) {
  Simulated([] {
    History history;
    history.Set("a", "1");
    Told told;
    StopSource stop;
    const Maps maps = Maps::Make(history.client());
    const auto registration = maps.AddHandler(told.handlers());
    maps.Start(stop.token());
    ASSERT_TRUE(WaitForCacheSync(stop.token(), registration));
    told.Take();
    history.DropWatches();
    history.Remove("a");
    history.Set("a", "2");
    history.Forget();
    Settle();
    EXPECT_THAT(told.lines(), ElementsAre("delete a=1 unknown", "add a=2"));
  });
}

TEST(SharedInformer, ARelistThatChangesNothingTellsNothing) {
  Simulated([] {
    History history;
    history.Set("a", "1");
    Told told;
    StopSource stop;
    const Maps maps = Maps::Make(history.client());
    const auto registration = maps.AddHandler(told.handlers());
    maps.Start(stop.token());
    ASSERT_TRUE(WaitForCacheSync(stop.token(), registration));
    const auto before = maps.lister().Get("default", "a").value();
    history.Forget();
    history.faults.push_back({.on = Fault::kWatch, .what = Fault::kExpire});
    history.DropWatches();
    Settle();
    EXPECT_THAT(history.requests(), ElementsAre("stream", "list 0", "watch 1", "watch 1", "list 1", "watch 1"));
    EXPECT_THAT(told.lines(), ElementsAre("add a=1 initial"));
    EXPECT_EQ(maps.lister().Get("default", "a").value(), before) << "an unchanged object is kept, not replaced";
  });
}

TEST(SharedInformer, WhatItsListerGaveStaysAsItIsAndOutlivesIt) {
  Simulated([] {
    History history;
    history.Set("a", "1");
    StopSource stop;
    CachedPtr<corev1::ConfigMap> kept;
    std::shared_ptr<const corev1::ConfigMap> shared;
    {
      const Maps maps = Maps::Make(history.client());
      maps.Start(stop.token());
      ASSERT_TRUE(WaitForCacheSync(stop.token(), maps));
      kept = maps.lister().Get("default", "a").value();
      shared = maps.lister().Get("default", "a").value();
      EXPECT_EQ(kept.get(), shared.get());
      history.Set("a", "2");
      Settle();
      EXPECT_EQ(*maps.lister().Get("default", "a").value()->data.find("value"), "2");
    }
    EXPECT_EQ(*kept->data.find("value"), "1");
    kept = nullptr;
    EXPECT_FALSE(kept);
    EXPECT_EQ(*shared->data.find("value"), "1");
  });
}

TEST(SharedInformer, AResyncShowsEachHandlerAllObjectsAtItsOwnPace) {
  Simulated([] {
    History history;
    history.Set("a", "1");
    Told often, never;
    StopSource stop;
    const Maps maps = Maps::Make(history.client(), {}, {.resync = 0s});
    const auto first = maps.AddHandler(often.handlers(), {.resync = 10s});
    const auto second = maps.AddHandler(never.handlers());
    maps.Start(stop.token());
    ASSERT_TRUE(WaitForCacheSync(stop.token(), first, second));
    (void)SleepFor(35s, {});
    EXPECT_THAT(often.lines(), ElementsAre("add a=1 initial", "update a=1 a=1", "update a=1 a=1", "update a=1 a=1"));
    EXPECT_THAT(never.lines(), ElementsAre("add a=1 initial"));
  });
}

TEST(SharedInformer, ASlowHandlerDelaysNobodyAndStillComesToSeeTheLastState) {
  Simulated([] {
    History history;
    history.Set("a", "0");
    Told quick, slow;
    StopSource stop;
    Semaphore go(0);
    const Maps maps = Maps::Make(history.client());
    Handlers<corev1::ConfigMap> slowed = slow.handlers();
    slowed.on_add = [&, add = slowed.on_add](const corev1::ConfigMap& map, bool initial) {
      (void)go.Acquire({});
      add(map, initial);
    };
    const auto first = maps.AddHandler(slowed);
    const auto second = maps.AddHandler(quick.handlers());
    maps.Start(stop.token());
    ASSERT_TRUE(WaitForCacheSync(stop.token(), second));
    for (int i = 1; i <= 100; ++i) {
      history.Set("a", std::to_string(i));
      (void)SleepFor(1s, {});
    }
    EXPECT_EQ(quick.lines().size(), 101u) << "a handler that keeps up sees every change";
    EXPECT_THAT(slow.lines(), IsEmpty());
    EXPECT_FALSE(first.HasSynced());
    go.Release();
    Settle();
    EXPECT_LE(slow.lines().size(), 1 + DeltaQueue::kMaxPerKey) << "what waits for it is bounded";
    EXPECT_EQ(slow.contents(), history.contents());
  });
}

TEST(SharedInformer, ABriefHandlerIsCalledByTheThreadOfTheInformerOnceItHasCaughtUp) {
  Simulated([] {
    History history;
    history.Set("a", "1");
    StopSource stop;
    uint64_t informers_thread = 0;
    const Maps maps = Maps::Make(history.client(), {}, {.transform = [&](void*) -> Result<void> {
                                   informers_thread = this_thread::Id();
                                   return {};
                                 }});
    std::vector<uint64_t> brief, usual;
    const auto noting = [](std::vector<uint64_t>& threads) {
      return Handlers<corev1::ConfigMap>{
          .on_add = [&](const auto&, bool) { threads.push_back(this_thread::Id()); },
          .on_update = [&](const auto&, const auto&) { threads.push_back(this_thread::Id()); }};
    };
    const auto first = maps.AddHandler(noting(brief), {.brief = true});
    const auto second = maps.AddHandler(noting(usual));
    maps.Start(stop.token());
    ASSERT_TRUE(WaitForCacheSync(stop.token(), first, second));
    Settle();
    history.Set("a", "2");
    Settle();
    ASSERT_EQ(brief.size(), 2u);
    EXPECT_NE(brief[0], informers_thread) << "the first list waits for no handler";
    EXPECT_EQ(brief[1], informers_thread);
    ASSERT_EQ(usual.size(), 2u);
    EXPECT_EQ(usual[0], usual[1]);
    EXPECT_NE(usual[1], informers_thread);
  });
}

TEST(SharedInformer, ABriefHandlerIsCalledOnceAtATimeAndSeesTheLastStateWhateverTheSchedule) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    Simulated(
        [seed] {
          Random random(seed);
          History history;
          for (const char* name : {"a", "b", "c"}) history.Set(name, "0");
          StopSource stop;
          Told told;
          std::atomic<int> calls = 0;
          const Maps maps = Maps::Make(history.client());
          const auto alone = [&calls](auto inner) {
            return [&calls, inner](const auto&... told_of) {
              EXPECT_EQ(calls++, 0) << "two calls at a time";
              inner(told_of...);
              this_thread::Yield();
              --calls;
            };
          };
          const Handlers<corev1::ConfigMap> plain = told.handlers();
          const auto registration = maps.AddHandler(
              {.on_add = alone(plain.on_add), .on_update = alone(plain.on_update), .on_delete = alone(plain.on_delete)},
              {.resync = 3ms, .brief = true});
          maps.Start(stop.token());
          for (int i = 1; i <= 30; ++i) {
            const std::string name(1, static_cast<char>('a' + random.Uniform(0, 2)));
            if (random.Chance(0.2) && history.contents().contains("default/" + name)) {
              history.Remove(name);
            } else {
              history.Set(name, std::to_string(i));
            }
            if (random.Chance(0.5)) (void)SleepFor(std::chrono::microseconds(random.Uniform(0, 2000)), {});
          }
          (void)SleepFor(1s, {});
          EXPECT_EQ(told.contents(), history.contents());
        },
        seed);
  }
}

TEST(SharedInformer, ARemovedHandlerIsCalledNoMoreAndTheOthersGoOn) {
  Simulated([] {
    History history;
    Told gone, stays;
    StopSource stop;
    const Maps maps = Maps::Make(history.client());
    auto first = maps.AddHandler(gone.handlers());
    const auto second = maps.AddHandler(stays.handlers());
    maps.Start(stop.token());
    ASSERT_TRUE(WaitForCacheSync(stop.token(), first, second));
    history.Set("a", "1");
    Settle();
    first.Remove();
    history.Set("a", "2");
    Settle();
    EXPECT_THAT(gone.lines(), ElementsAre("add a=1"));
    EXPECT_THAT(stays.lines(), ElementsAre("add a=1", "update a=1 a=2"));
  });
}

TEST(SharedInformer, AHandlerMayRemoveItself) {
  Simulated([] {
    History history;
    StopSource stop;
    const Maps maps = Maps::Make(history.client());
    HandlerRegistration registration;
    int calls = 0;
    registration = maps.AddHandler({.on_add = [&](const auto&, bool) {
      ++calls;
      registration.Remove();
    }});
    maps.Start(stop.token());
    history.Set("a", "1");
    history.Set("b", "1");
    Settle();
    EXPECT_EQ(calls, 1);
  });
}

TEST(SharedInformer, TransformChangesObjectsBeforeTheyAreStored) {
  Simulated([] {
    History history;
    history.Set("a", "1");
    StopSource stop;
    std::vector<std::string> errors;
    const Maps maps = Maps::Make(history.client(), {},
                                 {.transform = [](void* object) -> Result<void> {
                                    auto& map = *static_cast<corev1::ConfigMap*>(object);
                                    if (map.metadata.name == "bad") return Error::InvalidArgument("not this one");
                                    map.data = {};
                                    return {};
                                  },
                                  .on_error = [&](const Error& error) { errors.push_back(error.message()); }});
    maps.Start(stop.token());
    ASSERT_TRUE(WaitForCacheSync(stop.token(), maps));
    history.Set("bad", "1");
    Settle();
    EXPECT_TRUE(maps.lister().Get("default", "a").value()->data.empty());
    EXPECT_FALSE(maps.lister().Get("default", "bad").value()->data.empty()) << "never a hole in the cache";
    EXPECT_THAT(errors, ElementsAre("transform of configmaps \"default/bad\": not this one"));
  });
}

TEST(SharedInformer, AnExceptionOfAHandlerIsReportedAndEndsNothing) {
  Simulated([] {
    History history;
    history.Set("a", "1");
    StopSource stop;
    std::vector<std::string> errors;
    const Maps maps =
        Maps::Make(history.client(), {}, {.on_error = [&](const Error& error) { errors.push_back(error.message()); }});
    int updates = 0;
    const auto registration = maps.AddHandler({.on_add = [](const auto&, bool) { throw std::runtime_error("oops"); },
                                               .on_update = [&](const auto&, const auto&) { ++updates; }},
                                              {.name = "mine"});
    maps.Start(stop.token());
    ASSERT_TRUE(WaitForCacheSync(stop.token(), registration));
    history.Set("a", "2");
    Settle();
    EXPECT_EQ(updates, 1);
    EXPECT_THAT(errors, ElementsAre("the handler \"mine\" of configmaps threw: oops"));
  });
}

TEST(SharedInformer, AResourceThatIsNotThereYetIsPickedUpWhenItAppears) {
  Simulated([] {
    const ScopedLogCapture log;
    History history;
    history.missing = true;
    history.can_stream = true;
    StopSource stop;
    std::vector<std::string> errors;
    const Maps maps =
        Maps::Make(history.client(), {}, {.on_error = [&](const Error& error) { errors.push_back(error.message()); }});
    maps.Start(stop.token());
    const Result<void> synced = WaitForCacheSync(stop.token(), Clock::Now() + 1min, maps);
    ASSERT_FALSE(synced);
    EXPECT_EQ(synced.error().message(),
              "the cache of configmaps has not synced: failed to list by a watch configmaps: the server could not find "
              "the requested resource (get configmaps)");
    EXPECT_LE(errors.size(), 20u) << "it does not flood";
    EXPECT_GE(errors.size(), 5u);
    EXPECT_THAT(log.lines().front(), HasSubstr("the server could not find the requested resource (get configmaps)"));
    history.missing = false;
    history.Set("a", "1");
    EXPECT_TRUE(WaitForCacheSync(stop.token(), Clock::Now() + 15s, maps));
    EXPECT_EQ(ContentsOf(maps.lister()), history.contents());
    EXPECT_FALSE(maps.last_error().has_value());
  });
}

TEST(SharedInformer, ListsByAWatchWhereTheServerCan) {
  Simulated([] {
    History history;
    history.can_stream = true;
    history.Set("a", "1");
    history.Set("b", "1");
    Told told;
    StopSource stop;
    const Maps maps = Maps::Make(history.client());
    const auto registration = maps.AddHandler(told.handlers());
    maps.Start(stop.token());
    ASSERT_TRUE(WaitForCacheSync(stop.token(), registration));
    history.Set("b", "2");
    Settle();
    EXPECT_THAT(told.lines(), UnorderedElementsAre("add a=1 initial", "add b=1 initial", "update b=1 b=2"));
    EXPECT_THAT(history.requests(), ElementsAre("stream"));
  });
}

TEST(SharedInformer, NothingIsInferredFromAStreamThatBreaksOff) {
  Simulated([] {
    History history;
    history.can_stream = true;
    history.Set("a", "1");
    history.Set("b", "1");
    StopSource stop;
    Told told;
    const Maps maps = Maps::Make(history.client());
    const auto registration = maps.AddHandler(told.handlers());
    maps.Start(stop.token());
    ASSERT_TRUE(WaitForCacheSync(stop.token(), registration));
    history.Forget();
    history.Set("c", "1");
    history.Forget();
    history.faults.push_back({.on = Fault::kWatch, .what = Fault::kExpire});
    history.faults.push_back({.on = Fault::kWatch, .what = Fault::kCut, .after_bytes = 300});
    history.DropWatches();
    Settle();
    EXPECT_EQ(told.contents(), history.contents());
    EXPECT_THAT(told.lines(), UnorderedElementsAre("add a=1 initial", "add b=1 initial", "add c=1"));
  });
}

TEST(SharedInformer, OldNewsDoNotTakeTheCacheBackInTime) {
  Simulated([] {
    History history;
    history.Set("a", "1");
    history.Set("a", "2");
    history.Set("b", "1");
    history.Remove("b");
    history.Set("b", "2");
    Told told;
    StopSource stop;
    history.faults.push_back({.on = Fault::kWatch, .what = Fault::kOldNews});
    const Maps maps = Maps::Make(history.client());
    const auto registration = maps.AddHandler(told.handlers());
    maps.Start(stop.token());
    ASSERT_TRUE(WaitForCacheSync(stop.token(), registration));
    Settle();
    EXPECT_THAT(told.lines(), UnorderedElementsAre("add a=2 initial", "add b=2 initial"));
    EXPECT_EQ(ContentsOf(maps.lister()), history.contents());
  });
}

TEST(SharedInformer, AWatchThatFellSilentIsNoticed) {
  Simulated([] {
    History history;
    history.Set("a", "1");
    StopSource stop;
    history.faults.push_back({.on = Fault::kWatch, .what = Fault::kSilent});
    const Maps maps = Maps::Make(history.client(), {}, {.reflector = {.watch_timeout = 60s, .grace = 10s}});
    maps.Start(stop.token());
    ASSERT_TRUE(WaitForCacheSync(stop.token(), maps));
    history.Set("a", "2");
    (void)SleepFor(3min, {});
    EXPECT_EQ(ContentsOf(maps.lister()), history.contents());
  });
}

TEST(SharedInformer, StopEndsTheWatchAndTheCacheStaysReadable) {
  Simulated([] {
    History history;
    history.Set("a", "1");
    StopSource stop;
    const Maps maps = Maps::Make(history.client());
    Thread runner("runner", [&] { maps.Run(stop.token()); });
    ASSERT_TRUE(WaitForCacheSync({}, maps));
    Settle();
    EXPECT_EQ(history.open_watches(), 1u);
    stop.RequestStop();
    runner.Join();
    Settle();
    EXPECT_EQ(history.open_watches(), 0u);
    EXPECT_EQ(ContentsOf(maps.lister()).size(), 1u);
  });
}

TEST(SharedInformer, WaitingForSyncEndsWithTheStopAndSaysForWhat) {
  Simulated([] {
    History history;
    history.missing = true;
    StopSource stop;
    const Maps maps = Maps::Make(history.client());
    stop.RequestStop();
    const Result<void> synced = WaitForCacheSync(stop.token(), maps);
    ASSERT_FALSE(synced);
    EXPECT_EQ(synced.error().code(), ErrorCode::kCancelled);
    EXPECT_EQ(synced.error().message(), "stopped while the cache of configmaps has not synced");
  });
}

TEST(SharedInformer, EachWaitForAVersionEndsWithItsOwn) {
  Simulated([] {
    History history;
    history.Set("a", "1");
    StopSource stop;
    const Maps maps = Maps::Make(history.client());
    maps.Start(stop.token());
    ASSERT_TRUE(WaitForCacheSync(stop.token(), maps));
    const SharedInformer& informer = *maps.core();
    StopSource impatient;
    std::vector<std::string> ended;
    const auto wait = [&](std::string version, TimePoint deadline, Wake expected) {
      return Thread("wait for " + version, [&, version, deadline, expected] {
        EXPECT_EQ(informer.WaitUntilVersion(version, deadline, impatient.token()), expected) << version;
        EXPECT_EQ(informer.HasSeen(version), expected == Wake::kReady);
        ended.push_back(version);
      });
    };
    const Thread fourth = wait("4", TimePoint::max(), Wake::kReady);
    const Thread second = wait("2", TimePoint::max(), Wake::kReady);
    const Thread late = wait("5", Clock::Now() + 10min, Wake::kTimeout);
    const Thread stopped = wait("6", TimePoint::max(), Wake::kStopped);
    Settle();
    EXPECT_THAT(ended, IsEmpty());
    history.Set("a", "2");
    Settle();
    EXPECT_THAT(ended, ElementsAre("2"));
    history.Set("a", "3");
    Settle();
    EXPECT_THAT(ended, ElementsAre("2"));
    history.Set("a", "4");
    Settle();
    EXPECT_THAT(ended, ElementsAre("2", "4"));
    (void)SleepFor(10min, {});
    EXPECT_THAT(ended, ElementsAre("2", "4", "5"));
    impatient.RequestStop();
    Settle();
    EXPECT_THAT(ended, ElementsAre("2", "4", "5", "6"));
  });
}

// Not simulated: real threads, for the sanitizer.
TEST(SharedInformer, HandlersReadersAndIndexesComeAndGoWhileTheWatchGoesOn) {
  const ScopedLogCapture quiet;
  History history;
  for (int i = 0; i < 20; ++i) history.Set("m" + std::to_string(i), "0");
  StopSource stop;
  Told told;
  const Maps maps = Maps::Make(history.client());
  const auto registration = maps.AddHandler(told.handlers(), {.resync = 1ms});
  maps.Start(stop.token());
  ASSERT_TRUE(WaitForCacheSync({}, maps, registration));
  StopSource done;
  {
    std::vector<Thread> threads;
    threads.emplace_back("comes and goes", [&, end = done.token()] {
      while (!end.StopRequested()) {
        Told briefly;
        const auto late = maps.AddHandler(briefly.handlers());
        EXPECT_TRUE(WaitForCacheSync({}, late));
      }
    });
    threads.emplace_back("reader", [&, end = done.token()] {
      for (int i = 0; !end.StopRequested(); ++i) {
        EXPECT_GE(maps.lister().In("default").List().size(), 19u);
        (void)maps.lister().Get("default", "m" + std::to_string(i % 20));
        if (i < 10) {
          EXPECT_TRUE(maps.AddIndex("index " + std::to_string(i), [](const corev1::ConfigMap& map) {
            return std::vector<std::string>{map.metadata.resourceVersion.str()};
          }));
        }
      }
    });
    for (int i = 1; i < 400; ++i) {
      history.Set("m" + std::to_string(i % 20), std::to_string(i));
      if (i % 50 == 0) history.Remove("m0");
    }
    (void)maps.core()->WaitUntilVersion(history.version(), TimePoint::max(), {});
    done.RequestStop();
  }
  EXPECT_EQ(ContentsOf(maps.lister()), history.contents());
  Told last;
  const auto late = maps.AddHandler(last.handlers());
  ASSERT_TRUE(WaitForCacheSync({}, late));
  EXPECT_EQ(last.contents(), history.contents());
}

}  // namespace
}  // namespace keelson
