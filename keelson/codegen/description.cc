#include "keelson/codegen/description.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace keelson::codegen {

namespace {

struct Range {
  char32_t first;
  char32_t last;
};

// Unicode's Sentence_Terminal, in the scripts that API documentation is written in.
constexpr Range kSentenceEnds[] = {
    {'!', '!'},       {'.', '.'},       {'?', '?'},       {0x0589, 0x0589}, {0x061D, 0x061F},
    {0x06D4, 0x06D4}, {0x0700, 0x0702}, {0x0964, 0x0965}, {0x104A, 0x104B}, {0x1362, 0x1362},
    {0x1367, 0x1368}, {0x203C, 0x203D}, {0x2047, 0x2049}, {0x3002, 0x3002}, {0xFE52, 0xFE52},
    {0xFE56, 0xFE57}, {0xFF01, 0xFF01}, {0xFF0E, 0xFF0E}, {0xFF1F, 0xFF1F}, {0xFF61, 0xFF61},
};
constexpr Range kSpaces[] = {
    {'\t', '\r'},     {' ', ' '},       {0x0085, 0x0085}, {0x00A0, 0x00A0}, {0x1680, 0x1680},
    {0x2000, 0x200A}, {0x2028, 0x2029}, {0x202F, 0x202F}, {0x205F, 0x205F}, {0x3000, 0x3000},
};

template <size_t N>
bool IsIn(const Range (&ranges)[N], char32_t character) {
  return std::any_of(std::begin(ranges), std::end(ranges),
                     [&](Range range) { return range.first <= character && character <= range.last; });
}

struct Character {
  size_t begin;
  size_t end;
  char32_t code;
};

bool Continues(char byte) { return (static_cast<uint8_t>(byte) & 0xC0) == 0x80; }

// The last character that ends at `end` or before.
Character LastCharacter(std::string_view text, size_t end) {
  size_t begin = end - 1;
  while (begin > 0 && Continues(text[begin])) --begin;
  const auto lead = static_cast<uint8_t>(text[begin]);
  char32_t code = lead < 0x80 ? lead : lead < 0xE0 ? lead & 0x1F : lead < 0xF0 ? lead & 0x0F : lead & 0x07;
  for (size_t i = begin + 1; i < end; ++i) code = code << 6 | (static_cast<uint8_t>(text[i]) & 0x3F);
  return {.begin = begin, .end = end, .code = code};
}

template <size_t N>
std::optional<Character> LastOf(const Range (&ranges)[N], std::string_view text) {
  for (size_t end = text.size(); end > 0;) {
    const Character character = LastCharacter(text, end);
    if (IsIn(ranges, character.code)) return character;
    end = character.begin;
  }
  return std::nullopt;
}

std::string_view WithoutTrailingSpace(std::string_view line) {
  const size_t last = line.find_last_not_of(" \t\r\n\v\f");
  return line.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

// Said to the tools that read C++, as `//go:generate` is to Go's.
bool IsDirective(std::string_view line) { return line.starts_with("NOLINT") || line.starts_with("clang-format o"); }

// Without blank lines at both ends and without more than one between paragraphs.
std::vector<std::string_view> TidyLines(const std::vector<std::string>& lines) {
  std::vector<std::string_view> tidy;
  for (const std::string& written : lines) {
    const std::string_view line = WithoutTrailingSpace(written);
    if (IsDirective(line)) continue;
    if (line.empty() && (tidy.empty() || tidy.back().empty())) continue;
    tidy.push_back(line);
  }
  if (!tidy.empty() && tidy.back().empty()) tidy.pop_back();
  return tidy;
}

}  // namespace

std::string DescriptionOf(const Comment& comment) {
  std::string description;
  bool first = true;
  bool in_code = false;
  for (const std::string_view line : TidyLines(comment.lines)) {
    if (line.starts_with("```") || line.starts_with("~~~")) in_code = !in_code;
    if (!in_code && line.starts_with("TODO")) continue;
    if (!in_code && line.starts_with("---")) break;
    if (!first) description += '\n';
    first = false;
    description += line;
  }
  return description;
}

std::string CutDescription(std::string_view description, size_t max_bytes) {
  if (description.size() <= max_bytes) return std::string(description);
  size_t length = max_bytes;
  while (length > 0 && Continues(description[length])) --length;
  const std::string_view cut = description.substr(0, length);
  if (const auto end = LastOf(kSentenceEnds, cut); end && end->begin > 0) return std::string(cut.substr(0, end->end));
  if (const auto space = LastOf(kSpaces, cut); space && space->begin > 0) {
    return std::string(cut.substr(0, space->begin)) + "...";
  }
  return std::string(cut) + "...";
}

}  // namespace keelson::codegen
