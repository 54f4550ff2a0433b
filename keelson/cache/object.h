// What the cache is made of: immutable objects that readers share, and what it needs to know of their type.
//
//   CachedPtr<corev1::Pod> pod = lister.Get({"default", "web"}).value();
//
// Below the typed skins an object is a pointer without a type, and its ObjectModel says how to make one and where its
// name is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "keelson/api/internal/node_memory.h"
#include "keelson/api/label_selector.h"
#include "keelson/api/object.h"
#include "keelson/codec/kept_versions.h"
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

namespace internal {

ObjectIdentity IdentifyUnstructured(const void* object);
bool IsUnstructuredNamed(const void* object, std::string_view namespace_, std::string_view name);
std::optional<std::string_view> AnnotationOfUnstructured(const void* object, std::string_view key);
bool LabelsOfUnstructuredMatch(const void* object, const labels::Selector& selector);
bool IsUnstructuredDeleting(const void* object);

// An object of a cache and, right before it, the marks of its sections.
template <class T>
struct MarkedObject {
  SectionMarks marks = {};
  T object = {};
  static_assert(alignof(T) <= alignof(SectionMarks));
};

// Made by the type's table: with one allocation more than std::make_shared.
std::shared_ptr<void> MakeByTable(const Type& type);

inline ObjectIdentity IdentityOf(const metav1::ObjectMeta& metadata) {
  return {.namespace_ = metadata.namespace_,
          .name = metadata.name,
          .uid = metadata.uid,
          .resource_version = metadata.resourceVersion};
}

}  // namespace internal

// What a cache knows of the type of its objects: a typed object, metav1::PartialObjectMetadata, or Unstructured.
class ObjectModel {
 public:
  using Make = std::shared_ptr<void> (*)(const Type& type);
  explicit ObjectModel(const Type& type, Make make = internal::MakeByTable);

  const Type* type;

  std::shared_ptr<void> make() const { return make_(*type); }  // a default object
  // What the object was read from; `object` is one that make() gave.
  static SectionMarks& marks(void* object) { return static_cast<SectionMarks*>(object)[-1]; }
  static const SectionMarks& marks(const void* object) { return static_cast<const SectionMarks*>(object)[-1]; }
  ObjectIdentity identify(const void* object) const {
    return dynamic() ? internal::IdentifyUnstructured(object) : internal::IdentityOf(metadata(object));
  }
  // What identify would tell, with fewer looks at memory.
  bool is_named(const void* object, std::string_view namespace_, std::string_view name) const {
    if (dynamic()) return internal::IsUnstructuredNamed(object, namespace_, name);
    return metadata(object).name == name && metadata(object).namespace_ == namespace_;
  }
  std::optional<std::string_view> annotation(const void* object, std::string_view key) const {
    if (dynamic()) return internal::AnnotationOfUnstructured(object, key);
    const String* found = metadata(object).annotations.find(key);
    if (found == nullptr) return std::nullopt;
    return found->view();
  }
  bool labels_match(const void* object, const labels::Selector& selector) const {
    if (dynamic()) return internal::LabelsOfUnstructuredMatch(object, selector);
    return selector.Matches(metadata(object).labels);
  }
  // It has a deletionTimestamp.
  bool deleting(const void* object) const {
    return dynamic() ? internal::IsUnstructuredDeleting(object) : metadata(object).deletionTimestamp.has_value();
  }

 private:
  static constexpr size_t kDynamic = SIZE_MAX;
  bool dynamic() const { return metadata_offset_ == kDynamic; }
  const metav1::ObjectMeta& metadata(const void* object) const {
    return *reinterpret_cast<const metav1::ObjectMeta*>(static_cast<const std::byte*>(object) + metadata_offset_);
  }

  Make make_;
  size_t metadata_offset_ = kDynamic;
};

template <class T>
const ObjectModel& ModelOf() {
  static const ObjectModel model(TypeOf<T>(), [](const Type&) -> std::shared_ptr<void> {
    const auto made = std::allocate_shared<internal::MarkedObject<T>>(internal::NodeAllocator<std::byte>());
    return std::shared_ptr<void>(made, &made->object);
  });
  return model;
}
// The same for a type that is known at run time only. Null when its objects have no metadata, so that no cache can
// hold them. Lives as long as the process.
const ObjectModel* FindModel(const Type& type);

// Which of two resource versions is newer. Versions are whole numbers without leading zeros; others cannot be compared.
std::optional<std::strong_ordering> CompareResourceVersions(std::string_view a, std::string_view b);
// Whether `a` is known to be older than `b`.
inline bool IsOlderVersion(std::string_view a, std::string_view b) {
  return CompareResourceVersions(a, b) == std::strong_ordering::less;
}

}  // namespace keelson
