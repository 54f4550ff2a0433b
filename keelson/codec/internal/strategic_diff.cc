#include "keelson/codec/internal/strategic_diff.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "keelson/codec/internal/strategic_order.h"
#include "keelson/codec/internal/strategic_schema.h"
#include "keelson/codec/internal/strategic_text.h"

namespace keelson::internal {

namespace {

struct Keyed {
  std::string text;  // of the merge key or the scalar, by which Go sorts
  size_t position;   // in the list
  Json element;
};

// Elements with equal keys come out in reverse: Go's sort does so with up to 12 elements, and leaves it open with more.
std::vector<Keyed> SortedByText(const JsonList& list, std::string_view merge_key) {
  std::vector<Keyed> sorted;
  sorted.reserve(list.size());
  for (size_t i = 0; i < list.size(); ++i) {
    sorted.push_back({SortText(*IdentityOf(list[i], merge_key)), i, list[i]});
  }
  std::sort(sorted.begin(), sorted.end(), [](const Keyed& a, const Keyed& b) {
    return a.text != b.text ? a.text < b.text : a.position > b.position;
  });
  return sorted;
}

// Walks two sorted lists side by side: both(a, b) → Result<void> for equal keys, only_original(a), only_modified(b).
template <class Both, class OnlyOriginal, class OnlyModified>
Result<void> WalkSideBySide(const std::vector<Keyed>& original, const std::vector<Keyed>& modified, Both both,
                            OnlyOriginal only_original, OnlyModified only_modified) {
  size_t i = 0;
  size_t j = 0;
  while (i < original.size() || j < modified.size()) {
    if (i == original.size() || (j < modified.size() && original[i].text > modified[j].text)) {
      only_modified(modified[j++].element);
    } else if (j == modified.size() || original[i].text < modified[j].text) {
      only_original(original[i++].element);
    } else {
      KEELSON_RETURN_IF_ERROR(both(original[i++].element, modified[j++].element));
    }
  }
  return {};
}

// Fills the place of a repeated element with the last one, as Go does: the order is visible in the patch.
void RemoveRepeated(std::vector<Json>& list) {
  for (size_t i = 0; i < list.size(); ++i) {
    for (size_t j = i + 1; j < list.size();) {
      if (list[i] == list[j]) {
        list[j] = list.back();
        list.pop_back();
      } else {
        ++j;
      }
    }
  }
}

bool SameOrder(const JsonList& original, const JsonList& modified, std::string_view merge_key) {
  return std::equal(
      original.begin(), original.end(), modified.begin(), modified.end(),
      [&](const Json& a, const Json& b) { return *IdentityOf(a, merge_key) == *IdentityOf(b, merge_key); });
}

struct ListPatch {
  JsonList elements = {};
  JsonList removed = {};  // scalars
  JsonList order = {};
};

class Differ {
 public:
  explicit Differ(const DiffOptions& options) : options_(options) {}

  Result<Json> Diff(const Json& original, const Json& modified, const Type& type, bool retain_keys) const {
    JsonObject patch;
    JsonList retained;
    for (const auto& [member, value] : modified.object()) {
      if (retain_keys && !value.is_null()) retained.push_back(Json(member));
      const Json* before = original.object().find(member);
      Result<void> done =
          before == nullptr ? SetChanged(patch, member, value) : DiffMember(patch, member, *before, value, type);
      if (!done) return std::move(done).error().WithContext(member);
    }
    const bool has_gone = AddDeletions(patch, original.object(), modified.object());
    if (!retained.empty() && (!patch.empty() || has_gone)) {
      patch.Set(String(kRetainKeys), Json(std::move(retained)));
    }
    return Json(std::move(patch));
  }

 private:
  Result<void> SetChanged(JsonObject& patch, const String& member, const Json& value) const {
    if (options_.changes) patch.Set(member, value);
    return {};
  }

  // Whether a member with a value is gone.
  bool AddDeletions(JsonObject& patch, const JsonObject& original, const JsonObject& modified) const {
    bool has_gone = false;
    for (const auto& [member, value] : original) {
      if (modified.contains(member)) continue;
      if (!value.is_null()) has_gone = true;
      if (options_.deletions) patch.Set(member, nullptr);
    }
    return has_gone;
  }

  Result<void> DiffMember(JsonObject& patch, const String& member, const Json& original, const Json& modified,
                          const Type& type) const {
    if (member == kDirective) return DiffDirective(patch, original, modified);
    if (original.kind() != modified.kind()) return SetChanged(patch, member, modified);
    if (modified.is_object()) return DiffObjectMember(patch, member, original, modified, type);
    if (modified.is_list()) return DiffListMember(patch, member, original, modified, type);
    return original == modified ? Result<void>() : SetChanged(patch, member, modified);
  }

  static Result<void> DiffDirective(JsonObject& patch, const Json& original, const Json& modified) {
    if (!original.is_string() || !modified.is_string()) return Error::InvalidArgument("expected a string");
    if (original != modified) patch.Set(String(kDirective), modified);
    return {};
  }

  Result<void> DiffObjectMember(JsonObject& patch, const String& member, const Json& original, const Json& modified,
                                const Type& type) const {
    Result<MemberStrategy> strategy = ObjectStrategy(type, member);
    if (!strategy) return original == modified ? Result<void>() : std::move(strategy).error();
    if (strategy->replace) return SetChanged(patch, member, modified);
    KEELSON_TRY(part, Diff(original, modified, *strategy->type, strategy->retain_keys));
    if (!part.object().empty()) patch.Set(member, std::move(part));
    return {};
  }

  Result<void> DiffListMember(JsonObject& patch, const String& member, const Json& original, const Json& modified,
                              const Type& type) const {
    Result<MemberStrategy> strategy = ListStrategy(type, member);
    if (!strategy) return original == modified ? Result<void>() : std::move(strategy).error();
    if (!strategy->merge) return original == modified ? Result<void>() : SetChanged(patch, member, modified);
    KEELSON_TRY(part, DiffLists(original.list(), modified.list(), *strategy));
    const auto set = [&](std::string_view prefix, JsonList list) {
      if (!list.empty()) patch.Set(String(std::string(prefix) + member.str()), Json(std::move(list)));
    };
    set("", std::move(part.elements));
    set(std::string(kDeleteFromList) + "/", std::move(part.removed));
    set(std::string(kElementOrder) + "/", std::move(part.order));
    return {};
  }

  Result<ListPatch> DiffLists(const JsonList& original, const JsonList& modified,
                              const MemberStrategy& strategy) const {
    if (original.empty()) return ListPatch{.elements = options_.changes ? modified : JsonList()};
    KEELSON_TRY(kind, ElementKind(original, modified));
    if (kind != Json::Kind::kObject) return DiffScalars(original, modified);
    if (strategy.merge_key.empty()) {
      return Error::InvalidArgument("a list of objects without a merge key cannot be compared by elements");
    }
    return DiffElements(original, modified, strategy);
  }

  Result<ListPatch> DiffScalars(const JsonList& original, const JsonList& modified) const {
    const std::vector<Keyed> sorted = SortedByText(original, {});
    std::vector<Json> removed;
    JsonList added;
    KEELSON_RETURN_IF_ERROR(WalkSideBySide(
        sorted, SortedByText(modified, {}), [](const Json&, const Json&) { return Result<void>(); },
        [&](const Json& gone) {
          if (options_.deletions) removed.push_back(gone);
        },
        [&](const Json& element) {
          if (options_.changes) added.push_back(element);
        }));
    RemoveRepeated(removed);
    ListPatch patch{.elements = SortByOrder(added, modified, {}), .removed = JsonList(removed)};
    // Go compares with the sorted original here, so a list that is unchanged but not in the order of its text gets an
    // order in the patch, too.
    const bool differs = !std::equal(sorted.begin(), sorted.end(), modified.begin(), modified.end(),
                                     [](const Keyed& a, const Json& b) { return a.element == b; });
    if (options_.element_order && (!patch.removed.empty() || (options_.changes && differs))) patch.order = modified;
    return patch;
  }

  Result<ListPatch> DiffElements(const JsonList& original, const JsonList& modified,
                                 const MemberStrategy& strategy) const {
    const std::string_view merge_key = strategy.merge_key;
    KEELSON_RETURN_IF_ERROR(ExpectMergeKeys(original, merge_key));
    KEELSON_RETURN_IF_ERROR(ExpectMergeKeys(modified, merge_key));
    JsonList changed;
    JsonList deletions;
    const auto diff_both = [&](const Json& before, const Json& after) -> Result<void> {
      KEELSON_TRY(part, Diff(before, after, *strategy.type, strategy.retain_keys));
      if (part.object().empty()) return {};
      part.object().Set(String(merge_key), *after.find(merge_key));
      changed.push_back(std::move(part));
      return {};
    };
    const auto add_deletion = [&](const Json& gone) {
      if (!options_.deletions) return;
      deletions.push_back(Json::Object({{String(merge_key), *gone.find(merge_key)}, {String(kDirective), kDelete}}));
    };
    const auto add_new = [&](const Json& element) {
      if (options_.changes) changed.push_back(element);
    };
    KEELSON_RETURN_IF_ERROR(WalkSideBySide(SortedByText(original, merge_key), SortedByText(modified, merge_key),
                                           diff_both, add_deletion, add_new));

    ListPatch patch{.elements = SortByOrder(changed, modified, merge_key)};
    for (const Json& deletion : deletions) patch.elements.push_back(deletion);
    const bool reordered = options_.changes && !SameOrder(original, modified, merge_key);
    if (options_.element_order && (!patch.elements.empty() || reordered)) patch.order = KeysOf(modified, merge_key);
    return patch;
  }

  static JsonList KeysOf(const JsonList& list, std::string_view merge_key) {
    JsonList keys;
    for (const Json& element : list) keys.push_back(Json::Object({{String(merge_key), *element.find(merge_key)}}));
    return keys;
  }

  const DiffOptions& options_;
};

}  // namespace

Result<Json> DiffObjects(const Json& original, const Json& modified, const Type& type, const DiffOptions& options) {
  return Differ(options).Diff(original, modified, type, false);
}

}  // namespace keelson::internal
