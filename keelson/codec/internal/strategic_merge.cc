#include "keelson/codec/internal/strategic_merge.h"

#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "keelson/codec/internal/drop_nulls.h"
#include "keelson/codec/internal/strategic_order.h"
#include "keelson/codec/internal/strategic_schema.h"

namespace keelson::internal {

namespace {

using JsonSet = std::unordered_set<Json, HashJson>;

// Without the objects that carry "$patch", at any depth; nothing when the value itself is one.
std::optional<Json> DropDirectives(const Json& value) {
  if (value.is_list()) {
    JsonList list;
    for (const Json& element : value.list()) {
      if (std::optional<Json> kept = DropDirectives(element)) list.push_back(std::move(*kept));
    }
    return Json(std::move(list));
  }
  if (!value.is_object()) return value;
  if (value.object().contains(kDirective)) return std::nullopt;
  JsonObject object;
  for (const auto& [key, member] : value.object()) {
    if (std::optional<Json> kept = DropDirectives(member)) object.Set(key, std::move(*kept));
  }
  return Json(std::move(object));
}

bool HasText(const Json& value, std::string_view text) { return value.is_string() && value.string() == text; }

Error UnknownDirective(const Json& directive) {
  const std::string found =
      directive.is_string() ? "\"" + directive.string().str() + "\"" : std::string(ToString(directive.kind()));
  return Error::InvalidArgument("\"$patch\": expected \"replace\" or \"delete\", found " + found);
}

// What an object that carries "$patch" makes of the original.
Result<Json> ResolveDirective(const Json& directive, const Json& patch) {
  if (HasText(directive, kDelete)) return Json::Object();
  if (!HasText(directive, kReplace)) return UnknownDirective(directive);
  JsonObject replacement = patch.object();
  replacement.erase(kDirective);
  return Json(std::move(replacement));
}

bool IsParallelList(std::string_view member) {
  return member.starts_with(kDeleteFromList) || member.starts_with(kElementOrder);
}

Result<void> ApplyRetainKeys(const Json& retained, JsonObject& original, const JsonObject& patch) {
  if (!retained.is_list()) {
    return Error::InvalidArgument("\"$retainKeys\": expected an array, found " +
                                  std::string(ToString(retained.kind())));
  }
  const JsonSet keys(retained.list().begin(), retained.list().end());
  for (const auto& [member, value] : patch) {
    if (value.is_null() || IsParallelList(member) || keys.contains(Json(member))) continue;
    return Error::InvalidArgument("\"$retainKeys\" must name every member that the patch sets, but lacks \"" +
                                  member.str() + "\"");
  }
  const JsonObject before = original;
  for (const auto& [member, value] : before) {
    if (!keys.contains(Json(member))) original.erase(member);
  }
  return {};
}

// Copies a directive to the patch that is merged into, where it must not say something else already.
Result<void> CarryOver(const String& directive, const Json& value, JsonObject& into) {
  const Json* existing = into.find(directive);
  if (existing == nullptr) {
    into.Set(directive, value);
  } else if (*existing != value) {
    return Error::InvalidArgument("the patches to combine give different values for \"" + directive.str() + "\"");
  }
  return {};
}

// The elements that a patch sets must all be in the order it gives, in that order. Deletions need not be.
Result<void> ExpectInOrder(const JsonList& patch, const JsonList& order, std::string_view merge_key) {
  if (order.empty()) return {};
  size_t next = 0;
  for (const Json& element : patch) {
    if (!merge_key.empty() && !element.is_object()) return ExpectMergeKeys({element}, merge_key);
    if (IsDeletion(element)) continue;
    const bool is_directive = element.find(kDirective) != nullptr;
    if (is_directive && next < order.size()) continue;  // behind the last of the order, Go does not let it pass
    if (!is_directive && IdentityOf(element, merge_key) == nullptr) return ExpectMergeKeys({element}, merge_key);
    bool found = false;
    while (!found && next < order.size()) {
      const Json* identity = IdentityOf(order[next++], merge_key);
      if (identity == nullptr) return ExpectMergeKeys(order, merge_key);
      found = *identity == *IdentityOf(element, merge_key);
    }
    if (!found) {
      return Error::InvalidArgument("it must name the elements of the patch in the order in which the patch has them");
    }
  }
  return {};
}

// The order of a list in the object, as it counts for "$setElementOrder". Go takes deleted elements out of the list's
// array, lets new ones move into the room that is left, and reads the order from that array afterwards: so where a
// patch deletes, as many of its new elements count as standing at the end.
JsonList OrderAfterDeletions(const JsonList& original, const JsonList& patch, std::string_view merge_key) {
  JsonSet deleted;
  bool replaced = false;
  for (const Json& element : patch) {
    const Json* identity = IdentityOf(element, merge_key);
    if (identity != nullptr && IsDeletion(element)) deleted.insert(*identity);
    const Json* directive = element.find(kDirective);
    if (directive != nullptr && HasText(*directive, kReplace)) replaced = true;
  }
  if (deleted.empty()) return original;

  JsonList order;
  JsonSet present;
  for (const Json& element : original) {
    const Json* identity = IdentityOf(element, merge_key);
    if (identity != nullptr && deleted.contains(*identity)) continue;
    if (identity != nullptr) present.insert(*identity);
    order.push_back(element);
  }
  if (replaced) return order;
  for (const Json& element : patch) {
    if (order.size() == original.size()) break;
    const Json* identity = IdentityOf(element, merge_key);
    if (identity == nullptr || element.find(kDirective) != nullptr) continue;
    if (present.insert(*identity).second) order.push_back(element);
  }
  return order;
}

class Merger {
 public:
  explicit Merger(MergeMode mode) : mode_(mode) {}

  Result<Json> Merge(const Json& original, const Json& patch, const Type& type) const {
    if (const Json* directive = patch.find(kDirective)) return ResolveDirective(*directive, patch);
    JsonObject merged = original.object();
    JsonObject rest = patch.object();
    KEELSON_RETURN_IF_ERROR(TakeRetainKeys(merged, rest));
    KEELSON_RETURN_IF_ERROR(TakeElementOrders(merged, rest, type));
    for (const auto& [member, value] : rest) {
      Result<void> done = MergeMember(merged, member, value, type);
      if (!done) return std::move(done).error().WithContext(member);
    }
    return Json(std::move(merged));
  }

 private:
  bool applying() const { return mode_ == MergeMode::kApply; }

  Result<void> TakeRetainKeys(JsonObject& original, JsonObject& patch) const {
    const Json* found = patch.find(kRetainKeys);
    if (found == nullptr) return {};
    const Json retained = *found;
    patch.erase(kRetainKeys);
    return applying() ? ApplyRetainKeys(retained, original, patch) : CarryOver(String(kRetainKeys), retained, original);
  }

  // Merges the lists for which the patch gives an order, and takes both out of the patch.
  Result<void> TakeElementOrders(JsonObject& original, JsonObject& patch, const Type& type) const {
    const JsonObject before = patch;
    for (const auto& [member, order] : before) {
      if (!member.view().starts_with(kElementOrder)) continue;
      patch.erase(member);
      if (!applying()) KEELSON_RETURN_IF_ERROR(CarryOver(member, order, original));
      Result<void> done = MergeOrdered(original, patch, member, order, type);
      if (!done) return std::move(done).error().WithContext(member);
    }
    return {};
  }

  Result<void> MergeOrdered(JsonObject& original, JsonObject& patch, std::string_view directive, const Json& order,
                            const Type& type) const {
    if (!order.is_list()) {
      return Error::InvalidArgument("expected an array, found " + std::string(ToString(order.kind())));
    }
    KEELSON_TRY(member, DirectiveTarget(directive, kElementOrder));
    KEELSON_TRY(current, FindList(original, member));
    KEELSON_TRY(patched, FindList(patch, member));
    KEELSON_TRY(strategy, ListStrategy(type, member));
    if (patched) KEELSON_RETURN_IF_ERROR(ExpectInOrder(*patched, order.list(), strategy.merge_key));
    if (!current && !patched) return {};

    KEELSON_TRY(merged, MergeEither(current, patched, strategy));
    const JsonList current_list = current.value_or(JsonList());
    const JsonList patched_list = patched.value_or(JsonList());
    KEELSON_TRY(kind, ElementKind(current_list, patched_list));
    const JsonList current_order =
        strategy.merge ? OrderAfterDeletions(current_list, patched_list, strategy.merge_key) : current_list;
    KEELSON_TRY(ordered, OrderElements(merged, {.wanted = order.list(),
                                                .current = current_order,
                                                .merge_key = strategy.merge_key,
                                                .objects = kind == Json::Kind::kObject}));
    original.Set(String(member), Json(std::move(ordered)));
    patch.erase(member);
    return {};
  }

  static Result<std::optional<JsonList>> FindList(const JsonObject& object, std::string_view member) {
    const Json* found = object.find(member);
    if (found == nullptr) return std::optional<JsonList>();
    if (found->is_list()) return std::optional(found->list());
    return Error::InvalidArgument("\"" + std::string(member) + "\": expected an array, found " +
                                  std::string(ToString(found->kind())));
  }

  Result<JsonList> MergeEither(const std::optional<JsonList>& current, const std::optional<JsonList>& patched,
                               const MemberStrategy& strategy) const {
    if (!patched) return *current;
    if (current) return strategy.merge ? MergeLists(*current, *patched, strategy, false) : *patched;
    const std::optional<Json> added = DropDirectives(Json(*patched));
    return added->list();
  }

  Result<void> MergeMember(JsonObject& original, const String& member, const Json& value, const Type& type) const {
    const bool removes = member.view().starts_with(kDeleteFromList);
    if (!removes) return MergeValue(original, member, value, type, false);
    if (!applying()) {
      original.Set(member, value);
      return {};
    }
    KEELSON_TRY(target, DirectiveTarget(member, kDeleteFromList));
    return MergeValue(original, target.empty() ? member : String(target), value, type, true);
  }

  // `removes`: the value is a list of what to take out of the member, and cannot create or replace it.
  Result<void> MergeValue(JsonObject& original, const String& member, const Json& value, const Type& type,
                          bool removes) const {
    if (value.is_null()) {
      original.erase(member);
      if (applying()) return {};
    }
    const Json* found = original.find(member);
    if (found == nullptr || found->kind() != value.kind()) {
      if (!removes) SetNew(original, member, value);
      return {};
    }
    const Json current = *found;
    KEELSON_TRY(merged, MergeSameKind(current, member, value, type, removes));
    original.Set(member, std::move(merged));
    return {};
  }

  // A member that the original does not have, or has in another kind.
  void SetNew(JsonObject& original, const String& member, const Json& value) const {
    if (std::optional<Json> kept = DropDirectives(applying() ? DropNullMembers(value) : value)) {
      original.Set(member, std::move(*kept));
    } else {
      original.erase(member);
    }
  }

  Result<Json> MergeSameKind(const Json& current, std::string_view member, const Json& value, const Type& type,
                             bool removes) const {
    if (value.is_object()) {
      KEELSON_TRY(strategy, ObjectStrategy(type, member));
      return strategy.replace ? value : Merge(current, value, *strategy.type);
    }
    if (value.is_list()) {
      KEELSON_TRY(strategy, ListStrategy(type, member));
      if (!strategy.merge && !removes) return value;
      KEELSON_TRY(list, MergeLists(current.list(), value.list(), strategy, removes));
      return Json(std::move(list));
    }
    return value;
  }

  Result<JsonList> MergeLists(const JsonList& original, const JsonList& patch, const MemberStrategy& strategy,
                              bool removes) const {
    if (original.empty() && patch.empty()) return original;
    KEELSON_TRY(kind, ElementKind(original, patch));
    if (kind == Json::Kind::kObject) return MergeObjectLists(original, patch, strategy);
    if (removes) return Without(original, patch);
    return OrderElements(Union(original, patch),
                         {.wanted = patch, .current = original, .merge_key = strategy.merge_key, .objects = false});
  }

  static JsonList Without(const JsonList& original, const JsonList& removed) {
    const JsonSet gone(removed.begin(), removed.end());
    JsonList rest;
    for (const Json& element : original) {
      if (!gone.contains(element)) rest.push_back(element);
    }
    return rest;
  }

  static JsonList Union(const JsonList& a, const JsonList& b) {
    JsonSet seen;
    JsonList all;
    for (const JsonList* list : {&a, &b}) {
      for (const Json& element : *list) {
        if (seen.insert(element).second) all.push_back(element);
      }
    }
    return all;
  }

  struct Sides {
    JsonList original;
    JsonList patch;
  };

  Result<JsonList> MergeObjectLists(const JsonList& original, const JsonList& patch,
                                    const MemberStrategy& strategy) const {
    if (strategy.merge_key.empty()) {
      return Error::InvalidArgument("a list of objects without a merge key cannot be merged");
    }
    KEELSON_TRY(sides, ApplyElementDirectives(original, patch, strategy.merge_key));
    KEELSON_TRY(merged, MergeElements(sides, strategy));
    return OrderElements(
        merged, {.wanted = sides.patch, .current = sides.original, .merge_key = strategy.merge_key, .objects = true});
  }

  // Carries out the elements with "$patch": a deletion takes its match out of the original; a single "replace" anywhere
  // makes the other elements of the patch the whole list.
  static Result<Sides> ApplyElementDirectives(const JsonList& original, const JsonList& patch,
                                              std::string_view merge_key) {
    JsonSet deleted;
    JsonList rest;
    bool replace = false;
    for (const Json& element : patch) {
      const Json* directive = element.find(kDirective);
      if (directive == nullptr) {
        rest.push_back(element);
      } else if (HasText(*directive, kDelete)) {
        KEELSON_RETURN_IF_ERROR(ExpectMergeKeys({element}, merge_key));
        deleted.insert(*element.find(merge_key));
      } else if (HasText(*directive, kReplace)) {
        replace = true;
      } else {
        return UnknownDirective(*directive);
      }
    }
    if (replace) return Sides{.original = rest, .patch = {}};
    if (deleted.empty()) return Sides{.original = original, .patch = rest};
    JsonList kept;
    for (const Json& element : original) {
      const Json* key = element.find(merge_key);
      if (key == nullptr || !deleted.contains(*key)) kept.push_back(element);
    }
    return Sides{.original = kept, .patch = rest};
  }

  // Each element of the patch into its match, or behind the others.
  Result<JsonList> MergeElements(const Sides& sides, const MemberStrategy& strategy) const {
    KEELSON_RETURN_IF_ERROR(ExpectMergeKeys(sides.patch, strategy.merge_key));
    std::vector<Json> merged(sides.original.begin(), sides.original.end());
    std::unordered_map<Json, size_t, HashJson> positions;
    for (size_t i = 0; i < merged.size(); ++i) {
      if (const Json* key = merged[i].find(strategy.merge_key)) positions.emplace(*key, i);
    }
    for (const Json& element : sides.patch) {
      const auto [found, is_new] = positions.emplace(*element.find(strategy.merge_key), merged.size());
      if (is_new) {
        merged.push_back(element);
        continue;
      }
      KEELSON_TRY(result, Merge(merged[found->second], element, *strategy.type));
      merged[found->second] = std::move(result);
    }
    return JsonList(merged);
  }

  MergeMode mode_;
};

}  // namespace

Result<Json> MergeObjects(const Json& original, const Json& patch, const Type& type, MergeMode mode) {
  return Merger(mode).Merge(original, patch, type);
}

}  // namespace keelson::internal
