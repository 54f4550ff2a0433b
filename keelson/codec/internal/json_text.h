// The lexical details of JSON: escapes, numbers, white space.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace keelson::internal {

inline bool IsJsonSpace(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

// Whether any byte is a backslash, eight at a time.
inline bool HasEscape(std::string_view text) {
  constexpr uint64_t kOnes = 0x0101010101010101u;
  constexpr uint64_t kHighs = 0x8080808080808080u;
  const char* at = text.data();
  size_t left = text.size();
  for (; left >= 8; left -= 8, at += 8) {
    uint64_t word;
    std::memcpy(&word, at, 8);
    const uint64_t zero_where_backslash = word ^ (kOnes * '\\');
    if (((zero_where_backslash - kOnes) & ~zero_where_backslash & kHighs) != 0) return true;
  }
  for (; left > 0; --left, ++at) {
    if (*at == '\\') return true;
  }
  return false;
}

// The text that a string's content stands for, appended. A lone surrogate becomes U+FFFD, as in Go. False on a bad
// escape.
bool Unescape(std::string_view content, std::string& out);

bool HasOnlyGoodEscapes(std::string_view content);

enum class NumberForm { kBad, kInteger, kReal };
// Whether `text` is a JSON number, and of which form.
NumberForm ClassifyNumber(std::string_view text);
// False when out of range. `text` has the right form.
bool ParseInteger(std::string_view text, int64_t& out);
bool ParseReal(std::string_view text, double& out);

// Appends `json`, which is well-formed, without the white space between tokens.
void AppendCompact(std::string_view json, std::string& out);

}  // namespace keelson::internal
