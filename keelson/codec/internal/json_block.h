// Sixty-four bytes of JSON as bit masks: where quotes, backslashes and brackets are. Bit i stands for byte i.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#if defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace keelson::internal {

struct JsonBlock {
  static constexpr int kSize = 64;
  uint64_t quotes;
  uint64_t backslashes;
  uint64_t opens;   // { and [
  uint64_t closes;  // } and ]
};

// The obvious form, which the others are tested against.
inline JsonBlock ClassifyJsonBlockPortably(const char* bytes) {
  JsonBlock block = {};
  for (int i = 0; i < JsonBlock::kSize; ++i) {
    const char c = bytes[i];
    block.quotes |= uint64_t{c == '"'} << i;
    block.backslashes |= uint64_t{c == '\\'} << i;
    block.opens |= uint64_t{c == '{' || c == '['} << i;
    block.closes |= uint64_t{c == '}' || c == ']'} << i;
  }
  return block;
}

// { and [ differ in bit 5 alone, as do } and ]: with it set, one comparison finds both.
#if defined(__SSE2__)

inline JsonBlock ClassifyJsonBlock(const char* bytes) {
  JsonBlock block = {};
  for (int i = 0; i < JsonBlock::kSize; i += 16) {
    const __m128i part = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes + i));
    const __m128i folded = _mm_or_si128(part, _mm_set1_epi8(0x20));
    const auto mask = [i](__m128i equal) {
      return static_cast<uint64_t>(static_cast<uint32_t>(_mm_movemask_epi8(equal))) << i;
    };
    block.quotes |= mask(_mm_cmpeq_epi8(part, _mm_set1_epi8('"')));
    block.backslashes |= mask(_mm_cmpeq_epi8(part, _mm_set1_epi8('\\')));
    block.opens |= mask(_mm_cmpeq_epi8(folded, _mm_set1_epi8('{')));
    block.closes |= mask(_mm_cmpeq_epi8(folded, _mm_set1_epi8('}')));
  }
  return block;
}

#elif defined(__aarch64__)

// One bit of each of 64 bytes that are 0x00 or 0xff.
inline uint64_t NeonMask(uint8x16_t a, uint8x16_t b, uint8x16_t c, uint8x16_t d) {
  const uint8x16_t bits = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
  const uint8x16_t low = vpaddq_u8(vandq_u8(a, bits), vandq_u8(b, bits));
  const uint8x16_t high = vpaddq_u8(vandq_u8(c, bits), vandq_u8(d, bits));
  const uint8x16_t both = vpaddq_u8(low, high);
  return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(both, both)), 0);
}

inline JsonBlock ClassifyJsonBlock(const char* bytes) {
  uint8x16_t part[4];
  uint8x16_t folded[4];
  for (int i = 0; i < 4; ++i) {
    part[i] = vld1q_u8(reinterpret_cast<const uint8_t*>(bytes) + 16 * i);
    folded[i] = vorrq_u8(part[i], vdupq_n_u8(0x20));
  }
  const auto mask = [](const uint8x16_t* from, char c) {
    const uint8x16_t wanted = vdupq_n_u8(static_cast<uint8_t>(c));
    return NeonMask(vceqq_u8(from[0], wanted), vceqq_u8(from[1], wanted), vceqq_u8(from[2], wanted),
                    vceqq_u8(from[3], wanted));
  };
  return {mask(part, '"'), mask(part, '\\'), mask(folded, '{'), mask(folded, '}')};
}

#else

inline JsonBlock ClassifyJsonBlock(const char* bytes) { return ClassifyJsonBlockPortably(bytes); }

#endif

// The first closing brace with an opening one, or a byte that may be white space, behind it; the size when there is
// none. Looks no further than the last sixteen bytes, and finds none on machines without a quick way.
inline size_t FindLooseBrace(std::string_view text) {
#if defined(__SSE2__)
  size_t at = 0;
  for (; text.size() - at > 16; at += 16) {
    const __m128i part = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + at));
    const __m128i next = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + at + 1));
    // Bytes are compared as signed: those outside ASCII count as white space too.
    const __m128i loose =
        _mm_or_si128(_mm_cmpeq_epi8(next, _mm_set1_epi8('{')), _mm_cmplt_epi8(next, _mm_set1_epi8(' ' + 1)));
    const int found = _mm_movemask_epi8(_mm_and_si128(_mm_cmpeq_epi8(part, _mm_set1_epi8('}')), loose));
    if (found != 0) return at + static_cast<size_t>(__builtin_ctz(static_cast<unsigned>(found)));
  }
#endif
  return text.size();
}

// Bit i of the result is the parity of bits 0 to i: between a quote and the next one, the inside of a string.
inline uint64_t PrefixXor(uint64_t bits) {
  for (int shift = 1; shift < 64; shift *= 2) bits ^= bits << shift;
  return bits;
}

// The number of bits that are set. In line: the baseline of x86-64 has no instruction, and the library's call is slow.
inline int CountBits(uint64_t bits) {
  bits -= (bits >> 1) & 0x5555'5555'5555'5555;
  bits = (bits & 0x3333'3333'3333'3333) + ((bits >> 2) & 0x3333'3333'3333'3333);
  bits = (bits + (bits >> 4)) & 0x0f0f'0f0f'0f0f'0f0f;
  return static_cast<int>((bits * 0x0101'0101'0101'0101) >> 56);
}

// The characters that a backslash escapes. `carried` says on entry whether the first one is, by a backslash before it;
// on return, whether the one behind the `size` bytes is.
inline uint64_t FindEscaped(uint64_t backslashes, int size, bool& carried) {
  uint64_t escaped = carried ? 1 : 0;
  backslashes &= ~escaped;
  carried = false;
  while (backslashes != 0) {
    const int at = __builtin_ctzll(backslashes);
    if (at + 1 >= size) {
      carried = true;
      break;
    }
    const uint64_t next = uint64_t{1} << (at + 1);
    escaped |= next;
    backslashes &= ~(next | (next >> 1));
  }
  return escaped;
}

}  // namespace keelson::internal
