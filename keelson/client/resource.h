// Which resource of the API a call is about, and which C++ type stands for its objects.
//
//   Resource widgets = {.group = "example.com", .version = "v1", .plural = "widgets", .kind = "Widget"};
//   KnownResource<corev1::Pod>()->plural;     // "pods"
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "keelson/api/gvk.h"
#include "keelson/api/object.h"
#include "keelson/api/resource_info.h"
#include "keelson/api/type.h"

namespace keelson {

enum class ResourceScope : uint8_t {
  kUnknown,  // the caller's namespace decides: with one, the path has it
  kNamespaced,
  kCluster,
};

struct Resource {
  std::string group = {};
  std::string version = {};
  std::string plural = {};
  std::string kind = {};  // empty where only the resource is known
  ResourceScope scope = ResourceScope::kUnknown;

  static Resource Of(const GroupVersionResource& resource, ResourceScope scope = ResourceScope::kUnknown) {
    return {.group = resource.group, .version = resource.version, .plural = resource.resource, .scope = scope};
  }

  GroupVersionResource gvr() const { return {group, version, plural}; }
  GroupVersionKind gvk() const { return {group, version, kind}; }
  GroupResource group_resource() const { return {group, plural}; }

  friend bool operator==(const Resource&, const Resource&) = default;
};

// The resource of a type that says so itself (resource_info.h); null for other types, which discovery finds.
template <class T>
const Resource* KnownResource() {
  if constexpr (ApiResource<T>) {
    static const Resource resource = {
        .group = std::string(TypeOf<T>().group),
        .version = std::string(TypeOf<T>().version),
        .plural = std::string(ResourceOf<T>().plural),
        .kind = std::string(TypeOf<T>().object_kind),
        .scope = ResourceOf<T>().namespaced ? ResourceScope::kNamespaced : ResourceScope::kCluster};
    return &resource;
  } else {
    return nullptr;
  }
}

// What a call without templates works on: the resource and the type of the values that stand for its objects, which is
// the kind's own, Unstructured, or metav1::PartialObjectMetadata for the metadata alone.
struct Target {
  const Type* type = nullptr;
  const Resource* resource = nullptr;  // null: that of `kind`
  GroupVersionKind kind = {};          // empty: that of `type`

  template <class T>
  static Target Typed() {
    return {.type = &TypeOf<T>(), .resource = KnownResource<T>()};
  }
  // The metadata of T's objects.
  template <class T>
  static Target Metadata() {
    return {.type = &TypeOf<metav1::PartialObjectMetadata>(), .resource = KnownResource<T>(), .kind = GvkOf<T>()};
  }
};

}  // namespace keelson
