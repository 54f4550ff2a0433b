#include "keelson/codec/internal/strategic_conflict.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "keelson/codec/internal/strategic_order.h"
#include "keelson/codec/internal/strategic_schema.h"
#include "keelson/codec/internal/strategic_text.h"

namespace keelson::internal {

namespace {

Result<bool> ValuesConflict(const Json& left, const Json& right, const MemberStrategy& strategy);

MemberStrategy Plain(const Type& type) { return {.type = &type}; }

bool SameDirective(const Json& left, const Json& right) {
  const Json* a = left.find(kDirective);
  const Json* b = right.find(kDirective);
  if (a == nullptr || b == nullptr) return a == b;
  return *a == *b;
}

Result<MemberStrategy> StrategyOf(const Type& type, std::string_view member, const Json& value) {
  if (value.is_list()) return ListStrategy(type, member);
  if (value.is_object()) return ObjectStrategy(type, member);
  return Plain(type);  // scalars are only compared
}

Result<bool> ObjectsConflict(const Json& left, const Json& right, const Type& type) {
  for (const auto& [member, value] : left.object()) {
    if (member == kDirective || member == kRetainKeys) continue;
    const Json* other = right.object().find(member);
    if (other == nullptr) continue;
    KEELSON_TRY(strategy, StrategyOf(type, member, value));
    KEELSON_TRY(conflict, ValuesConflict(value, *other, strategy));
    if (conflict) return true;
  }
  return false;
}

std::map<std::string, Json> ByMergeKey(const JsonList& list, std::string_view merge_key) {
  std::map<std::string, Json> elements;
  for (const Json& element : list) elements.insert_or_assign(SortText(*element.find(merge_key)), element);
  return elements;
}

Result<bool> MergedListsConflict(const JsonList& left, const JsonList& right, const MemberStrategy& strategy) {
  KEELSON_RETURN_IF_ERROR(ExpectMergeKeys(left, strategy.merge_key));
  KEELSON_RETURN_IF_ERROR(ExpectMergeKeys(right, strategy.merge_key));
  const std::map<std::string, Json> others = ByMergeKey(right, strategy.merge_key);
  for (const auto& [key, element] : ByMergeKey(left, strategy.merge_key)) {
    const auto other = others.find(key);
    if (other == others.end()) continue;
    KEELSON_TRY(conflict, ValuesConflict(element, other->second, Plain(*strategy.type)));
    if (conflict) return true;
  }
  return false;
}

std::vector<Json> SortedSet(const JsonList& list) {
  std::map<std::string, Json> elements;
  for (const Json& element : list) elements.emplace(SortText(element), element);
  std::vector<Json> sorted;
  sorted.reserve(elements.size());
  for (const auto& [text, element] : elements) sorted.push_back(element);
  return sorted;
}

Result<bool> ListsConflict(const JsonList& left, const JsonList& right, const MemberStrategy& strategy) {
  KEELSON_TRY(kind, ElementKind(left, right));
  const bool objects = kind == Json::Kind::kObject;
  if (strategy.merge) return objects ? MergedListsConflict(left, right, strategy) : Result<bool>(false);
  if (left.size() != right.size()) return true;
  if (!objects) return SortedSet(left) != SortedSet(right);
  for (size_t i = 0; i < left.size(); ++i) {
    KEELSON_TRY(conflict, ValuesConflict(left[i], right[i], Plain(*strategy.type)));
    if (conflict) return true;
  }
  return false;
}

Result<bool> ValuesConflict(const Json& left, const Json& right, const MemberStrategy& strategy) {
  if (left.kind() != right.kind()) return true;
  if (left.is_list()) return ListsConflict(left.list(), right.list(), strategy);
  if (!left.is_object()) return left != right;
  if (!SameDirective(left, right)) return true;
  if (strategy.replace) return false;
  return ObjectsConflict(left, right, *strategy.type);
}

}  // namespace

Result<bool> PatchesConflict(const Json& left, const Json& right, const Type& type) {
  return ValuesConflict(left, right, Plain(type));
}

}  // namespace keelson::internal
