#include "keelson/cache/object.h"

#include <algorithm>
#include <new>
#include <unordered_map>
#include <utility>

#include "keelson/api/access.h"
#include "keelson/core/leaf_mutex.h"

namespace keelson {

namespace {

std::string_view TextOf(const Json* value) {
  return value != nullptr && value->is_string() ? value->string().view() : std::string_view();
}

const Json* MetadataOf(const void* object) {
  return static_cast<const Unstructured*>(object)->content().find("metadata");
}

const Json* Member(const Json* object, std::string_view key) {
  return object != nullptr && object->is_object() ? object->find(key) : nullptr;
}

bool IsVersion(std::string_view text) {
  return !text.empty() && (text == "0" || text.front() != '0') &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

namespace internal {

ObjectIdentity IdentifyUnstructured(const void* object) {
  const Json* metadata = MetadataOf(object);
  return {.namespace_ = TextOf(Member(metadata, "namespace")),
          .name = TextOf(Member(metadata, "name")),
          .uid = TextOf(Member(metadata, "uid")),
          .resource_version = TextOf(Member(metadata, "resourceVersion"))};
}

bool IsUnstructuredNamed(const void* object, std::string_view namespace_, std::string_view name) {
  const Json* metadata = MetadataOf(object);
  return TextOf(Member(metadata, "name")) == name && TextOf(Member(metadata, "namespace")) == namespace_;
}

std::optional<std::string_view> AnnotationOfUnstructured(const void* object, std::string_view key) {
  const Json* found = Member(Member(MetadataOf(object), "annotations"), key);
  if (found == nullptr || !found->is_string()) return std::nullopt;
  return found->string().view();
}

bool LabelsOfUnstructuredMatch(const void* object, const labels::Selector& selector) {
  const Json* all = Member(MetadataOf(object), "labels");
  const auto lookup = [all](const std::string& key) -> std::optional<std::string_view> {
    const Json* found = Member(all, key);
    if (found == nullptr || !found->is_string()) return std::nullopt;
    return found->string().view();
  };
  return selector.Matches(lookup);
}

bool IsUnstructuredDeleting(const void* object) {
  const Json* found = Member(MetadataOf(object), "deletionTimestamp");
  return found != nullptr && found->is_string();
}

std::shared_ptr<void> MakeByTable(const Type& type) {
  struct Delete {
    const Type* type;
    void operator()(void* object) const {
      DestroyValue(*type, object);
      SectionMarks* const marks = &ObjectModel::marks(object);
      std::destroy_at(marks);
      ::operator delete(marks);
    }
  };
  auto* const marks = new (::operator new(sizeof(SectionMarks) + type.size)) SectionMarks();
  ConstructValue(type, marks + 1);
  return std::shared_ptr<void>(marks + 1, Delete{&type});
}

}  // namespace internal

ObjectModel::ObjectModel(const Type& type, Make make) : type(&type), make_(make) {
  if (&type == &TypeOf<Unstructured>()) return;
  const AnyValue sample(type);
  metadata_offset_ = static_cast<size_t>(reinterpret_cast<const std::byte*>(FindObjectMeta(type, sample.data())) -
                                         static_cast<const std::byte*>(sample.data()));
}

const ObjectModel* FindModel(const Type& type) {
  if (&type == &TypeOf<Unstructured>()) return &ModelOf<Unstructured>();
  if (&type == &TypeOf<metav1::PartialObjectMetadata>()) return &ModelOf<metav1::PartialObjectMetadata>();
  const AnyValue sample(type);
  if (FindObjectMeta(type, sample.data()) == nullptr) return nullptr;
  static LeafMutex mutex;
  static std::unordered_map<const Type*, std::unique_ptr<const ObjectModel>> models;
  auto made = std::make_unique<const ObjectModel>(type);
  LeafLock lock(mutex);
  return models.try_emplace(&type, std::move(made)).first->second.get();
}

std::optional<std::strong_ordering> CompareResourceVersions(std::string_view a, std::string_view b) {
  if (!IsVersion(a) || !IsVersion(b)) return std::nullopt;
  if (a.size() != b.size()) return a.size() <=> b.size();
  return a.compare(b) <=> 0;
}

}  // namespace keelson
