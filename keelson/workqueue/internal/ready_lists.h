// The keys that wait for a worker, in the order in which they are handed out: higher priority first, within one
// priority first come first served, and nobody is passed over for ever.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "keelson/core/time.h"
#include "keelson/workqueue/internal/prefetch.h"

namespace keelson::internal {

// What the queue knows about one key, apart from the key. Guarded by the queue's lock, except where it says otherwise.
//
// Adders and workers on different processors pass it to each other, so it fits a cache line.
struct QueueEntry {
  enum class State : uint8_t {
    kIdle,          // in no list but, perhaps, that of the taken ones
    kWaiting,       // in the ready lists
    kRunning,       // a worker has it
    kRunningAgain,  // a worker has it, and it was added since: it will wait again when that one is done
  };
  static constexpr uint32_t kNowhere = 0xffffffff;

  QueueEntry* chain = nullptr;  // the next in its place of the table, or among the spare ones
  uint64_t ready_at = 0;        // its place in the ready list of its priority
  uint64_t ticket = 0;          // grows in the order of waiting
  TimePoint added{};            // with metrics only
  TimePoint started{};          // with metrics only
  uint32_t hash = 0;
  int32_t priority = 0;                     // while it waits or will wait again
  int32_t worked_priority = 0;              // that of Work, which is not looked at while this is right
  uint32_t taken_at = kNowhere;             // its place among the taken ones
  std::atomic<State> state = State::kIdle;  // from running to idle without the lock, all else with it
  bool causes_next = false;                 // there are causes for the next run
  bool causes_now = false;                  // there are causes of this run: the worker's
};
static_assert(sizeof(QueueEntry) <= 64);

// First in, first out, in an array: what comes next is known early enough to be fetched from another processor's cache
// while something else is done.
class EntryRing {
 public:
  bool empty() const { return head_ == tail_; }
  // Requires !empty().
  QueueEntry& first() const { return *At(head_); }

  void Append(QueueEntry& entry) {
    if (tail_ - head_ == places_.size()) [[unlikely]]
      Resize(std::max<size_t>(16, places_.size() * 2));
    entry.ready_at = tail_;
    At(tail_++) = &entry;
  }
  void Remove(QueueEntry& entry) {
    At(entry.ready_at) = nullptr;
    while (head_ != tail_ && At(head_) == nullptr) ++head_;
    if (head_ + kAhead < tail_) PrefetchForWrite(At(head_ + kAhead));
    if (places_.size() > kLarge && tail_ - head_ < places_.size() / 8) [[unlikely]]
      Resize(places_.size() / 4);
  }

 private:
  static constexpr uint64_t kAhead = 16;
  static constexpr size_t kLarge = 4096;  // a longer one gives memory back

  QueueEntry*& At(uint64_t place) { return places_[place & (places_.size() - 1)]; }
  QueueEntry* At(uint64_t place) const { return places_[place & (places_.size() - 1)]; }
  void Resize(size_t size);

  std::vector<QueueEntry*> places_;  // a power of two, or none; null where an entry was removed from the middle
  uint64_t head_ = 0;                // the place of the first entry, counted from the beginning of time
  uint64_t tail_ = 0;                // the one behind the last
};

// Ageing counts keys, not time, so that it needs no clock: the key that has waited longest is passed over at most
// kMaxPassedOver times in a row. Whoever finds n keys waiting is therefore taken after at most (n + 1) * 16 others.
// Not thread-safe.
class ReadyLists {
 public:
  static constexpr int kMaxPassedOver = 15;

  bool empty() const { return size_ == 0; }
  size_t size() const { return size_; }
  void Push(QueueEntry& entry) {
    Level& level = LevelOf(entry.priority);
    if (level.entries.empty()) ++occupied_;
    entry.ticket = ++last_ticket_;
    level.entries.Append(entry);
    ++size_;
  }
  // Requires !empty().
  QueueEntry& Pop() {
    if (occupied_ == 1) passed_over_ = 0;
    Level& level = occupied_ == 1 ? Top() : Choose();
    QueueEntry& entry = level.entries.first();
    Remove(level, entry);
    return entry;
  }
  // Moves a waiting entry behind those of a higher priority, as if it had come now.
  void Raise(QueueEntry& entry, int32_t priority);

 private:
  struct Level {
    int32_t priority = 0;
    EntryRing entries;
  };

  Level& LevelOf(int32_t priority) {
    if (!levels_.empty() && levels_.front().priority == priority) return levels_.front();
    return FindOrMakeLevel(priority);
  }
  Level& FindOrMakeLevel(int32_t priority);
  Level& Top() {
    auto at = levels_.begin();
    while (at->entries.empty()) ++at;
    return *at;
  }
  // The level whose first entry is next.
  Level& Choose();
  void Remove(Level& level, QueueEntry& entry) {
    level.entries.Remove(entry);
    if (level.entries.empty()) --occupied_;
    --size_;
  }

  std::vector<Level> levels_;  // highest first; empty ones stay until there are many
  size_t occupied_ = 0;        // levels that are not empty
  size_t size_ = 0;
  uint64_t last_ticket_ = 0;
  int passed_over_ = 0;
};

}  // namespace keelson::internal
