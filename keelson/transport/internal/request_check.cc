#include "keelson/transport/internal/request_check.h"

#include <algorithm>
#include <array>
#include <string>

#include "keelson/transport/internal/header_text.h"

namespace keelson::internal {

namespace {

// The characters of RFC 9110's token.
constexpr std::array<bool, 256> kTokenCharacters = [] {
  std::array<bool, 256> characters = {};
  for (unsigned char c = ' ' + 1; c < 0x7f; ++c) characters[c] = true;
  for (const char c : std::string_view("\"(),/:;<=>?@[\\]{}")) characters[static_cast<unsigned char>(c)] = false;
  return characters;
}();

bool IsToken(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return kTokenCharacters[static_cast<unsigned char>(c)]; });
}

constexpr std::array<bool, 256> kTargetCharacters = [] {
  std::array<bool, 256> characters = {};
  for (size_t c = ' ' + 1; c < characters.size(); ++c) characters[c] = c != 0x7f && c != '#';
  return characters;
}();

bool IsTarget(std::string_view text) {
  return text.starts_with('/') &&
         std::all_of(text.begin(), text.end(), [](char c) { return kTargetCharacters[static_cast<unsigned char>(c)]; });
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
      return Error::InvalidArgument("the request's header " + name + " has the end of a line in it");
    }
  }
  return {};
}

bool CanBeRepeated(std::string_view method) { return method == "GET" || method == "HEAD" || method == "OPTIONS"; }

}  // namespace keelson::internal
