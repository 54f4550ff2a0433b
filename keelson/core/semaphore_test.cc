#include "keelson/core/semaphore.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <vector>

#include "keelson/core/once.h"
#include "keelson/core/simulation.h"
#include "keelson/core/thread.h"

namespace keelson {
namespace {

using namespace std::chrono_literals;

TEST(Semaphore, GivesOutNoMorePermitsThanItHas) {
  Semaphore semaphore(2);
  EXPECT_TRUE(semaphore.TryAcquire());
  EXPECT_EQ(semaphore.Acquire({}), Wake::kReady);
  EXPECT_FALSE(semaphore.TryAcquire());
  EXPECT_EQ(semaphore.AcquireFor(0s, {}), Wake::kTimeout);
  semaphore.Release();
  EXPECT_TRUE(semaphore.TryAcquire());
}

TEST(Semaphore, StopEndsTheWaitWithoutAPermit) {
  Semaphore semaphore(0);
  StopSource source;
  source.RequestStop();
  EXPECT_EQ(semaphore.Acquire(source.token()), Wake::kStopped);
  semaphore.Release();
  EXPECT_EQ(semaphore.Acquire(source.token()), Wake::kReady);  // a free permit wins over a stop
}

TEST(Semaphore, BoundsWhatRunsAtOnceUnderEveryOrder) {
  int most_ever = 0;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    Simulation simulation({.seed = seed});
    ASSERT_TRUE(simulation.Run([&] {
      Semaphore semaphore(2);
      int inside = 0;
      std::vector<Thread> threads;
      for (int i = 0; i < 5; ++i) {
        threads.emplace_back("worker", [&] {
          ASSERT_EQ(semaphore.Acquire({}), Wake::kReady);
          most_ever = std::max(most_ever, ++inside);
          this_thread::Yield();
          --inside;
          semaphore.Release();
        });
      }
    }));
  }
  EXPECT_EQ(most_ever, 2);
}

TEST(Semaphore, ReleaseOfManyWakesMany) {
  Simulation simulation({.seed = 4});
  int through = 0;
  ASSERT_TRUE(simulation.Run([&] {
    Semaphore semaphore(0);
    std::vector<Thread> threads;
    for (int i = 0; i < 3; ++i) {
      threads.emplace_back("waiter", [&] {
        if (semaphore.Acquire({}) == Wake::kReady) ++through;
      });
    }
    semaphore.Release(3);
  }));
  EXPECT_EQ(through, 3);
}

TEST(Once, RunsOneCallAmongRealThreads) {
  Once once;
  std::atomic<int> calls = 0;
  int value = 0;
  std::vector<Thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back("caller", [&] {
      once.Call([&] {
        ++calls;
        value = 5;
      });
      EXPECT_EQ(value, 5);
    });
  }
  threads.clear();
  EXPECT_EQ(calls, 1);
  EXPECT_TRUE(once.Done());
}

TEST(Once, CallThatThrewIsTriedAgain) {
  Once once;
  EXPECT_THROW(once.Call([] { throw std::runtime_error("first"); }), std::runtime_error);
  EXPECT_FALSE(once.Done());
  bool ran = false;
  once.Call([&] { ran = true; });
  EXPECT_TRUE(ran);
}

}  // namespace
}  // namespace keelson
