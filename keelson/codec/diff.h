// What changed between two objects of one type, field by field.
//
//   for (const FieldChange& change : Diff(old_pod, new_pod)) log.Info(ToString(change));
//
//   spec.replicas: 3 → 5
//   metadata.labels["app"]: added "web"
//   spec.template.spec.containers[name=app].image: "nginx:1" → "nginx:2"
//
// Elements of list-maps (Field::list_type) are matched by their keys, those of other lists by position. Shared nodes
// are equal without a look, so comparing two versions from a cache costs about what changed. A result without changes
// means that the objects are equal (compare.h), and only then.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "keelson/api/json.h"
#include "keelson/api/type.h"
#include "keelson/codec/field_path.h"

namespace keelson {

enum class ChangeKind : uint8_t {
  kAdded,    // absent, or empty and left out of JSON, in the first object
  kRemoved,  // likewise in the second
  kChanged,
  kReordered,  // a list-map: `before` and `after` are lists of its elements' names, as strings
};

struct FieldChange {
  FieldPath path;
  ChangeKind kind = ChangeKind::kChanged;
  Json before = {};  // null when added
  Json after = {};   // null when removed
};

struct DiffOptions {
  size_t max_changes = 10'000;  // further ones are left out
};

// In the order of the type's fields; map entries by key, elements in the order of the first list, then the added ones.
std::vector<FieldChange> Diff(const Type& type, const void* before, const void* after, const DiffOptions& options = {});
template <class T>
std::vector<FieldChange> Diff(const T& before, const T& after, const DiffOptions& options = {}) {
  return Diff(TypeOf<T>(), &before, &after, options);
}

// One line; a value longer than `max_value_bytes` is cut and ends in "…".
std::string ToString(const FieldChange& change, size_t max_value_bytes = 200);
// A line for each.
std::string ToString(std::span<const FieldChange> changes, size_t max_value_bytes = 200);

}  // namespace keelson
