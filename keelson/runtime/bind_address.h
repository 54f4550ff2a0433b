// Where a server listens, as flags say it.
//
//   KEELSON_TRY(address, ParseBindAddress("--metrics-bind-address", ":8443"));   // {"", 8443}
//   if (!address) return;                                                       // "" and "0": not at all
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "keelson/core/result.h"

namespace keelson {

struct BindAddress {
  std::string host = {};  // without brackets; empty: all addresses of the machine
  uint16_t port = 0;      // 0: any free one

  friend bool operator==(const BindAddress&, const BindAddress&) = default;
};

// ":8080", "127.0.0.1:0", "[::1]:80", "localhost:8080"; nothing for "" and "0". `what` names the setting in the error.
Result<std::optional<BindAddress>> ParseBindAddress(std::string_view what, std::string_view text);

}  // namespace keelson
