// How the JSON form of a typed value shows its fields, for algorithms that compare without making it.
#pragma once

#include <string_view>

#include "keelson/api/access.h"
#include "keelson/api/type.h"
#include "keelson/apiserver/apply/field_set.h"
#include "keelson/apiserver/apply/shape.h"

namespace keelson::apiserver::internal {

// A value on one side of a comparison: not there, there as JSON's null, or there.
struct Side {
  bool there = false;
  const void* value = nullptr;
};

// What the JSON form shows of the field. `object` may be null.
Side SideOf(const Field& field, const void* object);

// The type of what an optional holds, or the type itself.
inline const Type& Inner(const Type& type) { return type.kind == Kind::kOptional ? *type.element : type; }

// Whether nobody manages that field of an object's own metadata.
bool IsNeverManaged(std::string_view name);

// The step to an element of a list that is a set or a map.
PathElement ElementOf(const Shape& list, const Type& type, const void* item);

}  // namespace keelson::apiserver::internal
