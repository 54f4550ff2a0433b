#include "keelson/cache/store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <set>

#include "keelson/api/core/v1.h"
#include "keelson/core/random.h"
#include "keelson/core/thread.h"

namespace keelson {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

ObjectPtr Pod(std::string_view namespace_, std::string_view name, int version, std::string_view node = "n1",
              std::string_view uid = "u") {
  const std::shared_ptr<void> pod = ModelOf<corev1::Pod>().make();
  *static_cast<corev1::Pod*>(pod.get()) = {
      .metadata = {.name = name, .namespace_ = namespace_, .uid = uid, .resourceVersion = std::to_string(version)},
      .spec = {.nodeName = node}};
  return pod;
}
const corev1::Pod& As(const ObjectPtr& object) { return *static_cast<const corev1::Pod*>(object.get()); }

std::vector<std::string> ByNode(const void* object) { return {static_cast<const corev1::Pod*>(object)->spec.nodeName}; }

std::vector<std::string> NamesOf(const Snapshot& snapshot) {
  std::vector<std::string> names;
  for (const ObjectPtr& object : snapshot) names.push_back(As(object).metadata.name.str());
  return names;
}

TEST(Store, GivesTheObjectThatWasPutLast) {
  Store store(ModelOf<corev1::Pod>());
  EXPECT_EQ(store.Get("default", "a"), nullptr);
  const ObjectPtr first = Pod("default", "a", 1), second = Pod("default", "a", 2);
  EXPECT_EQ(store.Put(first), nullptr);
  EXPECT_EQ(store.Put(second), first);
  EXPECT_EQ(store.Get("default", "a"), second);
  EXPECT_EQ(store.Get("other", "a"), nullptr);
  EXPECT_EQ(store.Get("defaul", "ta"), nullptr);
  EXPECT_EQ(store.size(), 1u);
  EXPECT_EQ(store.Remove("default", "a"), second);
  EXPECT_EQ(store.Remove("default", "a"), nullptr);
  EXPECT_EQ(store.size(), 0u);
}

TEST(Store, FindsKeysOfAnyLength) {
  Store store(ModelOf<corev1::Pod>());
  std::string name = "a";
  for (int i = 0; i < 60; ++i, name += 'a') {
    const ObjectPtr pod = Pod("team", name, 1);
    store.Put(pod);
    EXPECT_EQ(store.Get("team", name), pod);
    EXPECT_EQ(store.Get("tea", name), nullptr);
    EXPECT_EQ(store.Get("team", name + "b"), nullptr);
    EXPECT_EQ(store.Get("", name), nullptr);
  }
  EXPECT_EQ(store.size(), 60u);
}

TEST(Store, FindsManyAtOnceInTheOrderOfTheKeys) {
  for (const size_t count : {0u, 1u, 7u, 8u, 9u, 16u, 17u, 500u}) {
    Store store(ModelOf<corev1::Pod>());
    std::vector<std::pair<std::string, std::string>> keys;
    std::vector<const void*> expected;
    for (size_t i = 0; i < count; ++i) {
      // Some of them too long for a slot.
      keys.emplace_back("team-" + std::to_string(i % 3), "pod-" + std::to_string(i) + std::string(i % 5 * 10, 'x'));
      if (i % 4 != 3) store.Put(Pod(keys[i].first, keys[i].second, 1));
    }
    const ReadScope scope;
    for (const auto& [namespace_, name] : keys) expected.push_back(store.Find(scope, namespace_, name));
    std::vector<const void*> found;
    store.FindEach(
        scope, count, [&](size_t i) { return std::pair<std::string_view, std::string_view>(keys[i]); },
        [&](size_t i, const void* object) {
          EXPECT_EQ(i, found.size());
          found.push_back(object);
        });
    EXPECT_EQ(found, expected);
    EXPECT_EQ(std::count(found.begin(), found.end(), nullptr), static_cast<std::ptrdiff_t>(count / 4));
  }
}

TEST(Store, ASnapshotStaysAsItWas) {
  Store store(ModelOf<corev1::Pod>());
  for (int i = 0; i < 100; ++i) store.Put(Pod("default", "p" + std::to_string(i), 1));
  const Snapshot before = store.List();
  for (int i = 0; i < 100; i += 2) store.Remove("default", "p" + std::to_string(i));
  store.Put(Pod("default", "p1", 2));
  EXPECT_EQ(before.size(), 100u);
  for (const ObjectPtr& object : before) EXPECT_EQ(As(object).metadata.resourceVersion, "1");
  EXPECT_EQ(store.List().size(), 50u);
}

TEST(Store, IndexesByNamespaceAndByFunctions) {
  Store store(ModelOf<corev1::Pod>());
  ASSERT_TRUE(store.AddIndex("node", ByNode));
  store.Put(Pod("x", "a", 1, "n1"));
  store.Put(Pod("x", "b", 1, "n2"));
  store.Put(Pod("y", "c", 1, "n1"));
  EXPECT_THAT(NamesOf(store.ByIndex("namespace", "x").value()), UnorderedElementsAre("a", "b"));
  EXPECT_THAT(NamesOf(store.ByIndex("node", "n1").value()), UnorderedElementsAre("a", "c"));
  EXPECT_THAT(store.IndexValues("node").value(), ElementsAre("n1", "n2"));
  store.Put(Pod("x", "a", 2, "n2"));
  EXPECT_THAT(NamesOf(store.ByIndex("node", "n1").value()), ElementsAre("c"));
  EXPECT_THAT(NamesOf(store.ByIndex("node", "n2").value()), UnorderedElementsAre("a", "b"));
  store.Remove("y", "c");
  EXPECT_THAT(NamesOf(store.ByIndex("node", "n1").value()), IsEmpty());
  EXPECT_THAT(store.IndexValues("node").value(), ElementsAre("n2"));
  EXPECT_THAT(NamesOf(store.ByIndex("namespace", "y").value()), IsEmpty());
}

TEST(Store, AnObjectMayHaveSeveralIndexValuesOrNone) {
  Store store(ModelOf<corev1::Pod>());
  ASSERT_TRUE(store.AddIndex("letters", [](const void* object) {
    std::vector<std::string> values;
    for (const char c : static_cast<const corev1::Pod*>(object)->spec.nodeName.view()) values.emplace_back(1, c);
    return values;
  }));
  store.Put(Pod("x", "a", 1, "aab"));
  store.Put(Pod("x", "b", 1, "bc"));
  store.Put(Pod("x", "c", 1, ""));
  EXPECT_THAT(NamesOf(store.ByIndex("letters", "a").value()), ElementsAre("a"));
  EXPECT_THAT(NamesOf(store.ByIndex("letters", "b").value()), UnorderedElementsAre("a", "b"));
  store.Put(Pod("x", "a", 2, "c"));
  EXPECT_THAT(NamesOf(store.ByIndex("letters", "a").value()), IsEmpty());
  EXPECT_THAT(NamesOf(store.ByIndex("letters", "c").value()), UnorderedElementsAre("a", "b"));
}

TEST(Store, AnIndexAddedLaterHasTheObjectsThatAreThere) {
  Store store(ModelOf<corev1::Pod>());
  store.Put(Pod("x", "a", 1, "n1"));
  EXPECT_EQ(store.ByIndex("node", "n1").error().message(),
            "the cache has no index \"node\": add it with AddIndex first");
  ASSERT_TRUE(store.AddIndex("node", ByNode));
  EXPECT_THAT(NamesOf(store.ByIndex("node", "n1").value()), ElementsAre("a"));
  EXPECT_EQ(store.AddIndex("node", ByNode).error().code(), ErrorCode::kAlreadyExists);
  EXPECT_EQ(store.AddIndex("namespace", ByNode).error().code(), ErrorCode::kAlreadyExists);
}

TEST(Store, ReplaceTellsWhatChangedAndKeepsWhatDidNot) {
  Store store(ModelOf<corev1::Pod>());
  const ObjectPtr kept = Pod("x", "kept", 1);
  store.Replace({kept, Pod("x", "changed", 1), Pod("x", "gone", 1)}, nullptr);
  std::vector<Delta> changes;
  store.Replace({Pod("x", "kept", 1), Pod("x", "changed", 2), Pod("x", "new", 3)}, &changes);
  std::vector<std::string> texts;
  for (const Delta& delta : changes) {
    texts.push_back(std::string(ToString(delta.type)) + " " + As(delta.object).metadata.name.str() +
                    (delta.old == nullptr ? "" : " old") + (delta.final_state_unknown ? " unknown" : ""));
  }
  EXPECT_THAT(texts, UnorderedElementsAre("Replaced changed old", "Replaced new", "Deleted gone old unknown"));
  EXPECT_EQ(store.Get("x", "kept"), kept);
  EXPECT_EQ(store.Get("x", "gone"), nullptr);
  EXPECT_EQ(store.size(), 3u);
}

TEST(Store, AgreesWithAPlainMapOverManyRandomChanges) {
  Random random(11);
  Store store(ModelOf<corev1::Pod>());
  ASSERT_TRUE(store.AddIndex("node", ByNode));
  std::map<std::pair<std::string, std::string>, ObjectPtr> expected;
  std::vector<std::pair<Snapshot, size_t>> snapshots;
  for (int step = 0; step < 20000; ++step) {
    const std::string namespace_ = "ns" + std::to_string(random.Uniform(0, 3));
    const std::string name = "pod-with-a-name-of-some-length-" + std::to_string(random.Uniform(0, 400));
    // Whatever is expected, rightly or not, changes nothing.
    if (random.Chance(0.3)) {
      store.Expect("ns" + std::to_string(random.Uniform(0, 4)),
                   "pod-with-a-name-of-some-length-" + std::to_string(random.Uniform(0, 400)));
    }
    if (random.Chance(0.7)) store.FetchExpected();
    if (random.Chance(0.4)) {
      const auto found = expected.find({namespace_, name});
      EXPECT_EQ(store.Remove(namespace_, name), found == expected.end() ? nullptr : found->second);
      expected.erase({namespace_, name});
    } else {
      const ObjectPtr pod = Pod(namespace_, name, step, "n" + std::to_string(random.Uniform(0, 20)));
      store.Put(pod);
      expected[{namespace_, name}] = pod;
    }
    if (step % 500 != 0) continue;
    ASSERT_EQ(store.size(), expected.size());
    std::map<std::string, std::set<ObjectPtr>> by_node;
    for (const auto& [key, pod] : expected) {
      ASSERT_EQ(store.Get(key.first, key.second), pod);
      by_node[As(pod).spec.nodeName.str()].insert(pod);
    }
    for (int i = 0; i <= 20; ++i) {
      const std::string node = "n" + std::to_string(i);
      const Snapshot found = store.ByIndex("node", node).value();
      ASSERT_EQ(std::set<ObjectPtr>(found.begin(), found.end()), by_node[node]);
    }
    for (const auto& [snapshot, size] : snapshots) {
      ASSERT_EQ(static_cast<size_t>(std::distance(snapshot.begin(), snapshot.end())), size);
    }
    snapshots.emplace_back(store.List(), store.size());
    if (snapshots.size() > 4) snapshots.erase(snapshots.begin());
  }
}

TEST(Store, WhatIsExpectedMayBeReplacedRemovedOrMovedMeanwhile) {
  Store store(ModelOf<corev1::Pod>());
  const auto name = [](int i) { return "pod-" + std::to_string(i); };
  for (int i = 0; i < 100; ++i) store.Put(Pod("x", name(i), 1));
  store.Put(Pod("", "without-namespace", 1));
  const std::vector<std::function<void(int)>> changes = {
      [&](int i) { store.Put(Pod("x", name(i), 2)); },                 // replaced
      [&](int i) { store.Remove("x", name(i)); },                      // removed
      [&](int i) { store.Put(Pod("y", name(i), 1)); },                 // another, which may move all
      [&](int) { store.Replace({Pod("x", name(1), 3)}, nullptr); },    // all others removed
      [&](int) { store.Replace(std::vector<ObjectPtr>(), nullptr); },  // all removed
      [&](int) { store.Put(Pod("", "without-namespace", 2)); },
  };
  for (const auto& change : changes) {
    for (int steps = 0; steps < 6; ++steps) {
      for (int i = 0; i < 100; ++i) store.Put(Pod("x", name(i), 1));
      store.Put(Pod("", "without-namespace", 1));
      for (int i = 0; i < 20; ++i) {
        store.Expect("x", name(i));
        for (int step = 0; step < steps; ++step) store.FetchExpected();
        change(i);
        store.FetchExpected();
        store.Expect("", "without-namespace");
        store.FetchExpected();
        change(i + 1);
        for (int step = 0; step < 5; ++step) store.FetchExpected();
      }
      EXPECT_EQ(store.List().size(), store.size());
    }
  }
}

TEST(Store, ReadersSeeOnlyStatesThatWereWholeWhileOneWrites) {
  Store store(ModelOf<corev1::Pod>());
  ASSERT_TRUE(store.AddIndex("node", ByNode));
  constexpr int kPods = 200;
  for (int i = 0; i < kPods; ++i) store.Put(Pod("x", "p" + std::to_string(i), 1, "n" + std::to_string(i % 4)));
  StopSource stop;
  std::atomic<uint64_t> reads = 0;
  {
    std::vector<Thread> readers;
    for (int r = 0; r < 3; ++r) {
      readers.emplace_back("reader", [&, r] {
        Random random(static_cast<uint64_t>(r));
        std::map<std::string, int> newest;
        while (!stop.StopRequested()) {
          const std::string name = "p" + std::to_string(random.Uniform(0, kPods - 1));
          const ObjectPtr pod = store.Get("x", name);
          ASSERT_NE(pod, nullptr);
          const int version = std::stoi(As(pod).metadata.resourceVersion.str());
          EXPECT_GE(version, newest[name]);
          newest[name] = version;
          const std::string node = "n" + std::to_string(random.Uniform(0, 3));
          const Snapshot on_node = store.ByIndex("node", node).value();
          for (const ObjectPtr& object : on_node) EXPECT_EQ(As(object).spec.nodeName, node);
          EXPECT_EQ(store.List().size(), static_cast<size_t>(kPods));
          ++reads;
        }
      });
    }
    Random random(99);
    for (int step = 2; step < 20000 || reads < 100; ++step) {
      const int i = random.Uniform(0, kPods - 1);
      store.Put(Pod("x", "p" + std::to_string(i), step, "n" + std::to_string(random.Uniform(0, 3))));
    }
    stop.RequestStop();
  }
  EXPECT_GE(reads, 100u);
}

// A Pod that counts those that are alive.
ObjectPtr CountedPod(std::string_view name, int version, std::atomic<int>& alive) {
  struct Counted {
    Counted(corev1::Pod pod, std::atomic<int>& alive) : pod(std::move(pod)), alive(alive) { ++alive; }
    ~Counted() { --alive; }
    const corev1::Pod pod;
    std::atomic<int>& alive;
  };
  const auto made = std::make_shared<const Counted>(
      corev1::Pod{.metadata = {.name = name, .namespace_ = "x", .resourceVersion = std::to_string(version)}}, alive);
  return ObjectPtr(made, &made->pod);
}

TEST(Store, WhatAScopeFoundStaysUntilItEnds) {
  std::atomic<int> alive = 0;
  Store store(ModelOf<corev1::Pod>());
  store.Put(CountedPod("kept", 1, alive));
  store.Put(CountedPod("gone", 1, alive));
  constexpr int kMany = 1000;
  {
    const ReadScope scope;
    const auto* kept = static_cast<const corev1::Pod*>(store.Find(scope, "x", "kept"));
    const auto* gone = static_cast<const corev1::Pod*>(store.Find(scope, "x", "gone"));
    ASSERT_NE(kept, nullptr);
    ASSERT_NE(gone, nullptr);
    EXPECT_EQ(store.Find(scope, "x", "other"), nullptr);
    store.Remove("x", "gone");
    for (int i = 2; i <= kMany; ++i) store.Put(CountedPod("kept", i, alive));
    for (int i = 0; i < kMany; ++i) store.Put(CountedPod("grows-" + std::to_string(i), 1, alive));
    EXPECT_EQ(kept->metadata.resourceVersion, "1");
    EXPECT_EQ(gone->metadata.name, "gone");
    EXPECT_EQ(static_cast<const corev1::Pod*>(store.Find(scope, "x", "kept"))->metadata.resourceVersion,
              std::to_string(kMany));
    EXPECT_EQ(store.Find(scope, "x", "gone"), nullptr);
    EXPECT_EQ(alive, 1 + kMany + kMany);
  }
  // Without a scope what is replaced goes some writes later.
  for (int i = 0; i < kMany; ++i) store.Put(CountedPod("kept", i, alive));
  EXPECT_LE(alive, 1 + kMany + static_cast<int>(RetiredList::kEnough));
}

TEST(Store, WhatIsKeptStaysWhateverBecomesOfTheStore) {
  std::atomic<int> alive = 0;
  // More than a thread can note down: the rest is counted.
  constexpr int kMany = 2 * static_cast<int>(internal::ScopedReader::kHolds);
  std::vector<KeptObject> kept;
  ObjectPtr shared;
  {
    Store store(ModelOf<corev1::Pod>());
    EXPECT_EQ(store.Keep("x", "other").get(), nullptr);
    for (int i = 0; i < kMany; ++i) {
      const std::string name = "kept-" + std::to_string(i);
      store.Put(CountedPod(name, 1, alive));
      kept.push_back(store.Keep("x", name));
      if (i % 2 == 0) {
        store.Remove("x", name);
      } else {
        store.Put(CountedPod(name, 2, alive));
      }
    }
    for (int i = 0; i < 1000; ++i) store.Put(CountedPod("other", i, alive));
    EXPECT_EQ(store.Keep("x", "kept-1").get(), store.Get("x", "kept-1").get());
    EXPECT_GE(alive, kMany + kMany / 2 + 1);
    EXPECT_LE(alive, kMany + kMany / 2 + 1 + static_cast<int>(RetiredList::kEnough));
    shared = std::move(kept[0]).Share();
    EXPECT_EQ(kept[0].get(), nullptr);
  }
  EXPECT_EQ(alive, kMany);
  EXPECT_EQ(As(shared).metadata.name, "kept-0");
  for (int i = 1; i < kMany; ++i) {
    const auto* pod = static_cast<const corev1::Pod*>(kept[static_cast<size_t>(i)].get());
    EXPECT_EQ(pod->metadata.name, "kept-" + std::to_string(i));
    EXPECT_EQ(pod->metadata.resourceVersion, "1");
  }
  kept.clear();
  shared = nullptr;
  Store next(ModelOf<corev1::Pod>());
  for (int i = 0; i < static_cast<int>(RetiredList::kEnough) + 1; ++i) next.Put(Pod("x", "a", i));
  EXPECT_EQ(alive, 0);
}

TEST(Store, KeysThatComeAndGoTakeNoRoom) {
  Store store(ModelOf<corev1::Pod>());
  const std::string tail(60, 'l');
  store.Put(Pod("x", "stays", 1));
  for (int i = 0; i < 20000; ++i) {
    const std::string name = std::to_string(i) + (i % 2 == 0 ? tail : "");
    store.Put(Pod("x", name, 1));
    ASSERT_NE(store.Get("x", name), nullptr);
    ASSERT_NE(store.Remove("x", name), nullptr);
    ASSERT_EQ(store.Get("x", name), nullptr);
    if (i % 3 != 0) continue;
    store.Put(Pod("x", name, 2));  // once more
    ASSERT_EQ(As(store.Get("x", name)).metadata.resourceVersion, "2");
    ASSERT_NE(store.Remove("x", name), nullptr);
  }
  EXPECT_NE(store.Get("x", "stays"), nullptr);
  EXPECT_EQ(store.size(), 1u);
}

TEST(Store, ScopesReadWhileOneReplacesRemovesAndGrows) {
  std::atomic<int> alive = 0;
  constexpr int kNames = 300;
  const auto name_of = [](int i) {  // some too long for a slot
    return "p" + std::to_string(i) + (i % 10 == 0 ? std::string(50, 'l') : "");
  };
  {
    Store store(ModelOf<corev1::Pod>());
    StopSource stop;
    std::atomic<uint64_t> reads = 0;
    std::vector<Thread> readers;
    for (int r = 0; r < 3; ++r) {
      readers.emplace_back("reader", [&, r] {
        Random random(static_cast<uint64_t>(r));
        std::array<std::pair<KeptObject, std::string>, 20> kept;
        while (!stop.StopRequested()) {
          for (const auto& [object, name] : kept) {
            const auto* pod = static_cast<const corev1::Pod*>(object.get());
            if (pod != nullptr) {
              EXPECT_EQ(pod->metadata.name, name);
            }
          }
          const ReadScope scope;
          std::vector<std::pair<const corev1::Pod*, std::string>> found;
          for (int n = 0; n < 20; ++n) {
            const std::string name = name_of(random.Uniform(0, kNames - 1));
            const auto* pod = static_cast<const corev1::Pod*>(store.Find(scope, "x", name));
            if (pod != nullptr) found.emplace_back(pod, name);
            const ObjectPtr counted = store.Get("x", name);
            if (counted != nullptr) {
              EXPECT_EQ(As(counted).metadata.name, name);
            }
            kept[static_cast<size_t>(n)] = {store.Keep("x", name), name};
          }
          for (const auto& [pod, name] : found) EXPECT_EQ(pod->metadata.name, name);
          reads += found.size();
        }
      });
    }
    Random random(99);
    for (int step = 0; step < 20000 || reads < 1000; ++step) {
      const std::string name = name_of(random.Uniform(0, kNames - 1));
      if (random.Chance(0.3)) {
        store.Remove("x", name);
      } else {
        store.Put(CountedPod(name, step, alive));
      }
      if (step % 5000 == 0) store.Replace({CountedPod(name_of(1), step, alive)}, nullptr);
    }
    stop.RequestStop();
    readers.clear();
    EXPECT_GE(reads, 1000u);
  }
  EXPECT_EQ(alive, 0);
}

}  // namespace
}  // namespace keelson
