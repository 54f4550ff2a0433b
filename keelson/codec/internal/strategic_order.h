// Elements of merged lists: what tells them apart, and in which order they end up.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "keelson/api/compare.h"
#include "keelson/api/json.h"
#include "keelson/core/result.h"

namespace keelson::internal {

struct HashJson {
  size_t operator()(const Json& value) const { return Hash(value); }
};

// What an element is recognised by: the value of its merge key or, without a merge key, itself. Null when an object
// lacks the key or the element is no object.
const Json* IdentityOf(const Json& element, std::string_view merge_key);

// An error unless each element is an object that has the merge key.
Result<void> ExpectMergeKeys(const JsonList& list, std::string_view merge_key);

// The kind that all elements of both lists have. An error when kinds differ, when it is array or null, or when there
// are no elements.
Result<Json::Kind> ElementKind(const JsonList& a, const JsonList& b);

// Where elements stand in a list; of equal ones the first counts.
class Positions {
 public:
  Positions(const JsonList& list, std::string_view merge_key);
  std::optional<size_t> Find(const Json& element) const;
  bool Contains(const Json& element) const { return Find(element).has_value(); }

 private:
  std::string_view merge_key_;
  std::unordered_map<Json, size_t, HashJson> positions_;
};

// `list` sorted by where `order` has its elements; deletions ({"$patch": "delete"}) go last.
JsonList SortByOrder(const JsonList& list, const JsonList& order, std::string_view merge_key);

struct ListOrder {
  const JsonList& wanted;   // the patch's order
  const JsonList& current;  // the object's order
  std::string_view merge_key;
  bool objects;  // whether the elements are objects
};

// The final order of a merged list: elements that `wanted` names follow it, the others follow `current`, and one of the
// others precedes one that is named when it does so in `current`.
Result<JsonList> OrderElements(const JsonList& merged, const ListOrder& order);

}  // namespace keelson::internal
