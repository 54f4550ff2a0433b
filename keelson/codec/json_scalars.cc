#include "keelson/codec/json_scalars.h"

#include <algorithm>
#include <array>
#include <bit>
#include <bitset>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace keelson {

namespace internal {

namespace {

constexpr char kHex[] = "0123456789abcdef";

// What is copied as it is: printable ASCII but for the quote, the backslash and HTML's three.
constexpr std::array<bool, 256> kPlain = [] {
  std::array<bool, 256> plain{};
  for (int c = 0x20; c < 0x80; ++c) {
    plain[static_cast<size_t>(c)] = c != '"' && c != '\\' && c != '<' && c != '>' && c != '&';
  }
  return plain;
}();

#if defined(__SSE2__)
// Bit i is set when byte i is not plain.
inline uint32_t SpecialMask(__m128i block) {
  const auto is = [block](char c) { return _mm_cmpeq_epi8(block, _mm_set1_epi8(c)); };
  // Signed: bytes from 0x80 on are negative, and so below 0x20 too.
  const __m128i low = _mm_cmplt_epi8(block, _mm_set1_epi8(0x20));
  // '<' and '>' differ in one bit.
  const __m128i angle = _mm_cmpeq_epi8(_mm_or_si128(block, _mm_set1_epi8(2)), _mm_set1_epi8('>'));
  const __m128i special =
      _mm_or_si128(_mm_or_si128(low, angle), _mm_or_si128(_mm_or_si128(is('"'), is('\\')), is('&')));
  return static_cast<uint32_t>(_mm_movemask_epi8(special));
}
#endif

// Copies up to and without the first byte that is not plain, in blocks; may write up to 16 bytes too many. Returns the
// number of bytes that are done.
inline size_t CopyPlain(char* to, const char* from, size_t size) {
  size_t i = 0;
#if defined(__SSE2__)
  for (; i + 16 <= size; i += 16) {
    const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i), block);
    const uint32_t mask = SpecialMask(block);
    if (mask != 0) return i + static_cast<size_t>(std::countr_zero(mask));
  }
#endif
  for (; i < size; ++i) {
    if (!kPlain[static_cast<uint8_t>(from[i])]) return i;
    to[i] = from[i];
  }
  return i;
}

char* WriteUnicodeEscape(char* to, uint32_t unit) {
  *to++ = '\\';
  *to++ = 'u';
  for (int shift = 12; shift >= 0; shift -= 4) *to++ = kHex[unit >> shift & 15];
  return to;
}

// Writes the escape of the ASCII character `c`, which is not plain.
char* WriteAsciiEscape(char* to, char c) {
  char letter = 0;
  switch (c) {
    case '"': letter = '"'; break;
    case '\\': letter = '\\'; break;
    case '\b': letter = 'b'; break;
    case '\f': letter = 'f'; break;
    case '\n': letter = 'n'; break;
    case '\r': letter = 'r'; break;
    case '\t': letter = 't'; break;
    default: return WriteUnicodeEscape(to, static_cast<uint8_t>(c));
  }
  *to++ = '\\';
  *to++ = letter;
  return to;
}

// U+2028 and U+2029, which end a line in JavaScript.
bool IsLineSeparator(std::string_view sequence) {
  return sequence.size() == 3 && sequence[0] == '\xe2' && sequence[1] == '\x80' && (sequence[2] & ~1) == '\xa8';
}

char* WriteEscapedSlowly(char* to, std::string_view text) {
  while (true) {
    const size_t plain = CopyPlain(to, text.data(), text.size());
    to += plain;
    text.remove_prefix(plain);
    if (text.empty()) return to;
    if (static_cast<uint8_t>(text[0]) < 0x80) {
      to = WriteAsciiEscape(to, text[0]);
      text.remove_prefix(1);
      continue;
    }
    const size_t length = ValidUtf8Length(text);
    if (length == 0) {
      to = WriteUnicodeEscape(to, 0xfffd);
      text.remove_prefix(1);
    } else if (IsLineSeparator(text.substr(0, length))) {
      to = WriteUnicodeEscape(to, 0x2000 + (static_cast<uint8_t>(text[2]) & 0x3f));
      text.remove_prefix(length);
    } else {
      for (size_t i = 0; i < length; ++i) *to++ = text[i];
      text.remove_prefix(length);
    }
  }
}

}  // namespace

size_t ValidUtf8Length(std::string_view text) {
  const auto byte = [&](size_t i) -> uint32_t { return i < text.size() ? static_cast<uint8_t>(text[i]) : 0; };
  const auto follows = [&](size_t i) { return (byte(i) & 0xc0) == 0x80; };
  const uint32_t lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead < 0xc2) return 0;
  if (lead < 0xe0) return follows(1) ? 2 : 0;
  if (lead < 0xf0) {
    const uint32_t low = lead == 0xe0 ? 0xa0 : 0x80;
    const uint32_t high = lead == 0xed ? 0x9f : 0xbf;  // no surrogates
    return byte(1) >= low && byte(1) <= high && follows(2) ? 3 : 0;
  }
  if (lead > 0xf4) return 0;
  const uint32_t low = lead == 0xf0 ? 0x90 : 0x80;
  const uint32_t high = lead == 0xf4 ? 0x8f : 0xbf;
  return byte(1) >= low && byte(1) <= high && follows(2) && follows(3) ? 4 : 0;
}

char* WriteEscaped(char* to, std::string_view text) {
  const size_t size = text.size();
#if defined(__SSE2__)
  const char* from = text.data();
  if (size >= 16) {
    size_t i = 0;
    for (; i + 16 <= size; i += 16) {
      const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i));
      _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i), block);
      if (SpecialMask(block) != 0) return WriteEscapedSlowly(to + i, text.substr(i));
    }
    // The last block overlaps what is done.
    const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + size - 16));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + size - 16), block);
    if (SpecialMask(block) != 0) return WriteEscapedSlowly(to + i, text.substr(i));
    return to + size;
  }
  if (size >= 8) {
    const __m128i head = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(from));
    const __m128i tail = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(from + size - 8));
    _mm_storel_epi64(reinterpret_cast<__m128i*>(to), head);
    _mm_storel_epi64(reinterpret_cast<__m128i*>(to + size - 8), tail);
    if (SpecialMask(_mm_unpacklo_epi64(head, tail)) != 0) return WriteEscapedSlowly(to, text);
    return to + size;
  }
#endif
  for (size_t i = 0; i < size; ++i) {
    if (!kPlain[static_cast<uint8_t>(text[i])]) return WriteEscapedSlowly(to + i, text.substr(i));
    to[i] = text[i];
  }
  return to + size;
}

char* WriteDouble(char* to, double value) {
  if (!std::isfinite(value)) {
    std::memcpy(to, "null", 4);
    return to + 4;
  }
  const double magnitude = std::abs(value);
  // As d.ddde±dd: the digits and the exponent, from which the plain form is laid out. (to_chars' own plain form prints
  // all digits of large numbers, not the shortest ones.)
  char text[kMaxDoubleLength];
  const char* const end = std::to_chars(text, text + sizeof text, value, std::chars_format::scientific).ptr;
  const char* from = text;
  if (*from == '-') *to++ = *from++;
  const char* const mark = static_cast<const char*>(std::memchr(from, 'e', static_cast<size_t>(end - from)));
  int exponent = 0;
  std::from_chars(mark[1] == '+' ? mark + 2 : mark + 1, end, exponent);
  char digits[kMaxDoubleLength] = {};
  int count = 0;
  for (const char* at = from; at != mark; ++at) {
    if (*at != '.') digits[count++] = *at;
  }
  if (magnitude != 0 && (magnitude < 1e-6 || magnitude >= 1e21)) {
    *to++ = digits[0];
    if (count > 1) *to++ = '.';
    for (int i = 1; i < count; ++i) *to++ = digits[i];
    *to++ = 'e';
    *to++ = exponent < 0 ? '-' : '+';
    return std::to_chars(to, to + 4, std::abs(exponent)).ptr;
  }
  if (exponent < 0) {
    *to++ = '0';
    *to++ = '.';
    for (int i = -1; i > exponent; --i) *to++ = '0';
    for (int i = 0; i < count; ++i) *to++ = digits[i];
    return to;
  }
  for (int i = 0; i < count || i <= exponent; ++i) {
    if (i == exponent + 1) *to++ = '.';
    *to++ = i < count ? digits[i] : '0';
  }
  return to;
}

namespace {

// One walk over raw JSON: checks it, and notes whether anything in it has to change.
class RawJson {
 public:
  explicit RawJson(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

  bool Check() {
    SkipSpace();
    do {
      if (!Value()) return false;
      // Close what ends here; go on with the next member or element.
      while (true) {
        SkipSpace();
        if (depth_ == 0) return at_ == end_;
        if (at_ == end_) return false;
        const char c = *at_++;
        if (c == ',') {
          SkipSpace();
          if (in_object() && !Key()) return false;
          break;
        }
        if (c != (in_object() ? '}' : ']')) return false;
        --depth_;
      }
    } while (true);
  }
  bool needs_change() const { return needs_change_; }

 private:
  bool in_object() const { return objects_[static_cast<size_t>(depth_)]; }

  // A scalar, an empty container, or the opening of containers down to the first scalar.
  bool Value() {
    while (true) {
      if (at_ == end_) return false;
      const char c = *at_;
      if (c == '{' || c == '[') {
        ++at_;
        SkipSpace();
        if (at_ == end_) return false;
        if (*at_ == (c == '{' ? '}' : ']')) {
          ++at_;
          return true;
        }
        if (++depth_ > kMaxRawDepth) return false;
        objects_[static_cast<size_t>(depth_)] = c == '{';
        if (c == '{' && !Key()) return false;
        continue;
      }
      if (c == '"') return Text();
      if (c == '-' || (c >= '0' && c <= '9')) return Number();
      return Word("true") || Word("false") || Word("null");
    }
  }

  bool Key() {
    if (at_ == end_ || !Text()) return false;
    SkipSpace();
    if (at_ == end_ || *at_++ != ':') return false;
    SkipSpace();
    return true;
  }

  bool Text() {
    if (*at_ != '"') return false;
    ++at_;
    while (at_ != end_) {
#if defined(__SSE2__)
      if (end_ - at_ >= 16) {
        const uint32_t mask = SpecialMask(_mm_loadu_si128(reinterpret_cast<const __m128i*>(at_)));
        at_ += mask == 0 ? 16 : std::countr_zero(mask);
        if (mask == 0) continue;
      }
#endif
      const auto c = static_cast<uint8_t>(*at_);
      if (kPlain[c]) {
        ++at_;
      } else if (c == '"') {
        ++at_;
        return true;
      } else if (c == '\\') {
        if (!Escape()) return false;
      } else if (c < 0x20) {
        return false;
      } else if (c < 0x80) {
        needs_change_ = true;  // one of < > &
        ++at_;
      } else {
        const std::string_view rest(at_, static_cast<size_t>(end_ - at_));
        const size_t length = ValidUtf8Length(rest);
        needs_change_ |= length == 0 || IsLineSeparator(rest.substr(0, length));
        at_ += length == 0 ? 1 : length;
      }
    }
    return false;
  }

  bool Escape() {
    ++at_;
    if (at_ == end_) return false;
    const char c = *at_++;
    if (c != 'u') return std::string_view("\"\\/bfnrt").find(c) != std::string_view::npos;
    for (int i = 0; i < 4; ++i, ++at_) {
      if (at_ == end_ || std::isxdigit(static_cast<uint8_t>(*at_)) == 0) return false;
    }
    return true;
  }

  bool Digits() {
    const char* const start = at_;
    while (at_ != end_ && *at_ >= '0' && *at_ <= '9') ++at_;
    return at_ != start;
  }
  bool Number() {
    if (*at_ == '-') ++at_;
    if (at_ != end_ && *at_ == '0') {
      ++at_;
    } else if (!Digits()) {
      return false;
    }
    if (at_ != end_ && *at_ == '.') {
      ++at_;
      if (!Digits()) return false;
    }
    if (at_ != end_ && (*at_ == 'e' || *at_ == 'E')) {
      ++at_;
      if (at_ != end_ && (*at_ == '+' || *at_ == '-')) ++at_;
      if (!Digits()) return false;
    }
    return true;
  }

  bool Word(std::string_view word) {
    if (!std::string_view(at_, static_cast<size_t>(end_ - at_)).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  void SkipSpace() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\t' || *at_ == '\r')) {
      needs_change_ = true;
      ++at_;
    }
  }

  const char* at_;
  const char* const end_;
  int depth_ = 0;
  bool needs_change_ = false;
  std::bitset<kMaxRawDepth + 1> objects_;  // by depth: an object, not a list
};

}  // namespace

bool AppendCompactJson(std::string_view text, std::string& out) {
  RawJson raw(text);
  if (!raw.Check()) return false;
  if (!raw.needs_change()) {
    out += text;
    return true;
  }
  char escaped[16];
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (!in_string) {
      if (c == ' ' || c == '\n' || c == '\t' || c == '\r') continue;
      in_string = c == '"';
      out += c;
    } else if (c == '\\') {
      out += c;
      out += text[++i];
    } else if (kPlain[static_cast<uint8_t>(c)]) {
      out += c;
    } else if (c == '"') {
      in_string = false;
      out += c;
    } else if (static_cast<uint8_t>(c) < 0x80) {
      out.append(escaped, WriteAsciiEscape(escaped, c));
    } else {
      const size_t length = ValidUtf8Length(text.substr(i));
      const std::string_view sequence = text.substr(i, length == 0 ? 1 : length);
      if (length == 0 || IsLineSeparator(sequence)) {
        out.append(escaped, WriteEscapedSlowly(escaped, sequence));
      } else {
        out += sequence;
      }
      i += sequence.size() - 1;
    }
  }
  return true;
}

}  // namespace internal

void AppendJsonString(std::string_view text, std::string& out) {
  constexpr size_t kChunk = 1024;
  char buffer[internal::kMaxEscapedLength(kChunk)];
  out += '"';
  while (!text.empty()) {
    size_t length = std::min(text.size(), kChunk);
    // A cut never parts a character; in text that is no UTF-8, where a cut is does not matter.
    if (length < text.size()) {
      for (int i = 0; i < 3 && (text[length] & '\xc0') == '\x80'; ++i) --length;
    }
    out.append(buffer, internal::WriteEscaped(buffer, text.substr(0, length)));
    text.remove_prefix(length);
  }
  out += '"';
}

void AppendJsonDouble(double value, std::string& out) {
  char buffer[internal::kMaxDoubleLength];
  out.append(buffer, internal::WriteDouble(buffer, value));
}

void AppendIndentedJson(std::string_view compact, int indent, std::string& out) {
  size_t depth = 0;
  const auto new_line = [&] {
    out += '\n';
    out.append(depth * static_cast<size_t>(indent), ' ');
  };
  for (size_t i = 0; i < compact.size(); ++i) {
    const char c = compact[i];
    switch (c) {
      case '{':
      case '[':
        out += c;
        if (i + 1 < compact.size() && (compact[i + 1] == '}' || compact[i + 1] == ']')) {
          out += compact[++i];
        } else {
          ++depth;
          new_line();
        }
        break;
      case '}':
      case ']':
        --depth;
        new_line();
        out += c;
        break;
      case ',':
        out += c;
        new_line();
        break;
      case ':': out += ": "; break;
      case '"': {
        const size_t start = i++;
        while (i < compact.size() && compact[i] != '"') i += compact[i] == '\\' ? 2 : 1;
        out += compact.substr(start, i + 1 - start);
        break;
      }
      default: out += c;
    }
  }
}

}  // namespace keelson
