#include "keelson/client/patch.h"

#include <vector>

#include "keelson/api/access.h"
#include "keelson/codec/json_writer.h"
#include "keelson/codec/merge_patch.h"
#include "keelson/codec/protobuf_writer.h"
#include "keelson/codec/strategic_merge_patch.h"

namespace keelson {

namespace {

// Custom resources have neither a protobuf form nor strategic merge patches.
bool IsBuiltin(const Type& type) { return HasProtobuf(type) && type.is_root(); }

std::string ResourceVersionOf(const Json& object) { return Unstructured(object).GetResourceVersion(); }

// Nulls everywhere, and objects that have become empty where the type has a struct in place.
void DropUnset(const Type* type, Json& value) {
  if (type != nullptr && type->kind == Kind::kOptional) type = type->element;
  if (value.is_list()) {
    const Type* element = type != nullptr && type->kind == Kind::kList ? type->element : nullptr;
    for (size_t i = 0; i < value.list().size(); ++i) DropUnset(element, value.list()[i]);
    return;
  }
  if (!value.is_object()) return;
  const bool is_struct = type != nullptr && type->is_struct();
  const Type* entry = type != nullptr && type->kind == Kind::kMap ? type->element : nullptr;
  std::vector<std::string> unset;
  std::vector<std::string> keys;
  for (const auto& [key, member] : std::as_const(value).object()) {
    if (member.is_null()) {
      unset.push_back(key.str());
    } else if (member.is_object() || member.is_list()) {
      keys.push_back(key.str());
    }
  }
  for (const std::string& key : keys) {
    const Field* field = is_struct ? type->FindField(key) : nullptr;
    Json& member = value.object()[key];
    DropUnset(field != nullptr ? field->type : entry, member);
    const bool in_place = field != nullptr && field->type->is_struct();
    if (in_place && member.is_object() && std::as_const(member).object().empty()) unset.push_back(key);
  }
  for (const std::string& key : unset) value.object().erase(key);
}

}  // namespace

std::string_view MediaTypeOf(PatchType type) {
  switch (type) {
    case PatchType::kJson: return "application/json-patch+json";
    case PatchType::kMerge: return "application/merge-patch+json";
    case PatchType::kStrategic: return "application/strategic-merge-patch+json";
    case PatchType::kApply: return "application/apply-patch+yaml";
  }
  return {};
}

Patch Patch::JsonOperations(const JsonPatch& operations) {
  return Patch(PatchType::kJson, ToJson(operations.AsJson()));
}
Patch Patch::Merge(const Json& document) { return Patch(PatchType::kMerge, ToJson(document)); }
Patch Patch::Strategic(const Json& document) { return Patch(PatchType::kStrategic, ToJson(document)); }

Result<Patch> Patch::Between(const Type& type, const void* before, const void* after, const PatchFromOptions& options) {
  const Json from = ToJsonValue(type, before);
  const Json to = ToJsonValue(type, after);
  Json change;
  if (IsBuiltin(type)) {
    KEELSON_TRY(strategic, CreateStrategicMergePatch(type, from, to));
    change = std::move(strategic);
  } else {
    change = CreateMergePatch(from, to);
  }
  if (options.optimistic_lock) {
    const std::string version = ResourceVersionOf(from);
    if (version.empty()) {
      return Error::InvalidArgument(
          "a patch with an optimistic lock needs the resourceVersion of the object before, which has none");
    }
    Unstructured locked(change);
    locked.SetResourceVersion(version);
    change = locked.content();
  }
  return IsBuiltin(type) ? Strategic(change) : Merge(change);
}

Patch Patch::ApplyOf(const Type& type, const void* object) {
  Unstructured document(ToJsonValue(type, object));
  document.RemoveNested({"metadata", "managedFields"});
  document.RemoveNested({"metadata", "creationTimestamp"});
  Json content = document.content();
  DropUnset(&type == &TypeOf<Unstructured>() ? nullptr : &type, content);
  return Patch(PatchType::kApply, ToJson(content));
}

}  // namespace keelson
