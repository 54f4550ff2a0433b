#include "keelson/api/internal/label_selector_lexer.h"

#include <cstddef>

namespace keelson::labels::internal {
namespace {

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

bool IsSymbol(char c) { return c == '=' || c == '!' || c == '(' || c == ')' || c == ',' || c == '>' || c == '<'; }

Token SymbolAt(std::string_view rest) {
  const std::string_view two = rest.substr(0, 2);
  if (two == "==") return {Token::kDoubleEquals, two};
  if (two == "!=") return {Token::kNotEquals, two};
  const std::string_view one = rest.substr(0, 1);
  switch (rest[0]) {
    case '=': return {Token::kEquals, one};
    case '!': return {Token::kNot, one};
    case '(': return {Token::kOpen, one};
    case ')': return {Token::kClose, one};
    case ',': return {Token::kComma, one};
    case '>': return {Token::kGreaterThan, one};
    default: return {Token::kLessThan, one};
  }
}

Token WordAt(std::string_view rest) {
  size_t end = 0;
  while (end < rest.size() && !IsSpace(rest[end]) && !IsSymbol(rest[end])) ++end;
  const std::string_view word = rest.substr(0, end);
  return {word == "in" ? Token::kIn : word == "notin" ? Token::kNotIn : Token::kIdentifier, word};
}

}  // namespace

std::vector<Token> SplitTokens(std::string_view text) {
  text = text.substr(0, text.find('\0'));
  std::vector<Token> tokens;
  for (;;) {
    while (!text.empty() && IsSpace(text[0])) text.remove_prefix(1);
    if (text.empty()) break;
    tokens.push_back(IsSymbol(text[0]) ? SymbolAt(text) : WordAt(text));
    text.remove_prefix(tokens.back().text.size());
  }
  tokens.push_back({});
  return tokens;
}

}  // namespace keelson::labels::internal
