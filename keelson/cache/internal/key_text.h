// Hash and equality of the two texts of a key, for KeyTable.
//
// A lookup waits for memory. Meanwhile the processor runs ahead into the lookups behind it, as far as it has room for
// their instructions: so what counts here is how few they are, more than how quick.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "keelson/core/hash.h"

namespace keelson::internal {

template <class Word>
inline Word LoadWord(const char* from) {
  Word word;
  std::memcpy(&word, from, sizeof word);
  return word;
}

// 16 bytes in one register where the processor has such.
typedef uint64_t TextBlock __attribute__((vector_size(16)));

// In pieces, the last of which overlaps the one before, so that lengths that differ a little take the same way.
[[gnu::always_inline]] inline bool EqualTexts(const char* a, const char* b, size_t size) {
  const auto differ = [a, b]<class Word>(Word, size_t at) { return LoadWord<Word>(a + at) ^ LoadWord<Word>(b + at); };
  if (size >= 16) {
    TextBlock difference = differ(TextBlock{}, size - 16) | differ(TextBlock{}, 0);
    for (size_t at = 16; at + 16 < size; at += 16) difference |= differ(TextBlock{}, at);
    return (difference[0] | difference[1]) == 0;
  }
  if (size >= 8) return (differ(uint64_t{}, 0) | differ(uint64_t{}, size - 8)) == 0;
  if (size >= 4) return (differ(uint32_t{}, 0) | differ(uint32_t{}, size - 4)) == 0;
  for (size_t i = 0; i < size; ++i) {
    if (a[i] != b[i]) return false;
  }
  return true;
}

// A step of the hash.
[[gnu::always_inline]] inline uint64_t HashText(std::string_view text, uint64_t state, uint64_t mask) {
  const char* const at = text.data();
  const size_t size = text.size();
  state += size;
  if (size >= 16) {
    const size_t last = size - 16;
    for (size_t i = 0; i < last; i += 16) {
      state = MixWords(LoadWord<uint64_t>(at + i) ^ mask, LoadWord<uint64_t>(at + i + 8) ^ state);
    }
    return MixWords(LoadWord<uint64_t>(at + last) ^ mask, LoadWord<uint64_t>(at + last + 8) ^ state);
  }
  if (size >= 8) return MixWords(LoadWord<uint64_t>(at) ^ mask, LoadWord<uint64_t>(at + size - 8) ^ state);
  if (size >= 4) return MixWords(LoadWord<uint32_t>(at) ^ mask, LoadWord<uint32_t>(at + size - 4) ^ state);
  uint64_t bytes = 0;
  for (size_t i = 0; i < size; ++i) bytes = bytes << 8 | static_cast<unsigned char>(at[i]);
  return MixWords(bytes ^ mask, state);
}

}  // namespace keelson::internal
