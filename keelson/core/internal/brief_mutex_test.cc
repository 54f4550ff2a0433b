#include "keelson/core/internal/brief_mutex.h"

#include <gtest/gtest.h>

#include <vector>

#include "keelson/core/simulation.h"
#include "keelson/core/thread.h"

namespace keelson::internal {
namespace {

TEST(BriefMutex, KeepsRealThreadsApart) {
  constexpr int kThreads = 8;
  constexpr int kTurns = 20'000;
  BriefMutex mutex("test");
  int total = 0;
  {
    std::vector<Thread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back("adder", [&] {
        for (int i = 0; i < kTurns; ++i) {
          BriefLock lock(mutex);
          ++total;
        }
      });
    }
  }
  EXPECT_EQ(total, kThreads * kTurns);
}

// Who waits for it must let the holder run, who yields here with the lock in hand.
TEST(BriefMutex, HolderThatIsInterruptedGetsItsTurn) {
  BriefMutex mutex("test");
  int total = 0;
  {
    std::vector<Thread> threads;
    for (int t = 0; t < 8; ++t) {
      threads.emplace_back("adder", [&] {
        for (int i = 0; i < 200; ++i) {
          BriefLock lock(mutex);
          const int before = total;
          this_thread::Yield();
          total = before + 1;
        }
      });
    }
  }
  EXPECT_EQ(total, 8 * 200);
}

TEST(BriefMutex, IsAPointWhereAScheduleTurns) {
  bool other_first = false;
  bool self_first = false;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    Simulation simulation({.seed = seed});
    const auto result = simulation.Run([&] {
      BriefMutex mutex("test");
      int turn = 0;
      int self = 0;
      int other = 0;
      Thread thread("other", [&] {
        BriefLock lock(mutex);
        other = ++turn;
      });
      {
        BriefLock lock(mutex);
        self = ++turn;
      }
      thread.Join();
      (other < self ? other_first : self_first) = true;
    });
    ASSERT_TRUE(result) << result.error().message();
  }
  EXPECT_TRUE(other_first);
  EXPECT_TRUE(self_first);
}

}  // namespace
}  // namespace keelson::internal
