#include "keelson/core/cond_var.h"

#include <gtest/gtest.h>

#include <atomic>

#include "keelson/core/clock.h"
#include "keelson/core/random.h"
#include "keelson/core/simulation.h"
#include "keelson/core/thread.h"

namespace keelson {
namespace {

using namespace std::chrono_literals;

TEST(CondVar, HandsEveryItemOverBetweenRealThreads) {
  constexpr int kItems = 20000;
  Mutex mutex;
  CondVar changed;
  int available = 0;
  int taken = 0;
  {
    auto take = [&] {
      for (int i = 0; i < kItems / 2; ++i) {
        MutexLock lock(mutex);
        changed.Wait(lock, [&] { return available > 0; });
        --available;
        ++taken;
      }
    };
    Thread first("first", take);
    Thread second("second", take);
    for (int i = 0; i < kItems; ++i) {
      {
        MutexLock lock(mutex);
        ++available;
      }
      changed.NotifyOne();
    }
    first.Join();
    second.Join();
  }
  EXPECT_EQ(taken, kItems);
  EXPECT_EQ(available, 0);
}

TEST(CondVar, StopWakesARealWaiterEvenWhenItsMutexIsHeld) {
  for (int i = 0; i < 500; ++i) {
    Mutex mutex;
    CondVar never;
    std::atomic<Wake> wake = Wake::kReady;
    StopSource source;
    Thread waiter("waiter", [&] {
      MutexLock lock(mutex);
      wake = never.Wait(lock, source.token(), [] { return false; });
    });
    {
      MutexLock lock(mutex);
      source.RequestStop();  // would hang if stopping needed the waiter's mutex
    }
    waiter.Join();
    ASSERT_EQ(wake, Wake::kStopped);
  }
}

TEST(CondVar, PassedDeadlineEndsARealWait) {
  Mutex mutex;
  CondVar never;
  MutexLock lock(mutex);
  EXPECT_EQ(never.WaitUntil(lock, Clock::Now(), {}, [] { return false; }), Wake::kTimeout);
  EXPECT_EQ(never.WaitFor(lock, -1h, {}, [] { return false; }), Wake::kTimeout);
  EXPECT_EQ(never.WaitFor(lock, 0ns, {}, [] { return true; }), Wake::kReady);
}

TEST(CondVar, EndlessSpanDoesNotOverflow) {
  Mutex mutex;
  CondVar changed;
  bool set = false;
  Thread setter("setter", [&] {
    MutexLock lock(mutex);
    set = true;
    changed.NotifyAll();
  });
  MutexLock lock(mutex);
  EXPECT_EQ(changed.WaitFor(lock, Duration::max(), {}, [&] { return set; }), Wake::kReady);
}

// One waiter, one notifier and one stopper meet under every order: the wait must end, for a reason that holds.
TEST(CondVar, EveryOrderOfNotifyTimeoutAndStopEndsTheWait) {
  int reasons[3] = {};
  for (uint64_t seed = 0; seed < 500; ++seed) {
    Simulation simulation({.seed = seed});
    Result<void> result = simulation.Run([&] {
      Mutex mutex;
      CondVar changed("changed");
      bool set = false;
      StopSource source;
      Random random = Random::FromEntropy();
      const Duration notify_after(random.Uniform(0, 2));
      const Duration stop_after(random.Uniform(0, 2));
      Thread notifier("notifier", [&] {
        SleepFor(notify_after, {});
        MutexLock lock(mutex);
        set = true;
        changed.NotifyOne();
      });
      Thread stopper("stopper", [&] {
        SleepFor(stop_after, {});
        source.RequestStop();
      });
      MutexLock lock(mutex);
      const Wake wake = changed.WaitFor(lock, 1ns, source.token(), [&] { return set; });
      ++reasons[static_cast<int>(wake)];
      EXPECT_EQ(wake == Wake::kReady, set) << "seed " << seed;
      if (wake == Wake::kStopped) {
        EXPECT_TRUE(source.StopRequested()) << "seed " << seed;
      }
    });
    ASSERT_TRUE(result) << result.error().message();
  }
  for (int count : reasons) EXPECT_GT(count, 10);
}

TEST(Clock, RealClocksDoNotGoBack) {
  const TimePoint steady = Clock::Now();
  const BootTime boot = Clock::BootNow();
  EXPECT_LE(steady, Clock::Now());
  EXPECT_LE(boot, Clock::BootNow());
  EXPECT_GT(Clock::WallNow(), WallTime(std::chrono::sys_days(std::chrono::January / 1 / 2024)));
}

TEST(Clock, SleepEndsAtOnceWhenStopped) {
  StopSource source;
  source.RequestStop();
  EXPECT_EQ(SleepFor(1000h, source.token()), Wake::kStopped);
  EXPECT_EQ(SleepFor(0s, {}), Wake::kTimeout);
  EXPECT_EQ(SleepFor(Duration::min(), {}), Wake::kTimeout);
}

TEST(Clock, StopEndsAVirtualSleepEarly) {
  Simulation simulation({.seed = 9});
  ASSERT_TRUE(simulation.Run([&] {
    StopSource source;
    const BootTime start = Clock::BootNow();
    Thread stopper("stopper", [&] {
      SleepFor(5min, {});
      source.RequestStop();
    });
    EXPECT_EQ(SleepFor(1h, source.token()), Wake::kStopped);
    EXPECT_EQ(Clock::BootNow() - start, 5min);
  }));
}

}  // namespace
}  // namespace keelson
