// Writers, lists and watches at the same time, in thousands of seeded schedules and on real threads.
//
// Each observer keeps a copy of the collection from a list and a watch, as an informer does, and checks every event
// against its copy; lists are compared with the state that the acknowledged writes give at that revision.
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "keelson/apiserver/store/store.h"
#include "keelson/apiserver/store/store_test_support.h"
#include "keelson/core/clock.h"
#include "keelson/core/random.h"
#include "keelson/core/simulation.h"
#include "keelson/core/thread.h"

namespace keelson::apiserver {
namespace {

using testing::MakeDraft;

using State = std::map<std::string, Revision>;  // of each key

// What was acknowledged: the whole truth once all writers are done.
class History {
 public:
  void Add(const StoredObject& object, bool deleted) {
    MutexLock lock(mutex_);
    const auto [at, added] =
        writes_.emplace(object.revision(), Write{object.namespace_() + "/" + object.name().str(), deleted});
    EXPECT_TRUE(added) << "two writes got revision " << at->first;
  }
  // Call once no writer runs.
  State At(Revision revision) const {
    State state;
    for (const auto& [at, write] : writes_) {
      if (at > revision) break;
      if (write.deleted) {
        state.erase(write.key);
      } else {
        state[write.key] = at;
      }
    }
    return state;
  }
  std::vector<Revision> Between(Revision after, Revision until) const {
    std::vector<Revision> revisions;
    for (auto at = writes_.upper_bound(after); at != writes_.end() && at->first <= until; ++at) {
      revisions.push_back(at->first);
    }
    return revisions;
  }

 private:
  struct Write {
    std::string key;
    bool deleted;
  };
  Mutex mutex_{"history"};
  std::map<Revision, Write> writes_;  // guarded by mutex_
};

struct Page {
  Revision revision = 0;
  State state;
};

// An informer in small.
class Observer final : public WatchSink {
 public:
  void Begin(const Page& page) {
    MutexLock lock(mutex_);
    state_ = page.state;
    start_ = seen_ = page.revision;
    received_.clear();
  }
  void OnEvents(std::span<const EventPtr> events, Revision seen) override {
    MutexLock lock(mutex_);
    EXPECT_FALSE(events.empty());
    for (const EventPtr& event : events) Take(*event);
    EXPECT_GE(seen, events.back()->revision());
    EXPECT_GE(seen, seen_);
    seen_ = seen;
    changed_.NotifyAll();
  }
  TimePoint OnTick(TimePoint now, Revision seen) override {
    MutexLock lock(mutex_);
    EXPECT_GE(seen, seen_);
    seen_ = seen;
    changed_.NotifyAll();
    return now;
  }
  // Until it has seen that revision.
  void Await(Revision revision) {
    MutexLock lock(mutex_);
    changed_.Wait(lock, [&] { return seen_ >= revision; });
  }
  Revision seen() {
    MutexLock lock(mutex_);
    return seen_;
  }
  // Everything it got is everything there was.
  void Check(const History& history) {
    MutexLock lock(mutex_);
    EXPECT_EQ(received_, history.Between(start_, seen_));
    EXPECT_EQ(state_, history.At(seen_));
  }

 private:
  void Take(const Event& event) {
    const std::string key = event.object()->namespace_() + "/" + event.object()->name().str();
    EXPECT_GT(event.revision(), received_.empty() ? start_ : received_.back()) << "out of order, or twice";
    received_.push_back(event.revision());
    const auto known = state_.find(key);
    const Revision before = known == state_.end() ? 0 : known->second;
    EXPECT_EQ(event.previous() == nullptr ? 0 : event.previous()->revision(), before) << "an event is missing";
    EXPECT_EQ(event.kind() == Event::Kind::kCreated, before == 0);
    if (event.kind() == Event::Kind::kDeleted) {
      state_.erase(key);
    } else {
      state_[key] = event.revision();
    }
  }

  Mutex mutex_{"observer"};
  CondVar changed_{"observer"};
  State state_;
  std::vector<Revision> received_;
  Revision start_ = 0;
  Revision seen_ = 0;
};

struct Shape {
  int writers = 2;
  int writes = 10;  // of each writer
  int observers = 2;
  int sessions = 3;  // of each observer
  size_t history_events = 1000;
};

class Scenario {
 public:
  Scenario(uint64_t seed, const Shape& shape) : seed_(seed), shape_(shape) {}

  void Run() {
    store_ = Store::Open({.history_events = shape_.history_events, .tick = std::chrono::milliseconds(5)}).value();
    collection_ = store_->Register("pods");
    other_ = store_->Register("others");
    {
      std::vector<Thread> threads;
      for (int i = 0; i < shape_.writers; ++i) threads.emplace_back("writer", [this, i] { Write(i); });
      for (int i = 0; i < shape_.observers; ++i) threads.emplace_back("observer", [this, i] { Observe(i); });
      for (Thread& thread : threads) thread.Join();
    }
    EXPECT_EQ(ReadAll(0, 0).state, history_.At(store_->revision()));
    for (const auto& observer : finished_) observer->Check(history_);
    for (const Page& page : pages_) EXPECT_EQ(page.state, history_.At(page.revision)) << "list at " << page.revision;
    EXPECT_GT(pages_.size(), 0u);
  }

 private:
  void Write(int writer) {
    Random random(seed_ * 1000 + static_cast<uint64_t>(writer));
    for (int i = 0; i < shape_.writes; ++i) {
      const std::string namespace_ = random.Chance(0.5) ? "a" : "b";
      const std::string name = "k" + std::to_string(random.Uniform(0, 4));
      if (random.Chance(0.1)) (void)store_->Create(other_, MakeDraft(namespace_, name + std::to_string(i)));
      if (random.Chance(0.05)) store_->Compact(store_->revision() - random.Uniform(0, 3));
      const Result<ObjectPtr> current = store_->Get(collection_, namespace_, name);
      Result<ObjectPtr> written = Error::Internal("not tried");
      const bool remove = current && random.Chance(0.4);
      if (!current) {
        written = store_->Create(collection_, MakeDraft(namespace_, name));
      } else if (remove) {
        written = store_->Delete(collection_, namespace_, name, (*current)->revision());
      } else {
        written = store_->Update(collection_, MakeDraft(namespace_, name), (*current)->revision());
      }
      if (written) {
        history_.Add(**written, remove);
      } else {
        const ErrorCode code = written.error().code();
        EXPECT_TRUE(code == ErrorCode::kConflict || code == ErrorCode::kNotFound || code == ErrorCode::kAlreadyExists);
        --i;
      }
    }
  }

  // Page by page, or all at once with limit 0. An expired continuation begins anew.
  Page ReadAll(Revision revision, size_t limit) {
    while (true) {
      Page page;
      ListQuery query{.revision = revision, .limit = limit};
      while (true) {
        const Result<ListPage> part = store_->List(collection_, query);
        if (!part) {
          EXPECT_EQ(part.error().code(), ErrorCode::kExpired);
          break;
        }
        page.revision = part->revision;
        for (const ObjectPtr& object : part->items) {
          page.state[object->namespace_() + "/" + object->name().str()] = object->revision();
        }
        if (!part->more) return page;
        EXPECT_EQ(part->items.size(), limit);
        EXPECT_GT(part->remaining, 0u);
        query.revision = part->revision;
        query.after_namespace = part->items.back()->namespace_();
        query.after_name = part->items.back()->name();
      }
      revision = 0;
    }
  }

  void Observe(int number) {
    Random random(seed_ * 1000 + 500 + static_cast<uint64_t>(number));
    Revision from = 0;  // 0: the newest state
    for (int session = 0; session < shape_.sessions; ++session) {
      const Page page = ReadAll(from, random.Uniform<size_t>(0, 3));
      Keep(page);
      auto observer = std::make_shared<Observer>();
      observer->Begin(page);
      Result<std::unique_ptr<Subscription>> watch = store_->Watch(collection_, page.revision, observer);
      if (!watch) {
        // Like an informer whose watch expired: all over again, and this session does not count.
        EXPECT_EQ(watch.error().code(), ErrorCode::kExpired);
        from = 0;
        --session;
        continue;
      }
      SleepFor(random.Uniform(0, 8) * std::chrono::milliseconds(1), {});
      if (session + 1 == shape_.sessions) {
        AwaitQuiet(*observer);
      } else if (random.Chance(0.5)) {
        observer->Await(store_->revision());
      }
      watch->reset();
      Keep(observer);
      // The next one goes on where this one ends, or where it began, or anew.
      const Revision next[] = {observer->seen(), page.revision, 0};
      from = next[random.Uniform(0, 2)];
    }
  }

  // Until all is written and seen.
  void AwaitQuiet(Observer& observer) {
    Revision revision = 0;
    while (revision != store_->revision()) {
      revision = store_->revision();
      observer.Await(revision);
    }
  }
  void Keep(const Page& page) {
    MutexLock lock(mutex_);
    pages_.push_back(page);
  }
  void Keep(const std::shared_ptr<Observer>& observer) {
    MutexLock lock(mutex_);
    finished_.push_back(observer);
  }

  const uint64_t seed_;
  const Shape shape_;
  History history_;
  std::unique_ptr<Store> store_;
  CollectionId collection_{};
  CollectionId other_{};
  Mutex mutex_{"scenario"};
  std::vector<Page> pages_;                          // guarded by mutex_
  std::vector<std::shared_ptr<Observer>> finished_;  // guarded by mutex_
};

void RunSeeds(uint64_t seeds, const Shape& shape) {
  for (uint64_t seed = 0; seed < seeds && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Simulation simulation({.seed = seed, .trace_capacity = 0});
    const Result<void> result = simulation.Run([&] { Scenario(seed, shape).Run(); });
    ASSERT_TRUE(result) << "seed " << seed << ": " << result.error().message();
  }
}

TEST(StoreSimulation, WatchesAreOrderedUniqueAndWithoutGaps) { RunSeeds(1000, {}); }

TEST(StoreSimulation, AlsoWhenHistoryIsShort) {
  RunSeeds(1000, {.writers = 3, .writes = 8, .observers = 2, .sessions = 2, .history_events = 3});
}

TEST(StoreSimulation, EventsDoNotWaitForATick) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    Simulation simulation({.seed = seed, .trace_capacity = 0});
    const Result<void> result = simulation.Run([&] {
      auto store = Store::Open({.tick = std::chrono::hours(1)}).value();
      const CollectionId pods = store->Register("pods");
      auto sink = std::make_shared<testing::RecordingSink>();
      auto watch = store->Watch(pods, store->revision(), sink).value();
      const auto write = [&](const char* prefix) {
        for (int i = 0; i < 4; ++i) EXPECT_TRUE(store->Create(pods, MakeDraft("n", prefix + std::to_string(i))));
      };
      Thread first("writer", [&] { write("a"); });
      Thread second("writer", [&] { write("b"); });
      sink->Await(8);
    });
    ASSERT_TRUE(result) << "seed " << seed << ": " << result.error().message();
    ASSERT_LT(simulation.elapsed(), std::chrono::minutes(1)) << "seed " << seed;
  }
}

// Counts its ticks.
class TickedSink final : public WatchSink {
 public:
  explicit TickedSink(Duration period) : period_(period) {}
  void OnEvents(std::span<const EventPtr>, Revision) override {}
  TimePoint OnTick(TimePoint now, Revision) override {
    ++ticks;
    return SaturatingAdd(now, period_);
  }
  std::atomic<int> ticks = 0;

 private:
  const Duration period_;
};

TEST(StoreSimulation, ACollectionIsNotDisturbedByTheTicksOfAnother) {
  const auto busy = std::make_shared<TickedSink>(std::chrono::seconds(1));
  const auto quiet = std::make_shared<TickedSink>(Duration::max());
  Simulation simulation({.seed = 1});
  const Result<void> result = simulation.Run([&] {
    auto store = Store::Open({}).value();
    const auto first = store->Watch(store->Register("pods"), store->revision(), busy).value();
    const auto second = store->Watch(store->Register("secrets"), store->revision(), quiet).value();
    (void)SleepFor(std::chrono::minutes(10), {});
  });
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_GE(busy->ticks, 590);
  EXPECT_LE(busy->ticks, 601);
  EXPECT_LE(quiet->ticks, 21);
}

TEST(StoreStress, HoldsOnRealThreads) {
  for (uint64_t seed = 0; seed < 5; ++seed) {
    Scenario(seed, {.writers = 3, .writes = 2000, .observers = 3, .sessions = 20, .history_events = 100000}).Run();
  }
}

TEST(StoreStress, HoldsOnRealThreadsWhenHistoryIsShort) {
  for (uint64_t seed = 0; seed < 5; ++seed) {
    Scenario(seed, {.writers = 3, .writes = 2000, .observers = 3, .sessions = 20, .history_events = 20}).Run();
  }
}

}  // namespace
}  // namespace keelson::apiserver
