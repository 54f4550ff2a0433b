#include "keelson/core/simulation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "keelson/core/clock.h"
#include "keelson/core/cond_var.h"
#include "keelson/core/future.h"
#include "keelson/core/mutex.h"
#include "keelson/core/once.h"
#include "keelson/core/random.h"
#include "keelson/core/semaphore.h"
#include "keelson/core/thread.h"

namespace keelson {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

constexpr uint64_t kSeeds = 1000;

// Two threads add to a shared total; `atomically` says whether reading and writing are one lock section or two.
struct Outcome {
  int total = 0;
  uint64_t hash = 0;
  std::vector<SimulationEvent> trace;
};
Outcome AddFromTwoThreads(uint64_t seed, bool atomically) {
  Outcome outcome;
  Simulation simulation({.seed = seed});
  Result<void> result = simulation.Run([&] {
    Mutex mutex("total");
    auto add = [&] {
      for (int i = 0; i < 3; ++i) {
        MutexLock lock(mutex);
        const int seen = outcome.total;
        if (!atomically) {
          lock.Unlock();
          lock.Lock();
        }
        outcome.total = seen + 1;
      }
    };
    Thread first("first", add);
    Thread second("second", add);
  });
  EXPECT_TRUE(result) << "seed " << seed << ": " << result.error().message();
  outcome.hash = simulation.trace_hash();
  outcome.trace = simulation.trace();
  return outcome;
}

TEST(Simulation, ThousandSeedsFindALostUpdate) {
  std::set<int> totals;
  std::set<uint64_t> interleavings;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    Outcome outcome = AddFromTwoThreads(seed, /*atomically=*/false);
    totals.insert(outcome.total);
    interleavings.insert(outcome.hash);
  }
  EXPECT_TRUE(totals.contains(6)) << "no seed ran the threads without losing an update";
  EXPECT_LT(*totals.begin(), 6) << "no seed lost an update";
  EXPECT_GT(interleavings.size(), kSeeds / 2);
}

TEST(Simulation, NoSeedLosesAnUpdateUnderOneLock) {
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    ASSERT_EQ(AddFromTwoThreads(seed, /*atomically=*/true).total, 6) << "seed " << seed;
  }
}

TEST(Simulation, SameSeedGivesTheSameTrace) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    Outcome once = AddFromTwoThreads(seed, false);
    Outcome again = AddFromTwoThreads(seed, false);
    ASSERT_EQ(once.trace, again.trace) << "seed " << seed;
    ASSERT_EQ(once.hash, again.hash) << "seed " << seed;
    ASSERT_EQ(once.total, again.total) << "seed " << seed;
    ASSERT_GT(once.trace.size(), 12u);
  }
}

// Guards against dependence on the compiler or machine: a change here means that recorded seeds no longer replay.
TEST(Simulation, TraceOfASeedIsTheSameOnEveryMachine) {
  Simulation simulation({.seed = 3});
  Result<void> result = simulation.Run([] {
    Mutex mutex;
    Thread other("other", [&] { MutexLock lock(mutex); });
    MutexLock lock(mutex);
  });
  ASSERT_TRUE(result);
  std::string trace;
  for (const SimulationEvent& event : simulation.trace()) trace += ToString(event) + "\n";
  EXPECT_EQ(trace,
            "0 +0s thread 1 start 2\n"
            "2 +0s thread 2 lock 3\n"
            "2 +0s thread 2 unlock 3\n"
            "4 +0s thread 2 end 2\n"
            "4 +0s thread 1 lock 3\n"
            "4 +0s thread 1 unlock 3\n"
            "6 +0s thread 1 lock 1\n"  // the thread's stop state: destruction requests stop, then joins
            "6 +0s thread 1 unlock 1\n"
            "8 +0s thread 1 join 2\n"
            "8 +0s thread 1 end 1\n");
}

TEST(Simulation, VirtualHoursTakeNoRealTime) {
  Simulation simulation({.seed = 1});
  WallTime before, after;
  int ticks = 0;
  Result<void> result = simulation.Run([&] {
    before = Clock::WallNow();
    Thread ticker("ticker", [&](const StopToken& stop) {
      while (SleepFor(1min, stop) == Wake::kTimeout) ++ticks;
    });
    EXPECT_EQ(SleepFor(1000h + 30s, {}), Wake::kTimeout);
    after = Clock::WallNow();
  });
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(before, WallTime(std::chrono::sys_days(std::chrono::January / 1 / 2025)));
  EXPECT_EQ(after - before, 1000h + 30s);
  EXPECT_EQ(ticks, 60000);
  EXPECT_EQ(simulation.elapsed(), 1000h + 30s);
}

TEST(Simulation, SleepersWakeInOrderOfTheirDeadlines) {
  std::vector<int> order;
  Simulation simulation({.seed = 5});
  Result<void> result = simulation.Run([&] {
    std::vector<Thread> threads;
    for (int i : {3, 1, 2}) {
      threads.emplace_back("sleeper", [&order, i] {
        EXPECT_EQ(SleepFor(std::chrono::hours(i), {}), Wake::kTimeout);
        order.push_back(i);
      });
    }
  });
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(order, (std::vector<int>{1, 2, 3}));
}

TEST(Simulation, DeadlockNamesWhoWaitsForWhat) {
  bool found = false;
  for (uint64_t seed = 0; seed < 200 && !found; ++seed) {
    Simulation simulation({.seed = seed});
    Result<void> result = simulation.Run([&] {
      Mutex a("a");
      Mutex b("b");
      Thread forward("forward", [&] {
        MutexLock first(a);
        MutexLock second(b);
      });
      Thread backward("backward", [&] {
        MutexLock first(b);
        MutexLock second(a);
      });
    });
    if (result) continue;
    found = true;
    EXPECT_EQ(result.error().code(), ErrorCode::kInternal);
    const std::string& report = result.error().message();
    EXPECT_THAT(report, HasSubstr("deadlock: every thread waits (seed " + std::to_string(seed)));
    EXPECT_THAT(report, HasSubstr("thread 2 \"forward\" waits for lock 2 \"b\", holds 1 \"a\""));
    EXPECT_THAT(report, HasSubstr("thread 3 \"backward\" waits for lock 1 \"a\", holds 2 \"b\""));
    EXPECT_THAT(report, HasSubstr("thread 1 \"main\" waits for the end of thread 3 \"backward\""));
  }
  EXPECT_TRUE(found) << "200 seeds did not find the inverted lock order";
}

TEST(Simulation, LockingALockTwiceIsADeadlock) {
  Simulation simulation({.seed = 0});
  Result<void> result = simulation.Run([] {
    Mutex mutex;
    MutexLock once(mutex);
    MutexLock twice(mutex);
  });
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message(), HasSubstr("thread 1 \"main\" locks 1, which it holds already"));
}

TEST(Simulation, MissedNotificationIsADeadlock) {
  Simulation simulation({.seed = 0});
  Result<void> result = simulation.Run([] {
    Mutex mutex;
    CondVar ready("ready");
    MutexLock lock(mutex);
    ready.Wait(lock, [] { return false; });
  });
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message(), HasSubstr("thread 1 \"main\" waits for condition 1 \"ready\""));
}

TEST(Simulation, EndlessRunMeetsTheStepLimit) {
  Simulation simulation({.seed = 0, .max_steps = 1000});
  Result<void> result = simulation.Run([] {
    while (Clock::Now() < TimePoint::max()) {
    }
  });
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message(), HasSubstr("no end after 1000 steps (seed 0"));
}

TEST(Simulation, TraceKeepsTheNewestEvents) {
  Simulation simulation({.seed = 0, .trace_capacity = 3});
  ASSERT_TRUE(simulation.Run([] {
    for (int i = 0; i < 10; ++i) this_thread::Yield();
  }));
  ASSERT_EQ(simulation.trace().size(), 3u);
  EXPECT_EQ(simulation.trace().back().kind, SimulationEvent::Kind::kEnd);
  EXPECT_EQ(simulation.trace().front().kind, SimulationEvent::Kind::kYield);
}

TEST(Simulation, RunsOnceAndNotInsideAnother) {
  Simulation outer({.seed = 0});
  ErrorCode inner_code = ErrorCode::kInternal;
  ASSERT_TRUE(outer.Run([&] {
    Simulation inner({.seed = 0});
    inner_code = inner.Run([] {}).error().code();
  }));
  EXPECT_EQ(inner_code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(outer.Run([] {}).error().code(), ErrorCode::kInvalidArgument);
}

TEST(Simulation, ThreadMayOutliveItAsAnObject) {
  bool ran = false;
  Thread thread;
  {
    Simulation simulation({.seed = 0});
    ASSERT_TRUE(simulation.Run([&] { thread = Thread("kept", [&] { ran = true; }); }));
  }
  EXPECT_TRUE(ran) << "Run returned before its threads had ended";
  EXPECT_TRUE(thread.Joinable());
  thread.Join();
  EXPECT_FALSE(thread.Joinable());
}

TEST(Simulation, EntropyAndThreadIdentityComeFromTheSeed) {
  auto observe = [](uint64_t seed) {
    std::pair<std::string, uint64_t> seen;
    Simulation simulation({.seed = seed});
    EXPECT_TRUE(simulation.Run([&] {
      seen.first = Random::FromEntropy().Suffix(10);
      Thread thread("named", [&] {
        seen.second = this_thread::Id();
        EXPECT_EQ(this_thread::Name(), "named");
      });
    }));
    return seen;
  };
  EXPECT_EQ(observe(1), observe(1));
  EXPECT_NE(observe(1).first, observe(2).first);
  EXPECT_EQ(observe(2).second, 2u);
}

// A bounded queue with every waiting type of the seam in it, run to the end under many orders.
TEST(Simulation, EveryWaitingTypeRunsUnderIt) {
  std::set<uint64_t> interleavings;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Simulation simulation({.seed = seed});
    int sum = 0;
    int initialised = 0;
    Result<void> result = simulation.Run([&] {
      Semaphore items(0);
      SharedMutex table_mutex("table");
      Once once;
      Promise<int> promise;
      Future<int> future = promise.future();
      std::vector<int> table;
      Thread consumer("consumer", [&] {
        once.Call([&] { ++initialised; });
        for (int i = 0; i < 3; ++i) {
          ASSERT_EQ(items.Acquire({}), Wake::kReady);
          ReaderLock lock(table_mutex);
          ASSERT_GT(table.size(), static_cast<size_t>(i));
        }
        promise.Set(42);
      });
      Thread idle("idle", [&](const StopToken& stop) {
        once.Call([&] { ++initialised; });
        Mutex mutex;
        CondVar never;
        MutexLock lock(mutex);
        EXPECT_EQ(never.Wait(lock, stop, [] { return false; }), Wake::kStopped);
      });
      for (int i = 0; i < 3; ++i) {
        {
          WriterLock lock(table_mutex);
          table.push_back(i);
        }
        items.Release();
      }
      sum = future.Get({}).value();
      EXPECT_EQ(items.AcquireFor(10s, {}), Wake::kTimeout);
    });
    ASSERT_TRUE(result) << result.error().message();
    ASSERT_EQ(sum, 42);
    ASSERT_EQ(initialised, 1);
    ASSERT_EQ(simulation.elapsed(), 10s);
    interleavings.insert(simulation.trace_hash());
  }
  EXPECT_GT(interleavings.size(), 150u);
}

}  // namespace
}  // namespace keelson
