// Telling well-formed UTF-8 from other bytes, for what leaves the process as text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace keelson::internal {

struct CodePoint {
  uint32_t value = 0;
  size_t length = 0;  // in bytes; 0 when the first byte begins no well-formed sequence
};

// The first code point of `text`, which is not empty. Refuses overlong forms, surrogates and what lies beyond U+10FFFF.
CodePoint DecodeUtf8(std::string_view text);

// `text` with each byte that belongs to no well-formed sequence replaced by U+FFFD.
std::string ReplaceInvalidUtf8(std::string_view text);

}  // namespace keelson::internal
