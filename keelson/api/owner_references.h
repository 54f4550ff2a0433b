// Who an object belongs to: the garbage collector deletes it with its last owner, and a controller finds its own by it.
//
//   KEELSON_RETURN_IF_ERROR(SetControllerReference(app, deployment));        // before creating the Deployment
//   if (const metav1::OwnerReference* owner = GetControllerOf(pod)) Enqueue(owner->name);
//
// An owner is cluster-scoped when it has no namespace. The rules are Kubernetes': a namespaced owner owns only within
// its namespace, and an object has at most one controller.
#pragma once

#include <string_view>

#include "keelson/api/object.h"
#include "keelson/core/result.h"

namespace keelson {

struct OwnerReferenceOptions {
  // Foreground deletion of the owner waits for this object.
  bool block_owner_deletion = true;
};

// An object to be named as owner. `metadata` must have a name and a uid, which an object that was read has.
struct Owner {
  const metav1::ObjectMeta& metadata;
  GroupVersionKind kind;
};
template <ApiObject T>
Owner OwnerOf(const T& object) {
  return {.metadata = object.metadata, .kind = GvkOf<T>()};
}

// The error of SetControllerReference when another object is the controller already (code kAlreadyExists).
class AlreadyOwnedDetail : public ErrorDetail {
 public:
  explicit AlreadyOwnedDetail(metav1::OwnerReference owner) : owner_(std::move(owner)) {}
  const metav1::OwnerReference& owner() const { return owner_; }

 private:
  metav1::OwnerReference owner_;
};

// The reference that is marked as controller, or null. Valid until the list changes.
const metav1::OwnerReference* GetControllerOf(const metav1::ObjectMeta& object);
// Whether that very owner, by its uid, controls the object.
bool IsControlledBy(const metav1::ObjectMeta& object, const metav1::ObjectMeta& owner);

// Names `owner` as the controller of `object`. A reference to the same owner (group, kind and name) is updated in
// place.
Result<void> SetControllerReference(const Owner& owner, metav1::ObjectMeta& object,
                                    const OwnerReferenceOptions& options = {});
// Names `owner` as one of the owners, without controlling: a reference that made it the controller no longer does.
// Blocks the owner's deletion only when asked to.
Result<void> SetOwnerReference(const Owner& owner, metav1::ObjectMeta& object,
                               const OwnerReferenceOptions& options = {.block_owner_deletion = false});
// By group, kind and name, whatever the version and uid.
bool HasOwnerReference(const Owner& owner, const metav1::ObjectMeta& object);
// Says whether there was one.
bool RemoveOwnerReference(const Owner& owner, metav1::ObjectMeta& object);

// The same for typed objects.
template <ApiObject T>
const metav1::OwnerReference* GetControllerOf(const T& object) {
  return GetControllerOf(object.metadata);
}
template <ApiObject T>
const metav1::OwnerReference* GetControllerOf(const T&& object) = delete;
template <ApiObject T, ApiObject O>
bool IsControlledBy(const T& object, const O& owner) {
  return IsControlledBy(object.metadata, owner.metadata);
}
template <ApiObject O, ApiObject T>
Result<void> SetControllerReference(const O& owner, T& object, const OwnerReferenceOptions& options = {}) {
  return SetControllerReference(OwnerOf(owner), object.metadata, options);
}
template <ApiObject O, ApiObject T>
Result<void> SetOwnerReference(const O& owner, T& object,
                               const OwnerReferenceOptions& options = {.block_owner_deletion = false}) {
  return SetOwnerReference(OwnerOf(owner), object.metadata, options);
}
template <ApiObject O, ApiObject T>
bool HasOwnerReference(const O& owner, const T& object) {
  return HasOwnerReference(OwnerOf(owner), object.metadata);
}
template <ApiObject O, ApiObject T>
bool RemoveOwnerReference(const O& owner, T& object) {
  return RemoveOwnerReference(OwnerOf(owner), object.metadata);
}

}  // namespace keelson
