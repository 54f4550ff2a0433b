// The grammar of client-go's JSONPath, with its corners: what stands in ['…'] or between the parentheses of a filter is
// parsed again as the inside of braces, so ['a.b'] is two fields and ['a\.b'] is one; a filter's operator is the first
// run of the characters !<>= and a filter's text ends at the first ) outside its first pair of quotes.
#include <re2/re2.h>

#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

#include "keelson/codec/internal/go_text.h"
#include "keelson/codec/internal/jsonpath_node.h"

namespace keelson::internal {

namespace {

using Node = JsonPathNode;
using Kind = JsonPathNode::Kind;

constexpr int32_t kEnd = -1;
// Braces within brackets within filters: real templates use two levels.
constexpr int kMaxDepth = 32;

bool IsAsciiDigit(int32_t rune) { return rune >= '0' && rune <= '9'; }

// Categories as Go's unicode package has them; RE2 carries the tables.
bool InCategory(int32_t rune, const RE2& category) {
  std::string text;
  AppendRune(rune, text);
  return RE2::FullMatch(text, category);
}
bool IsDigit(int32_t rune) {
  if (rune < 0x80) return IsAsciiDigit(rune);
  static const RE2 kDigit("\\p{Nd}");
  return InCategory(rune, kDigit);
}
bool IsAlphaNumeric(int32_t rune) {
  if (rune < 0x80) return rune == '_' || IsAsciiDigit(rune) || ((rune | 0x20) >= 'a' && (rune | 0x20) <= 'z');
  static const RE2 kLetterOrDigit("[\\pL\\p{Nd}]");
  return InCategory(rune, kLetterOrDigit);
}
bool IsEndOfLine(int32_t rune) { return rune == '\r' || rune == '\n'; }

bool EndsName(int32_t rune) {
  switch (rune) {
    case kEnd:
    case ' ':
    case '\t':
    case '\r':
    case '\n':
    case '.':
    case ',':
    case '[':
    case ']':
    case '$':
    case '@':
    case '{':
    case '}': return true;
    default: return false;
  }
}

// "U+0026 '&'", for messages.
std::string DescribeRune(int32_t rune) {
  static constexpr char kDigits[] = "0123456789ABCDEF";
  std::string text = "U+";
  bool started = false;
  for (int shift = 20; shift >= 0; shift -= 4) {
    const int digit = (rune >> shift) & 15;
    if (digit != 0 || shift < 16) started = true;
    if (started) text += kDigits[digit];
  }
  if (rune >= 0x20 && rune != 0x7f && !(rune >= 0x80 && rune < 0xa0)) {
    text += " '";
    AppendRune(rune, text);
    text += '\'';
  }
  return text;
}

std::string_view Trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::optional<int64_t> ToInteger(std::string_view text) {
  if (!text.empty() && text.front() == '+') {
    text.remove_prefix(1);
    if (!text.empty() && text.front() == '-') return std::nullopt;
  }
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<double> ToDouble(std::string_view text) {
  if (!text.empty() && text.front() == '+') {
    text.remove_prefix(1);
    if (!text.empty() && text.front() == '-') return std::nullopt;
  }
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range && text.find_first_of("123456789") >= text.find('.')) return 0.0;
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

struct FilterText {
  std::string_view left;
  std::string_view op = {};
  std::string_view right = {};
};

// Cuts at the first run of operator characters, which leaves at least one character for the right side. Without an
// operator that has something on both sides, all is the path whose existence is asked for.
FilterText CutFilter(std::string_view text) {
  constexpr std::string_view kOperatorCharacters = "!<>=";
  const size_t begin = text.find_first_of(kOperatorCharacters);
  if (begin == std::string_view::npos || begin == 0) return {.left = text};
  size_t end = text.find_first_not_of(kOperatorCharacters, begin);
  if (end == std::string_view::npos) end = text.size() - 1;
  if (end <= begin) return {.left = text};
  return {.left = text.substr(0, begin), .op = text.substr(begin, end - begin), .right = text.substr(end)};
}

class Parser {
 public:
  Parser(std::string_view input, int depth) : input_(input), depth_(depth) {}

  Result<Node> ParseTemplate() {
    Node root;
    while (position_ < input_.size()) {
      const size_t brace = std::min(input_.find('{', position_), input_.size());
      if (brace > position_) root.children.push_back(Text(input_.substr(position_, brace - position_)));
      position_ = brace;
      if (position_ == input_.size()) break;
      ++position_;
      Node action;
      KEELSON_RETURN_IF_ERROR(ParseAction(action));
      root.children.push_back(std::move(action));
    }
    return root;
  }

 private:
  static Node Text(std::string_view text) { return {.kind = Kind::kText, .literal = Json(text)}; }
  static Node Literal(Json value) { return {.kind = Kind::kLiteral, .literal = std::move(value)}; }
  static Node Name(Kind kind, std::string name) { return {.kind = kind, .name = std::move(name)}; }
  static Error Malformed(std::string message) { return Error::InvalidArgument(std::move(message)); }

  int32_t Peek() const {
    size_t width = 0;
    return position_ < input_.size() ? DecodeRune(input_.substr(position_), &width) : kEnd;
  }
  int32_t Next() {
    if (position_ >= input_.size()) return kEnd;
    size_t width = 0;
    const int32_t rune = DecodeRune(input_.substr(position_), &width);
    position_ += width;
    return rune;
  }
  bool Accept(std::string_view prefix) {
    if (!input_.substr(position_).starts_with(prefix)) return false;
    position_ += prefix.size();
    return true;
  }

  // The text as if it stood in braces of its own; what follows a closing brace within it has no effect but must parse.
  Result<Node> ParseInner(std::string_view text) const {
    if (depth_ >= kMaxDepth)
      return Malformed("JSONPath is nested too deeply: at most " + std::to_string(kMaxDepth) + " levels");
    const std::string braced = '{' + std::string(text) + '}';
    KEELSON_TRY(root, Parser(braced, depth_ + 1).ParseTemplate());
    return std::move(root.children.front());
  }

  // Behind the opening brace, to behind the closing one.
  Result<void> ParseAction(Node& action) {
    while (true) {
      if (Accept("}")) return {};
      if (Accept("[?(")) {
        KEELSON_RETURN_IF_ERROR(ParseFilter(action));
        continue;
      }
      if (Accept("..")) {
        if (!action.children.empty() && action.children.back().kind == Kind::kRecursive) {
          return Malformed("invalid multiple recursive descent");
        }
        action.children.push_back({.kind = Kind::kRecursive});
        if (IsAlphaNumeric(Peek())) ParseField(action);
        continue;
      }
      const size_t begin = position_;
      const int32_t rune = Next();
      if (rune == kEnd || IsEndOfLine(rune)) return Malformed("unclosed action");
      if (rune == ' ' || rune == '@' || rune == '$') continue;
      if (rune == '[') {
        KEELSON_RETURN_IF_ERROR(ParseBrackets(action));
      } else if (rune == '"' || rune == '\'') {
        KEELSON_RETURN_IF_ERROR(ParseQuoted(action, begin, static_cast<char>(rune)));
      } else if (rune == '.') {
        ParseField(action);
      } else if (rune == '+' || rune == '-' || IsDigit(rune)) {
        KEELSON_RETURN_IF_ERROR(ParseNumber(action, begin));
      } else if (IsAlphaNumeric(rune)) {
        while (!EndsName(Peek())) Next();
        const std::string_view word = input_.substr(begin, position_ - begin);
        if (word == "true" || word == "false") {
          action.children.push_back(Literal(word == "true"));
        } else {
          action.children.push_back(Name(Kind::kIdentifier, std::string(word)));
        }
      } else {
        return Malformed("unrecognized character in action: " + DescribeRune(rune));
      }
    }
  }

  // Behind the dot. A backslash takes the character after it into the name.
  void ParseField(Node& action) {
    const size_t begin = position_;
    while (!EndsName(Peek())) {
      if (Next() == '\\') Next();
    }
    std::string name(input_.substr(begin, position_ - begin));
    if (name == "*") {
      action.children.push_back({.kind = Kind::kWildcard});
      return;
    }
    std::erase(name, '\\');
    action.children.push_back(Name(Kind::kField, std::move(name)));
  }

  Result<void> ParseNumber(Node& action, size_t begin) {
    while (Peek() == '.' || IsDigit(Peek())) Next();
    const std::string_view text = input_.substr(begin, position_ - begin);
    if (const auto integer = ToInteger(text)) {
      action.children.push_back(Literal(*integer));
    } else if (const auto number = ToDouble(text)) {
      action.children.push_back(Literal(*number));
    } else {
      return Malformed("cannot parse number " + std::string(text));
    }
    return {};
  }

  // `begin` is at the opening quote.
  Result<void> ParseQuoted(Node& action, size_t begin, char quote) {
    do {
      const size_t end = input_.find_first_of(quote == '"' ? "\"\n" : "'\n", position_);
      if (end == std::string_view::npos || input_[end] == '\n') return Malformed("unterminated quoted string");
      position_ = end + 1;
    } while (input_[position_ - 2] == '\\');
    const std::string_view text = input_.substr(begin, position_ - begin);
    const std::optional<std::string> unquoted = UnquoteGo(text);
    if (!unquoted) return Malformed("unquote string " + std::string(text) + " error invalid syntax");
    action.children.push_back(Text(*unquoted));
    return {};
  }

  // Behind the opening bracket.
  Result<void> ParseBrackets(Node& action) {
    const size_t end = input_.find_first_of("]\n", position_);
    if (end == std::string_view::npos || input_[end] == '\n') return Malformed("unterminated array");
    std::string_view text = input_.substr(position_, end - position_);
    position_ = end + 1;
    if (text == "*") text = ":";

    if (text.find(',') != std::string_view::npos) {
      Node joined{.kind = Kind::kUnion};
      while (true) {
        const size_t comma = text.find(',');
        KEELSON_TRY(part, ParseInner('[' + std::string(Trim(text.substr(0, comma))) + ']'));
        joined.children.push_back(std::move(part));
        if (comma == std::string_view::npos) break;
        text.remove_prefix(comma + 1);
      }
      action.children.push_back(std::move(joined));
      return {};
    }

    if (text.size() >= 2 && text.front() == '\'' && text.find('\'', 1) == text.size() - 1) {
      KEELSON_TRY(fields, ParseInner('.' + std::string(text.substr(1, text.size() - 2))));
      for (Node& node : fields.children) action.children.push_back(std::move(node));
      return {};
    }
    return ParseSlice(action, text);
  }

  static Result<void> ParseSlice(Node& action, std::string_view text) {
    static const RE2 kSlice("(-?[0-9]*)(:-?[0-9]*)?(:-?[0-9]*)?");
    std::string_view parts[3];
    re2::StringPiece first;
    re2::StringPiece second;
    re2::StringPiece third;
    if (!RE2::FullMatch(re2::StringPiece(text.data(), text.size()), kSlice, &first, &second, &third)) {
      return Malformed("invalid array index " + std::string(text));
    }
    parts[0] = {first.data(), first.size()};
    parts[1] = {second.data(), second.size()};
    parts[2] = {third.data(), third.size()};

    Node slice{.kind = Kind::kSlice};
    Node::Bound* const bounds[3] = {&slice.start, &slice.end, &slice.step};
    for (size_t i = 0; i < 3; ++i) {
      if (parts[i].empty()) continue;
      const std::string_view digits = i == 0 ? parts[i] : parts[i].substr(1);  // behind the colon
      if (digits.empty()) continue;
      const auto number = ToInteger(digits);
      if (!number) return Malformed("array index " + std::string(digits) + " is not a number");
      *bounds[i] = {.value = *number, .known = true};
    }
    if (parts[1].empty()) {
      const auto next = static_cast<int64_t>(static_cast<uint64_t>(slice.start.value) + 1);
      slice.end = {.value = next, .known = true, .derived = true};
    }
    action.children.push_back(std::move(slice));
    return {};
  }

  // Behind "[?(".
  Result<void> ParseFilter(Node& action) {
    const size_t begin = position_;
    char quote = 0;
    bool closed = false;
    while (true) {
      const size_t at = input_.find_first_of("\"')\n", position_);
      if (at == std::string_view::npos || input_[at] == '\n') return Malformed("unterminated filter");
      position_ = at + 1;
      const char character = input_[at];
      if (character == ')') {
        if ((quote != 0) == closed) break;
      } else if (quote == 0) {
        quote = character;
      } else if (character == quote && input_[at - 1] != '\\') {
        closed = true;
      }
    }
    const FilterText text = CutFilter(input_.substr(begin, position_ - 1 - begin));
    if (!Accept("]")) return Malformed("unclosed array expect ]");

    Node filter = Name(Kind::kFilter, std::string(text.op));
    KEELSON_TRY(left, ParseInner(text.left));
    filter.children.push_back(std::move(left));
    if (!text.op.empty()) {
      KEELSON_TRY(right, ParseInner(text.right));
      filter.children.push_back(std::move(right));
    }
    action.children.push_back(std::move(filter));
    return {};
  }

  const std::string_view input_;
  const int depth_;
  size_t position_ = 0;
};

}  // namespace

Result<JsonPathNode> ParseJsonPath(std::string_view text) { return Parser(text, 0).ParseTemplate(); }

}  // namespace keelson::internal
