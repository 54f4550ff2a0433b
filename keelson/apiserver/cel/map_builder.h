// Lists and maps that grow, as comprehensions make them.
//
//   Value list = ListBuilder::Append(arena, Value::OfList({}), item);
//   Value map = Value::OfMap({});
//   MapBuilder::Set(arena, map, key, value);
//
// Appending to the value that was appended to last writes behind it, in place; earlier values stay what they were.
#pragma once

#include <cstdint>

#include "keelson/apiserver/cel/value.h"

namespace keelson::apiserver::cel {

// The memory of a growing map, and its index once it is worth one.
struct MapTable {
  MapEntry* entries = nullptr;
  uint32_t size = 0;
  uint32_t capacity = 0;
  uint32_t* slots = nullptr;  // open addressing: index of an entry + 1, or 0
  uint32_t slot_count = 0;    // a power of two, or 0
};

class ListBuilder {
 public:
  // The list with one more item. `list` is not of a document.
  static Value Append(Arena& arena, const Value& list, const Value& item);
  // Both after another; of any make.
  static Value Concatenate(Arena& arena, const Value& a, const Value& b);
};

class MapBuilder {
 public:
  // Replaces the value of a key that is there. `map` is not of a document.
  static void Set(Arena& arena, Value& map, const Value& key, const Value& value);
  static void Erase(Arena& arena, Value& map, const Value& key);
  // The entry with an equal key; null when there is none.
  static const MapEntry* Find(const Value& map, const Value& key);
  // From now on, adding to this map copies it first.
  static void Freeze(const Value& map);
  // A copy of any map that can be added to.
  static Value Copy(Arena& arena, const Value& map);
};

// Whether two keys are the same: numbers across their types.
bool SameKey(const Value& a, const Value& b);

}  // namespace keelson::apiserver::cel
