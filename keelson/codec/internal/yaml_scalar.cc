#include "keelson/codec/internal/yaml_scalar.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <string>

namespace keelson::internal {

namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// The number of leading digits.
size_t CountDigits(std::string_view text) {
  size_t count = 0;
  while (count < text.size() && IsDigit(text[count])) ++count;
  return count;
}

// Takes one or two digits (exactly two when `both`) of a value up to `most`.
std::optional<int> TakeNumber(std::string_view& text, int most, bool both = false) {
  const size_t count = std::min<size_t>(CountDigits(text), 2);
  if (count == 0 || (both && count != 2)) return std::nullopt;
  int number = 0;
  std::from_chars(text.data(), text.data() + count, number);
  text.remove_prefix(count);
  if (number > most) return std::nullopt;
  return number;
}

bool Take(std::string_view& text, char c) {
  if (text.empty() || text[0] != c) return false;
  text.remove_prefix(1);
  return true;
}

// 15:4:5, 15:04:05.25
bool TakeClock(std::string_view& text) {
  if (!TakeNumber(text, 23) || !Take(text, ':') || !TakeNumber(text, 59) || !Take(text, ':') || !TakeNumber(text, 59)) {
    return false;
  }
  if (text.size() >= 2 && (text[0] == '.' || text[0] == ',') && IsDigit(text[1])) {
    text.remove_prefix(1);
    text.remove_prefix(CountDigits(text));
  }
  return true;
}

bool IsTimestamp(std::string_view text) {
  if (CountDigits(text) != 4) return false;
  int year = 0;
  std::from_chars(text.data(), text.data() + 4, year);
  text.remove_prefix(4);
  if (!Take(text, '-')) return false;
  const std::optional<int> month = TakeNumber(text, 12);
  if (!month || *month == 0 || !Take(text, '-')) return false;
  constexpr std::array<int, 12> kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  const int last_day = *month == 2 && leap ? 29 : kDays[static_cast<size_t>(*month - 1)];
  const std::optional<int> day = TakeNumber(text, last_day);
  if (!day || *day == 0) return false;
  if (text.empty()) return true;
  if (Take(text, ' ')) return TakeClock(text) && text.empty();
  if (!Take(text, 'T') && !Take(text, 't')) return false;
  if (!TakeClock(text)) return false;
  if (Take(text, 'Z')) return text.empty();
  if (!Take(text, '+') && !Take(text, '-')) return false;
  return TakeNumber(text, 24, true) && Take(text, ':') && TakeNumber(text, 60, true) && text.empty();
}

// Sets the kind when `text` (after the sign and any prefix) is a whole number to that base.
bool ReadWhole(std::string_view text, int base, bool negative, bool has_sign, YamlScalar& scalar) {
  uint64_t magnitude = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), magnitude, base);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return false;
  constexpr auto kMost = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
  if (magnitude <= kMost + (negative ? 1 : 0)) {
    scalar.kind = YamlScalar::Kind::kInt;
    scalar.integer = static_cast<int64_t>(negative ? 0 - magnitude : magnitude);
    return true;
  }
  if (has_sign) return false;
  scalar.kind = YamlScalar::Kind::kUnsigned;
  scalar.unsigned_integer = magnitude;
  return true;
}

bool ReadInteger(std::string_view text, YamlScalar& scalar) {
  const bool negative = text[0] == '-';
  const bool has_sign = negative || text[0] == '+';
  std::string_view digits = text.substr(has_sign ? 1 : 0);
  int base = 10;
  if (digits.size() > 1 && digits[0] == '0') {
    base = 8;
    switch (digits[1]) {
      case 'x':
      case 'X': base = 16; break;
      case 'b':
      case 'B': base = 2; break;
      case 'o':
      case 'O': break;
      default: return ReadWhole(digits.substr(1), base, negative, has_sign, scalar);
    }
    // Behind 0b a second sign is let through, unless there was one in front.
    const bool second_sign =
        base == 2 && !has_sign && digits[1] == 'b' && digits.size() > 2 && (digits[2] == '-' || digits[2] == '+');
    if (second_sign) return ReadWhole(digits.substr(3), base, digits[2] == '-', true, scalar);
    digits.remove_prefix(2);
  }
  return ReadWhole(digits, base, negative, has_sign, scalar);
}

// [-+]?(.5|1|1.|1.5)([eE][-+]?[0-9]+)?, within the range of a double.
bool ReadFloat(std::string_view text, YamlScalar& scalar) {
  std::string_view rest = text;
  if (Take(rest, '+')) {
    text = rest;  // from_chars takes no plus
  } else {
    Take(rest, '-');
  }
  const size_t whole = CountDigits(rest);
  rest.remove_prefix(whole);
  if (Take(rest, '.')) {
    const size_t fraction = CountDigits(rest);
    if (whole == 0 && fraction == 0) return false;
    rest.remove_prefix(fraction);
  } else if (whole == 0) {
    return false;
  }
  if (Take(rest, 'e') || Take(rest, 'E')) {
    if (!Take(rest, '+')) Take(rest, '-');
    const size_t exponent = CountDigits(rest);
    if (exponent == 0) return false;
    rest.remove_prefix(exponent);
  }
  if (!rest.empty()) return false;
  double real = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), real);
  if (error == std::errc::result_out_of_range) {
    // Too small is zero, too large is no number.
    const size_t mark = text.find_first_of("eE");
    if (mark == std::string_view::npos || text[mark + 1] != '-') return false;
    real = 0;
  } else if (error != std::errc() || end != text.data() + text.size()) {
    return false;
  }
  scalar.kind = YamlScalar::Kind::kFloat;
  scalar.real = real;
  return true;
}

// A word in the spellings word, Word and WORD.
bool Spells(std::string_view text, std::string_view word) {
  if (text.size() != word.size()) return false;
  bool lower = true, capital = true, upper = true;
  for (size_t i = 0; i < text.size(); ++i) {
    const char small = word[i];
    const char large = small >= 'a' && small <= 'z' ? static_cast<char>(small - 'a' + 'A') : small;
    lower = lower && text[i] == small;
    upper = upper && text[i] == large;
    capital = capital && text[i] == (i == 0 ? large : small);
  }
  return lower || capital || upper;
}

bool ReadWord(std::string_view text, YamlScalar& scalar) {
  if (text.size() > 5) return false;
  for (const std::string_view word : {"true", "yes", "on", "y"}) {
    if (!Spells(text, word)) continue;
    scalar.kind = YamlScalar::Kind::kBool;
    scalar.boolean = true;
    return true;
  }
  for (const std::string_view word : {"false", "no", "off", "n"}) {
    if (!Spells(text, word)) continue;
    scalar.kind = YamlScalar::Kind::kBool;
    return true;
  }
  if (text == "~" || Spells(text, "null")) {
    scalar.kind = YamlScalar::Kind::kNull;
    return true;
  }
  const bool negative = text.starts_with('-');
  const std::string_view word = text.substr(negative || text.starts_with('+') ? 1 : 0);
  // Spelled .inf, .Inf, .INF, and .nan, .NaN, .NAN.
  if (word == ".inf" || word == ".Inf" || word == ".INF") {
    scalar.kind = YamlScalar::Kind::kFloat;
    scalar.real = negative ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
    return true;
  }
  if (text == ".nan" || text == ".NaN" || text == ".NAN") {
    scalar.kind = YamlScalar::Kind::kFloat;
    scalar.real = std::numeric_limits<double>::quiet_NaN();
    return true;
  }
  return false;
}

// Shortest digits; with an exponent below 1e-4 and from 1e6 on, as Go's %g.
template <class Real>
std::string FormatFloat(Real real) {
  if (std::isnan(real)) return ".nan";
  if (std::isinf(real)) return real < 0 ? "-.inf" : ".inf";
  char text[64];
  char* end = std::to_chars(text, text + sizeof text, real, std::chars_format::scientific).ptr;
  const char* exponent_text = text + std::string_view(text, static_cast<size_t>(end - text)).find('e') + 1;
  int exponent = 0;
  std::from_chars(*exponent_text == '+' ? exponent_text + 1 : exponent_text, end, exponent);
  constexpr int kMostDigits = 6;
  if (exponent >= -4 && exponent < kMostDigits) {
    end = std::to_chars(text, text + sizeof text, real, std::chars_format::fixed).ptr;
  }
  return std::string(text, end);
}

}  // namespace

std::string FormatYamlFloat(double real) { return FormatFloat(real); }
std::string FormatYamlFloat(float real) { return FormatFloat(real); }

YamlScalar ResolveYamlScalar(std::string_view text) {
  YamlScalar scalar;
  if (text.empty()) {
    scalar.kind = YamlScalar::Kind::kNull;
    return scalar;
  }
  if (text == "<<") {
    scalar.kind = YamlScalar::Kind::kMerge;
    return scalar;
  }
  if (ReadWord(text, scalar)) return scalar;
  std::string without_underscores;
  const auto strip_underscores = [&] {
    without_underscores = text;
    std::erase(without_underscores, '_');
    text = without_underscores;
  };
  if (text[0] == '.') {
    // Here an underscore has to stand between two digits.
    for (size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '_' && (!IsDigit(text[i - 1]) || i + 1 == text.size() || !IsDigit(text[i + 1]))) return scalar;
    }
    strip_underscores();
    ReadFloat(text, scalar);
    return scalar;
  }
  if (!IsDigit(text[0]) && text[0] != '-' && text[0] != '+') return scalar;
  if (IsTimestamp(text)) {
    scalar.kind = YamlScalar::Kind::kTimestamp;
    return scalar;
  }
  strip_underscores();
  if (!ReadInteger(text, scalar)) ReadFloat(text, scalar);
  return scalar;
}

std::string_view ToString(YamlScalar::Kind kind) {
  switch (kind) {
    case YamlScalar::Kind::kNull: return "null";
    case YamlScalar::Kind::kBool: return "bool";
    case YamlScalar::Kind::kInt:
    case YamlScalar::Kind::kUnsigned: return "int";
    case YamlScalar::Kind::kFloat: return "float";
    case YamlScalar::Kind::kTimestamp: return "timestamp";
    case YamlScalar::Kind::kMerge: return "merge";
    case YamlScalar::Kind::kString: return "str";
  }
  return "str";
}

// [-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?
bool IsBase60Number(std::string_view text) {
  if (!Take(text, '+')) Take(text, '-');
  if (text.empty() || !IsDigit(text[0])) return false;
  const auto skip = [&] {
    while (!text.empty() && (IsDigit(text[0]) || text[0] == '_')) text.remove_prefix(1);
  };
  skip();
  bool parts = false;
  while (Take(text, ':')) {
    if (!TakeNumber(text, 59)) return false;
    parts = true;
  }
  if (!parts) return false;
  if (Take(text, '.')) skip();
  return text.empty();
}

}  // namespace keelson::internal
