#include "keelson/codegen/marker_values.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <system_error>
#include <utility>

#include "keelson/codec/json_scalars.h"

namespace keelson::codegen {

namespace {

// Values nested deeper than this are refused.
constexpr int kMaxDepth = 32;

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsHexDigit(char c) { return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
// Bytes of other scripts count as letters: it makes no difference where a bare text is cut.
bool IsLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}
char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string Quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

bool IsValidUtf8(std::string_view text) {
  while (!text.empty()) {
    const size_t length = internal::ValidUtf8Length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

bool AppendUtf8(uint32_t code, std::string& out) {
  if (code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return false;
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | (code >> 6));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0 | (code >> 12));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | (code >> 18));
    out += static_cast<char>(0x80 | ((code >> 12) & 0x3F));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  }
  return true;
}

// The number that `count` digits of `base` at the front of `text` make, which are removed.
std::optional<uint32_t> TakeDigits(std::string_view& text, size_t count, int base) {
  if (text.size() < count) return std::nullopt;
  uint32_t value = 0;
  const char* const end = text.data() + count;
  const auto [stop, error] = std::from_chars(text.data(), end, value, base);
  if (error != std::errc() || stop != end) return std::nullopt;
  text.remove_prefix(count);
  return value;
}

// The character that an escape stands for; `text` begins behind the backslash and is moved behind the escape.
bool TakeEscape(std::string_view& text, std::string& out) {
  const char kind = text.front();
  static constexpr std::string_view kNames = "abfnrtv\\\"";
  static constexpr std::string_view kCharacters = "\a\b\f\n\r\t\v\\\"";
  if (const size_t index = kNames.find(kind); index != std::string_view::npos) {
    out += kCharacters[index];
    text.remove_prefix(1);
    return true;
  }
  if (kind >= '0' && kind <= '7') {
    const auto byte = TakeDigits(text, 3, 8);
    if (!byte || *byte > 0xFF) return false;
    out += static_cast<char>(*byte);
    return true;
  }
  text.remove_prefix(1);
  if (kind == 'x') {
    const auto byte = TakeDigits(text, 2, 16);
    if (byte) out += static_cast<char>(*byte);
    return byte.has_value();
  }
  if (kind == 'u' || kind == 'U') {
    const auto code = TakeDigits(text, kind == 'u' ? 4 : 8, 16);
    return code && AppendUtf8(*code, out);
  }
  return false;
}

// Of a "quoted" token; nothing when it has an escape that does not exist.
std::optional<std::string> Unquote(std::string_view token) {
  std::string out;
  std::string_view rest = token.substr(1, token.size() - 2);
  while (!rest.empty()) {
    const char c = rest.front();
    rest.remove_prefix(1);
    if (c != '\\') {
      out += c;
    } else if (rest.empty() || !TakeEscape(rest, out)) {
      return std::nullopt;
    }
  }
  return out;
}

}  // namespace

std::string_view TrimSpace(std::string_view text) {
  while (!text.empty() && IsSpace(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsSpace(text.back())) text.remove_suffix(1);
  return text;
}

std::optional<double> ParseWholeNumber(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  // from_chars would also take "inf" and "nan", which JSON does not have.
  const std::string_view digits = text.starts_with('-') ? text.substr(1) : text;
  if (digits.empty() || !(IsDigit(digits.front()) || digits.front() == '.')) return std::nullopt;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<int64_t> ParseWholeInteger(std::string_view text) {
  if (text.starts_with('+') && text.size() > 1 && IsDigit(text[1])) text.remove_prefix(1);
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

void MarkerScanner::Fail(size_t offset, std::string message) {
  if (!problem_) problem_ = ValueProblem{.offset = offset, .message = std::move(message)};
}

char MarkerScanner::Peek() {
  while (!at_end() && IsSpace(text_[position_])) ++position_;
  return at_end() ? '\0' : text_[position_];
}

MarkerScanner::Token MarkerScanner::Scan() {
  const char first = Peek();
  token_begin_ = position_;
  if (at_end()) return Token::kEnd;
  if (IsLetter(first)) {
    while (!at_end() && (IsLetter(text_[position_]) || IsDigit(text_[position_]))) ++position_;
    return Token::kIdentifier;
  }
  if (numbers_ && IsDigit(first)) return ScanNumber(false);
  if (first == '"') return ScanQuoted();
  if (first == '`') return ScanRaw();
  ++position_;
  if (numbers_ && first == '.' && !at_end() && IsDigit(text_[position_])) return ScanNumber(true);
  return Token::kCharacter;
}

// Bit 1: there were digits, bit 2: there were `_`.
int MarkerScanner::SkipDigits(int base, bool& invalid) {
  int seen = 0;
  for (; !at_end(); ++position_) {
    const char c = text_[position_];
    if (c == '_') {
      seen |= 2;
    } else if (base == 16 ? IsHexDigit(c) : IsDigit(c)) {
      seen |= 1;
      if (base < 10 && c >= '0' + base) invalid = true;
    } else {
      break;
    }
  }
  return seen;
}

// Numbers are those of Go. `1_000` and `0x1F` are tokens too, so that a list is cut behind them, but no value takes
// them.
MarkerScanner::Token MarkerScanner::ScanNumber(bool after_point) {
  const auto next = [this] { return at_end() ? '\0' : Lower(text_[position_]); };
  Token token = after_point ? Token::kFloat : Token::kInt;
  bool invalid = false;
  bool ignored = false;
  int base = 10;
  int seen = 0;
  if (!after_point && next() == '0') {
    ++position_;
    base = next() == 'x' ? 16 : next() == 'b' ? 2 : 8;
    if (next() == 'x' || next() == 'b' || next() == 'o') {
      ++position_;
    } else {
      seen = 1;
    }
  }
  seen |= SkipDigits(base, invalid);
  if (!after_point && next() == '.') {
    ++position_;
    token = Token::kFloat;
    seen |= SkipDigits(base, invalid);
  }
  bool complete = (seen & 1) != 0;
  if (next() == 'e' || next() == 'p') {
    token = Token::kFloat;
    ++position_;
    if (next() == '+' || next() == '-') ++position_;
    const int exponent = SkipDigits(10, ignored);
    seen |= exponent;
    complete = complete && (exponent & 1) != 0;
  }
  if (!complete || (token == Token::kInt && invalid)) {
    Fail(token_begin_, Quoted(token_begin_ < position_ ? this->token() : "") + " is no number; put a text in quotes");
  }
  return token;
}

MarkerScanner::Token MarkerScanner::ScanQuoted() {
  for (++position_; !at_end() && text_[position_] != '"'; ++position_) {
    if (text_[position_] == '\\' && position_ + 1 < text_.size()) ++position_;
  }
  if (at_end()) {
    Fail(token_begin_, "the quotation mark \" is not closed; a text that contains one stands in `backquotes`");
    return Token::kCharacter;
  }
  ++position_;
  if (!Unquote(token())) {
    Fail(token_begin_, std::string(token()) +
                           " has an escape that does not exist; write \\\\ for a backslash, or put the text in "
                           "`backquotes`, where a backslash is just that");
  }
  return Token::kQuoted;
}

MarkerScanner::Token MarkerScanner::ScanRaw() {
  const size_t end = text_.find('`', position_ + 1);
  if (end == std::string_view::npos) {
    position_ = text_.size();
    Fail(token_begin_, "the backquote ` is not closed");
    return Token::kCharacter;
  }
  position_ = end + 1;
  return Token::kRaw;
}

std::optional<Json> MarkerScanner::ReadValue(ValueType type) {
  Json value = Read(type, false, 0);
  if (problem_) return std::nullopt;
  return value;
}

Json MarkerScanner::Read(ValueType type, bool in_list, int depth) {
  if (problem_) return {};
  if (depth > kMaxDepth) {
    Fail(position_, "the value is nested deeper than " + std::to_string(kMaxDepth) + " levels");
    return {};
  }
  if (type.lists > 0) return ReadList(type, depth);
  switch (type.leaf) {
    case ValueLeaf::kBool: return ReadBool();
    case ValueLeaf::kInt: return ReadNumber(true);
    case ValueLeaf::kNumber: return ReadNumber(false);
    case ValueLeaf::kText: return ReadText(false);
    case ValueLeaf::kMap: return ReadMap(depth);
    case ValueLeaf::kAny: break;
  }
  return Read(Guess(!in_list, depth), false, depth + 1);
}

Json MarkerScanner::ReadBool() {
  if (Scan() == Token::kIdentifier && token() == "true") return true;
  if (token() == "false") return false;
  Fail(token_begin_, token().empty() ? "expected true or false" : "expected true or false, found " + Quoted(token()));
  return {};
}

Json MarkerScanner::ReadNumber(bool integer) {
  const bool negative = Peek() == '-';
  const size_t begin = position_;
  if (negative) Scan();
  const Token kind = Scan();
  const std::string text = (negative ? "-" : "") + std::string(token());
  if (integer) {
    if (const auto value = ParseWholeInteger(text); value && kind == Token::kInt) return *value;
  } else if (kind == Token::kInt || kind == Token::kFloat) {
    if (const auto value = ParseWholeNumber(text)) return *value;
  }
  Fail(begin, std::string("expected ") + (integer ? "an integer" : "a number") +
                  (text.empty() ? "" : ", found " + Quoted(text)));
  return {};
}

Json MarkerScanner::ReadText(bool key) {
  const bool numbers = std::exchange(numbers_, false);
  const Token first = Scan();
  const size_t begin = token_begin_;
  const std::string_view delimiters = key ? ",;}:" : ",;}";
  std::string text;
  if (first == Token::kQuoted) {
    text = Unquote(token()).value_or("");
  } else if (first == Token::kRaw) {
    text = token().substr(1, token().size() - 2);
    std::erase(text, '\r');
  } else if (first == Token::kCharacter && delimiters.find(token().front()) != std::string_view::npos) {
    Fail(begin, "there is no value before " + Quoted(token()) + "; an empty text is written \"\"");
  } else {
    for (char next = Peek(); !at_end() && delimiters.find(next) == std::string_view::npos; next = Peek()) Scan();
    text = TrimSpace(text_.substr(begin, position_ - begin));
  }
  numbers_ = numbers;
  if (!IsValidUtf8(text) || text.find('\0') != std::string::npos) Fail(begin, "the text is not valid UTF-8");
  return problem_ ? Json() : Json(text);
}

Json MarkerScanner::ReadList(ValueType type, int depth) {
  const ValueType item{.lists = type.lists - 1, .leaf = type.leaf};
  JsonList items;
  if (Peek() == '{') {
    Scan();
    while (!problem_ && Peek() != '}' && !at_end()) {
      items.push_back(Read(item, true, depth + 1));
      if (problem_ || Peek() == '}') break;
      if (!Take(',')) {
        Fail(token_begin_, "expected ',' or '}' in the list" + (token().empty() ? "" : ", found " + Quoted(token())));
      }
    }
    if (!problem_ && !Take('}')) Fail(token_begin_, "the list is not closed by '}'");
    return items;
  }
  while (!problem_ && Peek() != ',' && Peek() != '}' && !at_end()) {
    items.push_back(Read(item, true, depth + 1));
    const char next = Peek();
    if (problem_ || next == ',' || next == '}' || at_end()) break;
    if (!Take(';')) Fail(token_begin_, "expected ';' between the values of the list, found " + Quoted(token()));
  }
  return items;
}

Json MarkerScanner::ReadMap(int depth) {
  if (!Take('{')) {
    Fail(token_begin_, "expected '{'");
    return {};
  }
  JsonObject members;
  while (!problem_ && Peek() != '}' && !at_end()) {
    const Json key = ReadText(true);
    if (problem_) return {};
    if (!Take(':')) {
      Fail(token_begin_, "expected ':' and a value after " + Quoted(key.string().view()));
      return {};
    }
    members[key.string().view()] = Read({.lists = 0, .leaf = ValueLeaf::kAny}, false, depth + 1);
    if (problem_ || Peek() == '}') break;
    if (!Take(',')) {
      Fail(token_begin_, "expected ',' or '}' in the map" + (token().empty() ? "" : ", found " + Quoted(token())));
    }
  }
  if (!problem_ && !Take('}')) Fail(token_begin_, "the map is not closed by '}'");
  return members;
}

// A value followed by `;` before any `,` is a list of such values.
ValueType MarkerScanner::Guess(bool allow_list, int depth) const {
  ValueType guess = GuessOne(depth);
  if (!allow_list) return guess;
  MarkerScanner ahead(*this);
  for (Token token = ahead.Scan(); token != Token::kEnd; token = ahead.Scan()) {
    if (token != Token::kCharacter) continue;
    if (ahead.token() == ",") break;
    if (ahead.token() == ";") {
      ++guess.lists;
      break;
    }
  }
  return guess;
}

ValueType MarkerScanner::GuessOne(int depth) const {
  MarkerScanner ahead(*this);
  const char hint = ahead.Peek();
  if (hint == '"' || hint == '\'' || hint == '`') return {.lists = 0, .leaf = ValueLeaf::kText};
  if (hint == '{') {
    ahead.Scan();
    const char first = ahead.Peek();
    if (first == '}') return {.lists = 0, .leaf = ValueLeaf::kMap};
    // Reading the value refuses this depth anyway.
    if (depth > kMaxDepth) return {.lists = 0, .leaf = ValueLeaf::kText};
    ValueType item = ahead.GuessOne(depth + 1);
    if (item.lists == 0 && item.leaf == ValueLeaf::kText) {
      ahead.ReadText(true);
      if (ahead.Take(':')) return {.lists = 0, .leaf = ValueLeaf::kMap};
    }
    ++item.lists;
    return item;
  }
  if (hint == 't' || hint == 'f') {
    ahead.Scan();
    const bool boolean = ahead.token() == "true" || ahead.token() == "false";
    return {.lists = 0, .leaf = boolean ? ValueLeaf::kBool : ValueLeaf::kText};
  }
  ValueLeaf leaf = ValueLeaf::kText;
  if (ahead.LooksLikeNumber(leaf)) return {.lists = 0, .leaf = leaf};
  return {.lists = 0, .leaf = ValueLeaf::kText};
}

// A number with nothing behind it: `100Mi` and `2024-01-15` are texts.
bool MarkerScanner::LooksLikeNumber(ValueLeaf& leaf) const {
  MarkerScanner ahead(*this);
  Token token = ahead.Scan();
  if (token == Token::kCharacter && ahead.token() == "-") token = ahead.Scan();
  if (ahead.problem_ || (token != Token::kInt && token != Token::kFloat)) return false;
  const char next = ahead.Peek();
  if (!ahead.at_end() && next != ',' && next != ';' && next != '}') return false;
  leaf = token == Token::kInt ? ValueLeaf::kInt : ValueLeaf::kNumber;
  return true;
}

}  // namespace keelson::codegen
