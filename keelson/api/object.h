// What every object has: its key, its kind, its metadata.
//
//   Log("Reconciling", "object", KeyOf(pod), "kind", GvkOf<corev1::Pod>());
//
//   template <ApiObject T>
//   void Touch(T& object) { object.metadata.annotations.Set("touched", "true"); }
#pragma once

#include <concepts>
#include <string_view>

#include "keelson/api/access.h"
#include "keelson/api/gvk.h"
#include "keelson/api/meta/v1.h"
#include "keelson/api/object_key.h"
#include "keelson/api/resource_info.h"
#include "keelson/api/type.h"

namespace keelson {

// A described struct with a member `metadata`: any built-in or user's object, and metav1::PartialObjectMetadata.
template <class T>
concept ApiObject = requires(T& object) {
  { object.metadata } -> std::same_as<metav1::ObjectMeta&>;
  { Describe<T>::type } -> std::convertible_to<const Type&>;
};

inline ObjectKey KeyOf(const metav1::ObjectMeta& metadata) {
  return {.namespace_ = metadata.namespace_.str(), .name = metadata.name.str()};
}
template <ApiObject T>
ObjectKey KeyOf(const T& object) {
  return KeyOf(object.metadata);
}

// Empty when the type is no root.
inline GroupVersionKind GvkOf(const Type& type) {
  return {
      .group = std::string(type.group), .version = std::string(type.version), .kind = std::string(type.object_kind)};
}
template <class T>
GroupVersionKind GvkOf() {
  return GvkOf(TypeOf<T>());
}
template <ApiResource T>
GroupVersionResource GvrOf() {
  return GvkOf<T>().group_version().WithResource(ResourceOf<T>().plural);
}

// The metadata of an object whose type is known at run time only; null when the type has none.
inline const metav1::ObjectMeta* FindObjectMeta(const Type& type, const void* object) {
  const Field* field = type.is_struct() ? type.FindField("metadata") : nullptr;
  if (field == nullptr || field->type != &TypeOf<metav1::ObjectMeta>()) return nullptr;
  return static_cast<const metav1::ObjectMeta*>(ReadField(*field, object));
}
inline metav1::ObjectMeta* FindObjectMeta(const Type& type, void* object) {
  return const_cast<metav1::ObjectMeta*>(FindObjectMeta(type, static_cast<const void*>(object)));
}

}  // namespace keelson
