// How a JSON value is seen through a shape: as one field, as a list of elements, as a map of members.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "keelson/api/json.h"
#include "keelson/apiserver/apply/field_set.h"
#include "keelson/apiserver/apply/shape.h"

namespace keelson::apiserver {

enum class Form : uint8_t { kScalar, kList, kMap };

inline bool IsScalar(const Json& value) { return value.is_bool() || value.is_number() || value.is_string(); }

// How a value of that shape is to be treated; null and what does not fit take the shape's first form.
Form FormOf(const Shape& shape, const Json* value);

// The step to an element of a list that is a set or a map; the error as the server words it.
struct ItemElement {
  std::optional<PathElement> element = {};
  std::string error = {};
};
ItemElement ElementOf(const Shape& list, const Json& item);

}  // namespace keelson::apiserver
