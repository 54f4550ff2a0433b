#include "keelson/codec/internal/drop_nulls.h"

namespace keelson::internal {

namespace {

bool HasNullMember(const Json& value) {
  if (value.is_list()) {
    for (const Json& element : value.list()) {
      if (HasNullMember(element)) return true;
    }
  } else if (value.is_object()) {
    for (const auto& [key, member] : value.object()) {
      if (member.is_null() || HasNullMember(member)) return true;
    }
  }
  return false;
}

Json Rebuild(const Json& value) {
  if (value.is_list()) {
    JsonList list;
    for (const Json& element : value.list()) list.push_back(Rebuild(element));
    return Json(std::move(list));
  }
  if (value.is_object()) {
    JsonObject object;
    for (const auto& [key, member] : value.object()) {
      if (!member.is_null()) object.Set(key, Rebuild(member));
    }
    return Json(std::move(object));
  }
  return value;
}

}  // namespace

Json DropNullMembers(const Json& value) { return HasNullMember(value) ? Rebuild(value) : value; }

}  // namespace keelson::internal
