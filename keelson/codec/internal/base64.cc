#include "keelson/codec/internal/base64.h"

#include <array>
#include <cstdint>

namespace keelson::internal {

namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr uint8_t kNotADigit = 0xff;

constexpr std::array<uint8_t, 256> kDigits = [] {
  std::array<uint8_t, 256> digits{};
  digits.fill(kNotADigit);
  for (size_t i = 0; i < kAlphabet.size(); ++i) digits[static_cast<uint8_t>(kAlphabet[i])] = static_cast<uint8_t>(i);
  return digits;
}();

}  // namespace

void AppendBase64(std::string_view bytes, std::string& out) {
  const size_t old_size = out.size();
  out.resize(old_size + (bytes.size() + 2) / 3 * 4);
  char* to = out.data() + old_size;
  const auto* from = reinterpret_cast<const uint8_t*>(bytes.data());
  size_t left = bytes.size();
  for (; left >= 3; left -= 3, from += 3) {
    const uint32_t group = uint32_t{from[0]} << 16 | uint32_t{from[1]} << 8 | from[2];
    *to++ = kAlphabet[group >> 18];
    *to++ = kAlphabet[group >> 12 & 63];
    *to++ = kAlphabet[group >> 6 & 63];
    *to++ = kAlphabet[group & 63];
  }
  if (left == 0) return;
  const uint32_t group = uint32_t{from[0]} << 16 | (left == 2 ? uint32_t{from[1]} << 8 : 0);
  *to++ = kAlphabet[group >> 18];
  *to++ = kAlphabet[group >> 12 & 63];
  *to++ = left == 2 ? kAlphabet[group >> 6 & 63] : '=';
  *to++ = '=';
}

bool DecodeBase64(std::string_view text, std::string& out) {
  const size_t old_size = out.size();
  out.resize(old_size + text.size() / 4 * 3 + 3);
  auto* to = reinterpret_cast<uint8_t*>(out.data() + old_size);
  const auto* at = reinterpret_cast<const uint8_t*>(text.data());
  const auto* const end = at + text.size();
  uint32_t group = 0;
  int digits = 0;   // in the group so far
  int padding = 0;  // '=' seen
  while (at != end) {
    if (digits == 0 && padding == 0 && end - at >= 4) {
      const uint8_t a = kDigits[at[0]], b = kDigits[at[1]], c = kDigits[at[2]], d = kDigits[at[3]];
      if (((a | b | c | d) & 0xc0) == 0) {
        to[0] = static_cast<uint8_t>(a << 2 | b >> 4);
        to[1] = static_cast<uint8_t>(b << 4 | c >> 2);
        to[2] = static_cast<uint8_t>(c << 6 | d);
        to += 3;
        at += 4;
        continue;
      }
    }
    const uint8_t character = *at++;
    if (character == '\r' || character == '\n') continue;
    bool valid;
    if (character == '=') {
      // Only as the third and fourth, or the fourth, of the last group.
      valid = digits >= 2 && digits + padding < 4;
      ++padding;
    } else {
      const uint8_t digit = kDigits[character];
      valid = digit != kNotADigit && padding == 0;
      group = group << 6 | digit;
      ++digits;
    }
    if (!valid) {
      out.resize(old_size);
      return false;
    }
    if (digits == 4) {
      *to++ = static_cast<uint8_t>(group >> 16);
      *to++ = static_cast<uint8_t>(group >> 8);
      *to++ = static_cast<uint8_t>(group);
      group = 0;
      digits = 0;
    }
  }
  if (digits != 0 && digits + padding != 4) {
    out.resize(old_size);
    return false;
  }
  if (digits == 3) {
    *to++ = static_cast<uint8_t>(group >> 10);
    *to++ = static_cast<uint8_t>(group >> 2);
  } else if (digits == 2) {
    *to++ = static_cast<uint8_t>(group >> 4);
  }
  out.resize(static_cast<size_t>(reinterpret_cast<char*>(to) - out.data()));
  return true;
}

}  // namespace keelson::internal
