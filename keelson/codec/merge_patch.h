// JSON Merge Patch (RFC 7386): a partial document; null removes a member, anything that is no object replaces.
//
//   Json patched = ApplyMergePatch(document, *ParseJson(R"({"metadata":{"labels":{"old":null,"tier":"front"}}})"));
//   Json patch = CreateMergePatch(before, after);
#pragma once

#include "keelson/api/json.h"
#include "keelson/codec/convert.h"
#include "keelson/core/result.h"

namespace keelson {

// As Kubernetes does, and beyond the RFC, members that are null inside an array of the patch are left out too, unless
// the array replaces an object.
Json ApplyMergePatch(const Json& document, const Json& patch);

// The patch that makes `to` out of `from`; {} when they are equal objects. Members that are null in `to` come out
// absent, for a merge patch cannot say otherwise.
Json CreateMergePatch(const Json& from, const Json& to);

// What `kubectl apply` sends for custom resources: the deletions from `original` (last applied) to `modified`, and the
// additions and changes from `current` (live) to `modified`. All three are objects. The two halves can contradict each
// other only where `modified` itself holds nulls: an error of code Conflict.
Result<Json> CreateThreeWayJsonMergePatch(const Json& original, const Json& modified, const Json& current);

template <class T>
Result<T> ApplyMergePatch(const T& object, const Json& patch) {
  return FromJsonValue<T>(ApplyMergePatch(ToJsonValue(object), patch));
}

}  // namespace keelson
