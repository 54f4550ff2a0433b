// Names of headers, and what may stand in their values.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "keelson/core/ascii.h"

namespace keelson::internal {

// The same name. Most are written as everybody writes them, which is quickly seen.
inline bool IsName(std::string_view name, std::string_view expected) {
  return name.size() == expected.size() && (name == expected || EqualsIgnoringCase(name, expected));
}

// Texts are looked at eight bytes at a time: mostly every byte is an ordinary one, which is quickly seen. Where one may
// not be, the text is looked at again, byte by byte.
inline constexpr uint64_t kOnes = 0x0101010101010101;
inline constexpr uint64_t kHighs = 0x8080808080808080;

// Whether `is_plain` is true of all words of the text; the last overlaps the one before. False of a text of less than
// a word.
template <class IsPlain>
inline bool AllWords(std::string_view text, IsPlain is_plain) {
  if (text.size() < sizeof(uint64_t)) return false;
  const auto word = [](const char* bytes) {
    uint64_t value = 0;
    std::memcpy(&value, bytes, sizeof value);
    return value;
  };
  const char* const last = text.data() + text.size() - sizeof(uint64_t);
  bool plain = is_plain(word(last));
  for (const char* at = text.data(); at < last && plain; at += sizeof(uint64_t)) plain = is_plain(word(at));
  return plain;
}

// In each byte of the answer the highest bit is set where that of the word is less than `limit`, and where it is DEL.
// Bytes behind such a one may be marked too.
inline uint64_t MarkBelowOrDelete(uint64_t word, uint64_t limit) {
  const uint64_t delete_is_zero = word ^ (kOnes * 0x7f);
  return (((word - kOnes * limit) & ~word) | ((delete_is_zero - kOnes) & ~delete_is_zero)) & kHighs;
}

// Control characters but for tab, which may stand in a value.
inline bool HasControl(std::string_view text) {
  const auto is_control = [](char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f; };
  if (AllWords(text, [](uint64_t word) { return MarkBelowOrDelete(word, 0x20) == 0; })) return false;
  return std::any_of(text.begin(), text.end(), is_control);
}

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

}  // namespace keelson::internal
