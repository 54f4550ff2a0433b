// The lexical details of JSON: escapes, numbers, white space.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace keelson::internal {

inline bool IsJsonSpace(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

// Whether any byte is a backslash, eight at a time.
[[gnu::always_inline]] inline bool HasEscape(std::string_view text) {
  constexpr uint64_t kOnes = 0x0101010101010101u;
  constexpr uint64_t kHighs = 0x8080808080808080u;
  const char* at = text.data();
  const size_t size = text.size();
  const auto has = [](uint64_t word) {
    const uint64_t zero_where_backslash = word ^ (kOnes * '\\');
    return ((zero_where_backslash - kOnes) & ~zero_where_backslash & kHighs) != 0;
  };
  const auto load = [](const char* from, auto word) {
    std::memcpy(&word, from, sizeof word);
    return uint64_t{word};
  };
  if (size >= 8) {
    // The last word may overlap the one before.
    for (const char* const last = at + size - 8; at < last; at += 8) {
      if (has(load(at, uint64_t{}))) return true;
    }
    return has(load(text.data() + size - 8, uint64_t{}));
  }
  if (size >= 4) return has(load(at, uint32_t{}) << 32 | load(at + size - 4, uint32_t{}));
  return size > 0 && (at[0] == '\\' || at[size / 2] == '\\' || at[size - 1] == '\\');
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
