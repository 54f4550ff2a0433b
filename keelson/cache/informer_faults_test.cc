// Seeded runs of an informer over a history with faults: whatever breaks in whatever order, no handler sees an object
// go back in time, and when the faults are over the caches and all handlers agree with the history.
#include <gtest/gtest.h>

#include "keelson/cache/history_test_support.h"
#include "keelson/cache/told_test_support.h"
#include "keelson/cache/wait_for_cache_sync.h"

namespace keelson {
namespace {

using namespace std::chrono_literals;

Fault RandomFault(Random& random) {
  static constexpr Fault::What kOfWatches[] = {Fault::kStatus, Fault::kCut,     Fault::kEnd,     Fault::kExpire,
                                               Fault::kSilent, Fault::kOldNews, Fault::kTooLarge};
  static constexpr Fault::What kOfLists[] = {Fault::kStatus, Fault::kCut, Fault::kTooLarge};
  static constexpr int kStatuses[] = {400, 401, 403, 410, 429, 500, 503, 504};
  Fault fault;
  fault.on = random.Chance(0.7) ? Fault::kWatch : Fault::kList;
  fault.what = fault.on == Fault::kWatch ? kOfWatches[random.Uniform(0, 6)] : kOfLists[random.Uniform(0, 2)];
  fault.after_bytes = random.Uniform<size_t>(0, 800);
  fault.status = kStatuses[random.Uniform(0, 7)];
  return fault;
}

void ChangeSomething(History& history, Random& random, int step) {
  const std::string name(1, static_cast<char>('a' + random.Uniform(0, 3)));
  if (random.Chance(0.3)) {
    history.Remove(name);
  } else {
    history.Set(name, std::to_string(step));
  }
}

struct Shape {
  int changes = 12;
  int faults = 3;
  bool slow_handler = false;
  bool late_handler = false;
  bool pages = false;
};

void RunSeed(uint64_t seed, const Shape& shape) {
  Random random(seed * 2 + 1);
  Simulation simulation({.seed = seed});
  const Result<void> done = simulation.Run([&] {
    History history;
    Told first, second;
    history.can_stream = random.Chance(0.5);
    for (int i = 0; i < 3; ++i) ChangeSomething(history, random, i);
    for (int i = 0; i < shape.faults; ++i) history.faults.push_back(RandomFault(random));
    StopSource stop;
    const auto maps = Informer<corev1::ConfigMap>::Make(
        history.client(), {}, {.reflector = {.page_size = shape.pages ? 2 : 500, .watch_timeout = 60s, .grace = 5s}});
    Handlers<corev1::ConfigMap> handlers = first.handlers();
    if (shape.slow_handler) {
      handlers.on_update = [&, update = handlers.on_update](const corev1::ConfigMap& old,
                                                            const corev1::ConfigMap& map) {
        (void)SleepFor(3s, {});
        update(old, map);
      };
    }
    const auto registration = maps.AddHandler(handlers, {.resync = shape.slow_handler ? 7s : 0s});
    maps.Start(stop.token());
    HandlerRegistration late;
    for (int i = 3; i < shape.changes; ++i) {
      if (random.Chance(0.3)) (void)SleepFor(std::chrono::milliseconds(random.Uniform(0, 2000)), {});
      if (random.Chance(0.1)) history.Forget();
      if (random.Chance(0.1)) history.DropWatches();
      if (random.Chance(0.1)) history.Bookmark();
      ChangeSomething(history, random, i);
      if (shape.late_handler && i == shape.changes / 2) late = maps.AddHandler(second.handlers());
    }
    // Longer than any wait and any silent watch take together.
    (void)SleepFor(30min, {});
    EXPECT_EQ(ContentsOf(maps.lister()), history.contents()) << "seed " << seed;
    EXPECT_EQ(first.contents(), history.contents()) << "seed " << seed;
    if (shape.late_handler) {
      EXPECT_EQ(second.contents(), history.contents()) << "seed " << seed;
    }
    EXPECT_TRUE(registration.HasSynced());
    EXPECT_LE(history.requests().size(), 120u) << "it must not flood; seed " << seed;
  });
  ASSERT_TRUE(done) << "seed " << seed << ": " << done.error().message();
  ASSERT_FALSE(::testing::Test::HasFailure()) << "seed " << seed;
}

class InformerFaults : public ::testing::TestWithParam<int> {
 protected:
  static void RunSeeds(uint64_t count, const Shape& shape) {
    const ScopedLogCapture quiet;
    const auto first = static_cast<uint64_t>(GetParam()) * count;
    for (uint64_t seed = first; seed < first + count && !HasFailure(); ++seed) RunSeed(seed, shape);
  }
};

TEST_P(InformerFaults, TheCacheComesToEqualTheServer) { RunSeeds(1500, {}); }

TEST_P(InformerFaults, SlowAndLateHandlersComeToAgree) {
  RunSeeds(500, {.changes = 15, .faults = 3, .slow_handler = true, .late_handler = true});
}

TEST_P(InformerFaults, ListsInPagesSurvive410BetweenThem) {
  RunSeeds(500, {.changes = 10, .faults = 2, .pages = true});
}

INSTANTIATE_TEST_SUITE_P(Parts, InformerFaults, ::testing::Range(0, 4));

TEST(InformerFaults, AWatchMayBeCutBehindAnyByte) {
  const ScopedLogCapture quiet;
  for (size_t bytes = 0; bytes < 700; ++bytes) {
    Simulated([&] {
      History history;
      history.Set("a", "1");
      history.faults.push_back({.on = Fault::kWatch, .what = Fault::kCut, .after_bytes = bytes});
      Told told;
      StopSource stop;
      const auto maps = Informer<corev1::ConfigMap>::Make(history.client());
      const auto registration = maps.AddHandler(told.handlers());
      maps.Start(stop.token());
      ASSERT_TRUE(WaitForCacheSync({}, maps));
      history.Set("b", "1");
      history.Set("a", "2");
      history.Remove("b");
      (void)SleepFor(1min, {});
      EXPECT_EQ(told.contents(), history.contents()) << bytes;
      EXPECT_EQ(ContentsOf(maps.lister()), history.contents()) << bytes;
    });
    ASSERT_FALSE(HasFailure()) << bytes;
  }
}

TEST(InformerFaults, AListMayBeCutBehindAnyByte) {
  const ScopedLogCapture quiet;
  for (size_t bytes = 0; bytes < 600; ++bytes) {
    Simulated([&] {
      History history;
      history.Set("a", "1");
      history.Set("b", "1");
      history.faults.push_back({.on = Fault::kList, .what = Fault::kCut, .after_bytes = bytes});
      StopSource stop;
      const auto maps = Informer<corev1::ConfigMap>::Make(history.client());
      maps.Start(stop.token());
      ASSERT_TRUE(WaitForCacheSync({}, maps));
      EXPECT_EQ(ContentsOf(maps.lister()), history.contents()) << bytes;
    });
    ASSERT_FALSE(HasFailure()) << bytes;
  }
}

}  // namespace
}  // namespace keelson
