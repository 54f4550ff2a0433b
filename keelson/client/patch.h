// A change to an object that is sent instead of the object.
//
//   Patch scale = Patch::Merge(Json::Object({{"spec", Json::Object({{"replicas", 3}})}}));
//   KEELSON_TRY(patch, Patch::From(before, after));            // what changed, by the type's table
//   if (!patch.empty()) KEELSON_TRY(patched, client.Patch<appsv1::Deployment>(key, patch));
//   client.Apply(deployment, {.field_manager = "my-operator"}); // server-side apply; Patch::Apply is its document
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "keelson/api/json.h"
#include "keelson/api/object.h"
#include "keelson/codec/convert.h"
#include "keelson/codec/json_patch.h"
#include "keelson/codec/unstructured.h"
#include "keelson/core/result.h"

namespace keelson {

enum class PatchType : uint8_t { kJson, kMerge, kStrategic, kApply };

// "application/merge-patch+json"
std::string_view MediaTypeOf(PatchType type);

struct PatchFromOptions {
  // The patch applies only to the version that `before` has; else a conflict.
  bool optimistic_lock = false;
};

// A value.
class Patch {
 public:
  static Patch JsonOperations(const JsonPatch& operations);
  static Patch Merge(const Json& document);
  static Patch Strategic(const Json& document);
  // Text as it goes over the wire.
  static Patch Raw(PatchType type, std::string text) { return Patch(type, std::move(text)); }

  // What makes `after` out of `before`: a strategic merge patch for built-in kinds, a merge patch for others.
  template <class T>
  static Result<Patch> From(const T& before, const T& after, const PatchFromOptions& options = {}) {
    return Between(TypeOf<T>(), &before, &after, options);
  }
  static Result<Patch> Between(const Type& type, const void* before, const void* after,
                               const PatchFromOptions& options = {});

  // The document of a server-side apply: the object without what the server sets, and without members that are there
  // only because a struct has no way to leave them out (empty sub-objects, null lists).
  template <class T>
  static Patch Apply(const T& object) {
    return ApplyOf(TypeOf<T>(), &object);
  }
  static Patch ApplyOf(const Type& type, const void* object);

  PatchType type() const { return type_; }
  const std::string& text() const& { return text_; }
  const std::string& text() && = delete;
  // Whether it changes nothing.
  bool empty() const { return text_ == "{}" || text_ == "[]"; }

 private:
  Patch(PatchType type, std::string text) : type_(type), text_(std::move(text)) {}

  PatchType type_;
  std::string text_;
};

}  // namespace keelson
