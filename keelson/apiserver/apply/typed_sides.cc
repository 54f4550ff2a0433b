#include "keelson/apiserver/apply/typed_sides.h"

#include <algorithm>

#include "keelson/codec/convert.h"

namespace keelson::apiserver::internal {

namespace {

// Keys are texts and numbers nearly always.
Json ScalarValue(const Type& type, const void* value) {
  switch (type.kind) {
    case Kind::kString: return Json(ReadString(type, value));
    case Kind::kInt32: return Json(*static_cast<const int32_t*>(value));
    case Kind::kInt64: return Json(*static_cast<const int64_t*>(value));
    default: return ToJsonValue(type, value);
  }
}

}  // namespace

bool IsNeverManaged(std::string_view name) {
  static constexpr std::string_view kNames[] = {"creationTimestamp", "generation",      "managedFields", "name",
                                                "namespace",         "resourceVersion", "selfLink",      "uid"};
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

Side SideOf(const Field& field, const void* object) {
  if (object == nullptr) return {};
  const void* value = ReadField(field, object);
  if (field.omit_zero && IsZero(*field.type, value)) return {};
  if (field.type->kind == Kind::kOptional) {
    const void* inner = ReadOptional(*field.type, value);
    return {.there = inner != nullptr || !field.omit_empty, .value = inner};
  }
  if (IsEmpty(*field.type, value)) {
    if (field.omit_empty) return {};
    if (field.type->kind == Kind::kList || field.type->kind == Kind::kMap) return {.there = true};
  }
  return {.there = true, .value = value};
}

PathElement ElementOf(const Shape& list, const Type& type, const void* item) {
  if (list.list_type == ListType::kSet) return PathElement::Value(ScalarValue(type, item));
  JsonObject keys;
  for (const std::string& key : list.keys) {
    const Field* field = type.FindField(key);
    if (field == nullptr) continue;
    const Side side = SideOf(*field, item);
    if (side.there && side.value != nullptr) {
      keys.Set(String(key), ScalarValue(Inner(*field->type), side.value));
    } else if (const Shape::Member* member = list.item->FindMember(key); member != nullptr && member->default_) {
      keys.Set(String(key), *member->default_);
    }
  }
  return PathElement::Key(Json(std::move(keys)));
}

}  // namespace keelson::apiserver::internal
