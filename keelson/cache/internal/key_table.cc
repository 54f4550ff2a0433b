#include "keelson/cache/internal/key_table.h"

#include <sys/mman.h>

#include <algorithm>
#include <new>
#include <utility>

#include "keelson/core/random.h"

namespace keelson::internal {

namespace {

constexpr size_t kHugePage = size_t{2} << 20;

const KeySecrets& ProcessSecrets() {
  static const KeySecrets secrets{.first = SecureRandom::Next(), .second = SecureRandom::Next()};
  return secrets;
}
// Before main, and so outside of every simulation: drawn inside, they would be missing from that one's entropy, and the
// first run of a process would differ from a later one of the same seed.
[[maybe_unused]] const KeySecrets& drawn_before_main = ProcessSecrets();

// A large piece begins on a page that can be huge.
std::align_val_t AlignmentOf(size_t bytes) { return std::align_val_t(bytes >= kHugePage ? kHugePage : 64); }

// Where the count of an object mostly is (ModelOf).
void PrefetchCount(const void* object) {
  const auto at = reinterpret_cast<uintptr_t>(object) - sizeof(SectionMarks) - sizeof(uint64_t);
  __builtin_prefetch(reinterpret_cast<const void*>(at), 1);
}

}  // namespace

KeyTable::Table::Table(size_t group_count)
    : group_count(group_count),
      groups(static_cast<Group*>(::operator new(BytesOf(group_count), AlignmentOf(BytesOf(group_count))))),
      keys(reinterpret_cast<KeyPieces*>(groups + group_count)),
      held(reinterpret_cast<std::atomic<const Held*>*>(keys + slot_count())),
      entries(reinterpret_cast<StoreEntry**>(held + slot_count())) {
  static_assert(sizeof(Group) == 64 && sizeof(KeyPieces) == 64);
  // A lookup goes to any place of it, so on small pages each would also look for where the page is.
  if (BytesOf(group_count) >= kHugePage) (void)::madvise(groups, BytesOf(group_count), MADV_HUGEPAGE);
  std::uninitialized_value_construct_n(groups, group_count);
  std::uninitialized_value_construct_n(keys, slot_count());
  std::uninitialized_value_construct_n(held, slot_count());
  std::uninitialized_value_construct_n(entries, slot_count());
}

KeyTable::Table::~Table() { ::operator delete(groups, AlignmentOf(BytesOf(group_count))); }

size_t KeyTable::Table::BytesOf(size_t group_count) {
  const size_t of_slot = sizeof(KeyPieces) + sizeof(std::atomic<const Held*>) + sizeof(StoreEntry*);
  return group_count * (sizeof(Group) + Group::kKeys * of_slot);
}

KeyTable::~KeyTable() {
  Table* table = table_.load(std::memory_order_relaxed);
  for (size_t i = 0; i < table->slot_count(); ++i) delete table->held[i].load(std::memory_order_relaxed);
  delete table;
}

KeyTable::KeyTable(const ObjectModel& model) : secrets_(ProcessSecrets()), model_(model), table_(new Table(1)) {}

uint64_t KeyTable::HashOf(std::string_view namespace_, std::string_view name) const {
  const KeyPieces pieces = KeyPieces::Of(namespace_, name);
  return pieces.fits() ? internal::HashOf(pieces, secrets_) : HashLongKey(namespace_, name, secrets_);
}

KeyTable::Place KeyTable::FindAnywhere(const Table& table, std::string_view namespace_, std::string_view name) const {
  const KeyPieces key = KeyPieces::Of(namespace_, name);
  const uint64_t hash = key.fits() ? internal::HashOf(key, secrets_) : HashLongKey(namespace_, name, secrets_);
  // The text of a long key is in the object only.
  const auto is_object_of_key = [&](const void* object) {
    return key.fits() || (object != nullptr && model_.is_named(object, namespace_, name));
  };
  for (size_t at = table.Home(hash);; at = table.Next(at)) {
    Group& group = table.groups[at];
    const uint64_t tags = group.tags.load(std::memory_order_acquire);
    for (uint64_t match = Group::Matches(tags, Group::TagOf(hash)); match != 0; match &= match - 1) {
      const size_t number = Group::NumberOf(match);
      const size_t slot = at * Group::kKeys + number;
      if (key == table.keys[slot] && is_object_of_key(group.objects[number].load(std::memory_order_acquire))) {
        return {&group.objects[number], slot};
      }
    }
    if (!Group::IsFull(tags)) return {};
  }
}

ObjectPtr KeyTable::Get(const ReadScope&, std::string_view namespace_, std::string_view name) const {
  const Table* table = table_.load(std::memory_order_acquire);
  const Place place = FindPlace(*table, namespace_, name);
  if (!place) return nullptr;
  PrefetchCount(place.object->load(std::memory_order_relaxed));  // while the pointer that counts is fetched
  const Held* held = table->held[place.slot].load(std::memory_order_acquire);
  return held == nullptr ? nullptr : held->object;
}

KeyTable::Known KeyTable::Find(std::string_view namespace_, std::string_view name) const {
  const Table& table = *table_.load(std::memory_order_relaxed);
  const Place place = FindPlace(table, namespace_, name);
  return {place, place ? table.entries[place.slot] : nullptr};
}

KeyTable::Known KeyTable::Find(uint64_t hash, const StoreEntry* entry) const {
  const Table* table = table_.load(std::memory_order_relaxed);
  for (size_t at = table->Home(hash);; at = table->Next(at)) {
    Group& group = table->groups[at];
    for (size_t number = 0; number < Group::kKeys; ++number) {
      const size_t slot = at * Group::kKeys + number;
      if (table->entries[slot] == entry) return {{&group.objects[number], slot}, table->entries[slot]};
    }
    if (!Group::IsFull(group.tags.load(std::memory_order_relaxed))) return {};
  }
}

void KeyTable::FetchGroup(uint64_t hash) const {
  const Table& table = *table_.load(std::memory_order_relaxed);
  __builtin_prefetch(&table.groups[table.Home(hash)]);
}

std::optional<size_t> KeyTable::FetchSlot(uint64_t hash) const {
  const Table& table = *table_.load(std::memory_order_relaxed);
  const size_t home = table.Home(hash);
  const Group& group = table.groups[home];
  const uint64_t match = Group::Matches(group.tags.load(std::memory_order_relaxed), Group::TagOf(hash));
  if (match == 0) return std::nullopt;
  const size_t number = Group::NumberOf(match);
  const size_t slot = home * Group::kKeys + number;
  __builtin_prefetch(&table.keys[slot]);
  __builtin_prefetch(&table.held[slot]);
  __builtin_prefetch(&table.entries[slot]);
  PrefetchCount(group.objects[number].load(std::memory_order_relaxed));
  return slot;
}

KeyTable::Occupant KeyTable::FetchOccupant(size_t slot) const {
  const Table& table = *table_.load(std::memory_order_relaxed);
  const Group& group = table.groups[slot / Group::kKeys];
  __builtin_prefetch(table.held[slot].load(std::memory_order_relaxed));
  __builtin_prefetch(table.entries[slot], 1);
  return {group.objects[slot % Group::kKeys].load(std::memory_order_relaxed), table.entries[slot]};
}

void KeyTable::Insert(ObjectPtr object, StoreEntry* entry, RetiredList& retired) {
  const ObjectIdentity identity = model_.identify(object.get());
  ++live_;
  const auto* held = new Held{std::move(object)};
  const Table& table = *table_.load(std::memory_order_relaxed);
  if (const Place place = FindPlace(table, identity.namespace_, identity.name)) {  // was there before
    table.entries[place.slot] = entry;
    table.held[place.slot].store(held, std::memory_order_release);
    place.object->store(held->object.get(), std::memory_order_release);
    return;
  }
  if (IsCrowded(table, used_ + 1)) MakeAnew(live_ + live_ / 4, retired);
  PutInto(*table_.load(std::memory_order_relaxed), held, entry);
  ++used_;
}

ObjectPtr KeyTable::Replace(const Place& place, ObjectPtr object, RetiredList& retired) {
  std::atomic<const Held*>& slot = table_.load(std::memory_order_relaxed)->held[place.slot];
  std::unique_ptr<const Held> old(slot.load(std::memory_order_relaxed));
  const auto* held = new Held{std::move(object)};
  slot.store(held, std::memory_order_release);
  place.object->store(held->object.get(), std::memory_order_release);
  return Retire(std::move(old), retired);
}

// Holds name the object, which is what readers find.
ObjectPtr KeyTable::Retire(std::unique_ptr<const Held> old, RetiredList& retired) {
  ObjectPtr object = old->object;
  retired.AddHeldAs(object.get(), std::move(old));
  return object;
}

ObjectPtr KeyTable::Remove(const Place& place, RetiredList& retired) {
  const Table& table = *table_.load(std::memory_order_relaxed);
  std::unique_ptr<const Held> old(table.held[place.slot].load(std::memory_order_relaxed));
  place.object->store(nullptr, std::memory_order_release);
  table.held[place.slot].store(nullptr, std::memory_order_release);
  table.entries[place.slot] = nullptr;
  --live_;
  return Retire(std::move(old), retired);
}

void KeyTable::Clear(RetiredList& retired) {
  const Table& table = *table_.load(std::memory_order_relaxed);
  for (size_t i = 0; i < table.slot_count(); ++i) {
    std::unique_ptr<const Held> held(table.held[i].exchange(nullptr, std::memory_order_relaxed));
    if (held != nullptr) Retire(std::move(held), retired);
  }
}

void KeyTable::Reserve(size_t keys, RetiredList& retired) {
  if (IsCrowded(*table_.load(std::memory_order_relaxed), keys)) MakeAnew(std::max(keys, live_), retired);
}

// More than nine keys in two groups: one of twenty groups is full then, and lookups go on to the next.
bool KeyTable::IsCrowded(const Table& table, size_t keys) { return 2 * keys > 9 * table.group_count; }

// Half of the slots are free then.
void KeyTable::MakeAnew(size_t keys, RetiredList& retired) {
  auto made = std::make_unique<Table>(2 * keys / Group::kKeys + 1);
  std::unique_ptr<Table> before(table_.load(std::memory_order_relaxed));
  used_ = 0;
  for (size_t i = 0; i < before->slot_count(); ++i) {
    const Held* held = before->held[i].load(std::memory_order_relaxed);
    if (held == nullptr) continue;
    PutInto(*made, held, before->entries[i]);
    ++used_;
  }
  table_.store(made.release(), std::memory_order_release);
  // A table is large beside objects, and those of a cache that grows would be as much as the last one.
  retired.Add(std::move(before), RetiredList::kEnough);
}

// A key that is not in the table.
void KeyTable::PutInto(Table& table, const Held* held, StoreEntry* entry) const {
  const ObjectIdentity identity = model_.identify(held->object.get());
  const uint64_t hash = HashOf(identity.namespace_, identity.name);
  size_t at = table.Home(hash);
  while (Group::IsFull(table.groups[at].tags.load(std::memory_order_relaxed))) at = table.Next(at);
  Group& group = table.groups[at];
  const uint64_t tags = group.tags.load(std::memory_order_relaxed);
  const size_t number = Group::CountOf(tags);
  const size_t slot = at * Group::kKeys + number;
  table.keys[slot] = KeyPieces::Of(identity.namespace_, identity.name);
  table.entries[slot] = entry;
  table.held[slot].store(held, std::memory_order_relaxed);
  group.objects[number].store(held->object.get(), std::memory_order_relaxed);
  group.tags.store(tags | Group::TagOf(hash) << 8 * number, std::memory_order_release);
}

}  // namespace keelson::internal
