#include "keelson/apiserver/kinds/checks_address.h"

#include <fmt/format.h>

#include <algorithm>

namespace keelson::apiserver {

namespace {

constexpr std::string_view kNoIp = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
constexpr std::string_view kNoCidr = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";
constexpr std::array<uint8_t, 12> kMappedPrefix = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

int HexDigit(char c) {
  if (IsDigit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Four decimal numbers into `out`; `strict` becomes false where one has a leading zero.
bool ReadV4(std::string_view text, uint8_t* out, bool& strict) {
  for (int i = 0; i < 4; ++i) {
    if (i > 0) {
      if (text.empty() || text.front() != '.') return false;
      text.remove_prefix(1);
    }
    size_t digits = 0;
    int number = 0;
    while (digits < text.size() && IsDigit(text[digits])) {
      number = number * 10 + (text[digits] - '0');
      if (number > 255) return false;
      ++digits;
    }
    if (digits == 0) return false;
    if (digits > 1 && text.front() == '0') strict = false;
    out[i] = static_cast<uint8_t>(number);
    text.remove_prefix(digits);
  }
  return text.empty();
}

bool ReadV6(std::string_view text, std::array<uint8_t, 16>& out, bool& strict) {
  int ellipsis = -1;
  int at = 0;
  if (text.starts_with("::")) {
    ellipsis = 0;
    text.remove_prefix(2);
    if (text.empty()) return out = {}, true;
  }
  std::array<uint8_t, 16> bytes = {};
  while (at < 16) {
    size_t digits = 0;
    int number = 0;
    while (digits < text.size() && HexDigit(text[digits]) >= 0) {
      number = number * 16 + HexDigit(text[digits]);
      if (number > 0xffff) return false;
      ++digits;
    }
    if (digits == 0) return false;
    if (digits < text.size() && text[digits] == '.') {
      if (ellipsis < 0 && at != 12) return false;
      if (at + 4 > 16 || !ReadV4(text, bytes.data() + at, strict)) return false;
      text = {};
      at += 4;
      break;
    }
    if (digits > 4) strict = false;
    bytes[static_cast<size_t>(at)] = static_cast<uint8_t>(number >> 8);
    bytes[static_cast<size_t>(at) + 1] = static_cast<uint8_t>(number);
    at += 2;
    text.remove_prefix(digits);
    if (text.empty()) break;
    if (text.front() != ':' || text.size() == 1) return false;
    text.remove_prefix(1);
    if (text.front() == ':') {
      if (ellipsis >= 0) return false;
      ellipsis = at;
      text.remove_prefix(1);
      if (text.empty()) break;
    }
  }
  if (!text.empty()) return false;
  if (at < 16) {
    if (ellipsis < 0) return false;
    std::move_backward(bytes.begin() + ellipsis, bytes.begin() + at, bytes.end());
    std::fill(bytes.begin() + ellipsis, bytes.begin() + ellipsis + (16 - at), uint8_t{0});
  } else if (ellipsis >= 0) {
    return false;
  }
  out = bytes;
  return true;
}

std::string V6Text(const std::array<uint8_t, 16>& bytes) {
  // The longest run of zero groups, the first of equals, at least two groups.
  int best = -1;
  int best_length = 1;
  for (int i = 0; i < 8; ++i) {
    int length = 0;
    while (i + length < 8 && bytes[static_cast<size_t>(2 * (i + length))] == 0 &&
           bytes[static_cast<size_t>(2 * (i + length) + 1)] == 0) {
      ++length;
    }
    if (length > best_length) {
      best = i;
      best_length = length;
    }
  }
  std::string text;
  for (int i = 0; i < 8; ++i) {
    if (i == best) {
      text += "::";
      i += best_length - 1;
      continue;
    }
    if (!text.empty() && text.back() != ':') text += ':';
    text += fmt::format("{:x}", bytes[static_cast<size_t>(2 * i)] << 8 | bytes[static_cast<size_t>(2 * i + 1)]);
  }
  return text;
}

// Reports what makes an address one to avoid; whether there was none.
bool CheckStrictIp(std::string_view text, const std::optional<IpAddress>& ip, const Path& path, FieldErrors& errors) {
  if (!ip) return errors.Invalid(path, Json(text), kNoIp), false;
  if (!ip->strict) return errors.Invalid(path, Json(text), "must not have leading 0s"), false;
  if (ip->is_v4() && ip->written_as_v6) {
    return errors.Invalid(path, Json(text), "must not be an IPv4-mapped IPv6 address"), false;
  }
  return true;
}

bool CheckStrictCidr(std::string_view text, const std::optional<Cidr>& cidr, const Path& path, FieldErrors& errors) {
  if (!cidr) return errors.Invalid(path, Json(text), kNoCidr), false;
  if (!cidr->strict || !cidr->address.strict) {
    return errors.Invalid(path, Json(text), "must not have leading 0s in IP or prefix length"), false;
  }
  if (cidr->address.is_v4() && cidr->address.written_as_v6) {
    return errors.Invalid(path, Json(text), "must not have an IPv4-mapped IPv6 address"), false;
  }
  if (cidr->HasHostBits()) {
    return errors.Invalid(path, Json(text), "must not have bits set beyond the prefix length"), false;
  }
  return true;
}

}  // namespace

bool IpAddress::is_v4() const { return std::equal(kMappedPrefix.begin(), kMappedPrefix.end(), bytes.begin()); }

bool IpAddress::IsUnspecified() const {
  const auto first = is_v4() ? bytes.begin() + 12 : bytes.begin();
  return std::all_of(first, bytes.end(), [](uint8_t byte) { return byte == 0; });
}

bool IpAddress::IsLoopback() const {
  if (is_v4()) return bytes[12] == 127;
  return bytes[15] == 1 && std::all_of(bytes.begin(), bytes.end() - 1, [](uint8_t byte) { return byte == 0; });
}

bool IpAddress::IsLinkLocalUnicast() const {
  if (is_v4()) return bytes[12] == 169 && bytes[13] == 254;
  return bytes[0] == 0xfe && (bytes[1] & 0xc0) == 0x80;
}

bool IpAddress::IsLinkLocalMulticast() const {
  if (is_v4()) return bytes[12] == 224 && bytes[13] == 0 && bytes[14] == 0;
  return bytes[0] == 0xff && (bytes[1] & 0x0f) == 0x02;
}

std::string IpAddress::ToString() const {
  if (is_v4()) return fmt::format("{}.{}.{}.{}", bytes[12], bytes[13], bytes[14], bytes[15]);
  return V6Text(bytes);
}

std::optional<IpAddress> ParseIp(std::string_view text) {
  const size_t mark = text.find_first_of(".:");
  if (mark == std::string_view::npos) return std::nullopt;
  IpAddress ip;
  if (text[mark] == '.') {
    std::copy(kMappedPrefix.begin(), kMappedPrefix.end(), ip.bytes.begin());
    if (!ReadV4(text, ip.bytes.data() + 12, ip.strict)) return std::nullopt;
    return ip;
  }
  ip.written_as_v6 = true;
  if (!ReadV6(text, ip.bytes, ip.strict)) return std::nullopt;
  return ip;
}

std::optional<Cidr> ParseCidr(std::string_view text) {
  const size_t slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const std::optional<IpAddress> address = ParseIp(text.substr(0, slash));
  if (!address) return std::nullopt;
  Cidr cidr{.address = *address};
  const std::string_view digits = text.substr(slash + 1);
  if (digits.empty()) return std::nullopt;
  for (const char c : digits) {
    if (!IsDigit(c)) return std::nullopt;
    cidr.prefix = cidr.prefix * 10 + (c - '0');
    if (cidr.prefix > (cidr.address.written_as_v6 ? 128 : 32)) return std::nullopt;
  }
  if (digits.size() > 1 && digits.front() == '0') cidr.strict = false;
  return cidr;
}

Cidr Cidr::Masked() const {
  Cidr masked = *this;
  const int bits = address.written_as_v6 ? prefix : prefix + 96;
  for (int i = 0; i < 16; ++i) {
    const int kept = std::clamp(bits - 8 * i, 0, 8);
    masked.address.bytes[static_cast<size_t>(i)] &= static_cast<uint8_t>(0xff00 >> kept);
  }
  return masked;
}

bool Cidr::HasHostBits() const { return !(Masked().address == address); }

bool Cidr::Contains(const IpAddress& other) const {
  if (is_v4() != (other.is_v4() && !other.written_as_v6)) return false;
  return Cidr{.address = other, .prefix = prefix}.Masked().address == Masked().address;
}

bool Cidr::Contains(const Cidr& other) const { return prefix <= other.prefix && Contains(other.address); }

std::string Cidr::ToString() const { return fmt::format("{}/{}", Masked().address.ToString(), prefix); }

void CheckLegacyIp(std::string_view text, const Path& path, FieldErrors& errors) {
  CheckStrictIp(text, ParseIp(text), path, errors);
}

void CheckIp(std::string_view text, const Path& path, FieldErrors& errors) {
  const std::optional<IpAddress> ip = ParseIp(text);
  if (!CheckStrictIp(text, ip, path, errors)) return;
  if (const std::string canonical = ip->ToString(); canonical != text) {
    errors.Invalid(path, Json(text), fmt::format("must be in canonical form (\"{}\")", canonical));
  }
}

void CheckLegacyCidr(std::string_view text, const Path& path, FieldErrors& errors) {
  CheckStrictCidr(text, ParseCidr(text), path, errors);
}

void CheckCidr(std::string_view text, const Path& path, FieldErrors& errors) {
  const std::optional<Cidr> cidr = ParseCidr(text);
  if (!CheckStrictCidr(text, cidr, path, errors)) return;
  if (const std::string canonical = cidr->ToString(); canonical != text) {
    errors.Invalid(path, Json(text), fmt::format("must be in canonical form (\"{}\")", canonical));
  }
}

void WarnOfIp(std::string_view text, const Path& path, std::vector<std::string>& warnings) {
  const std::optional<IpAddress> ip = ParseIp(text);
  if (!ip) return;
  if (!ip->strict || (ip->is_v4() && ip->written_as_v6)) {
    warnings.push_back(fmt::format("{}: non-standard IP address \"{}\" is invalid: use \"{}\"", path.ToString(), text,
                                   ip->ToString()));
  } else if (ip->written_as_v6 && ip->ToString() != text) {
    warnings.push_back(fmt::format("{}: IPv6 address \"{}\" should be in RFC 5952 canonical format (\"{}\")",
                                   path.ToString(), text, ip->ToString()));
  }
}

void WarnOfCidr(std::string_view text, const Path& path, std::vector<std::string>& warnings) {
  const std::optional<Cidr> cidr = ParseCidr(text);
  if (!cidr) return;
  const size_t before = warnings.size();
  if (cidr->HasHostBits()) {
    warnings.push_back(
        fmt::format("{}: CIDR value \"{}\" is ambiguous in this context (should be \"{}\" or \"{}/{}\"?)",
                    path.ToString(), text, cidr->ToString(), cidr->address.ToString(), cidr->is_v4() ? 32 : 128));
  }
  if (!cidr->strict || !cidr->address.strict || (cidr->address.is_v4() && cidr->address.written_as_v6)) {
    warnings.push_back(fmt::format("{}: non-standard CIDR value \"{}\" is invalid: use \"{}\"", path.ToString(), text,
                                   cidr->ToString()));
  }
  if (warnings.size() == before && cidr->address.written_as_v6 && cidr->ToString() != text) {
    warnings.push_back(fmt::format("{}: IPv6 CIDR value \"{}\" should be in RFC 5952 canonical format (\"{}\")",
                                   path.ToString(), text, cidr->ToString()));
  }
}

}  // namespace keelson::apiserver
