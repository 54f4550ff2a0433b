// The queues' promises under thousands of orders of events, each drawn from a seed; and once on real threads, for TSan.
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "keelson/core/clock.h"
#include "keelson/core/random.h"
#include "keelson/core/simulation.h"
#include "keelson/core/thread.h"
#include "keelson/workqueue/rate_limiting_queue.h"

namespace keelson {
namespace {

using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;
using std::chrono_literals::operator""h;

// What producers wrote and workers saw, key by key. In a simulation one thread runs at a time, so it needs no lock.
struct World {
  std::map<int, int> version;     // raised before each addition
  std::map<int, int> reconciled;  // the version that the last run began with
  std::map<int, int> runs;
  std::set<int> running;

  void Begin(int key) {
    EXPECT_TRUE(running.insert(key).second) << "two workers on key " << key;
    reconciled[key] = version[key];
    ++runs[key];
  }
  void End(int key) { running.erase(key); }
};

TEST(Schedules, NeverTwoWorkersOnAKeyAndNoKeyIsLost) {
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    Simulation simulation({.seed = seed});
    const auto result = simulation.Run([&] {
      RateLimitingQueue<int, int> queue({}, std::make_unique<ExponentialRateLimiter<int>>(1ms, 1s));
      World world;
      std::vector<Thread> workers;
      for (int w = 0; w < 3; ++w) {
        workers.emplace_back("worker", [&, w] {
          Random random(seed * 100 + static_cast<uint64_t>(w));
          while (true) {
            // Some give up waiting now and then, as a worker with a deadline does.
            auto item = queue.Get({}, random.Chance(0.2) ? Clock::Now() + 1ms : TimePoint::max());
            if (!item && queue.ShuttingDown()) break;
            if (!item) continue;
            world.Begin(item->key);
            if (random.Chance(0.5)) SleepFor(Duration(random.Uniform(0, 2'000'000)), {});
            if (random.Chance(0.2)) this_thread::Yield();
            EXPECT_FALSE(item->causes.empty());
            for (const int cause : item->causes) EXPECT_LE(cause, world.version[item->key]);
            world.End(item->key);
            if (random.Chance(0.2) && !queue.ShuttingDown()) {
              queue.AddRateLimited(item->key, {.causes = {world.version[item->key]}});
            } else {
              queue.Forget(item->key);
            }
          }
        });
      }
      std::vector<Thread> producers;
      for (int p = 0; p < 2; ++p) {
        producers.emplace_back("producer", [&, p] {
          Random random(seed * 100 + 50 + static_cast<uint64_t>(p));
          for (int i = 0; i < 10; ++i) {
            const int key = random.Uniform(0, 3);
            const int cause = ++world.version[key];
            const int32_t priority = random.Uniform(-1, 1);
            random.Chance(0.3) ? queue.AddAfter(key, 1ms, {.priority = priority, .causes = {cause}})
                               : queue.Add(key, {.priority = priority, .causes = {cause}});
            if (random.Chance(0.3)) SleepFor(1ms, {});
          }
        });
      }
      for (Thread& producer : producers) producer.Join();
      SleepFor(1h, {});  // every delayed key has come
      EXPECT_TRUE(queue.ShutDownWithDrain());
      EXPECT_TRUE(world.running.empty());
      EXPECT_EQ(world.reconciled, world.version) << "a change that nobody reconciled";
    });
    ASSERT_TRUE(result) << "seed " << seed << ": " << result.error().message();
    ASSERT_FALSE(::testing::Test::HasFailure()) << "seed " << seed;
  }
}

TEST(Schedules, AdditionsWhileProcessingGiveExactlyOneMoreRun) {
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    Simulation simulation({.seed = seed});
    const auto result = simulation.Run([&] {
      Queue<int> queue;
      World world;
      bool first = true;
      queue.Add(1);
      const auto work = [&] {
        while (const auto item = queue.Get()) {
          world.Begin(item->key);
          if (std::exchange(first, false)) {
            std::vector<Thread> adders;
            for (int i = 0; i < 3; ++i) adders.emplace_back("adder", [&] { queue.Add(1); });
          }  // joined
          world.End(item->key);
        }
      };
      Thread one("one", work);
      Thread two("two", work);
      SleepFor(1s, {});
      EXPECT_TRUE(queue.ShutDownWithDrain());
      one.Join();
      two.Join();
      EXPECT_EQ(world.runs[1], 2);
    });
    ASSERT_TRUE(result) << "seed " << seed << ": " << result.error().message();
    ASSERT_FALSE(::testing::Test::HasFailure()) << "seed " << seed;
  }
}

TEST(Schedules, DelayedKeysAreNeverEarlyAndComeAtTheirTime) {
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    Simulation simulation({.seed = seed});
    const auto result = simulation.Run([&] {
      DelayingQueue<int> queue;
      std::map<int, TimePoint> due;
      size_t came = 0;
      Thread worker("worker", [&] {
        while (const auto item = queue.Get()) {
          EXPECT_GE(Clock::Now(), due.at(item->key));
          EXPECT_LE(Clock::Now(), due.at(item->key) + 1ms) << "time stands still while anyone can run";
          ++came;
        }
      });
      std::vector<Thread> adders;
      for (int a = 0; a < 2; ++a) {
        adders.emplace_back("adder", [&, a] {
          Random random(seed * 2 + static_cast<uint64_t>(a));
          for (int i = 0; i < 8; ++i) {
            const int key = a * 100 + i;
            const Duration delay = 1ms * random.Uniform(1, 50);
            due[key] = Clock::Now() + delay;
            queue.AddAfter(key, delay);
            if (random.Chance(0.5)) SleepFor(1ms * random.Uniform(1, 20), {});
          }
        });
      }
      for (Thread& adder : adders) adder.Join();
      SleepFor(1h, {});
      EXPECT_EQ(came, 16u);
      queue.ShutDown();
    });
    ASSERT_TRUE(result) << "seed " << seed << ": " << result.error().message();
    ASSERT_FALSE(::testing::Test::HasFailure()) << "seed " << seed;
  }
}

TEST(Schedules, DrainReturnsAfterTheLastWork) {
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    Simulation simulation({.seed = seed});
    const auto result = simulation.Run([&] {
      Queue<int> queue;
      int done = 0;
      bool again = true;
      std::vector<Thread> workers;
      for (int w = 0; w < 3; ++w) {
        workers.emplace_back("worker", [&] {
          while (auto item = queue.Get()) {
            SleepFor(1ms, {});
            if (item->key == 3 && std::exchange(again, false)) queue.Add(3);  // ignored once the queue shuts down
            ++done;
          }
        });
      }
      for (int i = 0; i < 6; ++i) queue.Add(i);
      this_thread::Yield();
      EXPECT_TRUE(queue.ShutDownWithDrain());
      EXPECT_GE(done, 6);
      EXPECT_LE(done, 7) << "key 3 runs again only if it was added before the shutdown";
    });
    ASSERT_TRUE(result) << "seed " << seed << ": " << result.error().message();
    ASSERT_FALSE(::testing::Test::HasFailure()) << "seed " << seed;
  }
}

// A sleeper that is told of a key and stopped at the same moment must not take the news with it.
TEST(Schedules, StoppedWorkersLoseNoWakeUp) {
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    Simulation simulation({.seed = seed});
    const auto result = simulation.Run([&] {
      Queue<int> queue;
      StopSource some;
      std::set<int> seen;
      const auto work = [&](const StopToken& stop) {
        while (const auto item = queue.Get(stop)) seen.insert(item->key);
      };
      Thread stays("stays", [&] { work({}); });
      Thread leaves("leaves", [&] { work(some.token()); });
      Thread leaves_too("leaves too", [&] { work(some.token()); });
      Thread adder("adder", [&] {
        for (int i = 0; i < 4; ++i) queue.Add(i);
      });
      Thread stopper("stopper", [&] { some.RequestStop(); });
      adder.Join();
      SleepFor(1s, {});
      EXPECT_EQ(seen.size(), 4u);
      queue.ShutDown();
    });
    ASSERT_TRUE(result) << "seed " << seed << ": " << result.error().message();
    ASSERT_FALSE(::testing::Test::HasFailure()) << "seed " << seed;
  }
}

TEST(Schedules, RealThreadsKeepThePromisesToo) {
  constexpr int kKeys = 50;
  constexpr int kAdditions = 20'000;
  RateLimitingQueue<std::string> queue({}, std::make_unique<ExponentialRateLimiter<std::string>>(1ms, 2ms));
  std::vector<std::atomic<int>> version(kKeys);
  std::vector<std::atomic<int>> reconciled(kKeys);
  std::vector<int> plain(kKeys);  // written without a lock: the queue alone keeps workers apart
  std::atomic<int> overlaps = 0;
  std::vector<std::atomic<bool>> running(kKeys);
  std::vector<Thread> workers;
  for (int w = 0; w < 8; ++w) {
    workers.emplace_back("worker", [&] {
      while (const auto item = queue.Get()) {
        const auto key = static_cast<size_t>(std::stoi(item->key));
        if (running[key].exchange(true)) ++overlaps;
        reconciled[key] = version[key].load();
        ++plain[key];
        running[key] = false;
      }
    });
  }
  std::vector<Thread> producers;
  for (int p = 0; p < 3; ++p) {
    producers.emplace_back("producer", [&, p] {
      for (int i = 0; i < kAdditions; ++i) {
        const auto key = static_cast<size_t>((i * 7 + p) % kKeys);
        ++version[key];
        i % 100 == 0 ? queue.AddRateLimited(std::to_string(key)) : queue.Add(std::to_string(key), {.causes = {"x"}});
      }
    });
  }
  for (Thread& producer : producers) producer.Join();
  while (queue.Delayed() > 0) this_thread::Yield();
  // The last delayed key is between the two queues for a moment; any addition after it comes to the same.
  for (int key = 0; key < kKeys; ++key) queue.Add(std::to_string(key));
  EXPECT_TRUE(queue.ShutDownWithDrain());
  EXPECT_EQ(overlaps, 0);
  for (size_t key = 0; key < kKeys; ++key) EXPECT_EQ(reconciled[key], version[key]);
}

// The end of the last work takes no lock, and still must not be missed by who waits for it, nor a late addition by it.
TEST(Schedules, DrainOnRealThreadsSeesTheLastWork) {
  for (int round = 0; round < 300; ++round) {
    Queue<int> queue;
    std::atomic<int> done = 0;
    std::vector<Thread> workers;
    for (int w = 0; w < 3; ++w) {
      workers.emplace_back("worker", [&] {
        while (const auto item = queue.Get()) ++done;
      });
    }
    Thread again("again", [&] {
      for (int i = 0; i < 20; ++i) queue.Add(i % 3);
    });
    for (int i = 0; i < 20; ++i) queue.Add(i % 5);
    again.Join();
    ASSERT_TRUE(queue.ShutDownWithDrain());
    ASSERT_EQ(queue.Length(), 0u);
    ASSERT_TRUE(queue.Running(10).empty());
    ASSERT_GE(done, 4) << "the last key may be on its way to the counter";
  }
}

}  // namespace
}  // namespace keelson
