#include "keelson/codec/unstructured.h"

#include <vector>

namespace keelson {

const Type Describe<Unstructured>::type = {
    .name = "unstructured", .kind = Kind::kJson, .storage = Storage::kInline, .size = sizeof(Unstructured)};
static_assert(sizeof(Unstructured) == sizeof(Json), "readers and writers take an Unstructured for the Json inside");

namespace {

std::string Joined(Unstructured::PathSpan path) {
  std::string text;
  for (const std::string_view piece : path) {
    if (!text.empty()) text += '.';
    text += piece;
  }
  return text;
}

// The document with `value` at the path; what is no object on the way becomes one. Objects are made from copies, which
// share all that does not change and leave no node exposed.
Json WithValueAt(const Json& document, Unstructured::PathSpan path, Json value) {
  if (path.empty()) return value;
  JsonObject object = document.is_object() ? document.object() : JsonObject();
  const Json* member = object.find(path.front());
  const Json inner = member == nullptr ? Json() : *member;
  object.Set(String(path.front()), WithValueAt(inner, path.subspan(1), std::move(value)));
  return object;
}

Json WithoutValueAt(const Json& document, Unstructured::PathSpan path) {
  JsonObject object = document.object();
  if (path.size() == 1) {
    object.erase(path.front());
    return object;
  }
  const Json inner = object.at(path.front());
  object.Set(String(path.front()), WithoutValueAt(inner, path.subspan(1)));
  return object;
}

}  // namespace

Result<Unstructured> Unstructured::Parse(std::string_view json, const JsonReadOptions& options) {
  KEELSON_TRY(content, ParseJson(json, options));
  if (!content.is_object()) {
    return Error::InvalidArgument("expected a JSON object with apiVersion and kind, found " +
                                  std::string(ToString(content.kind())));
  }
  Unstructured object(std::move(content));
  for (const std::string_view name : {std::string_view("kind"), std::string_view("apiVersion")}) {
    if (object.NestedString({name}).value_or(std::string()).empty()) {
      return Error::InvalidArgument("the object's \"" + std::string(name) +
                                    "\" is missing: without it nothing says what the object is");
    }
  }
  return object;
}

GroupVersionKind Unstructured::GetGvk() const {
  return GroupVersionKind::FromApiVersion(GetApiVersion(), GetKind()).value_or(GroupVersionKind());
}

void Unstructured::SetGvk(const GroupVersionKind& kind) {
  SetApiVersion(kind.group_version().ToString());
  SetKind(kind.kind);
}

const Json* Unstructured::Nested(PathSpan path) const& {
  const Json* at = &content_;
  for (const std::string_view piece : path) {
    at = at->find(piece);
    if (at == nullptr) return nullptr;
  }
  return at;
}

std::optional<std::string> Unstructured::NestedString(Path path) const {
  const Json* value = Nested(path);
  if (value == nullptr || !value->is_string()) return std::nullopt;
  return value->string().str();
}

std::optional<int64_t> Unstructured::NestedInt(Path path) const {
  const Json* value = Nested(path);
  if (value == nullptr || !value->is_int()) return std::nullopt;
  return value->integer();
}

std::optional<double> Unstructured::NestedNumber(Path path) const {
  const Json* value = Nested(path);
  if (value == nullptr || !value->is_number()) return std::nullopt;
  return value->number();
}

std::optional<bool> Unstructured::NestedBool(Path path) const {
  const Json* value = Nested(path);
  if (value == nullptr || !value->is_bool()) return std::nullopt;
  return value->boolean();
}

Result<void> Unstructured::SetNested(PathSpan path, Json value) {
  for (size_t length = 0; length < path.size(); ++length) {
    const Json* at = Nested(path.first(length));
    if (at == nullptr) break;
    if (at->is_object() || (length == 0 && at->is_null())) continue;
    return Error::InvalidArgument("cannot set \"" + Joined(path) + "\": \"" + Joined(path.first(length)) +
                                  "\" is no object but " + std::string(ToString(at->kind())));
  }
  content_ = WithValueAt(content_, path, std::move(value));
  return {};
}

bool Unstructured::RemoveNested(PathSpan path) {
  if (path.empty() || Nested(path) == nullptr) return false;
  content_ = WithoutValueAt(content_, path);
  return true;
}

void Unstructured::Put(Path path, Json value) {
  const PathSpan span(path.begin(), path.size());
  if (value.is_null()) {
    RemoveNested(span);
  } else {
    content_ = WithValueAt(content_, span, std::move(value));
  }
}

void Unstructured::SetText(Path path, std::string_view text) { Put(path, text.empty() ? Json() : Json(text)); }

void Unstructured::SetGeneration(int64_t generation) {
  Put({"metadata", "generation"}, generation == 0 ? Json() : Json(generation));
}

metav1::Time Unstructured::GetCreationTimestamp() const {
  return metav1::Time::Parse(Text({"metadata", "creationTimestamp"})).value_or(metav1::Time());
}

void Unstructured::SetCreationTimestamp(metav1::Time time) {
  Put({"metadata", "creationTimestamp"}, time.IsZero() ? Json() : Json(time.ToString()));
}

Optional<metav1::Time> Unstructured::GetDeletionTimestamp() const {
  const Result<metav1::Time> time = metav1::Time::Parse(Text({"metadata", "deletionTimestamp"}));
  return time ? Optional<metav1::Time>(*time) : Optional<metav1::Time>();
}

void Unstructured::SetDeletionTimestamp(const Optional<metav1::Time>& time) {
  Put({"metadata", "deletionTimestamp"}, time ? Json(time->ToString()) : Json());
}

Map<String> Unstructured::StringMap(Path path) const {
  Map<String> map;
  const Json* object = Nested(path);
  if (object == nullptr || !object->is_object()) return map;
  for (const auto& [key, value] : object->object()) {
    if (value.is_string()) map.Set(key, value.string());
  }
  return map;
}

void Unstructured::SetStringMap(Path path, const Map<String>& map) {
  JsonObject object;
  for (const auto& [key, value] : map) object.Set(key, Json(value));
  Put(path, map.empty() ? Json() : Json(std::move(object)));
}

List<String> Unstructured::GetFinalizers() const {
  List<String> finalizers;
  const Json* list = Nested({"metadata", "finalizers"});
  if (list == nullptr || !list->is_list()) return finalizers;
  for (const Json& finalizer : list->list()) {
    if (finalizer.is_string()) finalizers.push_back(finalizer.string());
  }
  return finalizers;
}

void Unstructured::SetFinalizers(const List<String>& finalizers) {
  JsonList list;
  for (const String& finalizer : finalizers) list.push_back(Json(finalizer));
  Put({"metadata", "finalizers"}, finalizers.empty() ? Json() : Json(std::move(list)));
}

List<metav1::OwnerReference> Unstructured::GetOwnerReferences() const {
  const Json* list = Nested({"metadata", "ownerReferences"});
  if (list == nullptr) return {};
  return FromJsonValue<List<metav1::OwnerReference>>(*list).value_or(List<metav1::OwnerReference>());
}

void Unstructured::SetOwnerReferences(const List<metav1::OwnerReference>& references) {
  Put({"metadata", "ownerReferences"}, references.empty() ? Json() : ToJsonValue(references));
}

Result<metav1::ObjectMeta> Unstructured::GetMetadata() const {
  const Json* metadata = Nested({"metadata"});
  if (metadata == nullptr) return metav1::ObjectMeta{};
  Result<metav1::ObjectMeta> decoded = FromJsonValue<metav1::ObjectMeta>(*metadata);
  if (!decoded) return std::move(decoded).error().WithContext("metadata");
  return decoded;
}

void Unstructured::SetMetadata(const metav1::ObjectMeta& metadata) { Put({"metadata"}, ToJsonValue(metadata)); }

bool Unstructured::IsList() const {
  const Json* items = Nested({"items"});
  return items != nullptr && items->is_list();
}

List<Unstructured> Unstructured::GetItems() const {
  List<Unstructured> items;
  if (!IsList()) return items;
  constexpr std::string_view kListSuffix = "List";
  std::string kind = GetKind();
  kind.resize(kind.ends_with(kListSuffix) ? kind.size() - kListSuffix.size() : 0);
  for (const Json& json : Nested({"items"})->list()) {
    Unstructured item(json);
    if (!kind.empty() && item.GetKind().empty() && item.GetApiVersion().empty()) {
      item.SetApiVersion(GetApiVersion());
      item.SetKind(kind);
    }
    items.push_back(std::move(item));
  }
  return items;
}

Result<void> DecodeUnstructured(const Type& type, void* value, const Unstructured& object,
                                const JsonReadOptions& options) {
  if (type.is_root() && object.GetGvk() != GvkOf(type)) {
    return Error::InvalidArgument("expected a document of \"" + GvkOf(type).ToString() + "\", found apiVersion \"" +
                                  object.GetApiVersion() + "\", kind \"" + object.GetKind() + "\"");
  }
  return DecodeJsonValue(type, value, object.content(), options);
}

Result<metav1::PartialObjectMetadata> ToPartialMetadata(const Unstructured& object) {
  KEELSON_TRY(metadata, object.GetMetadata());
  return metav1::PartialObjectMetadata{
      .kind = object.GetKind(), .apiVersion = object.GetApiVersion(), .metadata = std::move(metadata)};
}

}  // namespace keelson
