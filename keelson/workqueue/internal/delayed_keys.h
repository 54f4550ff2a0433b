// Keys that wait for their time: a heap by time, and a table by key, over slots of about 40 bytes.
//
// Slots stand in blocks and are named by a number of 32 bits, and both heap and table are arrays of these numbers; a
// pointer and an allocation for each would double the memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <utility>
#include <vector>

#include "keelson/core/time.h"
#include "keelson/workqueue/causes.h"
#include "keelson/workqueue/internal/key_hash.h"
#include "keelson/workqueue/internal/text_slab.h"
#include "keelson/workqueue/key_packing.h"

namespace keelson::internal {

template <class Key>
concept PackedKey = requires(const Key& key) { KeyPacking<Key>::Unpack(KeyPacking<Key>::Pack(key)); };

// Keys as they are.
template <class Key>
class KeyStore {
 public:
  using Stored = Key;
  static const Key& Comparable(const Key& key) { return key; }
  Stored Store(const Key& key) { return key; }
  static bool Equal(const Stored& stored, const Key& key) { return stored == key; }
  Key Take(Stored& stored) { return std::move(stored); }
};

// Keys as texts.
template <PackedKey Key>
class KeyStore<Key> {
 public:
  using Stored = char*;
  static auto Comparable(const Key& key) { return KeyPacking<Key>::Pack(key); }
  Stored Store(std::string_view text) { return slab_.Store(text); }
  static bool Equal(const Stored& stored, std::string_view text) { return TextSlab::View(stored) == text; }
  Key Take(Stored& stored) {
    Key key = KeyPacking<Key>::Unpack(TextSlab::View(stored));
    slab_.Free(stored);
    return key;
  }

 private:
  TextSlab slab_;
};

// Not thread-safe. Each key is there once.
template <class Key, class Cause>
class DelayedKeys {
 public:
  struct Due {
    Key key;
    TimePoint at;
    int32_t priority = 0;
    Causes<Cause> causes;
  };

  DelayedKeys() = default;
  DelayedKeys(const DelayedKeys&) = delete;
  DelayedKeys& operator=(const DelayedKeys&) = delete;
  ~DelayedKeys() { Clear(); }

  bool empty() const { return heap_.empty(); }
  size_t size() const { return heap_.size(); }
  // Requires !empty().
  TimePoint NextTime() const { return At(heap_.front()).time; }

  // A key that is there already keeps the earlier time and the higher priority, and has the causes of both.
  void Add(const Key& key, TimePoint time, int32_t priority, Causes<Cause> causes) {
    const uint32_t hash = HashKey(key);
    const auto& comparable = KeyStore<Key>::Comparable(key);
    for (Index at = table_.empty() ? kNone : table_[hash & (table_.size() - 1)]; at != kNone; at = At(at).chain) {
      Slot& slot = At(at);
      if (slot.hash != hash || !KeyStore<Key>::Equal(slot.key, comparable)) continue;
      slot.causes.Merge(std::move(causes));
      slot.priority = std::max(slot.priority, priority);
      if (time < slot.time) {
        slot.time = time;
        SiftUp(slot.heap_at, at);
      }
      return;
    }
    heap_.reserve(heap_.size() + 1 > heap_.capacity() ? std::max<size_t>(64, heap_.size() * 2) : 0);
    if (heap_.size() >= table_.size()) Resize(std::max<size_t>(64, table_.size() * 2));
    const Index at = Allocate();
    new (Bytes(at)) Slot{.key = keys_.Store(comparable),
                         .time = time,
                         .causes = std::move(causes),
                         .priority = priority,
                         .hash = hash,
                         .chain = std::exchange(table_[hash & (table_.size() - 1)], at)};
    heap_.push_back(at);
    SiftUp(static_cast<Index>(heap_.size() - 1), at);
  }

  // The earliest key whose time is not after `now`.
  std::optional<Due> TakeDue(TimePoint now) {
    if (empty() || NextTime() > now) return std::nullopt;
    const Index at = heap_.front();
    Slot& slot = At(at);
    Index* link = &table_[slot.hash & (table_.size() - 1)];
    while (*link != at) link = &At(*link).chain;
    *link = slot.chain;
    Due due{.key = keys_.Take(slot.key), .at = slot.time, .priority = slot.priority, .causes = std::move(slot.causes)};
    const Index last = heap_.back();
    heap_.pop_back();
    if (!heap_.empty()) SiftDown(0, last);
    slot.~Slot();
    // A free slot is its bytes, and the first of them name the next free one.
    new (Bytes(at)) FreeSlot{std::exchange(free_, at)};
    if (heap_.empty() && blocks_.size() > 1) Clear();
    return due;
  }

  void Clear() {
    for (const Index at : heap_) {
      keys_.Take(At(at).key);
      At(at).~Slot();
    }
    // Not `= {}`, which keeps the memory.
    std::vector<Index>().swap(heap_);
    std::vector<Index>().swap(table_);
    std::vector<std::unique_ptr<Block>>().swap(blocks_);
    free_ = kNone;
    slots_ = 0;
  }

 private:
  using Index = uint32_t;
  static constexpr Index kNone = UINT32_MAX;
  static constexpr Index kBlockSlots = 1024;
  static constexpr Index kArity = 4;  // flatter than a binary heap: fewer cache misses

  struct Slot {
    typename KeyStore<Key>::Stored key;
    TimePoint time;
    Causes<Cause> causes;
    int32_t priority = 0;
    uint32_t hash = 0;
    Index chain = kNone;  // the next in its place of the table
    Index heap_at = 0;
  };
  struct FreeSlot {
    Index next;
  };
  struct Block {
    alignas(Slot) unsigned char bytes[kBlockSlots * sizeof(Slot)];
  };

  void* Bytes(Index at) const { return blocks_[at / kBlockSlots]->bytes + at % kBlockSlots * sizeof(Slot); }
  Slot& At(Index at) const { return *std::launder(static_cast<Slot*>(Bytes(at))); }

  Index Allocate() {
    if (free_ != kNone) {
      const Index at = free_;
      free_ = std::launder(static_cast<FreeSlot*>(Bytes(at)))->next;
      return at;
    }
    if (slots_ == blocks_.size() * kBlockSlots) blocks_.push_back(std::make_unique_for_overwrite<Block>());
    return slots_++;
  }

  void Resize(size_t places) {
    table_.assign(places, kNone);
    for (const Index at : heap_) {
      Slot& slot = At(at);
      slot.chain = std::exchange(table_[slot.hash & (places - 1)], at);
    }
  }

  void Place(Index position, Index at) {
    heap_[position] = at;
    At(at).heap_at = position;
  }
  void SiftUp(Index position, Index at) {
    while (position > 0) {
      const Index parent = (position - 1) / kArity;
      if (!(At(at).time < At(heap_[parent]).time)) break;
      Place(position, heap_[parent]);
      position = parent;
    }
    Place(position, at);
  }
  void SiftDown(Index position, Index at) {
    while (true) {
      const size_t first = size_t{position} * kArity + 1;
      const size_t end = std::min(first + kArity, heap_.size());
      if (first >= end) break;
      size_t earliest = first;
      for (size_t child = first + 1; child < end; ++child) {
        if (At(heap_[child]).time < At(heap_[earliest]).time) earliest = child;
      }
      if (!(At(heap_[earliest]).time < At(at).time)) break;
      Place(position, heap_[earliest]);
      position = static_cast<Index>(earliest);
    }
    Place(position, at);
  }

  KeyStore<Key> keys_;
  std::vector<Index> heap_;
  std::vector<Index> table_;  // a power of two places
  std::vector<std::unique_ptr<Block>> blocks_;
  Index free_ = kNone;
  Index slots_ = 0;  // that were ever used, of those in blocks
};

}  // namespace keelson::internal
