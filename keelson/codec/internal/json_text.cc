#include "keelson/codec/internal/json_text.h"

#include <charconv>
#include <cmath>

namespace keelson::internal {

namespace {

// Four hexadecimal digits, or -1.
int HexQuad(std::string_view digits) {
  if (digits.size() < 4) return -1;
  int value = 0;
  const auto parsed = std::from_chars(digits.data(), digits.data() + 4, value, 16);
  return parsed.ec == std::errc() && parsed.ptr == digits.data() + 4 && digits[0] != '-' ? value : -1;
}

void AppendUtf8(uint32_t code, std::string& out) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xc0 | (code >> 6));
    out += static_cast<char>(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xe0 | (code >> 12));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3f));
    out += static_cast<char>(0x80 | (code & 0x3f));
  } else {
    out += static_cast<char>(0xf0 | (code >> 18));
    out += static_cast<char>(0x80 | ((code >> 12) & 0x3f));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3f));
    out += static_cast<char>(0x80 | (code & 0x3f));
  }
}

// `rest` begins behind "\u"; consumes it and, for a pair, the second half.
bool UnescapeUnicode(std::string_view& rest, std::string& out) {
  const int first = HexQuad(rest);
  if (first < 0) return false;
  rest.remove_prefix(4);
  auto code = static_cast<uint32_t>(first);
  if (code >= 0xd800 && code < 0xe000) {
    const int second = code < 0xdc00 && rest.substr(0, 2) == "\\u" ? HexQuad(rest.substr(2)) : -1;
    if (second >= 0xdc00 && second < 0xe000) {
      code = 0x10000 + ((code - 0xd800) << 10) + (static_cast<uint32_t>(second) - 0xdc00);
      rest.remove_prefix(6);
    } else {
      code = 0xfffd;
    }
  }
  AppendUtf8(code, out);
  return true;
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

bool Unescape(std::string_view content, std::string& out) {
  while (true) {
    const size_t backslash = content.find('\\');
    out += content.substr(0, backslash);
    if (backslash == std::string_view::npos) return true;
    if (backslash + 1 >= content.size()) return false;
    const char escape = content[backslash + 1];
    content.remove_prefix(backslash + 2);
    switch (escape) {
      case '"':
      case '\\':
      case '/': out += escape; break;
      case 'b': out += '\b'; break;
      case 'f': out += '\f'; break;
      case 'n': out += '\n'; break;
      case 'r': out += '\r'; break;
      case 't': out += '\t'; break;
      case 'u':
        if (!UnescapeUnicode(content, out)) return false;
        break;
      default: return false;
    }
  }
}

bool HasOnlyGoodEscapes(std::string_view content) {
  for (size_t i = 0;; ++i) {
    // Most of the text has none.
    while (content.size() - i >= 8 && !HasEscape(content.substr(i, 8))) i += 8;
    while (i < content.size() && content[i] != '\\') ++i;
    if (i == content.size()) return true;
    if (++i == content.size()) return false;
    switch (content[i]) {
      case '"':
      case '\\':
      case '/':
      case 'b':
      case 'f':
      case 'n':
      case 'r':
      case 't': break;
      case 'u':
        if (HexQuad(content.substr(i + 1)) < 0) return false;
        break;
      default: return false;
    }
  }
}

NumberForm ClassifyNumber(std::string_view text) {
  const char* at = text.data();
  const char* end = at + text.size();
  const auto digits = [&] {
    const char* first = at;
    while (at != end && IsDigit(*at)) ++at;
    return at != first;
  };
  if (at != end && *at == '-') ++at;
  if (at != end && *at == '0') {
    ++at;
  } else if (!digits()) {
    return NumberForm::kBad;
  }
  NumberForm form = NumberForm::kInteger;
  if (at != end && *at == '.') {
    ++at;
    if (!digits()) return NumberForm::kBad;
    form = NumberForm::kReal;
  }
  if (at != end && (*at == 'e' || *at == 'E')) {
    ++at;
    if (at != end && (*at == '+' || *at == '-')) ++at;
    if (!digits()) return NumberForm::kBad;
    form = NumberForm::kReal;
  }
  return at == end ? form : NumberForm::kBad;
}

bool ParseInteger(std::string_view text, int64_t& out) {
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), out);
  return parsed.ec == std::errc() && parsed.ptr == text.data() + text.size();
}

bool ParseReal(std::string_view text, double& out) {
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), out);
  // Too small to hold is zero; too large is an error.
  if (parsed.ec == std::errc::result_out_of_range) {
    const size_t exponent = text.find_first_of("eE");
    const bool tiny = exponent != std::string_view::npos && exponent + 1 < text.size() && text[exponent + 1] == '-';
    out = 0;
    return tiny;
  }
  return parsed.ec == std::errc() && parsed.ptr == text.data() + text.size() && std::isfinite(out);
}

void AppendCompact(std::string_view json, std::string& out) {
  size_t kept = 0;  // start of what is still to be copied
  bool in_string = false;
  for (size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (in_string) {
      if (c == '\\') {
        ++i;
      } else if (c == '"') {
        in_string = false;
      }
    } else if (c == '"') {
      in_string = true;
    } else if (IsJsonSpace(c)) {
      out += json.substr(kept, i - kept);
      kept = i + 1;
    }
  }
  out += json.substr(kept);
}

}  // namespace keelson::internal
