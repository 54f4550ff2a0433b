// Names of headers, and what may stand in their values.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "keelson/core/ascii.h"

namespace keelson::internal {

// The same name. Most are written as everybody writes them, which is quickly seen.
inline bool IsName(std::string_view name, std::string_view expected) {
  return name.size() == expected.size() && (name == expected || EqualsIgnoringCase(name, expected));
}

// Texts are looked at many bytes at a time, sixteen where the processor is known to have instructions for that and
// eight anywhere: mostly every byte is an ordinary one, which is quickly seen. Where one may not be, the text is looked
// at again, byte by byte.
inline constexpr uint64_t kOnes = 0x0101010101010101;
inline constexpr uint64_t kHighs = 0x8080808080808080;

inline uint64_t WordAt(const char* bytes) {
  uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

// Whether `is_plain` is true of all words of the text; the last overlaps the one before. False of a text of less than
// a word.
template <class IsPlain>
inline bool AllWords(std::string_view text, IsPlain is_plain) {
  if (text.size() < sizeof(uint64_t)) return false;
  const char* const last = text.data() + text.size() - sizeof(uint64_t);
  bool plain = is_plain(WordAt(last));
  for (const char* at = text.data(); at < last && plain; at += sizeof(uint64_t)) plain = is_plain(WordAt(at));
  return plain;
}

// In each byte of the answer the highest bit is set where that of the word is less than `limit`, and where it is DEL.
// Bytes behind such a one may be marked too.
inline uint64_t MarkBelowOrDelete(uint64_t word, uint64_t limit) {
  const uint64_t delete_is_zero = word ^ (kOnes * 0x7f);
  return (((word - kOnes * limit) & ~word) | ((delete_is_zero - kOnes) & ~delete_is_zero)) & kHighs;
}

#if defined(__SSE2__)
inline __m128i BlockAt(const char* bytes) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes)); }

// A bit for each of sixteen bytes, the first one's lowest: whether it is neither a letter nor a digit nor a dash.
inline unsigned MarkOthersInNames(__m128i block) {
  const auto between = [](__m128i bytes, char low, char high) {
    return _mm_and_si128(_mm_cmpgt_epi8(bytes, _mm_set1_epi8(static_cast<char>(low - 1))),
                         _mm_cmplt_epi8(bytes, _mm_set1_epi8(static_cast<char>(high + 1))));
  };
  const __m128i letters = between(_mm_or_si128(block, _mm_set1_epi8(0x20)), 'a', 'z');
  const __m128i dashes = _mm_cmpeq_epi8(block, _mm_set1_epi8('-'));
  const __m128i known = _mm_or_si128(_mm_or_si128(letters, dashes), between(block, '0', '9'));
  return static_cast<unsigned>(_mm_movemask_epi8(known)) ^ 0xffff;
}

// Likewise: whether it is a control character but for tab.
inline unsigned MarkControls(__m128i block) {
  const __m128i low = _mm_cmpeq_epi8(_mm_min_epu8(block, _mm_set1_epi8(0x1f)), block);
  const __m128i tabs = _mm_cmpeq_epi8(block, _mm_set1_epi8('\t'));
  const __m128i deletes = _mm_cmpeq_epi8(block, _mm_set1_epi8(0x7f));
  return static_cast<unsigned>(_mm_movemask_epi8(_mm_or_si128(_mm_andnot_si128(tabs, low), deletes)));
}
#endif

// Control characters but for tab, which may stand in a value.
inline bool IsControl(char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f; }

// The characters of RFC 9110's token.
inline constexpr std::array<bool, 256> kTokenCharacters = [] {
  std::array<bool, 256> characters = {};
  for (unsigned char c = ' ' + 1; c < 0x7f; ++c) characters[c] = true;
  for (const char c : std::string_view("\"(),/:;<=>?@[\\]{}")) characters[static_cast<unsigned char>(c)] = false;
  return characters;
}();

// Eight letters, digits and dashes.
inline bool AreNameCharacters(uint64_t word) {
  if ((word & kHighs) != 0) return false;
  const auto between = [](uint64_t bytes, uint64_t low, uint64_t high) {
    return (bytes + kOnes * (0x80 - low)) & ~(bytes + kOnes * (0x7f - high));
  };
  const uint64_t dash_is_zero = word ^ (kOnes * '-');
  const uint64_t known =
      between(word | (kOnes * 0x20), 'a', 'z') | between(word, '0', '9') | ~(dash_is_zero + kOnes * 0x7f);
  return (known & kHighs) == kHighs;
}

inline bool IsToken(std::string_view text) {
  if (AllWords(text, AreNameCharacters)) return true;
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return kTokenCharacters[static_cast<unsigned char>(c)]; });
}

// How long the token is with which the text begins; 0 where it begins with none.
inline size_t TokenSize(std::string_view text) {
  size_t size = 0;
  unsigned others = 0;
#if defined(__SSE2__)
  while (others == 0 && size + sizeof(__m128i) <= text.size()) {
    others = MarkOthersInNames(BlockAt(text.data() + size));
    size += others == 0 ? sizeof(__m128i) : static_cast<size_t>(std::countr_zero(others));
  }
#endif
  while (others == 0 && size + sizeof(uint64_t) <= text.size() && AreNameCharacters(WordAt(text.data() + size))) {
    size += sizeof(uint64_t);
  }
  while (size < text.size() && kTokenCharacters[static_cast<unsigned char>(text[size])]) ++size;
  return size;
}

// How much of the text can be a value: it ends before the first control character but for tab.
inline size_t ValueSize(std::string_view text) {
  size_t at = 0;
#if defined(__SSE2__)
  if (text.size() >= sizeof(__m128i)) {
    const size_t last = text.size() - sizeof(__m128i);  // overlaps the block before it
    while (true) {
      const unsigned controls = MarkControls(BlockAt(text.data() + at));
      if (controls != 0) return at + static_cast<size_t>(std::countr_zero(controls));
      if (at == last) return text.size();
      at = std::min(at + sizeof(__m128i), last);
    }
  }
#endif
  while (true) {
    while (at + sizeof(uint64_t) <= text.size()) {
      const uint64_t marks = MarkBelowOrDelete(WordAt(text.data() + at), 0x20);
      // The first mark is right, and which that is is told by the order of bytes.
      if (marks != 0) {
        if constexpr (std::endian::native == std::endian::little)
          at += static_cast<size_t>(std::countr_zero(marks)) / 8;
        break;
      }
      at += sizeof(uint64_t);
    }
    if (at == text.size() || IsControl(text[at])) return at;
    ++at;
  }
}

inline bool HasControl(std::string_view text) { return ValueSize(text) != text.size(); }

// Behind the first empty line whose last character is not before `from`; 0 when there is none.
inline size_t EndOfHead(std::string_view text, size_t from) {
  const auto ends_at = [&](size_t newline) { return text.substr(0, newline + 1).ends_with("\r\n\r\n"); };
  size_t at = from;
#if defined(__SSE2__)
  const __m128i newline = _mm_set1_epi8('\n');
  for (; at + sizeof(__m128i) <= text.size(); at += sizeof(__m128i)) {
    auto found = static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(BlockAt(text.data() + at), newline)));
    for (; found != 0; found &= found - 1) {
      const size_t place = at + static_cast<size_t>(std::countr_zero(found));
      if (ends_at(place)) return place + 1;
    }
  }
#endif
  for (; at < text.size(); ++at) {
    if (text[at] == '\n' && ends_at(at)) return at + 1;
  }
  return 0;
}

}  // namespace keelson::internal
