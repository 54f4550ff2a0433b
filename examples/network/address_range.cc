#include "address_range.h"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>

namespace network {

using namespace keelson;

Result<AddressRange> AddressRange::Parse(const std::string& cidr) {
  const Error malformed = Error::InvalidArgument("\"" + cidr + "\" is no address range such as 192.168.0.0/16");
  const size_t slash = cidr.find('/');
  if (slash == std::string::npos) return malformed;
  AddressRange range;
  range.family_ = cidr.find(':') == std::string::npos ? AF_INET : AF_INET6;
  if (inet_pton(range.family_, cidr.substr(0, slash).c_str(), range.address_.data()) != 1) return malformed;
  const char* const end = cidr.data() + cidr.size();
  const auto [rest, error] = std::from_chars(cidr.data() + slash + 1, end, range.bits_);
  if (error != std::errc() || rest != end) return malformed;
  if (range.bits_ < 0 || range.bits_ > (range.family_ == AF_INET ? 32 : 128)) return malformed;
  return range;
}

bool AddressRange::Overlaps(const AddressRange& other) const {
  if (family_ != other.family_) return false;
  // Of two ranges that overlap one contains the other, so the bits of the larger one are those of both.
  const int common = std::min(bits_, other.bits_);
  for (int bit = 0; bit < common; ++bit) {
    const auto byte = static_cast<size_t>(bit / 8);
    if (((address_[byte] ^ other.address_[byte]) & (0x80 >> bit % 8)) != 0) return false;
  }
  return true;
}

}  // namespace network
