// IP addresses and prefixes as Go's netip reads and prints them, which is what the ip() and cidr() of expressions do:
// no leading zeros, zones allowed here, errors in its words.
//
//   KEELSON_TRY(address, IpAddr::Parse("2001:db8::1"));
//   KEELSON_TRY(network, IpPrefix::Parse("10.0.0.0/8"));
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "keelson/core/result.h"

namespace keelson::apiserver::cel {

struct IpAddr {
  std::array<uint8_t, 16> bytes = {};  // of an IPv4 address: the last four
  bool v4 = false;
  bool has_zone = false;

  static Result<IpAddr> Parse(std::string_view text);

  std::string ToString() const;  // canonical; without the zone
  bool IsV4Mapped() const;       // ::ffff:a.b.c.d
  bool IsUnspecified() const;
  bool IsLoopback() const;
  bool IsMulticast() const;
  bool IsLinkLocalMulticast() const;
  bool IsLinkLocalUnicast() const;
  bool IsGlobalUnicast() const;
  // With all but the first `bits` of it zero.
  IpAddr Masked(int bits) const;

  bool operator==(const IpAddr&) const = default;
};

struct IpPrefix {
  IpAddr address = {};
  int bits = 0;

  static Result<IpPrefix> Parse(std::string_view text);

  std::string ToString() const;
  bool Contains(const IpAddr& other) const;
  bool Overlaps(const IpPrefix& other) const;
  IpPrefix Masked() const { return {address.Masked(bits), bits}; }

  bool operator==(const IpPrefix&) const = default;
};

}  // namespace keelson::apiserver::cel
