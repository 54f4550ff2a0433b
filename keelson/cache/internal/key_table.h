// Objects by key, for one writer and readers that take no lock: open addressing in slots of a cache line, in which a
// reader finds all it needs to know that this is the object.
//
// A slot that was given to a key stays that key's; when its object is taken out the slot remains, empty, until the
// table is made anew. So the text of a key is constant from the moment that readers see its hash, and the only things
// that change in a slot are two pointers. A table that fills up with keys, or with slots of keys that are gone, is
// followed by another of the right size; readers that are still inside read on in the old one.
//
// Readers are in a ReadScope (core/read_scope.h), which keeps whatever they find; what the writer takes out goes to a
// RetiredList.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "keelson/cache/internal/key_text.h"
#include "keelson/cache/object.h"
#include "keelson/core/read_scope.h"

namespace keelson::internal {

struct StoreEntry;

class KeyTable {
 public:
  // Of the process, so that nobody can prepare keys that collide.
  struct Secrets {
    uint64_t seed;
    uint64_t mask;
  };

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
  struct Slot;
  struct Known {
    Slot* slot = nullptr;  // good until the next Insert or Reserve
    StoreEntry* entry = nullptr;
    explicit operator bool() const { return entry != nullptr; }
  };
  Known Find(uint64_t hash, std::string_view namespace_, std::string_view name) const;
  Known Find(uint64_t hash, const StoreEntry* entry) const;
  static const ObjectPtr& ObjectIn(const Slot& slot);

  // A key that is not there.
  void Insert(uint64_t hash, ObjectPtr object, StoreEntry* entry, RetiredList& retired);
  // Gives back the object that was there.
  ObjectPtr Replace(Slot& slot, ObjectPtr object, RetiredList& retired);
  ObjectPtr Remove(Slot& slot, RetiredList& retired);
  // Makes room for so many keys in all.
  void Reserve(size_t keys, RetiredList& retired);

  template <class Visit>
  void ForEachEntry(Visit visit) const;

 private:
  // A pointer that a reader can copy, because it is never changed.
  struct Held {
    ObjectPtr object;
  };
  struct Table;

  uint64_t Hash(std::string_view namespace_, std::string_view name) const;
  bool IsLongKey(const Slot& slot, std::string_view namespace_, std::string_view name) const;
  Slot* FindSlot(uint64_t hash, std::string_view namespace_, std::string_view name) const;
  Slot* FindSlot(const Table& table, uint64_t hash, std::string_view namespace_, std::string_view name) const;
  void MakeAnew(size_t keys, RetiredList& retired);
  void Place(Table& table, uint64_t hash, const Held* held, StoreEntry* entry) const;

  // Constant after construction.
  const Secrets secrets_;
  const ObjectModel& model_;

  std::atomic<Table*> table_ = nullptr;
  // The writer's.
  alignas(64) size_t used_ = 0;  // slots that were given to keys
  size_t live_ = 0;              // of those, with an object
};

// A cache line.
struct alignas(64) KeyTable::Slot {
  static constexpr uint8_t kLong = 255;

  bool IsShortKey(std::string_view namespace_, std::string_view name) const;

  std::atomic<uint64_t> hash = 0;  // 0: given to no key; what stands below is set before it
  std::atomic<const void*> object = nullptr;
  std::atomic<const Held*> held = nullptr;
  uint8_t length = kLong;      // of the key, where it has room here; a longer one is compared in the object
  std::array<char, 39> key{};  // namespace, a zero, name
};

struct KeyTable::Table {
  explicit Table(size_t size);
  ~Table();
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;

  size_t Home(uint64_t hash) const { return (hash >> 8) & mask; }
  size_t Next(size_t at) const { return (at + 1) & mask; }

  Slot* const slots;
  const size_t mask;
  // For the writer: what belongs to the slot of that number.
  const std::unique_ptr<StoreEntry*[]> entries;
};

[[gnu::always_inline]] inline uint64_t KeyTable::Hash(std::string_view namespace_, std::string_view name) const {
  return HashText(name, HashText(namespace_, secrets_.seed, secrets_.mask), secrets_.mask) | 1;
}

[[gnu::always_inline]] inline bool KeyTable::Slot::IsShortKey(std::string_view namespace_,
                                                              std::string_view name) const {
  return length == namespace_.size() + 1 + name.size() && key[namespace_.size()] == '\0' &&
         EqualTexts(key.data() + namespace_.size() + 1, name.data(), name.size()) &&
         EqualTexts(key.data(), namespace_.data(), namespace_.size());
}

// The slot of the key, in which there may be no object any more.
[[gnu::always_inline]] inline KeyTable::Slot* KeyTable::FindSlot(const Table& table, uint64_t hash,
                                                                 std::string_view namespace_,
                                                                 std::string_view name) const {
  for (size_t at = table.Home(hash);; at = table.Next(at)) {
    Slot& slot = table.slots[at];
    const uint64_t found = slot.hash.load(std::memory_order_acquire);
    if (found == hash) [[likely]] {
      if (slot.length == Slot::kLong ? IsLongKey(slot, namespace_, name) : slot.IsShortKey(namespace_, name)) [[likely]]
        return &slot;
    }
    if (found == 0) return nullptr;
  }
}

[[gnu::always_inline]] inline KeyTable::Slot* KeyTable::FindSlot(uint64_t hash, std::string_view namespace_,
                                                                 std::string_view name) const {
  const Table* table = table_.load(std::memory_order_acquire);
  if (table == nullptr) [[unlikely]]
    return nullptr;
  return FindSlot(*table, hash, namespace_, name);
}

[[gnu::always_inline]] inline const void* KeyTable::Find(const ReadScope&, std::string_view namespace_,
                                                         std::string_view name) const {
  const Slot* slot = FindSlot(Hash(namespace_, name), namespace_, name);
  return slot == nullptr ? nullptr : slot->object.load(std::memory_order_acquire);
}

// Three steps for each key, with others' steps in between: where its slot must be, which object is in the slot, the
// visit. What a step needs was asked for when the one before it was done.
template <class KeyOf, class Visit>
void KeyTable::FindEach(const ReadScope&, size_t count, KeyOf key_of, Visit visit) const {
  constexpr size_t kAhead = 8;  // keys between two steps
  constexpr size_t kRing = 2 * kAhead;
  const Table* table = table_.load(std::memory_order_acquire);
  if (table == nullptr) {
    for (size_t i = 0; i < count; ++i) visit(i, nullptr);
    return;
  }
  uint64_t hashes[kRing];
  const void* objects[kRing];
  for (size_t step = 0; step < count + 2 * kAhead; ++step) {
    if (step < count) {
      const auto [namespace_, name] = key_of(step);
      const uint64_t hash = hashes[step % kRing] = Hash(namespace_, name);
      __builtin_prefetch(&table->slots[table->Home(hash)]);
    }
    if (const size_t i = step - kAhead; step >= kAhead && i < count) {
      const auto [namespace_, name] = key_of(i);
      const Slot* slot = FindSlot(*table, hashes[i % kRing], namespace_, name);
      const void* object = slot == nullptr ? nullptr : slot->object.load(std::memory_order_acquire);
      objects[i % kRing] = object;
      __builtin_prefetch(object);
    }
    if (const size_t i = step - 2 * kAhead; step >= 2 * kAhead) visit(i, objects[i % kRing]);
  }
}

template <class Visit>
void KeyTable::ForEachEntry(Visit visit) const {
  const Table* table = table_.load(std::memory_order_relaxed);
  if (table == nullptr) return;
  for (size_t i = 0; i <= table->mask; ++i) {
    if (table->slots[i].object.load(std::memory_order_relaxed) != nullptr) visit(*table->entries[i]);
  }
}

}  // namespace keelson::internal
