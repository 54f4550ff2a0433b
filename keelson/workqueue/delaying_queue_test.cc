#include "keelson/workqueue/delaying_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "keelson/core/random.h"
#include "keelson/core/simulation.h"

namespace keelson {
namespace {

using std::chrono_literals::operator""s;
using std::chrono_literals::operator""h;
using ::testing::ElementsAre;

void Simulate(const std::function<void()>& body) {
  Simulation simulation({.seed = 7});
  const auto result = simulation.Run(body);
  EXPECT_TRUE(result) << result.error().message();
}

TEST(DelayingQueue, KeyComesWhenItsTimeHasCome) {
  Simulate([] {
    DelayingQueue<std::string> queue;
    const TimePoint before = Clock::Now();
    queue.AddAfter("late", 20s, {.priority = 3, .causes = {"timer"}});
    queue.AddAfter("soon", 10s);
    EXPECT_EQ(queue.Delayed(), 2u);
    EXPECT_EQ(queue.Length(), 0u);
    EXPECT_EQ(queue.Get()->key, "soon");
    EXPECT_EQ(Clock::Now() - before, 10s);
    const auto late = queue.Get();
    EXPECT_EQ(Clock::Now() - before, 20s);
    EXPECT_EQ(late->key, "late");
    EXPECT_EQ(late->priority, 3);
    EXPECT_THAT(late->causes, ElementsAre("timer"));
    EXPECT_EQ(queue.Delayed(), 0u);
  });
}

TEST(DelayingQueue, NoDelayIsAnOrdinaryAddition) {
  DelayingQueue<std::string> queue;
  queue.AddAfter("a", 0s);
  queue.AddAfter("b", -1s);
  EXPECT_EQ(queue.TryGet()->key, "a");
  EXPECT_EQ(queue.TryGet()->key, "b");
}

TEST(DelayingQueue, EarlierOfTwoTimesCountsAndTheKeyComesOnce) {
  Simulate([] {
    DelayingQueue<std::string> queue;
    const TimePoint before = Clock::Now();
    queue.AddAfter("a", 30s, {.priority = 1, .causes = {"first"}});
    queue.AddAfter("a", 10s, {.causes = {"second"}});
    queue.AddAfter("a", 20s);
    EXPECT_EQ(queue.Delayed(), 1u);
    const auto item = queue.Get();
    EXPECT_EQ(Clock::Now() - before, 10s);
    EXPECT_EQ(item->priority, 1);
    EXPECT_THAT(item->causes, ElementsAre("first", "second"));
    EXPECT_FALSE(queue.Get({}, before + 1h));
  });
}

TEST(DelayingQueue, OrdinaryAdditionDoesNotTakeTheDelayedOneAway) {
  Simulate([] {
    DelayingQueue<std::string> queue;
    queue.AddAfter("a", 10s);
    queue.Add("a");
    EXPECT_TRUE(queue.TryGet());
    const TimePoint before = Clock::Now();
    EXPECT_TRUE(queue.Get());
    EXPECT_EQ(Clock::Now() - before, 10s);
  });
}

TEST(DelayingQueue, ShutDownDropsWhatIsDelayed) {
  Simulate([] {
    DelayingQueue<std::string> queue;
    queue.AddAfter("a", 10s);
    SleepFor(1s, {});
    EXPECT_TRUE(queue.ShutDownWithDrain());
    queue.AddAfter("b", 1s);
    SleepFor(1h, {});
    EXPECT_EQ(queue.Delayed(), 0u);
    EXPECT_FALSE(queue.Get());
  });
}

TEST(DelayingQueue, ForEverIsNever) {
  Simulate([] {
    DelayingQueue<std::string> queue;
    queue.AddAfter("a", Duration::max());
    EXPECT_FALSE(queue.Get({}, Clock::Now() + 1000h));
  });
}

// Against a map of keys and times, with keys of both kinds of storage and texts of all lengths.
template <class Key>
void CompareWithReference(uint64_t seed, const std::function<Key(uint64_t)>& key_of) {
  Random random(seed);
  internal::DelayedKeys<Key, int> delayed;
  std::map<uint64_t, int64_t> reference;
  std::map<Key, uint64_t> names;
  int64_t now = 0;
  for (int step = 0; step < 5000; ++step) {
    if (random.Chance(0.6)) {
      const auto name = random.Uniform<uint64_t>(0, 3000);
      const int64_t time = now + random.Uniform<int64_t>(0, 1000);
      names[key_of(name)] = name;
      delayed.Add(key_of(name), TimePoint(Duration(time)), 0, {});
      const auto [at, added] = reference.emplace(name, time);
      if (!added) at->second = std::min(at->second, time);
    } else {
      now += random.Uniform<int64_t>(0, step % 100 == 0 ? 2000 : 50);
      int64_t last = 0;
      while (auto due = delayed.TakeDue(TimePoint(Duration(now)))) {
        const auto found = reference.find(names.at(due->key));
        ASSERT_NE(found, reference.end());
        EXPECT_EQ(found->second, due->at.time_since_epoch().count());
        EXPECT_LE(last, found->second);
        last = found->second;
        reference.erase(found);
      }
      for (const auto& [name, time] : reference) ASSERT_GT(time, now) << "should have come";
    }
    ASSERT_EQ(delayed.size(), reference.size());
  }
}

TEST(DelayedKeys, BehaveAsAMapOfTimes) {
  for (uint64_t seed = 0; seed < 5; ++seed) {
    CompareWithReference<uint64_t>(seed, [](uint64_t name) { return name; });
    CompareWithReference<std::string>(
        seed, [](uint64_t name) { return std::string(name % 700, 'x') + std::to_string(name); });
  }
}

}  // namespace
}  // namespace keelson
