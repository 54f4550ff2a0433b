// Which source files a pattern of -vmodule means.
#pragma once

#include <string_view>

namespace keelson::internal {

// Go's filepath.Match: `*` and `?` (not over a slash), `[a-c]`, `[^a-c]`, `\x`. A malformed pattern matches nothing.
bool MatchesGlob(std::string_view pattern, std::string_view text);
// Whether every set is closed and not empty, and every backslash has something to take literally.
bool IsGlob(std::string_view pattern);

// Compares with the path's name without its extension, and with as many directories before it as the pattern has.
bool MatchesSourceFile(std::string_view pattern, std::string_view path);

}  // namespace keelson::internal
