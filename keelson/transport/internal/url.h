// The parts of an absolute URL, as far as servers and proxies are named by one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "keelson/core/result.h"

namespace keelson::internal {

// Nothing is unescaped.
struct Url {
  std::string scheme = {};  // in small letters
  std::optional<std::string> user = {};
  std::optional<std::string> password = {};
  std::string host = {};  // a name or an address, without the brackets of an IPv6 one
  std::optional<uint16_t> port = {};
  std::string path = {};
  std::string query = {};
  std::string fragment = {};
};

// Errors say what is wrong in words that follow "the URL", and repeat nothing of it: it may hold a password.
Result<Url> ParseUrl(std::string_view text);

}  // namespace keelson::internal
