#include "keelson/apiserver/url_base64.h"

#include <cstdint>

namespace keelson::apiserver {

namespace {

constexpr char kAlphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

}  // namespace

std::string EncodeUrlBase64(std::string_view bytes) {
  std::string out;
  uint32_t held = 0;
  int bits = 0;
  for (const char c : bytes) {
    held = held << 8 | static_cast<unsigned char>(c);
    for (bits += 8; bits >= 6; bits -= 6) out += kAlphabet[held >> (bits - 6) & 63];
  }
  if (bits > 0) out += kAlphabet[held << (6 - bits) & 63];
  return out;
}

bool DecodeUrlBase64(std::string_view text, std::string& out) {
  uint32_t held = 0;
  int bits = 0;
  for (const char c : text) {
    const size_t digit = std::string_view(kAlphabet).find(c);
    if (digit == std::string_view::npos) return false;
    held = held << 6 | static_cast<uint32_t>(digit);
    if ((bits += 6) >= 8) out += static_cast<char>(held >> (bits -= 8) & 255);
  }
  return bits < 6;
}

}  // namespace keelson::apiserver
