#include "keelson/core/internal/log_module.h"

#include <algorithm>
#include <optional>

namespace keelson::internal {

namespace {

// One element of a pattern other than `*`: a character, `?` or a set.
struct Element {
  std::string_view rest;  // of the pattern, behind it
  bool matches = false;
};

// A character of a set, or nothing where none can stand.
std::optional<char> TakeSetCharacter(std::string_view& pattern) {
  if (pattern.empty() || pattern[0] == '-' || pattern[0] == ']') return std::nullopt;
  if (pattern[0] == '\\') pattern.remove_prefix(1);
  if (pattern.empty()) return std::nullopt;
  const char c = pattern[0];
  pattern.remove_prefix(1);
  return c;
}

std::optional<Element> CompareSet(std::string_view pattern, char c) {
  pattern.remove_prefix(1);  // [
  const bool negated = pattern.starts_with('^');
  if (negated) pattern.remove_prefix(1);
  bool inside = false;
  for (bool first = true; first || !pattern.starts_with(']'); first = false) {
    const std::optional<char> low = TakeSetCharacter(pattern);
    if (!low) return std::nullopt;
    std::optional<char> high = low;
    if (pattern.starts_with('-')) {
      pattern.remove_prefix(1);
      high = TakeSetCharacter(pattern);
      if (!high) return std::nullopt;
    }
    inside = inside || (*low <= c && c <= *high);
  }
  return Element{.rest = pattern.substr(1), .matches = inside != negated};
}

// Nothing when the pattern, which is not empty, is malformed here.
std::optional<Element> Compare(std::string_view pattern, char c) {
  switch (pattern[0]) {
    case '?': return Element{.rest = pattern.substr(1), .matches = c != '/'};
    case '[': return CompareSet(pattern, c);
    case '\\':
      if (pattern.size() == 1) return std::nullopt;
      return Element{.rest = pattern.substr(2), .matches = pattern[1] == c};
    default: return Element{.rest = pattern.substr(1), .matches = pattern[0] == c};
  }
}

}  // namespace

bool IsGlob(std::string_view pattern) {
  while (!pattern.empty()) {
    if (pattern[0] == '*') {
      pattern.remove_prefix(1);
      continue;
    }
    const std::optional<Element> element = Compare(pattern, '\0');
    if (!element) return false;
    pattern = element->rest;
  }
  return true;
}

// When an element does not match, the last `*` takes one character more. Those before it need no second look: what they
// took can only be the shortest.
bool MatchesGlob(std::string_view pattern, std::string_view text) {
  if (!IsGlob(pattern)) return false;
  std::optional<std::string_view> star_pattern;  // behind the last `*`
  std::string_view star_text;                    // what it did not take
  while (true) {
    if (!pattern.empty() && pattern[0] == '*') {
      pattern.remove_prefix(1);
      star_pattern = pattern;
      star_text = text;
      continue;
    }
    if (text.empty() && pattern.empty()) return true;
    if (!text.empty() && !pattern.empty()) {
      const std::optional<Element> element = Compare(pattern, text[0]);
      if (element && element->matches) {
        pattern = element->rest;
        text.remove_prefix(1);
        continue;
      }
    }
    if (!star_pattern || star_text.empty() || star_text[0] == '/') return false;
    star_text.remove_prefix(1);
    pattern = *star_pattern;
    text = star_text;
  }
}

bool MatchesSourceFile(std::string_view pattern, std::string_view path) {
  const size_t name = path.find_last_of('/') + 1;  // npos + 1 is 0
  if (const size_t dot = path.find_last_of('.'); dot != std::string_view::npos && dot > name)
    path = path.substr(0, dot);
  size_t begin = name;
  if (pattern.starts_with('/')) {
    begin = 0;
  } else {
    for (auto slashes = std::count(pattern.begin(), pattern.end(), '/'); slashes > 0; --slashes) {
      if (begin < 2) return false;
      begin = path.find_last_of('/', begin - 2) + 1;
    }
  }
  return MatchesGlob(pattern, path.substr(begin));
}

}  // namespace keelson::internal
