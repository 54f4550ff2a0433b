// Entries of a map that is being read, as slots at the end of a SlotStack: a key and a value each.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

#include "keelson/api/node.h"
#include "keelson/api/string.h"
#include "keelson/api/type.h"
#include "keelson/codec/internal/slot_stack.h"

namespace keelson::internal {

// The key of the entry at that place of the stack.
inline std::string_view EntryKey(SlotStack& slots, size_t at) {
  return reinterpret_cast<const String*>(slots.at(at))->view();
}

// Those from `base` on into key order. Of equal keys the last one stays; `repeated` is told of each that goes.
void SortEntries(SlotStack& slots, const Type& element, size_t base,
                 const std::function<void(std::string_view key)>& repeated = {});

// Puts the entry at `at` of the stack into a map's node, which is not shared. Where the key is there already its value
// is replaced; else admits(moved), if it may, is asked before so many bytes are moved to make room. False when it was
// not: then the entry is still the stack's.
template <class Admits>
bool MergeEntry(SlotStack& slots, size_t at, const Type& type, Node*& node, Admits admits);

// Where the key is in the node, or would be.
struct EntryPlace {
  size_t index;
  bool there;
};
EntryPlace FindEntry(const Type& element, Node& node, std::string_view key);
void ReplaceEntry(const Type& element, std::byte* entry, const std::byte* by);
void InsertEntry(const Type& type, Node*& node, size_t index, const std::byte* entry);

template <class Admits>
bool MergeEntry(SlotStack& slots, size_t at, const Type& type, Node*& node, Admits admits) {
  const size_t step = MapEntrySize(*type.element);
  const EntryPlace place = FindEntry(*type.element, *node, EntryKey(slots, at));
  if (place.there) {
    ReplaceEntry(*type.element, node->payload() + place.index * step, slots.at(at));
    return true;
  }
  if (!admits((node->length() - place.index) * step)) return false;
  InsertEntry(type, node, place.index, slots.at(at));
  return true;
}

}  // namespace keelson::internal
