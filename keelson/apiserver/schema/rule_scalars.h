// Text of a format as a CEL value: "date-time" a timestamp, "duration" a duration, "byte" bytes.
#pragma once

#include <string_view>

#include "keelson/apiserver/cel/value.h"

namespace keelson::apiserver {

// A string where the format has no value of its own; an error where the text is not of the format. A view of the text
// where possible, else in the arena.
cel::Value WrapText(std::string_view format, std::string_view text, cel::Arena& arena);

}  // namespace keelson::apiserver
