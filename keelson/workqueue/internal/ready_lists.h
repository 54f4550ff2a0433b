// The keys that wait for a worker, in the order in which they are handed out: higher priority first, within one
// priority first come first served, and nobody is passed over for ever.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "keelson/core/time.h"

namespace keelson::internal {

// What the queue knows about one key, apart from the key. All of it is guarded by the queue's mutex.
struct QueueEntry {
  enum class State : uint8_t {
    kNew,           // in no list
    kWaiting,       // in the ready lists
    kRunning,       // a worker has it
    kRunningAgain,  // a worker has it, and it was added since: it will wait again when that one is done
  };

  QueueEntry* chain = nullptr;  // the next in its place of the table
  // In the ready list of its priority, or in the list of running ones.
  QueueEntry* next = nullptr;
  QueueEntry* previous = nullptr;
  uint64_t ticket = 0;  // grows in the order of waiting
  uint32_t hash = 0;
  int32_t priority = 0;  // while it waits or will wait again
  State state = State::kNew;
  TimePoint added{};    // with metrics only
  TimePoint started{};  // with metrics only
};

// A doubly linked list through the entries.
struct EntryList {
  QueueEntry* first = nullptr;
  QueueEntry* last = nullptr;

  void Append(QueueEntry& entry) {
    entry.next = nullptr;
    entry.previous = last;
    (last != nullptr ? last->next : first) = &entry;
    last = &entry;
  }
  void Remove(QueueEntry& entry) {
    (entry.previous != nullptr ? entry.previous->next : first) = entry.next;
    (entry.next != nullptr ? entry.next->previous : last) = entry.previous;
  }
};

// Ageing counts keys, not time, so that it needs no clock: the key that has waited longest is passed over at most
// kMaxPassedOver times in a row. Whoever finds n keys waiting is therefore taken after at most (n + 1) * 16 others.
// Not thread-safe.
class ReadyLists {
 public:
  static constexpr int kMaxPassedOver = 15;

  bool empty() const { return size_ == 0; }
  size_t size() const { return size_; }

  void Push(QueueEntry& entry);
  // Requires !empty().
  QueueEntry& Pop();
  // Moves a waiting entry behind those of a higher priority, as if it had come now.
  void Raise(QueueEntry& entry, int32_t priority);

 private:
  struct Level {
    int32_t priority = 0;
    EntryList entries;
  };

  Level& LevelOf(int32_t priority);
  Level& Choose();
  void Remove(Level& level, QueueEntry& entry);

  std::vector<Level> levels_;  // highest first; empty ones stay until there are many
  size_t occupied_ = 0;        // levels that are not empty
  size_t size_ = 0;
  uint64_t last_ticket_ = 0;
  int passed_over_ = 0;
};

}  // namespace keelson::internal
