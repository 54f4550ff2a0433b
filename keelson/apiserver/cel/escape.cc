#include "keelson/apiserver/cel/escape.h"

#include <algorithm>
#include <array>

namespace keelson::apiserver::cel {

namespace {

constexpr std::array<std::string_view, 21> kReserved = {
    "as",  "break", "const",     "continue", "else",    "false",  "for",  "function", "if",   "import", "in",
    "let", "loop",  "namespace", "null",     "package", "return", "true", "var",      "void", "while",
};

bool IsReserved(std::string_view name) { return std::binary_search(kReserved.begin(), kReserved.end(), name); }

bool IsWordCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// What stands between the underscores of "__dash__" means; empty when it means no character.
std::string_view EscapedCharacters(std::string_view word) {
  if (word == "underscores") return "__";
  if (word == "dot") return ".";
  if (word == "dash") return "-";
  if (word == "slash") return "/";
  return {};
}

}  // namespace

std::optional<std::string> EscapeName(std::string_view property) {
  if (property.empty() || (property[0] >= '0' && property[0] <= '9')) return std::nullopt;
  if (IsReserved(property)) return "__" + std::string(property) + "__";
  std::string escaped;
  escaped.reserve(property.size());
  for (size_t i = 0; i < property.size(); ++i) {
    const char c = property[i];
    if (c == '_' && i + 1 < property.size() && property[i + 1] == '_') {
      escaped += "__underscores__";
      ++i;
    } else if (IsWordCharacter(c)) {
      escaped += c;
    } else if (c == '.') {
      escaped += "__dot__";
    } else if (c == '-') {
      escaped += "__dash__";
    } else if (c == '/') {
      escaped += "__slash__";
    } else {
      return std::nullopt;
    }
  }
  return escaped;
}

std::optional<std::string> UnescapeName(std::string_view escaped) {
  std::string property;
  property.reserve(escaped.size());
  size_t i = 0;
  while (i < escaped.size()) {
    // A sequence is two underscores, a word without any, two underscores; where the word is empty the search goes on
    // one character later.
    const size_t word = i + 2;
    const size_t end = escaped.substr(i, 2) == "__" ? escaped.find('_', word) : std::string_view::npos;
    if (end == std::string_view::npos || end == word || escaped.substr(end, 2) != "__") {
      property += escaped[i++];
      continue;
    }
    const std::string_view content = escaped.substr(word, end - word);
    if (const std::string_view characters = EscapedCharacters(content); !characters.empty()) {
      property += characters;
    } else if (IsReserved(content) && content.size() + 4 == escaped.size()) {
      property += content;
    } else {
      return std::nullopt;
    }
    i = end + 2;
  }
  return property;
}

}  // namespace keelson::apiserver::cel
