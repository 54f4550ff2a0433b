#include "keelson/cache/internal/key_table.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <new>
#include <utility>

#include "keelson/core/random.h"

namespace keelson::internal {

namespace {

constexpr size_t kHugePage = size_t{2} << 20;

const KeyTable::Secrets& ProcessSecrets() {
  static const KeyTable::Secrets secrets{.seed = SecureRandom::Next(), .mask = SecureRandom::Next()};
  return secrets;
}
// Before main, and so outside of every simulation: drawn inside, they would be missing from that one's entropy, and the
// first run of a process would differ from a later one of the same seed.
[[maybe_unused]] const KeyTable::Secrets& drawn_before_main = ProcessSecrets();

}  // namespace

KeyTable::Table::Table(size_t size)
    : slots(static_cast<Slot*>(::operator new(
          size * sizeof(Slot), std::align_val_t(std::max(alignof(Slot), std::min(size * sizeof(Slot), kHugePage)))))),
      mask(size - 1),
      entries(std::make_unique<StoreEntry*[]>(size)) {
  // A lookup goes to any place of it, so on small pages each would also look for where the page is.
  if (size * sizeof(Slot) >= kHugePage) (void)::madvise(slots, size * sizeof(Slot), MADV_HUGEPAGE);
  std::uninitialized_value_construct_n(slots, size);
}

KeyTable::Table::~Table() {
  const size_t bytes = (mask + 1) * sizeof(Slot);
  ::operator delete(slots, std::align_val_t(std::max(alignof(Slot), std::min(bytes, kHugePage))));
}

KeyTable::~KeyTable() {
  Table* table = table_.load(std::memory_order_relaxed);
  if (table == nullptr) return;
  for (size_t i = 0; i <= table->mask; ++i) delete table->slots[i].held.load(std::memory_order_relaxed);
  delete table;
}

KeyTable::KeyTable(const ObjectModel& model) : secrets_(ProcessSecrets()), model_(model) {}

uint64_t KeyTable::HashOf(std::string_view namespace_, std::string_view name) const { return Hash(namespace_, name); }

// The text of a long key is in the object only.
bool KeyTable::IsLongKey(const Slot& slot, std::string_view namespace_, std::string_view name) const {
  const void* object = slot.object.load(std::memory_order_acquire);
  return object != nullptr && model_.is_named(object, namespace_, name);
}

ObjectPtr KeyTable::Get(const ReadScope&, std::string_view namespace_, std::string_view name) const {
  const Slot* slot = FindSlot(Hash(namespace_, name), namespace_, name);
  if (slot == nullptr) return nullptr;
  // Where the count of an object mostly is (ModelOf): fetched while the pointer that counts is.
  const auto object = reinterpret_cast<uintptr_t>(slot->object.load(std::memory_order_relaxed));
  __builtin_prefetch(reinterpret_cast<const void*>(object - sizeof(SectionMarks) - sizeof(uint64_t)), 1);
  const Held* held = slot->held.load(std::memory_order_acquire);
  return held == nullptr ? nullptr : held->object;
}

KeyTable::Known KeyTable::Find(uint64_t hash, std::string_view namespace_, std::string_view name) const {
  Slot* slot = FindSlot(hash, namespace_, name);
  if (slot == nullptr || slot->object.load(std::memory_order_relaxed) == nullptr) return {};
  const Table& table = *table_.load(std::memory_order_relaxed);
  return {slot, table.entries[static_cast<size_t>(slot - table.slots)]};
}

KeyTable::Known KeyTable::Find(uint64_t hash, const StoreEntry* entry) const {
  const Table* table = table_.load(std::memory_order_relaxed);
  if (table == nullptr) return {};
  for (size_t at = table->Home(hash); table->slots[at].hash.load(std::memory_order_relaxed) != 0;
       at = table->Next(at)) {
    if (table->entries[at] == entry) return {&table->slots[at], table->entries[at]};
  }
  return {};
}

const ObjectPtr& KeyTable::ObjectIn(const Slot& slot) { return slot.held.load(std::memory_order_relaxed)->object; }

void KeyTable::Insert(uint64_t hash, ObjectPtr object, StoreEntry* entry, RetiredList& retired) {
  const ObjectIdentity identity = model_.identify(object.get());
  const auto* held = new Held{std::move(object)};
  ++live_;
  if (Slot* slot = FindSlot(hash, identity.namespace_, identity.name)) {  // was there before
    const Table& table = *table_.load(std::memory_order_relaxed);
    table.entries[static_cast<size_t>(slot - table.slots)] = entry;
    slot->held.store(held, std::memory_order_release);
    slot->object.store(held->object.get(), std::memory_order_release);
    return;
  }
  const Table* table = table_.load(std::memory_order_relaxed);
  if (table == nullptr || 8 * (used_ + 1) > 5 * (table->mask + 1)) MakeAnew(live_, retired);
  Place(*table_.load(std::memory_order_relaxed), hash, held, entry);
  ++used_;
}

ObjectPtr KeyTable::Replace(Slot& slot, ObjectPtr object, RetiredList& retired) {
  std::unique_ptr<const Held> old(slot.held.load(std::memory_order_relaxed));
  const auto* held = new Held{std::move(object)};
  slot.held.store(held, std::memory_order_release);
  slot.object.store(held->object.get(), std::memory_order_release);
  ObjectPtr before = old->object;
  retired.Add(std::move(old));
  return before;
}

ObjectPtr KeyTable::Remove(Slot& slot, RetiredList& retired) {
  std::unique_ptr<const Held> old(slot.held.load(std::memory_order_relaxed));
  slot.object.store(nullptr, std::memory_order_release);
  slot.held.store(nullptr, std::memory_order_release);
  const Table& table = *table_.load(std::memory_order_relaxed);
  table.entries[static_cast<size_t>(&slot - table.slots)] = nullptr;
  --live_;
  ObjectPtr before = old->object;
  retired.Add(std::move(old));
  return before;
}

void KeyTable::Reserve(size_t keys, RetiredList& retired) {
  const Table* table = table_.load(std::memory_order_relaxed);
  if (table == nullptr || 8 * keys > 5 * (table->mask + 1)) MakeAnew(std::max(keys, live_), retired);
}

// At most half of the slots are used then, so that as many keys must come again before the next time.
void KeyTable::MakeAnew(size_t keys, RetiredList& retired) {
  auto made = std::make_unique<Table>(std::max<size_t>(8, std::bit_ceil(2 * keys)));
  std::unique_ptr<Table> before(table_.load(std::memory_order_relaxed));
  used_ = 0;
  for (size_t i = 0; before != nullptr && i <= before->mask; ++i) {
    const Slot& slot = before->slots[i];
    const Held* held = slot.held.load(std::memory_order_relaxed);
    if (held == nullptr) continue;
    Place(*made, slot.hash.load(std::memory_order_relaxed), held, before->entries[i]);
    ++used_;
  }
  table_.store(made.release(), std::memory_order_release);
  if (before != nullptr) {
    const size_t bytes = (before->mask + 1) * sizeof(Slot);
    retired.Add(std::move(before), bytes >= kHugePage / 8 ? RetiredList::kEnough : 1);
  }
}

void KeyTable::Place(Table& table, uint64_t hash, const Held* held, StoreEntry* entry) const {
  size_t at = table.Home(hash);
  while (table.slots[at].hash.load(std::memory_order_relaxed) != 0) at = table.Next(at);
  Slot& slot = table.slots[at];
  const ObjectIdentity identity = model_.identify(held->object.get());
  const size_t length = identity.namespace_.size() + 1 + identity.name.size();
  if (length <= slot.key.size()) {
    slot.length = static_cast<uint8_t>(length);
    std::copy(identity.namespace_.begin(), identity.namespace_.end(), slot.key.begin());
    std::copy(identity.name.begin(), identity.name.end(),
              slot.key.begin() + static_cast<std::ptrdiff_t>(identity.namespace_.size()) + 1);
  }
  table.entries[at] = entry;
  slot.object.store(held->object.get(), std::memory_order_relaxed);
  slot.held.store(held, std::memory_order_relaxed);
  slot.hash.store(hash, std::memory_order_release);
}

}  // namespace keelson::internal
