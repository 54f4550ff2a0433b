// Text in double quotes as Go's %q shows it, for messages that quote what was found.
#pragma once

#include <string>
#include <string_view>

namespace keelson::internal {

// Printable text stays as it is, also beyond ASCII; quotes, backslashes, control characters and stray bytes are
// escaped.
std::string Quote(std::string_view text);

// As Go's time package quotes: every byte that is not printable ASCII becomes \xhh.
std::string QuoteAscii(std::string_view text);

}  // namespace keelson::internal
