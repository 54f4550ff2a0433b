// Ranges of IP addresses, such as 192.168.0.0/16 or fd00::/8.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "keelson/core/result.h"

namespace network {

class AddressRange {
 public:
  static keelson::Result<AddressRange> Parse(const std::string& cidr);

  // Whether an address is in both.
  bool Overlaps(const AddressRange& other) const;

 private:
  int family_ = 0;                        // AF_INET or AF_INET6
  std::array<uint8_t, 16> address_ = {};  // its first 4 bytes, or all
  int bits_ = 0;                          // of the address that all addresses of the range have in common
};

}  // namespace network
