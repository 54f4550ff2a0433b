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

}  // namespace

std::optional<std::string> EscapeKeyword(std::string_view name) {
  return IsReserved(name) ? std::optional("__" + std::string(name) + "__") : std::nullopt;
}

std::optional<std::string> EscapeName(std::string_view property) {
  if (property.empty() || (property[0] >= '0' && property[0] <= '9')) return std::nullopt;
  if (IsReserved(property)) return EscapeKeyword(property);
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

}  // namespace keelson::apiserver::cel
