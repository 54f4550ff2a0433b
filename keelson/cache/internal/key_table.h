// Objects by key, for one writer and readers that take no lock: open addressing in groups of seven keys.
//
// What a lookup costs is waiting for memory, so it goes to three places and to two of them at once. A group is a cache
// line with a byte of each key's hash and the objects; it says nearly for certain which object it is, and as several
// keys share it it is more often in the processor's cache. While the object is on its way the text of the key is
// fetched and compared, from a line of its own. Which of the seven it is is computed and not branched on: a processor
// that guessed wrong would throw away the lookups behind this one, which it has begun meanwhile.
//
// A slot that was given to a key stays that key's; when its object is taken out the slot remains, empty, until the
// table is made anew. So the text of a key is constant from the moment that readers see its tag, and the only things
// that change are two pointers. A table that fills up with keys, or with slots of keys that are gone, is followed by
// another of the right size; readers that are still inside read on in the old one.
//
// Readers are in a ReadScope (core/read_scope.h), which keeps whatever they find; what the writer takes out goes to a
// RetiredList.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "keelson/cache/internal/key_pieces.h"
#include "keelson/cache/object.h"
#include "keelson/core/read_scope.h"

namespace keelson::internal {

struct StoreEntry;

class KeyTable {
 public:
  explicit KeyTable(const ObjectModel& model);
  ~KeyTable();  // no reader is inside any more
  KeyTable(const KeyTable&) = delete;
  KeyTable& operator=(const KeyTable&) = delete;

  // For readers. Null when it is not there.
  const void* Find(const ReadScope& scope, std::string_view namespace_, std::string_view name) const;
  ObjectPtr Get(const ReadScope& scope, std::string_view namespace_, std::string_view name) const;
  // Find for many: calls visit(i, found) for each i below count, in order. key_of(i) gives a pair of namespace and
  // name. While one is visited the memory of the next ones is on its way.
  template <class KeyOf, class Visit>
  void FindEach(const ReadScope& scope, size_t count, KeyOf key_of, Visit visit) const;

  // The rest is for the writer, one at a time.
  uint64_t HashOf(std::string_view namespace_, std::string_view name) const;
  // Where a key is, good until the next Insert or Reserve.
  struct Place {
    std::atomic<const void*>* object = nullptr;
    size_t slot = 0;
    explicit operator bool() const { return object != nullptr; }
  };
  struct Known {
    Place place = {};
    StoreEntry* entry = nullptr;
    explicit operator bool() const { return entry != nullptr; }
  };
  Known Find(std::string_view namespace_, std::string_view name) const;
  Known Find(uint64_t hash, const StoreEntry* entry) const;

  // Three steps for who is going to ask for a key: each asks for the memory that the next looks at.
  void FetchGroup(uint64_t hash) const;
  // The slot where the key of that hash probably is, if it is there.
  std::optional<size_t> FetchSlot(uint64_t hash) const;
  struct Occupant {
    const void* object;
    StoreEntry* entry;
  };
  Occupant FetchOccupant(size_t slot) const;

  // A key that is not there.
  void Insert(ObjectPtr object, StoreEntry* entry, RetiredList& retired);
  // Gives back the object that was there.
  ObjectPtr Replace(const Place& place, ObjectPtr object, RetiredList& retired);
  ObjectPtr Remove(const Place& place, RetiredList& retired);
  // Makes room for so many keys in all.
  void Reserve(size_t keys, RetiredList& retired);
  // Takes out all objects. For the end, when no reader is inside any more.
  void Clear(RetiredList& retired);

  template <class Visit>
  void ForEachEntry(Visit visit) const;

 private:
  // A pointer that a reader can copy, because it is never changed.
  struct Held {
    ObjectPtr object;
  };
  struct Group;
  struct Table;

  const void* Find(const Table& table, std::string_view namespace_, std::string_view name) const;
  // Where there may be no object any more.
  Place FindPlace(const Table& table, std::string_view namespace_, std::string_view name) const;
  Place FindAnywhere(const Table& table, std::string_view namespace_, std::string_view name) const;
  static ObjectPtr Retire(std::unique_ptr<const Held> old, RetiredList& retired);
  static bool IsCrowded(const Table& table, size_t keys);
  void MakeAnew(size_t keys, RetiredList& retired);
  void PutInto(Table& table, const Held* held, StoreEntry* entry) const;

  // Constant after construction.
  const KeySecrets secrets_;
  const ObjectModel& model_;

  std::atomic<Table*> table_;  // never null
  // The writer's.
  alignas(64) size_t used_ = 0;  // slots that were given to keys
  size_t live_ = 0;              // of those, with an object
};

// A cache line.
struct alignas(64) KeyTable::Group {
  static constexpr size_t kKeys = 7;
  static constexpr uint64_t kBytes = 0x0001'0101'0101'0101;  // a one for each key
  static constexpr uint64_t kHighBits = kBytes << 7;

  // Never 0, and independent of where the group is.
  static uint64_t TagOf(uint64_t hash) { return (hash & 0x7f) | 0x80; }
  // The high bit of each byte of `tags` that is `tag`, and perhaps of others behind the first of those.
  static uint64_t Matches(uint64_t tags, uint64_t tag) {
    const uint64_t difference = tags ^ (tag * kBytes);
    return (difference - kBytes) & ~difference & kHighBits;
  }
  static size_t NumberOf(uint64_t match) { return static_cast<unsigned>(std::countr_zero(match)) / 8; }
  static bool IsFull(uint64_t tags) { return (tags >> 8 * (kKeys - 1)) != 0; }
  static size_t CountOf(uint64_t tags) { return (64 - static_cast<size_t>(std::countl_zero(tags))) / 8; }

  std::atomic<uint64_t> tags = 0;  // filled from the lowest byte on; what belongs to a tag is set before it
  std::array<std::atomic<const void*>, kKeys> objects{};
};

struct KeyTable::Table {
  explicit Table(size_t group_count);
  ~Table();
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;

  // By the upper bits of the hash.
  size_t Home(uint64_t hash) const {
    return static_cast<size_t>(static_cast<unsigned __int128>(hash) * group_count >> 64);
  }
  size_t Next(size_t group) const { return group + 1 == group_count ? 0 : group + 1; }
  size_t slot_count() const { return group_count * Group::kKeys; }
  static size_t BytesOf(size_t group_count);

  const size_t group_count;
  Group* const groups;
  // By number of the slot; in the same piece of memory.
  KeyPieces* const keys;
  std::atomic<const Held*>* const held;
  StoreEntry** const entries;  // the writer's
};

// What is usual stands here: a key whose texts have usual lengths, in the group where it belongs, at the first place
// with its tag. Whatever else may be is left to FindAnywhere.
[[gnu::always_inline]] inline KeyTable::Place KeyTable::FindPlace(const Table& table, std::string_view namespace_,
                                                                  std::string_view name) const {
  if (UsualKey::Is(namespace_, name)) [[likely]] {
    const UsualKey key(namespace_, name);
    const uint64_t hash = key.Hash(secrets_);
    const size_t home = table.Home(hash);
    Group& group = table.groups[home];
    const uint64_t match = Group::Matches(group.tags.load(std::memory_order_acquire), Group::TagOf(hash));
    if (match != 0) [[likely]] {
      const size_t number = Group::NumberOf(match);
      const size_t slot = home * Group::kKeys + number;
      if (key == table.keys[slot]) [[likely]]
        return {&group.objects[number], slot};
    }
  }
  return FindAnywhere(table, namespace_, name);
}

[[gnu::always_inline]] inline const void* KeyTable::Find(const Table& table, std::string_view namespace_,
                                                         std::string_view name) const {
  const Place place = FindPlace(table, namespace_, name);
  return place ? place.object->load(std::memory_order_acquire) : nullptr;
}

[[gnu::always_inline]] inline const void* KeyTable::Find(const ReadScope&, std::string_view namespace_,
                                                         std::string_view name) const {
  return Find(*table_.load(std::memory_order_acquire), namespace_, name);
}

// Three steps for each key, with others' steps in between: which group it is in, which object and text it probably is,
// the visit. What a step needs was asked for when the one before it was done.
template <class KeyOf, class Visit>
void KeyTable::FindEach(const ReadScope&, size_t count, KeyOf key_of, Visit visit) const {
  constexpr size_t kAhead = 8;  // keys between two steps
  constexpr size_t kRing = 2 * kAhead;
  const Table* table = table_.load(std::memory_order_acquire);
  uint64_t hashes[kRing];
  for (size_t step = 0; step < count + 2 * kAhead; ++step) {
    if (const size_t i = step - 2 * kAhead; step >= 2 * kAhead) {
      const auto [namespace_, name] = key_of(i);
      visit(i, Find(*table, namespace_, name));
    }
    if (const size_t i = step - kAhead; step >= kAhead && i < count) {
      const size_t at = table->Home(hashes[i % kRing]);
      const Group& group = table->groups[at];
      const uint64_t tags = group.tags.load(std::memory_order_relaxed);
      if (const uint64_t match = Group::Matches(tags, Group::TagOf(hashes[i % kRing]))) [[likely]] {
        const size_t number = Group::NumberOf(match);
        __builtin_prefetch(&table->keys[at * Group::kKeys + number]);
        __builtin_prefetch(group.objects[number].load(std::memory_order_relaxed));
      }
    }
    if (step < count) {
      const auto [namespace_, name] = key_of(step);
      const uint64_t hash = hashes[step % kRing] =
          UsualKey::Is(namespace_, name) ? UsualKey(namespace_, name).Hash(secrets_) : HashOf(namespace_, name);
      __builtin_prefetch(&table->groups[table->Home(hash)]);
    }
  }
}

template <class Visit>
void KeyTable::ForEachEntry(Visit visit) const {
  const Table* table = table_.load(std::memory_order_relaxed);
  for (size_t i = 0; i < table->slot_count(); ++i) {
    if (table->entries[i] != nullptr) visit(*table->entries[i]);
  }
}

}  // namespace keelson::internal
