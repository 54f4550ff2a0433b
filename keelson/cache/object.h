// What the cache is made of: immutable objects that readers share, and what it needs to know of their type.
//
//   std::shared_ptr<const corev1::Pod> pod = lister.Get({"default", "web"}).value();
//
// Below the typed skins an object is a pointer without a type, and its ObjectModel says how to make one and where its
// name is.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "keelson/api/label_selector.h"
#include "keelson/api/object.h"
#include "keelson/codec/unstructured.h"

namespace keelson {

// Constant from the moment it enters a cache, and alive as long as anybody holds it.
using ObjectPtr = std::shared_ptr<const void>;

// Views into an object, good as long as that is.
struct ObjectIdentity {
  std::string_view namespace_ = {};
  std::string_view name = {};
  std::string_view uid = {};
  std::string_view resource_version = {};

  ObjectKey key() const { return {.namespace_ = std::string(namespace_), .name = std::string(name)}; }
};

struct ObjectModel {
  const Type* type;
  std::shared_ptr<void> (*make)();  // a default object
  ObjectIdentity (*identify)(const void* object);
  // What identify would tell, with fewer looks at memory.
  bool (*is_named)(const void* object, std::string_view namespace_, std::string_view name);
  std::optional<std::string_view> (*annotation)(const void* object, std::string_view key);
  bool (*labels_match)(const void* object, const labels::Selector& selector);
  bool (*deleting)(const void* object);  // it has a deletionTimestamp
};

namespace internal {

ObjectIdentity IdentifyUnstructured(const void* object);
bool IsUnstructuredNamed(const void* object, std::string_view namespace_, std::string_view name);
std::optional<std::string_view> AnnotationOfUnstructured(const void* object, std::string_view key);
bool LabelsOfUnstructuredMatch(const void* object, const labels::Selector& selector);
bool IsUnstructuredDeleting(const void* object);

inline ObjectIdentity IdentityOf(const metav1::ObjectMeta& metadata) {
  return {.namespace_ = metadata.namespace_,
          .name = metadata.name,
          .uid = metadata.uid,
          .resource_version = metadata.resourceVersion};
}

}  // namespace internal

// Of a typed object, of metav1::PartialObjectMetadata, or of Unstructured.
template <class T>
const ObjectModel& ModelOf() {
  static constexpr auto kMake = []() -> std::shared_ptr<void> { return std::make_shared<T>(); };
  if constexpr (std::same_as<T, Unstructured>) {
    static const ObjectModel model = {.type = &TypeOf<T>(),
                                      .make = kMake,
                                      .identify = internal::IdentifyUnstructured,
                                      .is_named = internal::IsUnstructuredNamed,
                                      .annotation = internal::AnnotationOfUnstructured,
                                      .labels_match = internal::LabelsOfUnstructuredMatch,
                                      .deleting = internal::IsUnstructuredDeleting};
    return model;
  } else {
    static const ObjectModel model = {
        .type = &TypeOf<T>(),
        .make = kMake,
        .identify = [](const void* object) { return internal::IdentityOf(static_cast<const T*>(object)->metadata); },
        .is_named =
            [](const void* object, std::string_view namespace_, std::string_view name) {
              const metav1::ObjectMeta& metadata = static_cast<const T*>(object)->metadata;
              return metadata.name == name && metadata.namespace_ == namespace_;
            },
        .annotation = [](const void* object, std::string_view key) -> std::optional<std::string_view> {
          const String* found = static_cast<const T*>(object)->metadata.annotations.find(key);
          if (found == nullptr) return std::nullopt;
          return found->view();
        },
        .labels_match =
            [](const void* object, const labels::Selector& selector) {
              return selector.Matches(static_cast<const T*>(object)->metadata.labels);
            },
        .deleting =
            [](const void* object) { return static_cast<const T*>(object)->metadata.deletionTimestamp.has_value(); }};
    return model;
  }
}

// Which of two resource versions is newer. Versions are whole numbers without leading zeros; others cannot be compared.
std::optional<std::strong_ordering> CompareResourceVersions(std::string_view a, std::string_view b);
// Whether `a` is known to be older than `b`.
inline bool IsOlderVersion(std::string_view a, std::string_view b) {
  return CompareResourceVersions(a, b) == std::strong_ordering::less;
}

}  // namespace keelson
