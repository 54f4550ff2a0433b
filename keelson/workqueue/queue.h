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

#include "keelson/core/stop_token.h"
#include "keelson/core/time.h"
#include "keelson/workqueue/causes.h"
#include "keelson/workqueue/internal/brief_lock.h"
#include "keelson/workqueue/internal/key_hash.h"
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
  struct Entry : internal::QueueEntry {
    // Constant while a worker has it, and read by that one without the lock.
    Work<Key, CauseType> work;
    // Guarded by the core's mutex, as the base is.
    Causes<CauseType> next_causes;
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
    core_.ForEach([](internal::QueueEntry& entry) { delete static_cast<Entry*>(&entry); });
    while (spare_ != nullptr) delete std::exchange(spare_, static_cast<Entry*>(spare_->next));
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
  Entry& FindOrInsert(const Key& key, uint32_t hash);
  void End(Entry& entry);
  static Entry* Begin(internal::QueueEntry* taken);

  internal::QueueCore core_;
  // Guarded by core_.mutex(). Entries of keys that are gone, linked by `next`: their keys keep their buffers for
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
auto Queue<Key, Cause>::FindOrInsert(const Key& key, uint32_t hash) -> Entry& {
  if (Entry* found = Find(key, hash)) return *found;
  std::unique_ptr<Entry> entry(spare_ != nullptr ? spare_ : new Entry);
  if (entry.get() == spare_) {
    spare_ = static_cast<Entry*>(entry->next);
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
  MutexLock lock(core_.mutex());
  for (internal::QueueEntry* at = core_.running(); at != nullptr && keys.size() < at_most; at = at->next) {
    keys.push_back(static_cast<Entry*>(at)->work.key);
  }
  return keys;
}

template <class Key, class Cause>
void Queue<Key, Cause>::Add(const Key& key, AddOptions options) {
  const uint32_t hash = internal::HashKey(key);
  const TimePoint now = core_.Time();
  internal::QueueCore::AfterAdd after;
  {
    internal::BriefLock lock(core_.mutex());
    if (core_.shutting_down()) return;
    Entry& entry = FindOrInsert(key, hash);
    entry.next_causes.Merge(std::move(options.causes));
    after = core_.Add(entry, options.priority, now);
  }
  core_.Finish(after);
}

template <class Key, class Cause>
auto Queue<Key, Cause>::Begin(internal::QueueEntry* taken) -> Entry* {
  auto* entry = static_cast<Entry*>(taken);
  if (entry == nullptr) return nullptr;
  entry->work.causes = std::move(entry->next_causes);
  entry->work.priority = entry->priority;
  return entry;
}

template <class Key, class Cause>
auto Queue<Key, Cause>::Get(const StopToken& stop, TimePoint deadline) -> Item {
  if (stop.StopRequested()) return {};
  const TimePoint now = core_.Time();
  internal::QueueCore::AfterTake after;
  Entry* entry = nullptr;
  {
    internal::BriefLock lock(core_.mutex());
    after = core_.Take(now);
    entry = Begin(after.entry);
  }
  if (entry == nullptr && deadline != TimePoint::min()) {
    MutexLock lock(core_.mutex());
    if (core_.AwaitWork(lock, deadline, stop)) {
      after = core_.Take(core_.Time());
      entry = Begin(after.entry);
    }
  }
  if (entry == nullptr) return {};
  core_.Finish(after);
  return Item(this, entry);
}

template <class Key, class Cause>
void Queue<Key, Cause>::End(Entry& entry) {
  Causes<Cause> causes = std::move(entry.work.causes);  // destroyed outside the lock
  const TimePoint now = core_.Time();
  internal::QueueCore::AfterDone after;
  std::unique_ptr<Entry> surplus;
  {
    internal::BriefLock lock(core_.mutex());
    after = core_.Done(entry, now);
    if (after.forget && spares_ < kMaxSpare) {
      entry.next = std::exchange(spare_, &entry);
      ++spares_;
    } else if (after.forget) {
      surplus.reset(&entry);
    }
  }
  core_.Finish(after);
}

}  // namespace keelson
