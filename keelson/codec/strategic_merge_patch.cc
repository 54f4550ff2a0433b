#include "keelson/codec/strategic_merge_patch.h"

#include "keelson/codec/internal/strategic_conflict.h"
#include "keelson/codec/internal/strategic_diff.h"
#include "keelson/codec/internal/strategic_merge.h"
#include "keelson/codec/internal/strategic_schema.h"

namespace keelson {

using internal::ExpectObject;

Result<Json> ApplyStrategicMergePatch(const Type& type, const Json& object, const Json& patch) {
  KEELSON_RETURN_IF_ERROR(ExpectObject(object, "object"));
  KEELSON_RETURN_IF_ERROR(ExpectObject(patch, "patch"));
  return internal::MergeObjects(object, patch, type, internal::MergeMode::kApply);
}

Result<Json> CreateStrategicMergePatch(const Type& type, const Json& original, const Json& modified) {
  KEELSON_RETURN_IF_ERROR(ExpectObject(original, "original"));
  KEELSON_RETURN_IF_ERROR(ExpectObject(modified, "modified"));
  return internal::DiffObjects(original, modified, type, {});
}

Result<Json> CreateThreeWayStrategicMergePatch(const Type& type, const Json& original, const Json& modified,
                                               const Json& current, const ThreeWayMergeOptions& options) {
  KEELSON_RETURN_IF_ERROR(ExpectObject(original, "original"));
  KEELSON_RETURN_IF_ERROR(ExpectObject(modified, "modified"));
  KEELSON_RETURN_IF_ERROR(ExpectObject(current, "current"));
  KEELSON_TRY(changes, internal::DiffObjects(current, modified, type, {.deletions = false}));
  KEELSON_TRY(deletions, internal::DiffObjects(original, modified, type, {.changes = false}));
  KEELSON_TRY(patch, internal::MergeObjects(deletions, changes, type, internal::MergeMode::kCombine));
  if (options.overwrite) return patch;

  KEELSON_TRY(theirs, internal::DiffObjects(original, current, type, {.element_order = false}));
  KEELSON_TRY(conflict, internal::PatchesConflict(patch, theirs, type));
  if (!conflict) return patch;
  return Error::Conflict(
      "the patch would undo changes that were made to the object since it was last applied; read it again, or "
      "overwrite");
}

}  // namespace keelson
