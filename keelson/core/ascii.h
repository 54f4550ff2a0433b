// Letters and blanks of ASCII, whatever the locale says: names in protocols and files, not words of a language.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace keelson {

constexpr char AsciiLower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

inline std::string AsciiLower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = AsciiLower(c);
  return lower;
}

constexpr bool EqualsIgnoringCase(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char left, char right) { return AsciiLower(left) == AsciiLower(right); });
}

// Without those characters at both ends.
constexpr std::string_view Trim(std::string_view text, std::string_view blanks = " \t\r\n\v\f") {
  const size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

}  // namespace keelson
