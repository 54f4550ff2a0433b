#include "keelson/transport/internal/request_check.h"

#include <algorithm>
#include <string>

#include "keelson/transport/internal/header_text.h"

namespace keelson::internal {

namespace {

// A path and query: no blanks, no control characters, no fragment.
bool IsTarget(std::string_view text) {
  if (!text.starts_with('/')) return false;
  const auto is_plain = [](uint64_t word) {
    const uint64_t hash_is_zero = word ^ (kOnes * '#');
    return (MarkBelowOrDelete(word, ' ' + 1) | ((hash_is_zero - kOnes) & ~hash_is_zero & kHighs)) == 0;
  };
  if (AllWords(text, is_plain)) return true;
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) > ' ' && c != 0x7f && c != '#'; });
}

}  // namespace

Result<void> CheckRequest(const HttpRequest& request) {
  if (!IsToken(request.method)) return Error::InvalidArgument("the request's method is not a word of letters");
  if (!IsTarget(request.target)) {
    return Error::InvalidArgument(
        "the target of a request begins with / and has neither blanks nor # in it; percent-encode them");
  }
  for (const auto& [name, value] : request.headers) {
    if (!IsToken(name)) return Error::InvalidArgument("the name of a request's header is not a word of letters");
    if (!HasControl(value)) continue;
    if (value.find('\r') != value.npos || value.find('\n') != value.npos || value.find('\0') != value.npos) {
      return Error::InvalidArgument("the request's header " + std::string(name) + " has the end of a line in it");
    }
  }
  return {};
}

bool CanBeRepeated(std::string_view method) { return method == "GET" || method == "HEAD" || method == "OPTIONS"; }

}  // namespace keelson::internal
