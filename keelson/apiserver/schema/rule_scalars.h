// Text of a format as a CEL value: "date-time" a timestamp, "duration" a duration, "byte" bytes.
#pragma once

#include <string_view>

#include "keelson/api/json.h"
#include "keelson/apiserver/cel/value.h"

namespace keelson::apiserver {

// A string where the format has no value of its own; an error where the text is not of the format. A view of the text
// where possible, else in the arena.
cel::Value WrapText(std::string_view format, std::string_view text, cel::Arena& arena);

// What Go calls the type of a decoded JSON value: "int64", "map[string]interface {}".
std::string_view GoTypeName(const Json& json);

}  // namespace keelson::apiserver
