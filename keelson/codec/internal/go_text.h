// Text as Go's standard library reads and prints it, where JSONPath's results depend on it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "keelson/api/json.h"

namespace keelson::internal {

inline constexpr int32_t kReplacementRune = 0xFFFD;

// The first code point of `text`, which is not empty. A byte that starts none gives kReplacementRune and width 1.
int32_t DecodeRune(std::string_view text, size_t* width);
// As UTF-8; what is no code point as U+FFFD.
void AppendRune(int32_t rune, std::string& out);

// The content of a literal in single or double quotes, whose escapes are those of a Go string; nothing when it is none.
std::optional<std::string> UnquoteGo(std::string_view quoted);

// As %v prints them: 1e+06, map[a:1 b:[x y]], <nil>.
void AppendGoDouble(double value, std::string& out);
void AppendGoValue(const Json& value, std::string& out);

}  // namespace keelson::internal
