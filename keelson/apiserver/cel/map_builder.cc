#include "keelson/apiserver/cel/map_builder.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace keelson::apiserver::cel {

namespace {

// Stands before the items of a list that a ListBuilder made.
struct ListHeader {
  uint32_t used;
  uint32_t capacity;
};

constexpr uint32_t kLinearSearchLimit = 8;

// Equal for keys that are the same: a number counts as an integer when it is one.
uint64_t HashOf(const Value& key) {
  switch (key.kind()) {
    case ValueKind::kString:
    case ValueKind::kBytes: return std::hash<std::string_view>()(key.text());
    case ValueKind::kBool: return key.boolean() ? 1 : 2;
    case ValueKind::kInt:
    case ValueKind::kUint: return std::hash<uint64_t>()(key.uinteger()) * 0x9e3779b97f4a7c15;
    case ValueKind::kDouble: {
      const double number = key.number();
      if (!(std::abs(number) < 9.2e18) || number != std::floor(number)) return std::hash<double>()(number);
      return std::hash<uint64_t>()(static_cast<uint64_t>(static_cast<int64_t>(number))) * 0x9e3779b97f4a7c15;
    }
    default: return static_cast<uint64_t>(key.kind());
  }
}

uint64_t SlotOf(uint64_t hash, uint32_t slot_count) { return (hash ^ (hash >> 32)) & (slot_count - 1); }

void InsertSlot(MapTable& table, uint32_t index) {
  uint64_t slot = SlotOf(HashOf(table.entries[index].key), table.slot_count);
  while (table.slots[slot] != 0) slot = (slot + 1) & (table.slot_count - 1);
  table.slots[slot] = index + 1;
}

void Reindex(Arena& arena, MapTable& table) {
  if (table.capacity <= kLinearSearchLimit) return;
  table.slot_count = table.capacity * 2;
  table.slots = arena.Array<uint32_t>(table.slot_count);
  std::fill_n(table.slots, table.slot_count, 0U);
  for (uint32_t i = 0; i < table.size; ++i) InsertSlot(table, i);
}

MapTable* NewTable(Arena& arena, std::span<const MapEntry> entries, size_t capacity) {
  auto* table = arena.New<MapTable>();
  table->capacity = static_cast<uint32_t>(std::bit_ceil(std::max<size_t>(capacity, 4)));
  table->entries = arena.Array<MapEntry>(table->capacity);
  std::copy(entries.begin(), entries.end(), table->entries);
  table->size = static_cast<uint32_t>(entries.size());
  Reindex(arena, *table);
  return table;
}

}  // namespace

Value ListBuilder::Append(Arena& arena, const Value& list, const Value& item) {
  const uint32_t size = list.size_;
  Value* items = const_cast<Value*>(list.items().data());
  auto* header = list.offset_minutes_ == 0 ? nullptr : reinterpret_cast<ListHeader*>(items) - 1;
  if (header == nullptr || header->used != size || header->capacity == size) {
    const uint32_t capacity = std::max<uint32_t>(4, size * 2);
    auto* memory = static_cast<char*>(arena.Allocate(sizeof(ListHeader) + capacity * sizeof(Value)));
    header = new (memory) ListHeader{.used = size, .capacity = capacity};
    auto* copy = reinterpret_cast<Value*>(header + 1);
    std::copy_n(items, size, copy);
    items = copy;
  }
  new (items + size) Value(item);
  header->used = size + 1;
  Value grown = Value::OfList({items, size + 1}, list.shape_);
  grown.offset_minutes_ = 1;
  return grown;
}

Value ListBuilder::Concatenate(Arena& arena, const Value& a, const Value& b) {
  const size_t first = Length(a);
  const size_t second = Length(b);
  if (second == 0) return a;
  if (first == 0) return b;
  auto* items = arena.Array<Value>(first + second);
  for (size_t i = 0; i < first; ++i) items[i] = ItemAt(a, i, arena);
  for (size_t i = 0; i < second; ++i) items[first + i] = ItemAt(b, i, arena);
  return Value::OfList({items, first + second});
}

bool SameKey(const Value& a, const Value& b) {
  if (a.kind() == b.kind()) {
    switch (a.kind()) {
      case ValueKind::kString:
      case ValueKind::kBytes:
      case ValueKind::kType: return a.text() == b.text();
      case ValueKind::kBool:
      case ValueKind::kInt:
      case ValueKind::kUint:
      case ValueKind::kDuration: return a.uinteger() == b.uinteger();
      case ValueKind::kDouble: return a.number() == b.number();
      case ValueKind::kTimestamp: return a.seconds() == b.seconds() && a.nanos() == b.nanos();
      case ValueKind::kNull: return true;
      default: return false;
    }
  }
  if (!a.is_number() || !b.is_number()) return false;
  const Value order = Compare(a, b);
  return order.is_int() && order.integer() == 0;
}

const MapEntry* MapBuilder::Find(const Value& map, const Value& key) {
  const std::span<const MapEntry> entries = map.entries();
  const MapTable* table = map.table();
  if (table == nullptr || table->slot_count == 0) {
    for (const MapEntry& entry : entries) {
      if (SameKey(entry.key, key)) return &entry;
    }
    return nullptr;
  }
  for (uint64_t slot = SlotOf(HashOf(key), table->slot_count); table->slots[slot] != 0;
       slot = (slot + 1) & (table->slot_count - 1)) {
    const uint32_t index = table->slots[slot] - 1;
    if (SameKey(table->entries[index].key, key)) return index < entries.size() ? &entries[index] : nullptr;
  }
  return nullptr;
}

void MapBuilder::Set(Arena& arena, Value& map, const Value& key, const Value& value) {
  if (const MapEntry* entry = Find(map, key)) {
    const auto index = static_cast<size_t>(entry - map.entries().data());
    MapTable* table = NewTable(arena, map.entries(), map.size_ + 1);
    table->entries[index] = {key, value};
    map = Value::OfMap({table->entries, table->size}, table);
    return;
  }
  auto* table = const_cast<MapTable*>(map.table());
  if (table == nullptr || table->size != map.size_ || table->size == table->capacity) {
    table = NewTable(arena, map.entries(), map.size_ * 2 + 1);
  }
  table->entries[table->size] = {key, value};
  ++table->size;
  if (table->slot_count != 0) InsertSlot(*table, table->size - 1);
  map = Value::OfMap({table->entries, table->size}, table);
}

void MapBuilder::Erase(Arena& arena, Value& map, const Value& key) {
  const MapEntry* entry = Find(map, key);
  if (entry == nullptr) return;
  Value rest = Value::OfMap({});
  for (const MapEntry& other : map.entries()) {
    if (&other != entry) Set(arena, rest, other.key, other.value);
  }
  map = rest;
}

void MapBuilder::Freeze(const Value& map) {
  if (map.table() != nullptr) const_cast<MapTable*>(map.table())->capacity = map.table()->size;
}

Value MapBuilder::Copy(Arena& arena, const Value& map) {
  Value copy = Value::OfMap({});
  for (const Value& key : KeysOf(map, arena)) {
    Value member;
    if (FindMember(map, key, arena, &member) != Lookup::kMissing) Set(arena, copy, key, member);
  }
  return copy;
}

}  // namespace keelson::apiserver::cel
