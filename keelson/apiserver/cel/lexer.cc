#include "keelson/apiserver/cel/lexer.h"

#include <array>

#include "keelson/apiserver/go_text.h"

namespace keelson::apiserver::cel {
namespace {

constexpr std::array<std::string_view, 36> kTokenNames = {
    "<EOF>",   "'=='",   "'!='",      "'in'",    "'<'",      "'<='",   "'>='",  "'>'",        "'&&'",
    "'||'",    "'['",    "']'",       "'{'",     "'}'",      "'('",    "')'",   "'.'",        "','",
    "'-'",     "'!'",    "'?'",       "':'",     "'+'",      "'*'",    "'/'",   "'%'",        "'true'",
    "'false'", "'null'", "NUM_FLOAT", "NUM_INT", "NUM_UINT", "STRING", "BYTES", "IDENTIFIER", "ESC_IDENTIFIER"};

constexpr uint32_t kEndOfText = UINT32_MAX;

bool IsDigit(uint32_t c) { return c >= '0' && c <= '9'; }
bool IsHexDigit(uint32_t c) { return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool IsLetter(uint32_t c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool IsBlank(uint32_t c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f'; }

// How far a rule of the lexer came.
struct Match {
  TokenKind kind = TokenKind::kEnd;
  int32_t end = -1;   // of the token; -1: none
  int32_t stuck = 0;  // the first code point that no token could have
};

class Lexer {
 public:
  explicit Lexer(const std::vector<uint32_t>& text) : text_(text), size_(static_cast<int32_t>(text.size())) {}

  Tokens Run() {
    Tokens out;
    int32_t at = 0;
    for (;;) {
      at = SkipBlanks(at);
      if (at >= size_) break;
      const Match match = MatchAt(at);
      if (match.end > at) {
        out.tokens.push_back({match.kind, at, Slice(at, match.end)});
        at = match.end;
      } else {
        const int32_t end = std::min(match.stuck + 1, size_);
        out.errors.push_back({at, Slice(at, end)});
        at = end;
      }
    }
    out.tokens.push_back({TokenKind::kEnd, size_, "<EOF>"});
    return out;
  }

 private:
  uint32_t At(int32_t i) const { return i < size_ ? text_[static_cast<size_t>(i)] : kEndOfText; }
  std::string Slice(int32_t begin, int32_t end) const {
    return FromCodePoints(text_.data() + begin, text_.data() + end);
  }

  int32_t SkipBlanks(int32_t at) const {
    for (;;) {
      if (IsBlank(At(at))) {
        ++at;
      } else if (At(at) == '/' && At(at + 1) == '/') {
        while (at < size_ && At(at) != '\n') ++at;
      } else {
        return at;
      }
    }
  }

  Match MatchAt(int32_t at) const {
    const uint32_t c = At(at);
    if (c == '"' || c == '\'') return MatchString(at, at, TokenKind::kString);
    if (IsLetter(c)) return MatchWord(at);
    if (IsDigit(c) || (c == '.' && IsDigit(At(at + 1)))) return MatchNumber(at);
    if (c == '`') return MatchQuotedIdentifier(at);
    return MatchSymbol(at);
  }

  Match MatchSymbol(int32_t at) const {
    const auto one = [&](TokenKind kind) { return Match{kind, at + 1, at}; };
    const auto two = [&](TokenKind kind) { return Match{kind, at + 2, at}; };
    const uint32_t next = At(at + 1);
    switch (At(at)) {
      case '=': return next == '=' ? two(TokenKind::kEquals) : Match{.stuck = at + 1};
      case '&': return next == '&' ? two(TokenKind::kAnd) : Match{.stuck = at + 1};
      case '|': return next == '|' ? two(TokenKind::kOr) : Match{.stuck = at + 1};
      case '!': return next == '=' ? two(TokenKind::kNotEquals) : one(TokenKind::kNot);
      case '<': return next == '=' ? two(TokenKind::kLessEquals) : one(TokenKind::kLess);
      case '>': return next == '=' ? two(TokenKind::kGreaterEquals) : one(TokenKind::kGreater);
      case '[': return one(TokenKind::kLeftBracket);
      case ']': return one(TokenKind::kRightBracket);
      case '{': return one(TokenKind::kLeftBrace);
      case '}': return one(TokenKind::kRightBrace);
      case '(': return one(TokenKind::kLeftParen);
      case ')': return one(TokenKind::kRightParen);
      case '.': return one(TokenKind::kDot);
      case ',': return one(TokenKind::kComma);
      case '-': return one(TokenKind::kMinus);
      case '?': return one(TokenKind::kQuestion);
      case ':': return one(TokenKind::kColon);
      case '+': return one(TokenKind::kPlus);
      case '*': return one(TokenKind::kStar);
      case '/': return one(TokenKind::kSlash);
      case '%': return one(TokenKind::kPercent);
      default: return Match{.stuck = at};
    }
  }

  Match MatchNumber(int32_t at) const {
    if (At(at) == '0' && At(at + 1) == 'x' && IsHexDigit(At(at + 2))) {
      int32_t end = at + 2;
      while (IsHexDigit(At(end))) ++end;
      return MaybeUint(end);
    }
    int32_t end = SkipDigits(at);
    TokenKind kind = TokenKind::kInt;
    if (At(end) == '.' && IsDigit(At(end + 1))) {
      kind = TokenKind::kFloat;
      end = SkipDigits(end + 1);
    }
    if (At(end) == 'e' || At(end) == 'E') {
      const int32_t digits = At(end + 1) == '+' || At(end + 1) == '-' ? end + 2 : end + 1;
      if (IsDigit(At(digits))) {
        kind = TokenKind::kFloat;
        end = SkipDigits(digits);
      }
    }
    return kind == TokenKind::kInt ? MaybeUint(end) : Match{kind, end, end};
  }

  Match MaybeUint(int32_t end) const {
    if (At(end) == 'u' || At(end) == 'U') return {TokenKind::kUint, end + 1, end + 1};
    return {TokenKind::kInt, end, end};
  }

  int32_t SkipDigits(int32_t at) const {
    while (IsDigit(At(at))) ++at;
    return at;
  }

  Match MatchWord(int32_t at) const {
    // A prefix of a string, when its string is complete; else a name.
    int32_t quote = at;
    TokenKind kind = TokenKind::kString;
    if (At(quote) == 'b' || At(quote) == 'B') {
      kind = TokenKind::kBytes;
      ++quote;
    }
    if (At(quote) == 'r' || At(quote) == 'R') ++quote;
    if (quote > at && (At(quote) == '"' || At(quote) == '\'')) {
      const Match match = MatchString(at, quote, kind);
      if (match.end > 0) return match;
    }
    int32_t end = at;
    while (IsLetter(At(end)) || IsDigit(At(end))) ++end;
    const std::string word = Slice(at, end);
    if (word == "in") return {TokenKind::kIn, end, end};
    if (word == "true") return {TokenKind::kTrue, end, end};
    if (word == "false") return {TokenKind::kFalse, end, end};
    if (word == "null") return {TokenKind::kNull, end, end};
    return {TokenKind::kIdentifier, end, end};
  }

  Match MatchQuotedIdentifier(int32_t at) const {
    int32_t end = at + 1;
    for (;; ++end) {
      const uint32_t c = At(end);
      if (!(IsLetter(c) || IsDigit(c) || c == '.' || c == '-' || c == '/' || c == ' ')) break;
    }
    if (At(end) != '`' || end == at + 1) return Match{.stuck = end};
    return {TokenKind::kQuotedIdentifier, end + 1, end};
  }

  // The string whose opening quote is at `quote`; its prefix begins at `begin`.
  Match MatchString(int32_t begin, int32_t quote, TokenKind kind) const {
    const bool raw = quote > begin && (At(quote - 1) == 'r' || At(quote - 1) == 'R');
    const uint32_t mark = At(quote);
    if (At(quote + 1) == mark && At(quote + 2) == mark) {
      const Match match = MatchTripleQuoted(quote, raw, kind);
      if (match.end > 0) return match;
      return {kind, quote + 2, quote + 2};  // an empty string stands before what follows
    }
    for (int32_t i = quote + 1;; ++i) {
      const uint32_t c = At(i);
      if (c == mark) return {kind, i + 1, i};
      if (c == kEndOfText || c == '\n' || c == '\r') return Match{.stuck = i};
      if (c == '\\' && !raw) {
        const int32_t escaped = SkipEscape(i);
        if (escaped < 0) return Match{.stuck = -escaped};
        i = escaped - 1;
      }
    }
  }

  Match MatchTripleQuoted(int32_t quote, bool raw, TokenKind kind) const {
    const uint32_t mark = At(quote);
    for (int32_t i = quote + 3;; ++i) {
      const uint32_t c = At(i);
      if (c == kEndOfText) return Match{.stuck = i};
      if (c == mark && At(i + 1) == mark && At(i + 2) == mark) return {kind, i + 3, i};
      if (c == '\\' && !raw) {
        const int32_t escaped = SkipEscape(i);
        if (escaped < 0) return Match{.stuck = -escaped};
        i = escaped - 1;
      }
    }
  }

  // Behind the escape that begins at `at`; negative: the place where it went wrong.
  int32_t SkipEscape(int32_t at) const {
    const uint32_t c = At(at + 1);
    int hex_digits = 0;
    switch (c) {
      case 'a':
      case 'b':
      case 'f':
      case 'n':
      case 'r':
      case 't':
      case 'v':
      case '"':
      case '\'':
      case '\\':
      case '?':
      case '`': return at + 2;
      case 'x':
      case 'X': hex_digits = 2; break;
      case 'u': hex_digits = 4; break;
      case 'U': hex_digits = 8; break;
      case '0':
      case '1':
      case '2':
      case '3':
        for (int32_t i = at + 2; i < at + 4; ++i) {
          if (At(i) < '0' || At(i) > '7') return -i;
        }
        return at + 4;
      default: return -(at + 1);
    }
    for (int32_t i = at + 2; i < at + 2 + hex_digits; ++i) {
      if (!IsHexDigit(At(i))) return -i;
    }
    return at + 2 + hex_digits;
  }

  const std::vector<uint32_t>& text_;
  const int32_t size_;
};

uint32_t HexValue(char c) {
  if (c >= '0' && c <= '9') return static_cast<uint32_t>(c - '0');
  return static_cast<uint32_t>((c | 0x20) - 'a' + 10);
}

bool IsCodePoint(uint32_t value) { return value <= 0x10ffff && !(value >= 0xd800 && value <= 0xdfff); }

char SimpleEscape(char c) {
  switch (c) {
    case 'a': return '\a';
    case 'b': return '\b';
    case 'f': return '\f';
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    case 'v': return '\v';
    default: return c;
  }
}

}  // namespace

std::string_view TokenName(TokenKind kind) { return kTokenNames[static_cast<size_t>(kind)]; }

Tokens Tokenize(const std::vector<uint32_t>& code_points) { return Lexer(code_points).Run(); }

bool Unquote(std::string_view token, bool bytes, std::string* out) {
  out->clear();
  if (bytes) token.remove_prefix(1);
  const bool raw = token[0] == 'r' || token[0] == 'R';
  if (raw) token.remove_prefix(1);
  const size_t marks = token.size() >= 6 && token[1] == token[0] && token[2] == token[0] ? 3 : 1;
  token = token.substr(marks, token.size() - 2 * marks);
  // The lexer has seen that every escape is complete.
  for (size_t i = 0; i < token.size();) {
    const char c = token[i++];
    if (c == '\r') {  // line breaks are \n, however they are written
      *out += '\n';
      if (i < token.size() && token[i] == '\n') ++i;
    } else if (c != '\\' || raw) {
      *out += c;
    } else {
      const char escape = token[i++];
      uint32_t value = 0;
      if (escape >= '0' && escape <= '3') {
        value = static_cast<uint32_t>((escape - '0') * 64 + (token[i] - '0') * 8 + (token[i + 1] - '0'));
        i += 2;
      } else if (escape == 'x' || escape == 'X' || escape == 'u' || escape == 'U') {
        const bool byte = escape == 'x' || escape == 'X';
        if (bytes && !byte) {
          *out = "unable to unescape string";
          return false;
        }
        const size_t digits = byte ? 2 : escape == 'u' ? 4 : 8;
        for (size_t k = 0; k < digits; ++k) value = value << 4 | HexValue(token[i + k]);
        i += digits;
      } else {
        *out += SimpleEscape(escape);
        continue;
      }
      if (bytes) {
        *out += static_cast<char>(value);
      } else if (!IsCodePoint(value)) {
        *out = "invalid unicode code point";
        return false;
      } else {
        AppendCodePoint(*out, value);
      }
    }
  }
  return true;
}

}  // namespace keelson::apiserver::cel
