// A checksum of stored objects that is the same in every build and on every machine. Finds damage, not forgery.
#pragma once

#include <cstdint>
#include <string_view>

namespace keelson::apiserver::internal {

class ObjectDigest {
 public:
  ObjectDigest& Add(uint64_t word) {
    // Odd multiplier: no bit of the state is lost; the shift carries high bits back down.
    state_ = (state_ ^ word) * 0x9e3779b97f4a7c15u;
    state_ ^= state_ >> 29;
    return *this;
  }
  // Two texts in a row differ from the same characters cut elsewhere.
  ObjectDigest& Add(std::string_view text) {
    Add(uint64_t{text.size()});
    while (text.size() >= 8) {
      Add(LittleEndian(text.substr(0, 8)));
      text.remove_prefix(8);
    }
    return text.empty() ? *this : Add(LittleEndian(text));
  }
  uint64_t value() const { return state_; }

 private:
  static uint64_t LittleEndian(std::string_view bytes) {
    uint64_t word = 0;
    for (size_t i = bytes.size(); i-- > 0;) word = word << 8 | static_cast<unsigned char>(bytes[i]);
    return word;
  }

  uint64_t state_ = 0x6b65656c736f6e31u;
};

}  // namespace keelson::apiserver::internal
