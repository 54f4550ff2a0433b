#include "keelson/apiserver/cel/ip_prefix.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "keelson/apiserver/go_text.h"

namespace keelson::apiserver::cel {

namespace {

constexpr int kGroups = 8;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

int HexDigit(char c) {
  if (IsDigit(c)) return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// Reads one address; knows the whole text for its messages.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  Result<IpAddr> Read() const {
    const size_t hint = text_.find_first_of(".:%");
    if (hint == std::string_view::npos) return Failure("unable to parse IP");
    if (text_[hint] == '%') return Failure("missing IPv6 address");
    return text_[hint] == '.' ? ReadV4() : ReadV6();
  }

 private:
  Error Failure(std::string_view message, std::string_view at = {}) const {
    std::string full = fmt::format("ParseAddr({}): {}", Quoted(text_), message);
    if (!at.empty()) full += fmt::format(" (at {})", Quoted(at));
    return Error::InvalidArgument(std::move(full));
  }

  Result<IpAddr> ReadV4() const {
    KEELSON_TRY(octets, ReadOctets(text_));
    IpAddr address{.v4 = true};
    std::copy(octets.begin(), octets.end(), address.bytes.end() - 4);
    return address;
  }

  Result<std::array<uint8_t, 4>> ReadOctets(std::string_view dotted) const {
    std::array<uint8_t, 4> octets = {};
    size_t octet = 0;
    int value = 0;
    int digits = 0;
    for (size_t i = 0; i < dotted.size(); ++i) {
      if (IsDigit(dotted[i])) {
        if (digits > 0 && value == 0) return Failure("IPv4 field has octet with leading zero");
        value = value * 10 + (dotted[i] - '0');
        ++digits;
        if (value > 255) return Failure("IPv4 field has value >255");
        continue;
      }
      if (dotted[i] != '.') return Failure("unexpected character", dotted.substr(i));
      if (digits == 0 || i + 1 == dotted.size()) {
        return Failure("IPv4 field must have at least one digit", dotted.substr(i));
      }
      if (octet == 3) return Failure("IPv4 address too long");
      octets[octet++] = static_cast<uint8_t>(value);
      value = digits = 0;
    }
    if (octet < 3) return Failure("IPv4 address too short");
    octets[3] = static_cast<uint8_t>(value);
    return octets;
  }

  Result<IpAddr> ReadV6() const {
    IpAddr address;
    std::string_view rest = text_;
    if (const size_t percent = rest.find('%'); percent != std::string_view::npos) {
      if (percent + 1 == rest.size()) return Failure("zone must be a non-empty string");
      address.has_zone = true;
      rest = rest.substr(0, percent);
    }
    std::array<uint8_t, 16> read = {};
    size_t length = 0;  // bytes read so far
    size_t gap = SIZE_MAX;
    if (rest.starts_with("::")) {
      gap = 0;
      rest.remove_prefix(2);
    }
    const bool nothing_more = gap == 0 && rest.empty();
    while (!nothing_more && length < read.size()) {
      size_t digits = 0;
      uint32_t group = 0;
      for (; digits < rest.size() && HexDigit(rest[digits]) >= 0; ++digits) {
        if (digits == 4) return Failure("each group must have 4 or less digits", rest);
        group = group << 4 | static_cast<uint32_t>(HexDigit(rest[digits]));
      }
      if (digits == 0) return Failure("each colon-separated field must have at least one digit", rest);
      if (digits < rest.size() && rest[digits] == '.') {
        if (gap == SIZE_MAX && length != 12) {
          return Failure("embedded IPv4 address must replace the final 2 fields of the address", rest);
        }
        if (length > 12) {
          return Failure("too many hex fields to fit an embedded IPv4 at the end of the address", rest);
        }
        KEELSON_TRY(octets, ReadOctets(rest));
        std::copy(octets.begin(), octets.end(), read.begin() + static_cast<ptrdiff_t>(length));
        length += 4;
        rest = {};
        break;
      }
      read[length++] = static_cast<uint8_t>(group >> 8);
      read[length++] = static_cast<uint8_t>(group);
      rest.remove_prefix(digits);
      if (rest.empty()) break;
      if (rest[0] != ':') return Failure("unexpected character, want colon", rest);
      if (rest.size() == 1) return Failure("colon must be followed by more characters", rest);
      rest.remove_prefix(1);
      if (rest[0] != ':') continue;
      if (gap != SIZE_MAX) return Failure("multiple :: in address", rest);
      gap = length;
      rest.remove_prefix(1);
      if (rest.empty()) break;
    }
    if (!rest.empty()) return Failure("trailing garbage after address", rest);
    if (length == read.size()) {
      if (gap != SIZE_MAX) return Failure("the :: must expand to at least one field of zeros");
    } else if (gap == SIZE_MAX) {
      return Failure("address string too short");
    }
    const size_t before = std::min(gap, length);
    std::copy_n(read.begin(), before, address.bytes.begin());
    std::copy_backward(read.begin() + static_cast<ptrdiff_t>(before), read.begin() + static_cast<ptrdiff_t>(length),
                       address.bytes.end());
    return address;
  }

  std::string_view text_;
};

std::string DottedText(const uint8_t* octets) {
  return fmt::format("{}.{}.{}.{}", octets[0], octets[1], octets[2], octets[3]);
}

}  // namespace

Result<IpAddr> IpAddr::Parse(std::string_view text) { return Reader(text).Read(); }

std::string IpAddr::ToString() const {
  if (v4) return DottedText(&bytes[12]);
  if (IsV4Mapped()) return "::ffff:" + DottedText(&bytes[12]);
  const auto group = [&](int i) { return bytes[i * 2] << 8 | bytes[i * 2 + 1]; };
  // The longest run of two zero groups or more, the first of such, becomes "::".
  int run_begin = kGroups;
  int run_end = kGroups;
  for (int i = 0; i < kGroups; ++i) {
    int end = i;
    while (end < kGroups && group(end) == 0) ++end;
    if (end - i >= 2 && end - i > run_end - run_begin) {
      run_begin = i;
      run_end = end;
    }
  }
  std::string text;
  for (int i = 0; i < kGroups; ++i) {
    if (i == run_begin) {
      text += "::";
      i = run_end;
      if (i >= kGroups) break;
    } else if (i > 0) {
      text += ':';
    }
    text += fmt::format("{:x}", group(i));
  }
  return text;
}

bool IpAddr::IsV4Mapped() const {
  return !v4 && std::all_of(bytes.begin(), bytes.begin() + 10, [](uint8_t b) { return b == 0; }) && bytes[10] == 0xff &&
         bytes[11] == 0xff;
}

bool IpAddr::IsUnspecified() const {
  return !has_zone && std::all_of(bytes.begin(), bytes.end(), [](uint8_t b) { return b == 0; });
}

bool IpAddr::IsLoopback() const {
  if (v4) return bytes[12] == 127;
  return std::all_of(bytes.begin(), bytes.end() - 1, [](uint8_t b) { return b == 0; }) && bytes[15] == 1;
}

bool IpAddr::IsMulticast() const { return v4 ? (bytes[12] & 0xf0) == 0xe0 : bytes[0] == 0xff; }

bool IpAddr::IsLinkLocalMulticast() const {
  if (v4) return bytes[12] == 224 && bytes[13] == 0 && bytes[14] == 0;
  return bytes[0] == 0xff && (bytes[1] & 0x0f) == 0x02;
}

bool IpAddr::IsLinkLocalUnicast() const {
  if (v4) return bytes[12] == 169 && bytes[13] == 254;
  return bytes[0] == 0xfe && (bytes[1] & 0xc0) == 0x80;
}

bool IpAddr::IsGlobalUnicast() const {
  const bool broadcast = v4 && std::all_of(bytes.end() - 4, bytes.end(), [](uint8_t b) { return b == 0xff; });
  return !broadcast && !IsUnspecified() && !IsLoopback() && !IsMulticast() && !IsLinkLocalUnicast();
}

IpAddr IpAddr::Masked(int bits) const {
  IpAddr masked = *this;
  masked.has_zone = false;
  int keep = v4 ? bits + 96 : bits;
  for (uint8_t& byte : masked.bytes) {
    if (keep <= 0) {
      byte = 0;
    } else if (keep < 8) {
      byte &= static_cast<uint8_t>(0xff << (8 - keep));
    }
    keep -= 8;
  }
  return masked;
}

Result<IpPrefix> IpPrefix::Parse(std::string_view text) {
  const auto failure = [&](std::string_view message) {
    return Error::InvalidArgument(fmt::format("netip.ParsePrefix({}): {}", Quoted(text), message));
  };
  const size_t slash = text.rfind('/');
  if (slash == std::string_view::npos) return failure("no '/'");
  Result<IpAddr> address = IpAddr::Parse(text.substr(0, slash));
  if (!address) return failure(address.error().message());
  if (address->has_zone) return failure("IPv6 zones cannot be present in a prefix");
  const std::string_view digits = text.substr(slash + 1);
  const bool plain =
      !digits.empty() && std::all_of(digits.begin(), digits.end(), IsDigit) && (digits.size() == 1 || digits[0] != '0');
  int bits = 0;
  if (!plain || std::from_chars(digits.data(), digits.data() + digits.size(), bits).ec != std::errc()) {
    // Numbers beyond 32 bits but within 64 count as read and out of range.
    int64_t large = 0;
    if (!plain || std::from_chars(digits.data(), digits.data() + digits.size(), large).ec != std::errc()) {
      return failure("bad bits after slash: " + Quoted(digits));
    }
    return failure("prefix length out of range");
  }
  if (bits > (address->v4 ? 32 : 128)) return failure("prefix length out of range");
  return IpPrefix{*address, bits};
}

std::string IpPrefix::ToString() const { return fmt::format("{}/{}", address.ToString(), bits); }

bool IpPrefix::Contains(const IpAddr& other) const {
  return address.v4 == other.v4 && !other.has_zone && address.Masked(bits) == other.Masked(bits);
}

bool IpPrefix::Overlaps(const IpPrefix& other) const {
  const int shorter = std::min(bits, other.bits);
  return address.v4 == other.address.v4 && address.Masked(shorter) == other.address.Masked(shorter);
}

}  // namespace keelson::apiserver::cel
