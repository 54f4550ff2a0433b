// Checks of IP addresses and CIDRs, as leniently and as strictly as Kubernetes reads them.
//
//   CheckLegacyIp(spec.clusterIP, path, errors);    // "010.0.0.1" and "::ffff:10.0.0.1" are refused
//   if (std::optional<IpAddress> ip = ParseIp(text); ip && ip->is_v4()) …
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "keelson/apiserver/kinds/field_errors.h"
#include "keelson/apiserver/kinds/path.h"

namespace keelson::apiserver {

struct IpAddress {
  std::array<uint8_t, 16> bytes = {};  // an IPv4 address as ::ffff:a.b.c.d
  bool written_as_v6 = false;
  bool strict = true;  // without leading zeros that some readers take for octal

  bool is_v4() const;  // also one that is written as ::ffff:a.b.c.d
  bool IsUnspecified() const;
  bool IsLoopback() const;
  bool IsLinkLocalUnicast() const;
  bool IsLinkLocalMulticast() const;
  std::string ToString() const;  // canonical

  friend bool operator==(const IpAddress& a, const IpAddress& b) { return a.bytes == b.bytes; }
};

// Lenient: leading zeros are taken as decimal.
std::optional<IpAddress> ParseIp(std::string_view text);

struct Cidr {
  IpAddress address;
  int prefix = 0;  // bits of it, at most 32 for IPv4
  bool strict = true;

  bool is_v4() const { return address.is_v4() && !address.written_as_v6; }
  bool HasHostBits() const;
  bool Contains(const Cidr& other) const;
  bool Contains(const IpAddress& other) const;
  Cidr Masked() const;
  std::string ToString() const;  // "10.0.0.0/8", without host bits
};

std::optional<Cidr> ParseCidr(std::string_view text);

// A field that once took anything: no leading zeros, no IPv4-mapped IPv6.
void CheckLegacyIp(std::string_view text, const Path& path, FieldErrors& errors);
// The same and canonical.
void CheckIp(std::string_view text, const Path& path, FieldErrors& errors);
void CheckLegacyCidr(std::string_view text, const Path& path, FieldErrors& errors);
void CheckCidr(std::string_view text, const Path& path, FieldErrors& errors);

// Addresses that an object may carry but should not: those that are spelled otherwise than they are printed.
void WarnOfIp(std::string_view text, const Path& path, std::vector<std::string>& warnings);
void WarnOfCidr(std::string_view text, const Path& path, std::vector<std::string>& warnings);

}  // namespace keelson::apiserver
