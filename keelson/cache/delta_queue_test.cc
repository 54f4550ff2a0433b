#include "keelson/cache/delta_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "keelson/api/core/v1.h"
#include "keelson/cache/told_test_support.h"
#include "keelson/core/clock.h"
#include "keelson/core/random.h"
#include "keelson/core/semaphore.h"
#include "keelson/core/thread.h"

namespace keelson {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

ObjectPtr Map(std::string_view name, int version) {
  return std::make_shared<const corev1::ConfigMap>(
      corev1::ConfigMap{.metadata = {.name = name, .resourceVersion = std::to_string(version)}});
}

std::string Text(const ObjectPtr& object) {
  if (object == nullptr) return "-";
  const auto& map = *static_cast<const corev1::ConfigMap*>(object.get());
  return map.metadata.name + map.metadata.resourceVersion.view();
}

std::string Text(const Delta& delta) {
  return std::string(ToString(delta.type)) + " " + Text(delta.old) + " " + Text(delta.object);
}

Delta Added(const ObjectPtr& object) { return {.type = DeltaType::kAdded, .object = object}; }
Delta Updated(const ObjectPtr& old, const ObjectPtr& object) {
  return {.type = DeltaType::kUpdated, .object = object, .old = old};
}
Delta Deleted(const ObjectPtr& object) { return {.type = DeltaType::kDeleted, .object = object, .old = object}; }
Delta Synced(const ObjectPtr& object) { return {.type = DeltaType::kSync, .object = object, .old = object}; }

std::vector<std::string> PopAll(DeltaQueue& queue) {
  std::vector<std::string> all;
  std::vector<Delta> batch;
  while (queue.Pop(batch, Clock::Now(), {}) == Wake::kReady) {
    for (const Delta& delta : batch) all.push_back(Text(delta));
  }
  return all;
}

class DeltaQueueTest : public ::testing::Test {
 protected:
  DeltaQueue queue_{ModelOf<corev1::ConfigMap>()};
  const ObjectPtr a1_ = Map("a", 1), a2_ = Map("a", 2), a3_ = Map("a", 3), b1_ = Map("b", 1);
};

TEST_F(DeltaQueueTest, DeltasOfOneKeyComeTogetherInOrderAtThePlaceOfTheFirst) {
  queue_.Push(Added(a1_));
  queue_.Push(Added(b1_));
  queue_.Push(Updated(a1_, a2_));
  EXPECT_EQ(queue_.pending(), 2u);
  EXPECT_THAT(PopAll(queue_), ElementsAre("Added - a1", "Updated a1 a2", "Added - b1"));
  queue_.Push(Deleted(a2_));
  EXPECT_THAT(PopAll(queue_), ElementsAre("Deleted a2 a2"));
}

TEST_F(DeltaQueueTest, ASyncIsLeftOutWhereSomethingIsPending) {
  queue_.Push(Updated(a1_, a2_));
  queue_.Push(Synced(a2_));
  queue_.Push(Synced(b1_));
  EXPECT_THAT(PopAll(queue_), ElementsAre("Updated a1 a2", "Sync b1 b1"));
}

TEST_F(DeltaQueueTest, WhatGathersIsFolded) {
  const auto folded = [](std::vector<Delta> deltas) {
    DeltaQueue::Fold(deltas);
    std::vector<std::string> texts;
    for (const Delta& delta : deltas) texts.push_back(Text(delta));
    return texts;
  };
  EXPECT_THAT(folded({Updated(a1_, a2_), Updated(a2_, a3_)}), ElementsAre("Updated a1 a3"));
  EXPECT_THAT(folded({Added(a1_), Updated(a1_, a2_)}), ElementsAre("Added - a2"));
  EXPECT_THAT(folded({Added(a1_), Deleted(a2_)}), IsEmpty());
  EXPECT_THAT(folded({Updated(a1_, a2_), Deleted(a3_)}), ElementsAre("Deleted a1 a3"));
  EXPECT_THAT(folded({Deleted(a1_), Deleted(a2_)}), ElementsAre("Deleted a2 a2"));
  EXPECT_THAT(folded({Deleted(a1_), Added(a2_), Updated(a2_, a3_)}), ElementsAre("Deleted a1 a1", "Added - a3"));
  EXPECT_THAT(folded({Deleted(a1_), Added(a2_), Deleted(a2_)}), ElementsAre("Deleted a1 a1"));
  EXPECT_THAT(folded({Synced(a1_), Updated(a1_, a2_)}), ElementsAre("Updated a1 a2"));
}

TEST_F(DeltaQueueTest, MemoryOfAKeyIsBoundedHoweverMuchHappensToIt) {
  for (int i = 1; i < 1000; ++i) queue_.Push(Updated(Map("a", i), Map("a", i + 1)));
  const std::vector<std::string> all = PopAll(queue_);
  EXPECT_LE(all.size(), DeltaQueue::kMaxPerKey);
  EXPECT_THAT(all.front(), ::testing::StartsWith("Updated a1 "));
  EXPECT_THAT(all.back(), ::testing::EndsWith(" a1000"));
}

TEST_F(DeltaQueueTest, WhatComesBehindASnapshotIsNotToldBeforeIt) {
  Store store(ModelOf<corev1::ConfigMap>());
  store.Put(a2_);
  queue_.Push(Updated(a1_, a2_));
  queue_.PushAll(store.List(), DeltaType::kSync, false);
  queue_.Push(Updated(a2_, a3_));
  EXPECT_THAT(PopAll(queue_), ElementsAre("Updated a1 a2", "Sync a2 a2", "Updated a2 a3"));
}

TEST_F(DeltaQueueTest, ManyRoundsOfKeysAreToldAsTheFirst) {
  Store store(ModelOf<corev1::ConfigMap>());
  store.Put(b1_);
  for (int round = 0; round < 5; ++round) {
    std::vector<std::string> expected;
    // More than are kept for the next round.
    for (int i = 0; i < 200; ++i) {
      const ObjectPtr object = Map("key-" + std::to_string(i), round);
      queue_.Push(Added(object));
      expected.push_back("Added - " + Text(object));
    }
    if (round == 2) {
      queue_.PushAll(store.List(), DeltaType::kReplaced, false);
      expected.push_back("Replaced - b1");
    }
    queue_.Push(Updated(a1_, a2_));
    queue_.Push(Updated(a2_, a3_));
    expected.push_back("Updated a1 a2");
    expected.push_back("Updated a2 a3");
    EXPECT_EQ(PopAll(queue_), expected);
    EXPECT_EQ(queue_.pending(), 0u);
  }
}

TEST_F(DeltaQueueTest, OneResyncWaitsAtATime) {
  Store store(ModelOf<corev1::ConfigMap>());
  store.Put(a1_);
  EXPECT_TRUE(queue_.PushSync(store.List()));
  EXPECT_FALSE(queue_.PushSync(store.List()));
  EXPECT_THAT(PopAll(queue_), ElementsAre("Sync a1 a1"));
  EXPECT_TRUE(queue_.PushSync(store.List()));
}

TEST_F(DeltaQueueTest, ALongSnapshotIsPoppedInBatches) {
  Store store(ModelOf<corev1::ConfigMap>());
  for (int i = 0; i < 1000; ++i) store.Put(Map("m" + std::to_string(i), i));
  queue_.PushAll(store.List(), DeltaType::kReplaced, true);
  std::vector<Delta> batch;
  size_t seen = 0;
  while (seen < 1000) {
    ASSERT_EQ(queue_.Pop(batch, Clock::Now(), {}, 64), Wake::kReady);
    EXPECT_LE(batch.size(), 64u);
    for (const Delta& delta : batch) EXPECT_TRUE(delta.initial && delta.old == nullptr);
    seen += batch.size();
  }
  EXPECT_EQ(queue_.Pop(batch, Clock::Now(), {}), Wake::kTimeout);
}

TEST_F(DeltaQueueTest, CloseLetsWhatIsLeftBePopped) {
  queue_.Push(Added(a1_));
  queue_.Close();
  queue_.Push(Added(b1_));
  std::vector<Delta> batch;
  EXPECT_EQ(queue_.Pop(batch, TimePoint::max(), {}), Wake::kReady);
  EXPECT_EQ(batch.size(), 1u);
  EXPECT_EQ(queue_.Pop(batch, TimePoint::max(), {}), Wake::kStopped);
}

TEST_F(DeltaQueueTest, PopWaitsForAPushOfAnotherThread) {
  std::vector<std::string> popped;
  Thread consumer("consumer", [&] {
    std::vector<Delta> batch;
    while (popped.size() < 2 && queue_.Pop(batch, TimePoint::max(), {}) == Wake::kReady) {
      for (const Delta& delta : batch) popped.push_back(Text(delta));
    }
  });
  queue_.Push(Added(a1_));
  queue_.Push(Added(b1_));
  consumer.Join();
  EXPECT_THAT(popped, ElementsAre("Added - a1", "Added - b1"));
}

TEST_F(DeltaQueueTest, IsIdleWhileOneWaitsWhoHasDealtWithEverything) {
  Simulated([&] {
    EXPECT_FALSE(queue_.IsIdle()) << "nobody waits yet";
    Semaphore go(0);
    Thread consumer("consumer", [&] {
      std::vector<Delta> batch;
      while (queue_.Pop(batch, TimePoint::max(), {}) == Wake::kReady) (void)go.Acquire({});
    });
    (void)SleepFor(1s, {});
    EXPECT_TRUE(queue_.IsIdle());
    queue_.Push(Added(a1_));
    EXPECT_FALSE(queue_.IsIdle()) << "something is pending";
    (void)SleepFor(1s, {});
    EXPECT_FALSE(queue_.IsIdle()) << "it was popped and is not dealt with";
    go.Release();
    (void)SleepFor(1s, {});
    EXPECT_TRUE(queue_.IsIdle());
    queue_.Close();
    EXPECT_FALSE(queue_.IsIdle());
    consumer.Join();
  });
}

}  // namespace
}  // namespace keelson
