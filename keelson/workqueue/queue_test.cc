// One test for each thing that client-go promises of its queue, and for what this one promises beyond.
#include "keelson/workqueue/queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include <string>
#include <vector>

#include "keelson/core/clock.h"
#include "keelson/core/simulation.h"
#include "keelson/core/thread.h"

namespace keelson {
namespace {

using std::chrono_literals::operator""s;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Takes and finishes all that waits.
std::vector<std::string> TakeAll(Queue<std::string>& queue) {
  std::vector<std::string> keys;
  while (const auto item = queue.TryGet()) keys.push_back(item->key);
  return keys;
}

TEST(Queue, KeysComeInTheOrderTheyWereAdded) {
  Queue<std::string> queue;
  for (const char* key : {"c", "a", "b"}) queue.Add(key);
  EXPECT_EQ(queue.Length(), 3u);
  EXPECT_THAT(TakeAll(queue), ElementsAre("c", "a", "b"));
  EXPECT_EQ(queue.Length(), 0u);
}

TEST(Queue, KeyAddedSeveralTimesComesOnce) {
  Queue<std::string> queue;
  for (const char* key : {"a", "b", "a", "a"}) queue.Add(key);
  EXPECT_THAT(TakeAll(queue), ElementsAre("a", "b"));
}

TEST(Queue, KeyAddedWhileProcessingRunsOnceMoreWhenDone) {
  Queue<std::string> queue;
  queue.Add("a");
  auto first = queue.TryGet();
  ASSERT_TRUE(first);
  queue.Add("a");
  queue.Add("a");
  EXPECT_EQ(queue.Length(), 0u);
  EXPECT_FALSE(queue.TryGet()) << "a second worker must not get it";
  queue.Done(first);
  EXPECT_FALSE(first);
  EXPECT_EQ(queue.Length(), 1u);
  EXPECT_THAT(TakeAll(queue), ElementsAre("a"));
}

TEST(Queue, KeyDoneIsForgottenAndCanBeAddedAgain) {
  Queue<std::string> queue;
  queue.Add("a");
  EXPECT_THAT(TakeAll(queue), ElementsAre("a"));
  EXPECT_THAT(TakeAll(queue), IsEmpty());
  queue.Add("a");
  EXPECT_THAT(TakeAll(queue), ElementsAre("a"));
}

TEST(Queue, ItemThatIsMovedOverIsDone) {
  Queue<std::string> queue;
  queue.Add("a");
  queue.Add("b");
  auto item = queue.TryGet();
  queue.Add("a");
  item = queue.TryGet();
  EXPECT_EQ(item->key, "b");
  EXPECT_EQ(queue.Length(), 1u) << "the first one was done, so its key waits again";
}

TEST(Queue, ShutDownGivesWhatWaitsThenEndsAndIgnoresAdditions) {
  Queue<std::string> queue;
  queue.Add("a");
  EXPECT_FALSE(queue.ShuttingDown());
  EXPECT_FALSE(queue.shutdown_token().StopRequested());
  queue.ShutDown();
  EXPECT_TRUE(queue.ShuttingDown());
  EXPECT_TRUE(queue.shutdown_token().StopRequested());
  queue.Add("b");
  {
    const auto item = queue.Get();
    ASSERT_TRUE(item);
    EXPECT_EQ(item->key, "a");
    queue.Add("a");
  }
  EXPECT_FALSE(queue.Get()) << "added while it was worked on, but after the shutdown";
}

TEST(Queue, TellsWhatIsWorkedOnInTheOrderOfTaking) {
  Queue<std::string> queue;
  for (const char* key : {"a", "b", "c", "d"}) queue.Add(key);
  EXPECT_TRUE(queue.Running(10).empty());
  auto a = queue.TryGet();
  auto b = queue.TryGet();
  auto c = queue.TryGet();
  queue.Add("b");
  EXPECT_THAT(queue.Running(10), ElementsAre("a", "b", "c"));
  EXPECT_THAT(queue.Running(2), ElementsAre("a", "b"));
  a.Done();
  b.Done();
  EXPECT_THAT(queue.Running(10), ElementsAre("c"));
}

TEST(Queue, KeyAddedWhileProcessingBeforeTheShutdownStillRuns) {
  Queue<std::string> queue;
  queue.Add("a");
  auto item = queue.Get();
  queue.Add("a");
  queue.ShutDown();
  item.Done();
  EXPECT_TRUE(queue.Get());
  EXPECT_FALSE(queue.Get());
}

// Entries of keys that are done are used for other keys, and too many are given back; what runs meanwhile stays.
TEST(Queue, ManyKeysComeAndGoBesideSomeThatTakeLong) {
  Queue<std::string> queue;
  std::vector<Queue<std::string>::Item> held;
  std::vector<std::string> held_keys;
  for (int round = 0; round < 3; ++round) {
    const int keys = round == 1 ? 40'000 : 3'000;
    for (int i = 0; i < keys; ++i) queue.Add(std::to_string(i), {.causes = {std::to_string(round)}});
    ASSERT_EQ(queue.Length(), static_cast<size_t>(keys) - held.size());
    int taken = 0;
    while (auto item = queue.TryGet()) {
      ASSERT_THAT(item->causes, ElementsAre(std::to_string(round))) << item->key;
      if (++taken % 100 == 0 && round == 0) {
        held_keys.push_back(item->key);
        held.push_back(std::move(item));
      }
    }
    ASSERT_EQ(taken, round == 0 ? keys : keys - 30);
    ASSERT_EQ(queue.Running(1000), held_keys);
  }
  held.clear();
  EXPECT_TRUE(queue.Running(1000).empty());
  // Each of them was added while it was worked on.
  EXPECT_EQ(queue.Length(), 30u);
  EXPECT_THAT(queue.TryGet()->causes, ElementsAre("1", "2"));
}

// Some keys are still there when their turn comes again, others have left: both leave places among the taken ones.
TEST(Queue, KeysThatComeAgainForLongTakeNoMoreMemory) {
  Queue<std::string> queue;
  std::vector<std::string> keys;
  for (int i = 0; i < 1000; ++i) keys.push_back("namespace/object-" + std::to_string(i));
  const auto run = [&](int rounds) {
    for (int round = 0; round < rounds; ++round) {
      for (const std::string& key : keys) {
        queue.Add(key);
        (void)queue.Get();
      }
    }
  };
  run(100);
  const auto in_use = [] {
    const struct mallinfo2 heap = mallinfo2();
    return heap.uordblks + heap.hblkhd;
  };
  const size_t before = in_use();
  run(1000);
  EXPECT_LT(in_use(), before + 100'000);
}

TEST(Queue, KeysThatAreRaisedLeaveTheOrderOfTheOthersAlone) {
  Queue<std::string> queue;
  for (const char* key : {"a", "b", "c", "d", "e"}) queue.Add(key);
  queue.Add("c", {.priority = 1});
  queue.Add("a", {.priority = 1});
  queue.Add("e", {.priority = 1});
  EXPECT_EQ(queue.Length(), 5u);
  EXPECT_THAT(TakeAll(queue), ElementsAre("c", "a", "e", "b", "d"));
  queue.Add("f");
  EXPECT_THAT(TakeAll(queue), ElementsAre("f"));
}

TEST(Queue, ShutDownWakesAllWaitingWorkers) {
  Simulation simulation({.seed = 1});
  const auto result = simulation.Run([] {
    Queue<std::string> queue;
    int ended = 0;
    std::vector<Thread> workers;
    for (int i = 0; i < 5; ++i) {
      workers.emplace_back("worker", [&] {
        EXPECT_FALSE(queue.Get());
        ++ended;
      });
    }
    SleepFor(1s, {});
    queue.ShutDown();
    for (Thread& worker : workers) worker.Join();
    EXPECT_EQ(ended, 5);
  });
  EXPECT_TRUE(result) << result.error().message();
}

TEST(Queue, GetEndsByDeadlineAndByStop) {
  Simulation simulation({.seed = 1});
  const auto result = simulation.Run([] {
    Queue<std::string> queue;
    const TimePoint before = Clock::Now();
    EXPECT_FALSE(queue.Get({}, before + 3s));
    EXPECT_EQ(Clock::Now() - before, 3s);
    StopSource source;
    Thread stopper("stopper", [&] {
      SleepFor(4s, {});
      source.RequestStop();
    });
    EXPECT_FALSE(queue.Get(source.token()));
    EXPECT_EQ(Clock::Now() - before, 7s);
    queue.Add("a");
    EXPECT_FALSE(queue.Get(source.token())) << "who is to stop gets nothing more";
    EXPECT_TRUE(queue.Get());
  });
  EXPECT_TRUE(result) << result.error().message();
}

TEST(Queue, DrainWaitsForWhatWaitsAndForWhatIsUnderWay) {
  Simulation simulation({.seed = 1});
  const auto result = simulation.Run([] {
    Queue<std::string> queue;
    const TimePoint before = Clock::Now();
    queue.Add("a");
    queue.Add("b");
    Thread worker("worker", [&] {
      while (const auto item = queue.Get()) SleepFor(5s, {});
    });
    SleepFor(1s, {});
    EXPECT_TRUE(queue.ShutDownWithDrain());
    EXPECT_EQ(Clock::Now() - before, 10s);
  });
  EXPECT_TRUE(result) << result.error().message();
}

TEST(Queue, DrainEndsByDeadlineStopOrShutDown) {
  Simulation simulation({.seed = 1});
  const auto result = simulation.Run([] {
    Queue<std::string> queue;
    queue.Add("a");
    const auto held = queue.Get();
    const TimePoint before = Clock::Now();
    EXPECT_FALSE(queue.ShutDownWithDrain({}, before + 2s));
    StopSource source;
    source.RequestStop();
    EXPECT_FALSE(queue.ShutDownWithDrain(source.token()));
    Thread other("other", [&] {
      SleepFor(1s, {});
      queue.ShutDown();
    });
    EXPECT_FALSE(queue.ShutDownWithDrain());
    EXPECT_EQ(Clock::Now() - before, 3s);
  });
  EXPECT_TRUE(result) << result.error().message();
}

TEST(Queue, HigherPriorityComesFirst) {
  Queue<std::string> queue;
  queue.Add("resync", {.priority = kLowPriority});
  queue.Add("change");
  queue.Add("urgent", {.priority = 10});
  queue.Add("another change");
  EXPECT_THAT(TakeAll(queue), ElementsAre("urgent", "change", "another change", "resync"));
}

TEST(Queue, HighestPriorityOfAKeysAdditionsCounts) {
  Queue<std::string> queue;
  queue.Add("a", {.priority = kLowPriority});
  queue.Add("b", {.priority = -1});
  queue.Add("a");
  queue.Add("a", {.priority = kLowPriority});
  auto item = queue.TryGet();
  EXPECT_EQ(item->key, "a");
  EXPECT_EQ(item->priority, 0);
  queue.Add("a", {.priority = kLowPriority});  // for the next run it starts anew
  queue.Add("a", {.priority = -2});
  item.Done();
  EXPECT_EQ(queue.TryGet()->key, "b");
  EXPECT_EQ(queue.TryGet()->priority, -2);
}

TEST(Queue, LowPriorityIsNotStarved) {
  Queue<std::string> queue;
  queue.Add("low", {.priority = kLowPriority});
  for (int i = 0; i < 100; ++i) queue.Add("first " + std::to_string(i));
  int before = 0;
  for (bool found = false; !found; ++before) {
    ASSERT_LT(before, 20);
    queue.Add("more " + std::to_string(before));  // it never runs dry
    found = queue.TryGet()->key == "low";
  }
  EXPECT_EQ(before, internal::ReadyLists::kMaxPassedOver + 1);
}

TEST(Queue, ManyPrioritiesKeepTheirOrder) {
  Queue<std::string> queue;
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 200; ++i) queue.Add(std::to_string(i), {.priority = (i * 37) % 200 + round * 1000});
    int passed_over = 0;
    int last = 1'000'000;
    while (const auto item = queue.TryGet()) {
      // Every sixteenth may be the oldest instead.
      if (item->priority > last) ++passed_over;
      last = item->priority;
    }
    EXPECT_LE(passed_over, 200 / 16 + 1);
  }
}

TEST(Queue, KeyCarriesTheCausesOfAllItsAdditions) {
  Queue<std::string> queue;
  queue.Add("a", {.causes = {"Pod x was deleted"}});
  queue.Add("a", {.causes = {"resync", "Pod x was deleted"}});
  queue.Add("b");
  auto item = queue.TryGet();
  EXPECT_THAT(item->causes, ElementsAre("Pod x was deleted", "resync"));
  EXPECT_TRUE(queue.TryGet()->causes.empty());
  queue.Add("a", {.causes = {"changed again"}});
  EXPECT_THAT(item->causes, ElementsAre("Pod x was deleted", "resync")) << "constant while it is worked on";
  item.Done();
  EXPECT_THAT(queue.TryGet()->causes, ElementsAre("changed again"));
}

TEST(Causes, AreBoundedAndTheRestIsCounted) {
  Causes<int> causes;
  for (int i = 0; i < 20; ++i) causes.Add(i);
  causes.Add(3);
  EXPECT_EQ(causes.size(), Causes<int>::kMax);
  EXPECT_EQ(causes.more(), 4u);
  Causes<int> merged = {3, 100};
  merged.Merge(causes);
  EXPECT_EQ(merged.size(), Causes<int>::kMax);
  EXPECT_EQ(merged.more(), 4u + 1u) << "one of the sixteen found no room";
  EXPECT_EQ(causes.size(), Causes<int>::kMax) << "a copy was merged";
}

}  // namespace

struct ObjectId {
  std::string group;
  int number = 0;
  friend bool operator==(const ObjectId&, const ObjectId&) = default;
};

}  // namespace keelson

template <>
struct std::hash<keelson::ObjectId> {
  size_t operator()(const keelson::ObjectId& id) const { return static_cast<size_t>(id.number); }
};

namespace keelson {
namespace {

TEST(Queue, TakesKeysAndCausesOfAnyType) {
  enum class Why : uint8_t { kChanged, kResync };
  Queue<ObjectId, Why> queue;
  for (int i = 0; i < 1000; ++i) queue.Add({"apps", i}, {.causes = {Why::kChanged}});
  for (int i = 0; i < 1000; ++i) queue.Add({"core", i}, {.causes = {Why::kResync}});
  EXPECT_EQ(queue.Length(), 2000u);
  for (int i = 0; i < 2000; ++i) {
    const auto item = queue.TryGet();
    EXPECT_EQ(item->key, (ObjectId{i < 1000 ? "apps" : "core", i % 1000}));
    EXPECT_THAT(item->causes, ElementsAre(i < 1000 ? Why::kChanged : Why::kResync));
  }
}

}  // namespace
}  // namespace keelson
