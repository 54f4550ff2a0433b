// A reference to an object of any kind, as events and statuses hold it.
//
//   corev1::ObjectReference reference = ReferenceTo(pod);
//   corev1::ObjectReference container = ReferenceTo(pod, "spec.containers{app}");
//
// Of a typed object, an Unstructured one, metadata alone, or what is a reference already.
#pragma once

#include <concepts>
#include <string_view>

#include "keelson/api/core/v1.h"
#include "keelson/api/gvk.h"
#include "keelson/api/object.h"
#include "keelson/codec/unstructured.h"

namespace keelson {

template <class T>
concept ReferableObject = ApiObject<T> || std::same_as<T, Unstructured> || std::same_as<T, corev1::ObjectReference>;

namespace internal {
inline corev1::ObjectReference ReferenceOf(const metav1::ObjectMeta& metadata, const String& kind,
                                           const String& api_version) {
  return {.kind = kind,
          .namespace_ = metadata.namespace_,
          .name = metadata.name,
          .uid = metadata.uid,
          .apiVersion = api_version,
          .resourceVersion = metadata.resourceVersion};
}
}  // namespace internal

// `kind` and `apiVersion` are empty when the object does not say them.
template <ReferableObject T>
corev1::ObjectReference ReferenceTo(const T& object) {
  if constexpr (std::same_as<T, corev1::ObjectReference>) {
    return object;
  } else if constexpr (std::same_as<T, Unstructured>) {
    return {.kind = object.GetKind(),
            .namespace_ = object.GetNamespace(),
            .name = object.GetName(),
            .uid = object.GetUid(),
            .apiVersion = object.GetApiVersion(),
            .resourceVersion = object.GetResourceVersion()};
  } else if constexpr (std::same_as<T, metav1::PartialObjectMetadata>) {
    return internal::ReferenceOf(object.metadata, object.kind, object.apiVersion);
  } else {
    const GroupVersionKind kind = GvkOf<T>();
    return internal::ReferenceOf(object.metadata, kind.kind, kind.group_version().ToString());
  }
}

// To a part of it: "spec.containers{app}".
template <ReferableObject T>
corev1::ObjectReference ReferenceTo(const T& object, std::string_view field_path) {
  corev1::ObjectReference reference = ReferenceTo(object);
  reference.fieldPath = field_path;
  return reference;
}

}  // namespace keelson
