// An object of any kind without a C++ type: a JSON document with the accessors that every object has.
//
//   KEELSON_TRY(object, Unstructured::Parse(text));
//   object.SetLabels({{"app", "web"}});
//   if (std::optional<int64_t> replicas = object.NestedInt({"spec", "replicas"})) …
//   KEELSON_RETURN_IF_ERROR(object.SetNested({"spec", "replicas"}, 3));
//   KEELSON_TRY(deployment, FromUnstructured<appsv1::Deployment>(object));
//
// A value that shares its parts with its copies. It is described as JSON, so every reader and writer takes it as it
// does Json: FromJson<Unstructured>, ToYaml, Equal, List<Unstructured>. Getters give the default of their type where
// the member is absent or of another kind; setters remove the member when they are given that default.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "keelson/api/gvk.h"
#include "keelson/api/json.h"
#include "keelson/api/meta/v1.h"
#include "keelson/api/object.h"
#include "keelson/codec/convert.h"
#include "keelson/core/result.h"

namespace keelson {

class Unstructured {
 public:
  // Names of members, outermost first.
  using Path = std::initializer_list<std::string_view>;
  using PathSpan = std::span<const std::string_view>;

  Unstructured() : content_(JsonObject()) {}
  // What is not an object counts as {}.
  explicit Unstructured(Json content) : content_(std::move(content)) {}
  // An object with an apiVersion and a kind, or an error that says what is missing.
  static Result<Unstructured> Parse(std::string_view json, const JsonReadOptions& options = {});

  const Json& content() const& { return content_; }
  const Json& content() && = delete;
  void SetContent(Json content) { content_ = std::move(content); }

  std::string GetApiVersion() const { return Text({"apiVersion"}); }
  std::string GetKind() const { return Text({"kind"}); }
  void SetApiVersion(std::string_view api_version) { SetText({"apiVersion"}, api_version); }
  void SetKind(std::string_view kind) { SetText({"kind"}, kind); }
  // Empty when the apiVersion cannot be read.
  GroupVersionKind GetGvk() const;
  void SetGvk(const GroupVersionKind& kind);

  ObjectKey GetKey() const { return {.namespace_ = GetNamespace(), .name = GetName()}; }
  std::string GetName() const { return Text({"metadata", "name"}); }
  void SetName(std::string_view name) { SetText({"metadata", "name"}, name); }
  std::string GetNamespace() const { return Text({"metadata", "namespace"}); }
  void SetNamespace(std::string_view name) { SetText({"metadata", "namespace"}, name); }
  std::string GetGenerateName() const { return Text({"metadata", "generateName"}); }
  void SetGenerateName(std::string_view prefix) { SetText({"metadata", "generateName"}, prefix); }
  std::string GetUid() const { return Text({"metadata", "uid"}); }
  void SetUid(std::string_view uid) { SetText({"metadata", "uid"}, uid); }
  // Of a list as well.
  std::string GetResourceVersion() const { return Text({"metadata", "resourceVersion"}); }
  void SetResourceVersion(std::string_view version) { SetText({"metadata", "resourceVersion"}, version); }
  std::string GetContinue() const { return Text({"metadata", "continue"}); }
  int64_t GetGeneration() const { return NestedInt({"metadata", "generation"}).value_or(0); }
  void SetGeneration(int64_t generation);
  metav1::Time GetCreationTimestamp() const;
  void SetCreationTimestamp(metav1::Time time);
  Optional<metav1::Time> GetDeletionTimestamp() const;
  void SetDeletionTimestamp(const Optional<metav1::Time>& time);
  Map<String> GetLabels() const { return StringMap({"metadata", "labels"}); }
  void SetLabels(const Map<String>& labels) { SetStringMap({"metadata", "labels"}, labels); }
  Map<String> GetAnnotations() const { return StringMap({"metadata", "annotations"}); }
  void SetAnnotations(const Map<String>& annotations) { SetStringMap({"metadata", "annotations"}, annotations); }
  List<String> GetFinalizers() const;
  void SetFinalizers(const List<String>& finalizers);
  List<metav1::OwnerReference> GetOwnerReferences() const;
  void SetOwnerReferences(const List<metav1::OwnerReference>& references);
  // All of it, typed; an error where the document does not fit.
  Result<metav1::ObjectMeta> GetMetadata() const;
  void SetMetadata(const metav1::ObjectMeta& metadata);

  // The value at a path, or null when something on the way is absent or no object. Valid until the next change.
  const Json* Nested(PathSpan path) const&;
  const Json* Nested(Path path) const& { return Nested(PathSpan(path.begin(), path.size())); }
  const Json* Nested(Path path) && = delete;
  std::optional<std::string> NestedString(Path path) const;
  std::optional<int64_t> NestedInt(Path path) const;
  std::optional<double> NestedNumber(Path path) const;  // an integer counts
  std::optional<bool> NestedBool(Path path) const;
  // Makes the objects on the way. An error, and no change, when something there is no object.
  Result<void> SetNested(PathSpan path, Json value);
  Result<void> SetNested(Path path, Json value) {
    return SetNested(PathSpan(path.begin(), path.size()), std::move(value));
  }
  // Says whether it was there.
  bool RemoveNested(PathSpan path);
  bool RemoveNested(Path path) { return RemoveNested(PathSpan(path.begin(), path.size())); }

  friend bool operator==(const Unstructured& a, const Unstructured& b) { return a.content_ == b.content_; }

  bool IsList() const;
  // The items of a list; those without a kind get the list's, without "List".
  List<Unstructured> GetItems() const;

 private:
  std::string Text(Path path) const { return NestedString(path).value_or(std::string()); }
  void SetText(Path path, std::string_view text);
  Map<String> StringMap(Path path) const;
  void SetStringMap(Path path, const Map<String>& map);
  // Sets a member of the document or its metadata, whatever was in the way.
  void Put(Path path, Json value);

  Json content_;
};

template <>
inline constexpr bool kIsPlainValue<Unstructured> = true;
template <>
struct Describe<Unstructured> {
  static const Type type;
};

// From a typed object; a root type adds its apiVersion and kind.
template <class T>
Unstructured ToUnstructured(const T& object) {
  return Unstructured(ToJsonValue(object));
}

// To a typed object. A root type refuses a document that names another kind.
Result<void> DecodeUnstructured(const Type& type, void* value, const Unstructured& object,
                                const JsonReadOptions& options = {});
template <class T>
Result<T> FromUnstructured(const Unstructured& object, const JsonReadOptions& options = {}) {
  T value{};
  KEELSON_RETURN_IF_ERROR(DecodeUnstructured(TypeOf<T>(), &value, object, options));
  return value;
}

// Only the metadata, with apiVersion and kind.
template <ApiObject T>
metav1::PartialObjectMetadata ToPartialMetadata(const T& object) {
  const GroupVersionKind kind = GvkOf<T>();
  return {.kind = kind.kind, .apiVersion = kind.group_version().ToString(), .metadata = object.metadata};
}
Result<metav1::PartialObjectMetadata> ToPartialMetadata(const Unstructured& object);

}  // namespace keelson
