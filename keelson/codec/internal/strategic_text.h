// The text of a scalar by which strategic merge sorts and pairs elements.
#pragma once

#include <string>

#include "keelson/api/json.h"
#include "keelson/codec/json_writer.h"

namespace keelson::internal {

// A string is its own text; everything else is its JSON.
inline std::string SortText(const Json& value) { return value.is_string() ? value.string().str() : ToJson(value); }

}  // namespace keelson::internal
