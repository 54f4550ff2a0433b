// Cuts the text of a CEL expression into tokens.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace keelson::apiserver::cel {

enum class TokenKind : uint8_t {
  kEnd,
  kEquals,
  kNotEquals,
  kIn,
  kLess,
  kLessEquals,
  kGreaterEquals,
  kGreater,
  kAnd,
  kOr,
  kLeftBracket,
  kRightBracket,
  kLeftBrace,
  kRightBrace,
  kLeftParen,
  kRightParen,
  kDot,
  kComma,
  kMinus,
  kNot,
  kQuestion,
  kColon,
  kPlus,
  kStar,
  kSlash,
  kPercent,
  kTrue,
  kFalse,
  kNull,
  kFloat,
  kInt,
  kUint,
  kString,
  kBytes,
  kIdentifier,
  kQuotedIdentifier,  // in backquotes
};

// As messages name it: "'=='", "IDENTIFIER".
std::string_view TokenName(TokenKind kind);

struct Token {
  TokenKind kind = TokenKind::kEnd;
  int32_t offset = 0;  // in code points
  std::string text = {};
};

struct LexError {
  int32_t offset;    // where the token would have begun
  std::string text;  // that is no token
};

struct Tokens {
  std::vector<Token> tokens;  // the last is kEnd
  std::vector<LexError> errors;
};

// What is no token is an error and left out.
Tokens Tokenize(const std::vector<uint32_t>& code_points);

// The content of a token of kind kString or kBytes. False when an escape in it is wrong: then `out` says how.
bool Unquote(std::string_view token, bool bytes, std::string* out);

}  // namespace keelson::apiserver::cel
