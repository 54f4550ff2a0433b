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

template <class Visit>
void KeyTable::ForEachEntry(Visit visit) const {
  const Table* table = table_.load(std::memory_order_relaxed);
  if (table == nullptr) return;
  for (size_t i = 0; i <= table->mask; ++i) {
    if (table->slots[i].object.load(std::memory_order_relaxed) != nullptr) visit(*table->entries[i]);
  }
}

}  // namespace keelson::internal
