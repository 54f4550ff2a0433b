// Strategic merge patch: Kubernetes' own partial document, merged by what the type's table says of each field.
//
//   Json patch = *ParseJson(R"({"spec":{"containers":[{"name":"app","image":"app:2"}]}})");
//   Result<corev1::Pod> patched = ApplyStrategicMergePatch(pod, patch);      // the container named "app", not the list
//
//   Result<Json> change = CreateStrategicMergePatch(before, after);
//
// Objects merge member by member and null removes a member. Lists are replaced, except where the type gives a merge key
// (`containers` by `name`) or merges scalars (`finalizers`). A patch may also say, beside the members themselves:
//
//   "$patch": "replace" | "delete"           in an object, or in an element of a merged list
//   "$setElementOrder/<list>": [...]         the order of the elements; those it does not name keep theirs
//   "$deleteFromPrimitiveList/<list>": [...] scalars to remove
//   "$retainKeys": [...]                     members not named here are removed (a volume has one source)
//
// Results are those of k8s.io/apimachinery's strategicpatch, quirks of order included. Where Go panics (null elements,
// objects where scalars belong) there is an error; where its answer depends on chance (the order in which it visits
// members, the capacity of an array with repeated scalars), one answer. Errors start with the path of the member.
#pragma once

#include "keelson/api/json.h"
#include "keelson/api/type.h"
#include "keelson/codec/convert.h"
#include "keelson/core/result.h"

namespace keelson {

// `type` is a struct's, `object` and `patch` are JSON objects.
Result<Json> ApplyStrategicMergePatch(const Type& type, const Json& object, const Json& patch);

// The patch that makes `modified` out of `original`.
Result<Json> CreateStrategicMergePatch(const Type& type, const Json& original, const Json& modified);

struct ThreeWayMergeOptions {
  // Whether the patch may undo what somebody else changed from `original` to `current`. If not, that is an error of
  // code Conflict.
  bool overwrite = true;
};

// What `kubectl apply` sends: the deletions from `original` (last applied) to `modified`, and the additions and changes
// from `current` (live) to `modified`. So fields that only the server or other writers set stay as they are.
Result<Json> CreateThreeWayStrategicMergePatch(const Type& type, const Json& original, const Json& modified,
                                               const Json& current, const ThreeWayMergeOptions& options = {});

template <class T>
Result<T> ApplyStrategicMergePatch(const T& object, const Json& patch) {
  KEELSON_TRY(patched, ApplyStrategicMergePatch(TypeOf<T>(), ToJsonValue(object), patch));
  return FromJsonValue<T>(patched);
}

template <class T>
Result<Json> CreateStrategicMergePatch(const T& original, const T& modified) {
  return CreateStrategicMergePatch(TypeOf<T>(), ToJsonValue(original), ToJsonValue(modified));
}

}  // namespace keelson
