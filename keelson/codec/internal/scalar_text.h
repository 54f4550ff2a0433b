// Scalars as plain text: what keys of list elements, indexes and field selectors compare.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "keelson/api/json.h"
#include "keelson/api/type.h"
#include "keelson/core/result.h"

namespace keelson::internal {

enum class ScalarState {
  kText,    // appended to `out`
  kAbsent,  // an absent optional, null, a time that is not set
  kNested,  // a list, map or struct
};
ScalarState AppendScalarText(const Type& type, const void* value, std::string& out);

// Whether the scalar's text is `text`; absent counts as "".
bool ScalarTextIs(const Type& type, const void* value, std::string_view text);

// The scalar of that type whose text is `text`. A dynamic one becomes a bool or an integer where it reads like one.
Json ScalarFromText(const Type& type, std::string_view text);

}  // namespace keelson::internal
