#include "keelson/codec/internal/strategic_order.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include "keelson/codec/internal/strategic_schema.h"

namespace keelson::internal {

namespace {

struct Ranked {
  Json element;
  std::optional<size_t> rank;
  size_t position;  // in the list to sort: what makes the sort stable
};

// Go compares an element that has no rank as less than any other, on either side, so the outcome is what its insertion
// sort makes of that. It arises when a patch gives an empty "$setElementOrder". Go sorts blocks of this size by
// insertion.
constexpr size_t kInsertionBlock = 20;

bool GoesBefore(const Ranked& a, const Ranked& b) { return !a.rank || !b.rank || *a.rank < *b.rank; }

void InsertionSort(std::vector<Ranked>& items) {
  for (size_t i = 1; i < items.size(); ++i) {
    for (size_t j = i; j > 0 && GoesBefore(items[j], items[j - 1]); --j) std::swap(items[j], items[j - 1]);
  }
}

void SortByRank(std::vector<Ranked>& items) {
  const bool all_ranked =
      std::all_of(items.begin(), items.end(), [](const Ranked& item) { return item.rank.has_value(); });
  if (!all_ranked && items.size() <= kInsertionBlock) return InsertionSort(items);
  // An empty optional is less than any value: a longer list gets those without a rank first, as they came.
  std::sort(items.begin(), items.end(), [](const Ranked& a, const Ranked& b) {
    return std::tie(a.rank, a.position) < std::tie(b.rank, b.position);
  });
}

// Both lists keep their order; of the two next elements the one of `others` goes first only when `current` has both and
// has it first.
JsonList Interleave(const JsonList& others, const JsonList& named, const Positions& current) {
  JsonList out;
  size_t i = 0;
  size_t j = 0;
  while (i < others.size() && j < named.size()) {
    const std::optional<size_t> left = current.Find(others[i]);
    const std::optional<size_t> right = current.Find(named[j]);
    out.push_back(left && right && *left < *right ? others[i++] : named[j++]);
  }
  while (i < others.size()) out.push_back(others[i++]);
  while (j < named.size()) out.push_back(named[j++]);
  return out;
}

std::string DescribeKinds(Json::Kind a, Json::Kind b) {
  return std::string(ToString(a)) + " and " + std::string(ToString(b));
}

}  // namespace

const Json* IdentityOf(const Json& element, std::string_view merge_key) {
  return merge_key.empty() ? &element : element.find(merge_key);
}

Result<void> ExpectMergeKeys(const JsonList& list, std::string_view merge_key) {
  for (size_t i = 0; i < list.size(); ++i) {
    if (!list[i].is_object()) {
      return Error::InvalidArgument("element " + std::to_string(i) + ": expected an object, found " +
                                    std::string(ToString(list[i].kind())));
    }
    if (list[i].find(merge_key) == nullptr) {
      return Error::InvalidArgument("element " + std::to_string(i) + " lacks the list's merge key \"" +
                                    std::string(merge_key) + "\"");
    }
  }
  return {};
}

Result<Json::Kind> ElementKind(const JsonList& a, const JsonList& b) {
  if (a.empty() && b.empty()) return Error::InvalidArgument("there are no elements to merge or to order");
  const Json::Kind kind = (a.empty() ? b : a).front().kind();
  if (kind == Json::Kind::kList) return Error(ErrorCode::kInvalid, "lists of lists are not supported");
  if (kind == Json::Kind::kNull) return Error::InvalidArgument("a merged list must not have null elements");
  for (const JsonList* list : {&a, &b}) {
    for (const Json& element : *list) {
      if (element.kind() == kind) continue;
      return Error::InvalidArgument("the elements of a merged list must be of one kind, found " +
                                    DescribeKinds(kind, element.kind()));
    }
  }
  return kind;
}

Positions::Positions(const JsonList& list, std::string_view merge_key) : merge_key_(merge_key) {
  positions_.reserve(list.size());
  for (size_t i = 0; i < list.size(); ++i) {
    if (const Json* identity = IdentityOf(list[i], merge_key)) positions_.emplace(*identity, i);
  }
}

std::optional<size_t> Positions::Find(const Json& element) const {
  const Json* identity = IdentityOf(element, merge_key_);
  if (identity == nullptr) return std::nullopt;
  const auto found = positions_.find(*identity);
  return found == positions_.end() ? std::nullopt : std::optional(found->second);
}

JsonList SortByOrder(const JsonList& list, const JsonList& order, std::string_view merge_key) {
  const Positions positions(order, merge_key);
  std::vector<Ranked> kept;
  std::vector<Json> deletions;
  for (const Json& element : list) {
    if (IsDeletion(element)) {
      deletions.push_back(element);
    } else {
      kept.push_back({element, positions.Find(element), kept.size()});
    }
  }
  SortByRank(kept);
  JsonList sorted;
  for (Ranked& item : kept) sorted.push_back(std::move(item.element));
  for (Json& element : deletions) sorted.push_back(std::move(element));
  return sorted;
}

Result<JsonList> OrderElements(const JsonList& merged, const ListOrder& order) {
  if (order.objects == order.merge_key.empty()) {
    return Error::InvalidArgument(order.objects ? "a list without a merge key cannot be merged or ordered by elements"
                                                : "expected objects that have the list's merge key, found scalars");
  }
  if (order.objects) {
    KEELSON_RETURN_IF_ERROR(ExpectMergeKeys(merged, order.merge_key));
    KEELSON_RETURN_IF_ERROR(ExpectMergeKeys(order.wanted, order.merge_key));
    KEELSON_RETURN_IF_ERROR(ExpectMergeKeys(order.current, order.merge_key));
  }
  const Positions wanted(order.wanted, order.merge_key);
  JsonList named;
  JsonList others;
  for (const Json& element : merged) (wanted.Contains(element) ? named : others).push_back(element);
  return Interleave(SortByOrder(others, order.current, order.merge_key),
                    SortByOrder(named, order.wanted, order.merge_key), Positions(order.current, order.merge_key));
}

}  // namespace keelson::internal
