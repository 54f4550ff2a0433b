// The two texts of a key in pieces of a fixed size, to be hashed and compared where they are. For KeyTable.
//
// A lookup waits for memory. Meanwhile the processor runs ahead into the lookups behind it, as far as it has room for
// their instructions: so what counts here is how few they are, more than how quick. A text is two pieces, one that
// begins it and one that ends it, which overlap as much as they must; a shorter one is filled up with zeros, and a name
// that two pieces do not cover has a third between them. With the lengths these tell a key from every other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "keelson/core/hash.h"

namespace keelson::internal {

// Of the process, so that nobody can prepare keys that collide.
struct KeySecrets {
  uint64_t first;
  uint64_t second;
};

template <class Word>
[[gnu::always_inline]] inline Word LoadWord(const char* from) {
  Word word;
  std::memcpy(&word, from, sizeof word);
  return word;
}

// 16 bytes, in one register where the processor has such.
typedef uint64_t NamePiece __attribute__((vector_size(16)));

// Whether each of the two is equal.
[[gnu::always_inline]] inline bool AreEqual(NamePiece a, NamePiece same_a, NamePiece b, NamePiece same_b) {
#if defined(__SSE2__)
  const __m128i equal = _mm_and_si128(_mm_cmpeq_epi8(reinterpret_cast<__m128i>(a), reinterpret_cast<__m128i>(same_a)),
                                      _mm_cmpeq_epi8(reinterpret_cast<__m128i>(b), reinterpret_cast<__m128i>(same_b)));
  return _mm_movemask_epi8(equal) == 0xffff;
#else
  const NamePiece difference = (a ^ same_a) | (b ^ same_b);
  return (difference[0] | difference[1]) == 0;
#endif
}

// The outer words of a text of up to 16 bytes.
[[gnu::always_inline]] inline void SetWords(std::string_view text, uint64_t& head, uint64_t& tail) {
  const char* const at = text.data();
  const size_t size = text.size();
  if (size >= 8) {
    head = LoadWord<uint64_t>(at);
    tail = LoadWord<uint64_t>(at + size - 8);
  } else if (size >= 4) {
    head = LoadWord<uint32_t>(at);
    tail = LoadWord<uint32_t>(at + size - 4);
  } else if (size > 0) {
    head = static_cast<unsigned char>(at[0]) | uint64_t{static_cast<unsigned char>(at[size / 2])} << 8;
    tail = static_cast<unsigned char>(at[size - 1]);
  }
}

// A key as it is kept: a cache line.
struct alignas(64) KeyPieces {
  static constexpr size_t kMostOfNamespace = 16;
  static constexpr size_t kMostOfName = 40;
  static constexpr uint32_t kTooLong = UINT32_MAX;

  static KeyPieces Of(std::string_view namespace_, std::string_view name) {
    KeyPieces pieces;
    if (namespace_.size() > kMostOfNamespace || name.size() > kMostOfName) {
      pieces.name_length = kTooLong;
      return pieces;
    }
    pieces.name_length = static_cast<uint32_t>(name.size());
    pieces.namespace_length = static_cast<uint32_t>(namespace_.size());
    SetWords(namespace_, pieces.namespace_head, pieces.namespace_tail);
    if (name.size() < sizeof(NamePiece)) {
      uint64_t words[2] = {0, 0};
      SetWords(name, words[0], words[1]);
      std::memcpy(&pieces.name_head, words, sizeof words);
      pieces.name_tail = pieces.name_head;
      return pieces;
    }
    pieces.name_head = LoadWord<NamePiece>(name.data());
    pieces.name_tail = LoadWord<NamePiece>(name.data() + name.size() - sizeof(NamePiece));
    if (name.size() > 2 * sizeof(NamePiece)) {
      pieces.name_middle = LoadWord<uint64_t>(name.data() + sizeof(NamePiece));
    }
    return pieces;
  }
  bool fits() const { return name_length != kTooLong; }

  bool operator==(const KeyPieces& other) const {
    return AreEqual(name_head, other.name_head, name_tail, other.name_tail) && name_length == other.name_length &&
           namespace_length == other.namespace_length && name_middle == other.name_middle &&
           namespace_head == other.namespace_head && namespace_tail == other.namespace_tail;
  }

  NamePiece name_head = {};
  NamePiece name_tail = {};
  uint64_t name_middle = 0;
  uint64_t namespace_head = 0;
  uint64_t namespace_tail = 0;
  uint32_t name_length = 0;  // kTooLong: the texts do not fit, and nothing else is set
  uint32_t namespace_length = 0;
};

// The hash of a key by its pieces. No two of them are put together before a secret is in one: whoever knows how it is
// made could prepare keys that collide.
[[gnu::always_inline]] inline uint64_t HashPieces(const char* head, const char* tail, uint64_t middle,
                                                  uint64_t namespace_head, uint64_t namespace_tail, size_t name_length,
                                                  size_t namespace_length, const KeySecrets& secrets) {
  const uint64_t of_head =
      MixWords(LoadWord<uint64_t>(head) ^ secrets.first, LoadWord<uint64_t>(head + 8) ^ secrets.second);
  const uint64_t of_tail =
      MixWords(LoadWord<uint64_t>(tail) ^ secrets.second, LoadWord<uint64_t>(tail + 8) ^ secrets.first);
  return MixWords(of_head ^ namespace_head ^ name_length, (of_tail + middle) ^ namespace_tail ^ namespace_length);
}

inline uint64_t HashOf(const KeyPieces& pieces, const KeySecrets& secrets) {
  return HashPieces(reinterpret_cast<const char*>(&pieces.name_head), reinterpret_cast<const char*>(&pieces.name_tail),
                    pieces.name_middle, pieces.namespace_head, pieces.namespace_tail, pieces.name_length,
                    pieces.namespace_length, secrets);
}

// A key whose texts have usual lengths, where they lie: what KeyPieces would hold is not put together.
class UsualKey {
 public:
  static bool Is(std::string_view namespace_, std::string_view name) {
    return name.size() - sizeof(NamePiece) <= sizeof(NamePiece) && namespace_.size() - 4 <= 12;
  }

  [[gnu::always_inline]] UsualKey(std::string_view namespace_, std::string_view name)
      : namespace_(namespace_), name_(name) {
    const char* const at = namespace_.data();
    const size_t size = namespace_.size();
    namespace_head_ = size >= 8 ? LoadWord<uint64_t>(at) : LoadWord<uint32_t>(at);
    namespace_tail_ = size >= 8 ? LoadWord<uint64_t>(at + size - 8) : LoadWord<uint32_t>(at + size - 4);
  }

  [[gnu::always_inline]] uint64_t Hash(const KeySecrets& secrets) const {
    return HashPieces(name_.data(), tail(), 0, namespace_head_, namespace_tail_, name_.size(), namespace_.size(),
                      secrets);
  }
  // A name of such a length has no middle.
  [[gnu::always_inline]] bool operator==(const KeyPieces& kept) const {
    return AreEqual(LoadWord<NamePiece>(name_.data()), kept.name_head, LoadWord<NamePiece>(tail()), kept.name_tail) &&
           kept.name_length == name_.size() && kept.namespace_length == namespace_.size() &&
           kept.namespace_head == namespace_head_ && kept.namespace_tail == namespace_tail_;
  }

 private:
  [[gnu::always_inline]] const char* tail() const { return name_.data() + name_.size() - sizeof(NamePiece); }

  const std::string_view namespace_;
  const std::string_view name_;
  uint64_t namespace_head_;
  uint64_t namespace_tail_;
};

// Of texts that do not fit into pieces.
inline uint64_t HashLongKey(std::string_view namespace_, std::string_view name, const KeySecrets& secrets) {
  const uint64_t state = HashBytes(namespace_.data(), namespace_.size(), secrets.first);
  return MixWords(HashBytes(name.data(), name.size(), state ^ secrets.second), secrets.first);
}

}  // namespace keelson::internal
