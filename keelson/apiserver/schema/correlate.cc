#include "keelson/apiserver/schema/correlate.h"

#include <algorithm>
#include <functional>

#include "keelson/apiserver/schema/property_cursor.h"

namespace keelson::apiserver {

namespace {

constexpr size_t kShortList = 8;

// Keys are texts, bools and numbers; an integer never equals a double.
bool IsKey(const Json* value) {
  return value != nullptr && (value->is_string() || value->is_number() || value->is_bool());
}

// Negative, zero or positive. Both are keys.
int CompareKeys(const Json& a, const Json& b) {
  if (a.kind() != b.kind()) return a.kind() < b.kind() ? -1 : 1;
  const auto compare = [](const auto& x, const auto& y) { return x < y ? -1 : y < x ? 1 : 0; };
  switch (a.kind()) {
    case Json::Kind::kString: return compare(a.string().view(), b.string().view());
    case Json::Kind::kInt: return compare(a.integer(), b.integer());
    case Json::Kind::kDouble: return compare(a.number(), b.number());
    default: return compare(a.boolean(), b.boolean());
  }
}

bool HasKeys(const Schema& schema, const Json& element) {
  if (!element.is_object()) return false;
  return std::all_of(schema.list_keys.begin(), schema.list_keys.end(),
                     [&](const std::string& key) { return IsKey(element.find(key)); });
}

int CompareElements(const Schema& schema, const Json& a, const Json& b) {
  for (const std::string& key : schema.list_keys) {
    if (const int order = CompareKeys(*a.find(key), *b.find(key)); order != 0) return order;
  }
  return 0;
}

}  // namespace

OldElements::OldElements(const Schema& schema, const Json& old) : schema_(schema) {
  if (schema.type != SchemaType::kArray || schema.list_type != ListType::kMap || schema.list_keys.empty()) return;
  if (!old.is_list()) return;
  list_ = &old.list();
  if (list_->size() <= kShortList) return;
  for (const Json& element : *list_) {
    if (HasKeys(schema, element)) by_keys_.push_back(&element);
  }
  // Of equal ones the first: elements of a list stand side by side.
  std::sort(by_keys_.begin(), by_keys_.end(), [&](const Json* a, const Json* b) {
    const int order = CompareElements(schema_, *a, *b);
    return order != 0 ? order < 0 : std::less<>()(a, b);
  });
}

const Json* OldElements::Find(const Json& element) const {
  if (list_ == nullptr || !HasKeys(schema_, element)) return nullptr;
  if (list_->size() <= kShortList) {
    for (const Json& one : *list_) {
      if (HasKeys(schema_, one) && CompareElements(schema_, one, element) == 0) return &one;
    }
    return nullptr;
  }
  const auto found =
      std::lower_bound(by_keys_.begin(), by_keys_.end(), element,
                       [&](const Json* one, const Json& wanted) { return CompareElements(schema_, *one, wanted) < 0; });
  return found != by_keys_.end() && CompareElements(schema_, **found, element) == 0 ? *found : nullptr;
}

bool IsUnchanged(const Schema& schema, const Json& value, const Json& old) {
  if (value.kind() != old.kind()) return false;
  if (value.is_object()) {
    if (value.object().size() != old.object().size()) return false;
    PropertyCursor properties(schema);
    for (const auto& [name, member] : value.object()) {
      const Schema* below = properties.Find(name);
      if (below == nullptr) below = schema.additional.get();
      const Json* before = old.find(name);
      if (below == nullptr || before == nullptr || !IsUnchanged(*below, member, *before)) return false;
    }
    return true;
  }
  if (value.is_list() && schema.list_type == ListType::kMap) {
    if (value.list().size() != old.list().size()) return false;
    if (value.list().empty()) return true;
    if (schema.items == nullptr) return false;
    const OldElements elements(schema, old);
    for (const Json& element : value.list()) {
      const Json* before = elements.Find(element);
      if (before == nullptr || !IsUnchanged(*schema.items, element, *before)) return false;
    }
    return true;
  }
  return value == old;
}

}  // namespace keelson::apiserver
