// Names of headers, and what may stand in their values.
#pragma once

#include <algorithm>
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

// Whether one of the eight bytes may be a control character; tab counts as one here, and so may a byte behind one.
inline bool MayHaveControl(const char* bytes) {
  constexpr uint64_t kOnes = 0x0101010101010101;
  constexpr uint64_t kHighs = 0x8080808080808080;
  uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof word);
  const uint64_t delete_is_zero = word ^ (kOnes * 0x7f);
  return ((((word - kOnes * 0x20) & ~word) | ((delete_is_zero - kOnes) & ~delete_is_zero)) & kHighs) != 0;
}

// Control characters but for tab, which may stand in a value. Eight bytes at a time: values mostly have none.
inline bool HasControl(std::string_view text) {
  const auto is_control = [](char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f; };
  if (text.size() >= sizeof(uint64_t)) {
    const char* const last = text.data() + text.size() - sizeof(uint64_t);
    bool suspect = MayHaveControl(last);
    for (const char* at = text.data(); at < last && !suspect; at += sizeof(uint64_t)) suspect = MayHaveControl(at);
    if (!suspect) return false;
  }
  return std::any_of(text.begin(), text.end(), is_control);
}

}  // namespace keelson::internal
