// A queue of keys between those who see changes and those who work on them.
//
//   Queue<std::string> queue;
//   queue.Add("default/web", {.causes = {"Deployment was updated"}});      // from any thread, as often as you like
//
//   while (auto item = queue.Get(stop)) {                                  // on each worker
//     Reconcile(item->key, item->causes);
//   }                                                                      // done at the end of the scope
//
// What it promises:
//   - A key added several times before a worker takes it is worked on once; the causes of all additions come with it.
//   - Two workers never have the same key. One that is added while it is worked on is worked on once more afterwards.
//   - Keys are taken in the order they were added. Those of higher priority come first, but the key that has waited
//     longest is passed over at most 15 times in a row.
//   - ShutDown() ends every Get once nothing waits; ShutDownWithDrain() also waits for the work under way.
//
// AddAfter is in delaying_queue.h, AddRateLimited in rate_limiting_queue.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "keelson/core/internal/brief_mutex.h"
#include "keelson/core/stop_token.h"
#include "keelson/core/time.h"
#include "keelson/workqueue/causes.h"
#include "keelson/workqueue/internal/key_hash.h"
#include "keelson/workqueue/internal/prefetch.h"
#include "keelson/workqueue/internal/queue_core.h"
#include "keelson/workqueue/queue_metrics.h"

namespace keelson {

// For keys that are added without anything having changed: the first list, and resync.
inline constexpr int32_t kLowPriority = -100;

struct QueueOptions {
  QueueMetrics metrics = {};
};

template <class Cause>
struct AddOptions {
  int32_t priority = 0;  // the highest of a key's additions counts
  Causes<Cause> causes = {};
};

// What a worker gets.
template <class Key, class Cause>
struct Work {
  Key key;
  Causes<Cause> causes;
  int32_t priority = 0;
};

// Thread-safe. Must outlive its items, and nobody may be in Get when it is destroyed. Key needs ==, a std::hash (unless
// it converts to std::string_view), and to be copyable and default-constructible; Cause needs == and to be copyable.
// These run under the queue's lock, so they must not call the queue.
template <class Key, class CauseType = std::string>
class Queue {
  struct alignas(64) Entry : internal::QueueEntry {
    // Constant while a worker has it, and read by that one without a lock.
    Work<Key, CauseType> work;
    Causes<CauseType> next_causes;  // guarded by the core's lock; causes_next says whether there are any
  };

 public:
  using Cause = CauseType;
  using AddOptions = keelson::AddOptions<Cause>;
  using Work = keelson::Work<Key, Cause>;

  // A key that is being worked on, until Done() or destruction. Empty when Get had none to give.
  class [[nodiscard]] Item {
   public:
    Item() = default;
    ~Item() { Done(); }
    Item(Item&& other) noexcept : queue_(other.queue_), entry_(std::exchange(other.entry_, nullptr)) {}
    Item& operator=(Item&& other) noexcept {
      if (this == &other) return *this;
      Done();
      queue_ = other.queue_;
      entry_ = std::exchange(other.entry_, nullptr);
      return *this;
    }

    explicit operator bool() const { return entry_ != nullptr; }
    const Work& operator*() const { return entry_->work; }
    const Work* operator->() const { return &entry_->work; }

    // Lets the next worker have the key, if it was added meanwhile. Does nothing when it was called before.
    void Done() {
      if (entry_ != nullptr) queue_->End(*std::exchange(entry_, nullptr));
    }

   private:
    friend class Queue;
    Item(Queue* queue, Entry* entry) : queue_(queue), entry_(entry) {}

    Queue* queue_ = nullptr;
    Entry* entry_ = nullptr;
  };

  explicit Queue(QueueOptions options = {}) : core_(options.metrics) {}
  ~Queue() {
    core_.GiveBackAll([](internal::QueueEntry& entry) { delete static_cast<Entry*>(&entry); });
    while (spare_ != nullptr) delete std::exchange(spare_, static_cast<Entry*>(spare_->chain));
  }
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  // Ignored once the queue shuts down.
  void Add(const Key& key, AddOptions options = {});

  // Waits for a key. Empty when stop was requested, when the deadline has come and no key with it, or when the queue
  // was shut down and nothing waits any more.
  Item Get(const StopToken& stop = {}, TimePoint deadline = TimePoint::max());
  // Does not wait.
  Item TryGet() { return Get({}, TimePoint::min()); }
  // As item.Done(), for those who like the symmetry.
  void Done(Item& item) { item.Done(); }

  // Keys that wait for a worker; those that are worked on do not count.
  size_t Length() { return core_.Waiting(); }

  // The keys that are worked on, so many at most: the one that was taken first comes first.
  std::vector<Key> Running(size_t at_most);

  // From now on nothing is added. Workers still get what waits, then an empty item.
  void ShutDown() { core_.ShutDown(); }
  // The same, and waits until all that waited or was under way is done. False when stop, the deadline or a call of
  // ShutDown() ended the wait before. The workers have to go on calling Get.
  bool ShutDownWithDrain(const StopToken& stop = {}, TimePoint deadline = TimePoint::max()) {
    return core_.ShutDownWithDrain(stop, deadline);
  }
  bool ShuttingDown() const { return core_.shutting_down(); }
  // Stops when the queue begins to shut down.
  StopToken shutdown_token() const { return core_.shutdown_token(); }

 protected:
  const QueueMetrics& metrics() const { return core_.metrics(); }

 private:
  static constexpr size_t kMaxSpare = 16384;

  Entry* Find(const Key& key, uint32_t hash) const;
  Entry& Insert(const Key& key, uint32_t hash);
  Entry* Take(internal::QueueCore::AfterTake& after);
  void Sweep();
  void KeepSpare(internal::QueueEntry& idle) {
    auto* entry = static_cast<Entry*>(&idle);
    internal::PrefetchForWrite(&entry->work);
    entry->chain = std::exchange(spare_, entry);
    ++spares_;
  }
  void End(Entry& entry);

  internal::QueueCore core_;
  // Guarded by core_.lock(). Entries of keys that are gone, linked by `chain`: their keys keep their buffers for
  // others.
  Entry* spare_ = nullptr;
  size_t spares_ = 0;
};

template <class Key, class Cause>
auto Queue<Key, Cause>::Find(const Key& key, uint32_t hash) const -> Entry* {
  for (internal::QueueEntry* at = core_.ChainOf(hash); at != nullptr; at = at->chain) {
    if (at->hash == hash && static_cast<Entry*>(at)->work.key == key) return static_cast<Entry*>(at);
  }
  return nullptr;
}

template <class Key, class Cause>
auto Queue<Key, Cause>::Insert(const Key& key, uint32_t hash) -> Entry& {
  if (spare_ == nullptr && core_.SweepDue()) core_.Sweep([&](internal::QueueEntry& idle) { KeepSpare(idle); });
  std::unique_ptr<Entry> entry(spare_ != nullptr ? spare_ : new Entry);
  if (entry.get() == spare_) {
    spare_ = static_cast<Entry*>(entry->chain);
    --spares_;
  }
  entry->work.key = key;
  entry->hash = hash;
  core_.Insert(*entry);
  return *entry.release();
}

template <class Key, class Cause>
std::vector<Key> Queue<Key, Cause>::Running(size_t at_most) {
  std::vector<Key> keys;
  if (at_most == 0) return keys;
  internal::BriefLock lock(core_.lock());
  core_.VisitRunning([&](const internal::QueueEntry& entry) {
    keys.push_back(static_cast<const Entry&>(entry).work.key);
    return keys.size() < at_most;
  });
  return keys;
}

template <class Key, class Cause>
void Queue<Key, Cause>::Add(const Key& key, AddOptions options) {
  const uint32_t hash = internal::HashKey(key);
  const TimePoint now = core_.Time();
  internal::QueueCore::AfterAdd after;
  {
    internal::BriefLock lock(core_.lock());
    if (core_.shutting_down()) return;
    Entry* entry = Find(key, hash);
    if (entry == nullptr) entry = &Insert(key, hash);
    after = core_.Add(*entry, options.priority, now);
    if (!options.causes.empty()) {
      entry->next_causes.Merge(std::move(options.causes));
      entry->causes_next = true;
    }
  }
  core_.Finish(after);
}

template <class Key, class Cause>
auto Queue<Key, Cause>::Take(internal::QueueCore::AfterTake& after) -> Entry* {
  const TimePoint now = core_.Time();
  internal::BriefLock lock(core_.lock());
  auto* entry = static_cast<Entry*>(core_.Pop());
  if (entry == nullptr) return nullptr;
  if (entry->causes_next) {
    entry->work.causes = std::move(entry->next_causes);
    entry->causes_next = false;
    entry->causes_now = true;
  }
  if (entry->worked_priority != entry->priority) entry->work.priority = entry->worked_priority = entry->priority;
  after = core_.Begin(*entry, now);
  return entry;
}

template <class Key, class Cause>
auto Queue<Key, Cause>::Get(const StopToken& stop, TimePoint deadline) -> Item {
  if (stop.StopRequested()) return {};
  bool spun = deadline == TimePoint::min();
  for (;;) {
    internal::QueueCore::AfterTake after;
    if (Entry* entry = Take(after)) {
      core_.Finish(after);
      if (after.sweep) [[unlikely]]
        Sweep();
      return Item(this, entry);
    }
    if (deadline == TimePoint::min()) return {};
    if (!std::exchange(spun, true) && core_.SpinForWork()) continue;
    if (!core_.AwaitWork(deadline, stop)) return {};
  }
}

// After a time of many keys: what is idle becomes spare, and what is too much goes.
template <class Key, class Cause>
void Queue<Key, Cause>::Sweep() {
  std::vector<std::unique_ptr<Entry>> surplus;
  internal::BriefLock lock(core_.lock());
  core_.Sweep([&](internal::QueueEntry& idle) {
    if (spares_ < kMaxSpare) return KeepSpare(idle);
    surplus.emplace_back(static_cast<Entry*>(&idle));
  });
}

template <class Key, class Cause>
void Queue<Key, Cause>::End(Entry& entry) {
  if (std::exchange(entry.causes_now, false)) entry.work.causes.Clear();
  core_.Done(entry);
}

}  // namespace keelson
