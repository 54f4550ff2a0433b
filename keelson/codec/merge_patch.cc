#include "keelson/codec/merge_patch.h"

#include <string>

#include "keelson/codec/internal/drop_nulls.h"
#include "keelson/codec/json_equal.h"

namespace keelson {

namespace {

enum class Keep { kNulls, kValues };

// The part of a patch that deletes, or the part that sets. An object without such a part is left out; one that the
// patch has empty is a value.
Json Filter(const Json& patch, Keep keep) {
  JsonObject filtered;
  for (const auto& [key, value] : patch.object()) {
    if (value.is_object() && !value.object().empty()) {
      const Json part = Filter(value, keep);
      if (!part.object().empty()) filtered.Set(key, part);
    } else if (value.is_null() == (keep == Keep::kNulls)) {
      filtered.Set(key, value);
    }
  }
  return Json(std::move(filtered));
}

// Whether a key that both have is set to different values.
bool Contradict(const Json& a, const Json& b) {
  if (!a.is_object() || !b.is_object()) return !(a == b);
  for (const auto& [key, value] : a.object()) {
    const Json* other = b.object().find(key);
    if (other != nullptr && Contradict(value, *other)) return true;
  }
  return false;
}

Result<void> ExpectObject(const Json& document, const char* name) {
  if (document.is_object()) return {};
  return Error::InvalidArgument(std::string(name) + ": expected an object, found " +
                                std::string(ToString(document.kind())));
}

}  // namespace

Json ApplyMergePatch(const Json& document, const Json& patch) {
  if (!document.is_object()) return internal::DropNullMembers(patch);
  if (!patch.is_object()) return patch;
  JsonObject merged = document.object();
  for (const auto& [key, value] : patch.object()) {
    if (value.is_null()) {
      merged.erase(key);
      continue;
    }
    const Json* current = merged.find(key);
    merged.Set(key, ApplyMergePatch(current == nullptr ? Json() : *current, value));
  }
  return Json(std::move(merged));
}

Json CreateMergePatch(const Json& from, const Json& to) {
  if (!from.is_object() || !to.is_object()) return to;
  JsonObject patch;
  for (const auto& [key, value] : to.object()) {
    const Json* before = from.object().find(key);
    if (before == nullptr || !NumericallyEqual(*before, value)) {
      patch.Set(key, before == nullptr ? value : CreateMergePatch(*before, value));
    }
  }
  for (const auto& [key, value] : from.object()) {
    if (!to.object().contains(key)) patch.Set(key, nullptr);
  }
  return Json(std::move(patch));
}

Result<Json> CreateThreeWayJsonMergePatch(const Json& original, const Json& modified, const Json& current) {
  KEELSON_RETURN_IF_ERROR(ExpectObject(original, "original"));
  KEELSON_RETURN_IF_ERROR(ExpectObject(modified, "modified"));
  KEELSON_RETURN_IF_ERROR(ExpectObject(current, "current"));
  const Json deletions = Filter(CreateMergePatch(original, modified), Keep::kNulls);
  const Json changes = Filter(CreateMergePatch(current, modified), Keep::kValues);
  if (Contradict(changes, deletions)) {
    return Error::Conflict("the modified document both sets and deletes a field: leave nulls out of it");
  }
  return ApplyMergePatch(deletions, changes);
}

}  // namespace keelson
