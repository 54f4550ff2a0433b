#include "keelson/codec/internal/entry_slots.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

namespace keelson::internal {

namespace {

std::string_view KeyOf(const std::byte* entry) { return reinterpret_cast<const String*>(entry)->view(); }

// The first eight bytes as a number that sorts as they do.
uint64_t KeyBegin(std::string_view key) {
  uint64_t begin = 0;
  for (size_t i = 0; i < 8; ++i) begin = begin << 8 | (i < key.size() ? static_cast<unsigned char>(key[i]) : 0);
  return begin;
}

void DropEntry(const Type& element, std::byte* entry) {
  DestroyValue(TypeOf<String>(), entry);
  DropSlot(element, entry + sizeof(Node*));
}

}  // namespace

void SortEntries(SlotStack& slots, const Type& element, size_t base,
                 const std::function<void(std::string_view key)>& repeated) {
  const size_t step = MapEntrySize(element);
  // Most comparisons are settled by the keys' first characters, as a number.
  struct Place {
    uint64_t begin;
    size_t at;
  };
  std::vector<Place> order;
  order.reserve((slots.size() - base) / step);
  for (size_t at = base; at < slots.size(); at += step) order.push_back({KeyBegin(EntryKey(slots, at)), at});
  std::sort(order.begin(), order.end(), [&](const Place& a, const Place& b) {
    if (a.begin != b.begin) return a.begin < b.begin;
    const auto compared = EntryKey(slots, a.at) <=> EntryKey(slots, b.at);
    return compared != 0 ? compared < 0 : a.at < b.at;
  });
  std::vector<std::byte> sorted;
  sorted.reserve(slots.size() - base);
  for (size_t i = 0; i < order.size(); ++i) {
    std::byte* entry = slots.at(order[i].at);
    if (i + 1 < order.size() && KeyOf(entry) == EntryKey(slots, order[i + 1].at)) {
      if (repeated) repeated(KeyOf(entry));
      DropEntry(element, entry);
    } else {
      sorted.insert(sorted.end(), entry, entry + step);
    }
  }
  slots.Truncate(base);
  std::memcpy(slots.Push(sorted.size()), sorted.data(), sorted.size());
}

EntryPlace FindEntry(const Type& element, Node& node, std::string_view key) {
  const size_t step = MapEntrySize(element);
  size_t low = 0;
  for (size_t high = node.length(); low < high;) {
    const size_t middle = (low + high) / 2;
    const bool less = KeyOf(node.payload() + middle * step) < key;
    (less ? low : high) = less ? middle + 1 : middle;
  }
  return {low, low < node.length() && KeyOf(node.payload() + low * step) == key};
}

void ReplaceEntry(const Type& element, std::byte* entry, const std::byte* by) {
  DropEntry(element, entry);
  std::memcpy(entry, by, MapEntrySize(element));
}

void InsertEntry(const Type& type, Node*& node, size_t index, const std::byte* entry) {
  const size_t step = MapEntrySize(*type.element);
  node = GrowNode(type, node);
  std::byte* place = node->payload() + index * step;
  std::memmove(place + step, place, (node->length() - index) * step);
  node->set_length(node->length() + 1);
  std::memcpy(place, entry, step);
}

}  // namespace keelson::internal
