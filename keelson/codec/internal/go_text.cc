#include "keelson/codec/internal/go_text.h"

#include <charconv>
#include <cmath>

#include "keelson/core/internal/utf8.h"

namespace keelson::internal {

namespace {

bool IsCodePoint(int64_t rune) { return rune >= 0 && rune <= 0x10FFFF && (rune < 0xD800 || rune > 0xDFFF); }

// Takes `count` digits of that base off the front of `text`.
std::optional<int64_t> TakeDigits(std::string_view& text, size_t count, int base) {
  if (text.size() < count) return std::nullopt;
  uint32_t value = 0;
  const char* const end = text.data() + count;
  const auto [stop, error] = std::from_chars(text.data(), end, value, base);
  if (error != std::errc() || stop != end) return std::nullopt;
  text.remove_prefix(count);
  return value;
}

std::optional<char> SimpleEscape(char letter, char quote) {
  switch (letter) {
    case 'a': return '\a';
    case 'b': return '\b';
    case 'f': return '\f';
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    case 'v': return '\v';
    case '\\': return '\\';
    default: return letter == quote ? std::optional<char>(quote) : std::nullopt;
  }
}

// Behind the backslash.
bool TakeEscape(std::string_view& text, char quote, std::string& out) {
  if (text.empty()) return false;
  const char letter = text.front();
  if (const auto simple = SimpleEscape(letter, quote)) {
    text.remove_prefix(1);
    out += *simple;
    return true;
  }
  if (letter >= '0' && letter <= '7') {
    const auto byte = TakeDigits(text, 3, 8);
    if (!byte || *byte > 255) return false;
    out += static_cast<char>(*byte);
    return true;
  }
  text.remove_prefix(1);
  if (letter == 'x') {
    const auto byte = TakeDigits(text, 2, 16);
    if (!byte) return false;
    out += static_cast<char>(*byte);
    return true;
  }
  if (letter == 'u' || letter == 'U') {
    const auto rune = TakeDigits(text, letter == 'u' ? 4 : 8, 16);
    if (!rune || !IsCodePoint(*rune)) return false;
    AppendRune(static_cast<int32_t>(*rune), out);
    return true;
  }
  return false;
}

}  // namespace

int32_t DecodeRune(std::string_view text, size_t* width) {
  const CodePoint point = DecodeUtf8(text);
  *width = point.length == 0 ? 1 : point.length;
  return point.length == 0 ? kReplacementRune : static_cast<int32_t>(point.value);
}

void AppendRune(int32_t rune, std::string& out) {
  if (!IsCodePoint(rune)) rune = kReplacementRune;
  const auto point = static_cast<uint32_t>(rune);
  if (point < 0x80) {
    out += static_cast<char>(point);
    return;
  }
  int shift = 0;
  if (point < 0x800) {
    out += static_cast<char>(0xC0 | (point >> 6));
  } else if (point < 0x10000) {
    out += static_cast<char>(0xE0 | (point >> 12));
    shift = 6;
  } else {
    out += static_cast<char>(0xF0 | (point >> 18));
    shift = 12;
  }
  for (; shift >= 0; shift -= 6) out += static_cast<char>(0x80 | ((point >> shift) & 0x3F));
}

std::optional<std::string> UnquoteGo(std::string_view quoted) {
  if (quoted.size() < 2) return std::nullopt;
  const char quote = quoted.front();
  if (quote != quoted.back() || (quote != '"' && quote != '\'')) return std::nullopt;
  std::string_view text = quoted.substr(1, quoted.size() - 2);
  std::string out;
  if (text.find('\\') == std::string_view::npos && text.find(quote) == std::string_view::npos) return std::string(text);
  while (!text.empty()) {
    if (text.front() == quote) return std::nullopt;
    if (text.front() == '\\') {
      text.remove_prefix(1);
      if (!TakeEscape(text, quote, out)) return std::nullopt;
      continue;
    }
    size_t width = 0;
    AppendRune(DecodeRune(text, &width), out);
    text.remove_prefix(width);
  }
  return out;
}

void AppendGoDouble(double value, std::string& out) {
  if (std::isnan(value)) {
    out += "NaN";
    return;
  }
  if (std::isinf(value)) {
    out += value < 0 ? "-Inf" : "+Inf";
    return;
  }
  char digits[32];
  const auto scientific = std::to_chars(digits, digits + sizeof digits, value, std::chars_format::scientific);
  const std::string_view text(digits, static_cast<size_t>(scientific.ptr - digits));
  int exponent = 0;
  const size_t mark = text.find('e');
  std::from_chars(text.data() + mark + (text[mark + 1] == '+' ? 2 : 1), text.data() + text.size(), exponent);
  if (exponent < -4 || exponent >= 6) {
    out += text;  // both write at least two digits of exponent
    return;
  }
  char fixed[64];
  const auto plain = std::to_chars(fixed, fixed + sizeof fixed, value, std::chars_format::fixed);
  out.append(fixed, plain.ptr);
}

void AppendGoValue(const Json& value, std::string& out) {
  switch (value.kind()) {
    case Json::Kind::kNull: out += "<nil>"; break;
    case Json::Kind::kBool: out += value.boolean() ? "true" : "false"; break;
    case Json::Kind::kInt: out += std::to_string(value.integer()); break;
    case Json::Kind::kDouble: AppendGoDouble(value.number(), out); break;
    case Json::Kind::kString: out += value.string().view(); break;
    case Json::Kind::kList: {
      out += '[';
      bool first = true;
      for (const Json& item : value.list()) {
        if (!std::exchange(first, false)) out += ' ';
        AppendGoValue(item, out);
      }
      out += ']';
      break;
    }
    case Json::Kind::kObject: {
      out += "map[";
      bool first = true;
      for (const auto& [key, member] : value.object()) {
        if (!std::exchange(first, false)) out += ' ';
        out += key.view();
        out += ':';
        AppendGoValue(member, out);
      }
      out += ']';
      break;
    }
  }
}

}  // namespace keelson::internal
