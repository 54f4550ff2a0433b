// A fast hash of bytes for tables inside one process. Not for storage: the values differ between builds and machines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace keelson {

// Folds the 128-bit product of two words: every input bit reaches every output bit.
inline uint64_t MixWords(uint64_t a, uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

// Reads 16 bytes a step; short inputs are read as two overlapping words, never byte by byte.
inline uint64_t HashBytes(const void* data, size_t size, uint64_t seed) {
  constexpr uint64_t kOdd1 = 0x9e3779b97f4a7c15u;
  constexpr uint64_t kOdd2 = 0xd1b54a32d192ed03u;
  const auto* at = static_cast<const unsigned char*>(data);
  const auto word = [](const unsigned char* from) {
    uint64_t value;
    std::memcpy(&value, from, sizeof value);
    return value;
  };
  const auto half = [](const unsigned char* from) {
    uint32_t value;
    std::memcpy(&value, from, sizeof value);
    return uint64_t{value};
  };
  uint64_t state = seed ^ kOdd1;
  uint64_t first = 0;
  uint64_t last = 0;
  size_t left = size;
  for (; left > 16; left -= 16, at += 16) state = MixWords(word(at) ^ kOdd2, word(at + 8) ^ state);
  if (left >= 8) {
    first = word(at);
    last = word(at + left - 8);
  } else if (left >= 4) {
    first = half(at);
    last = half(at + left - 4);
  } else if (left > 0) {
    first = (uint64_t{at[0]} << 16) | (uint64_t{at[left / 2]} << 8) | at[left - 1];
  }
  return MixWords(kOdd2 ^ size, MixWords(first ^ kOdd2, last ^ state));
}

}  // namespace keelson
