// Reading and printing quantities.
#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>

#include "keelson/api/internal/quantity_decimal.h"

namespace keelson::resource {
namespace internal {

Spelling Spelling::Of(const Quantity& quantity) {
  if (!quantity.spelled()) return {};
  const unsigned bits = quantity.form_;
  return {.plus = (bits >> 4 & 1) != 0,
          .leading_zeros = bits >> 5 & 3,
          .fraction = bits >> 7 & 31,
          .upper_e = (bits >> 12 & 1) != 0,
          .exponent_plus = (bits >> 13 & 1) != 0,
          .exponent_minus = (bits >> 14 & 1) != 0,
          .exponent_zeros = bits >> 15,
          .exponent_of_zero = true};
}

void Spelling::Remember(Quantity& quantity) const {
  if (*this == Spelling{} || leading_zeros > 3 || fraction > 19 || exponent_zeros > 1) return;
  quantity.form_ =
      static_cast<uint16_t>((quantity.form_ & (Quantity::kFormatMask | Quantity::kWide)) | Quantity::kSpelled |
                            unsigned{plus} << 4 | leading_zeros << 5 | fraction << 7 | unsigned{upper_e} << 12 |
                            unsigned{exponent_plus} << 13 | unsigned{exponent_minus} << 14 | exponent_zeros << 15);
}

namespace {

constexpr std::string_view kWrongForm =
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
constexpr std::string_view kWrongNumber = "unable to parse numeric part of quantity";
constexpr std::string_view kWrongSuffix = "unable to parse quantity's suffix";

Error Refuse(std::string_view message) { return Error::InvalidArgument(std::string(message)); }

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsSuffixLetter(char c) { return c != '\0' && std::strchr("eEinumkKMGTP", c) != nullptr; }

struct Suffix {
  Format format = Format::kDecimalSi;
  int32_t exponent = 0;  // of 2 in kBinarySi, of 10 in the others
};

// The text between the sign and the end, taken apart.
struct Parts {
  bool negative = false;
  bool plus = false;
  size_t leading_zeros = 0;
  std::string_view whole;     // without leading zeros
  std::string_view fraction;  // behind the point
  bool point = false;
  std::string_view suffix;
};

std::optional<Parts> TakeApart(std::string_view text) {
  Parts parts;
  size_t at = 0;
  const auto skip_digits = [&] {
    const size_t start = at;
    while (at < text.size() && IsDigit(text[at])) ++at;
    return text.substr(start, at - start);
  };
  if (at < text.size() && (text[at] == '-' || text[at] == '+')) {
    parts.negative = text[at] == '-';
    parts.plus = text[at] == '+';
    ++at;
  }
  while (at < text.size() && text[at] == '0') ++at, ++parts.leading_zeros;
  parts.whole = skip_digits();
  if (at < text.size() && text[at] == '.') {
    ++at;
    parts.point = true;
    parts.fraction = skip_digits();
  }
  const size_t suffix_start = at;
  while (at < text.size() && IsSuffixLetter(text[at])) ++at;
  if (at < text.size() && (text[at] == '-' || text[at] == '+')) ++at;
  skip_digits();
  if (at != text.size()) return std::nullopt;
  parts.suffix = text.substr(suffix_start);
  return parts;
}

std::optional<Suffix> ReadSuffix(std::string_view text) {
  if (text.empty()) return Suffix{};
  if (text.size() == 1) {
    switch (text[0]) {
      case 'n': return Suffix{Format::kDecimalSi, -9};
      case 'u': return Suffix{Format::kDecimalSi, -6};
      case 'm': return Suffix{Format::kDecimalSi, -3};
      case 'k': return Suffix{Format::kDecimalSi, 3};
      case 'M': return Suffix{Format::kDecimalSi, 6};
      case 'G': return Suffix{Format::kDecimalSi, 9};
      case 'T': return Suffix{Format::kDecimalSi, 12};
      case 'P': return Suffix{Format::kDecimalSi, 15};
      case 'E': return Suffix{Format::kDecimalSi, 18};
      default: return std::nullopt;
    }
  }
  if (text.size() == 2 && text[1] == 'i') {
    switch (text[0]) {
      case 'K': return Suffix{Format::kBinarySi, 10};
      case 'M': return Suffix{Format::kBinarySi, 20};
      case 'G': return Suffix{Format::kBinarySi, 30};
      case 'T': return Suffix{Format::kBinarySi, 40};
      case 'P': return Suffix{Format::kBinarySi, 50};
      case 'E': return Suffix{Format::kBinarySi, 60};
      default: return std::nullopt;
    }
  }
  if (text[0] != 'e' && text[0] != 'E') return std::nullopt;
  std::string_view digits = text.substr(1);
  if (digits[0] == '+') digits.remove_prefix(1);
  if (digits.empty() || digits[0] == '+') return std::nullopt;
  int64_t exponent = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  // Kubernetes keeps the low 32 bits.
  return Suffix{Format::kDecimalExponent, static_cast<int32_t>(exponent)};
}

constexpr size_t kMostDigits = 38;         // of a Uint128
constexpr int64_t kMostExponent = 40'000;  // beyond what Quantity holds, far from overflow
constexpr std::string_view kTooLarge =
    "quantity is too large: from 2^63 on it has at most 28 significant digits and an exponent of at most 32767";

// digits (whole, then fraction) * 10^exponent, rounded up to a billionth.
Result<Decimal> ReadDecimal(const Parts& parts, int32_t suffix_exponent) {
  // Digits that count, from the first that is not zero; a zero at the end is part of the exponent.
  const size_t total = parts.whole.size() + parts.fraction.size();
  const auto digit = [&](size_t i) {
    return i < parts.whole.size() ? parts.whole[i] : parts.fraction[i - parts.whole.size()];
  };
  size_t first = 0;
  while (first < total && digit(first) == '0') ++first;
  if (first == total) return Decimal{};
  size_t last = total;
  while (digit(last - 1) == '0') --last;
  int64_t exponent = int64_t{suffix_exponent} - static_cast<int64_t>(parts.fraction.size());
  exponent += static_cast<int64_t>(total - last);

  bool round_up = false;
  if (exponent < kNano) {
    const auto dropped = static_cast<size_t>(kNano - exponent);
    round_up = true;  // the last digit is not zero
    last = dropped >= last - first ? first : last - dropped;
    exponent = kNano;
  }
  if (last - first > kMostDigits || exponent > kMostExponent) return Refuse(kTooLarge);
  Uint128 mantissa = 0;
  for (size_t i = first; i < last; ++i) mantissa = mantissa * 10 + static_cast<unsigned>(digit(i) - '0');
  if (round_up) ++mantissa;
  return Decimal{static_cast<Int128>(mantissa), static_cast<int>(exponent)};
}

// (whole + fraction) * 2^shift in billionths, rounded up to one and capped at 2^63-1 units.
Decimal ReadBinary(const Parts& parts, int shift) {
  const Uint128 cap = Uint128{INT64_MAX} * kNanosPerUnit;
  const Uint128 unit = (Uint128{1} << shift) * kNanosPerUnit;
  // From the last digit to the first: each step is a tenth of (digit * unit + what is behind it). Cutting the remainder
  // off keeps the whole part exact, and `inexact` remembers that there was one.
  Uint128 nanos = 0;
  bool inexact = false;
  for (size_t i = parts.fraction.size(); i-- > 0;) {
    nanos += static_cast<unsigned>(parts.fraction[i] - '0') * unit;
    inexact |= nanos % 10 != 0;
    nanos /= 10;
  }
  if (inexact) ++nanos;
  Uint128 whole = 0;
  for (const char c : parts.whole) {
    whole = whole * 10 + static_cast<unsigned>(c - '0');
    if (whole > static_cast<Uint128>(INT64_MAX)) return {INT64_MAX, 0};
  }
  if (whole > cap / unit) return {INT64_MAX, 0};
  nanos += whole * unit;
  if (nanos > cap) return {INT64_MAX, 0};
  return {static_cast<Int128>(nanos), kNano};
}

// Whether Kubernetes' quick look takes the text for canonical.
bool LooksCanonical(const Parts& parts, const Suffix& suffix) {
  if (parts.whole.empty()) return false;
  const size_t digits = parts.whole.size() + parts.fraction.size();
  if (suffix.format == Format::kBinarySi) {
    if (!parts.fraction.empty() || static_cast<int>(digits) > 14 - suffix.exponent * 3 / 10) return false;
    uint64_t value = 0;
    std::from_chars(parts.whole.data(), parts.whole.data() + digits, value);
    return value % 8 != 0;
  }
  const int64_t scale = int64_t{suffix.exponent} - static_cast<int64_t>(parts.fraction.size());
  if (digits > 18 || scale < kNano || scale % 3 != 0) return false;
  const size_t zeros_behind = parts.fraction.size() - (parts.fraction.find_last_not_of('0') + 1);
  if (zeros_behind < parts.fraction.size()) return zeros_behind < 3;
  return zeros_behind + parts.whole.size() - (parts.whole.find_last_not_of('0') + 1) < 3;
}

// Kubernetes gives back the very text where it looks canonical: what is not so in it is kept beside the value.
void RememberSpelling(const Parts& parts, const Suffix& suffix, Quantity& quantity) {
  if (!LooksCanonical(parts, suffix)) return;
  Spelling spelling{.plus = parts.plus, .leading_zeros = static_cast<unsigned>(parts.leading_zeros)};
  if (parts.point) spelling.fraction = static_cast<unsigned>(parts.fraction.size()) + 1;
  if (suffix.format == Format::kDecimalExponent) {
    std::string_view exponent = parts.suffix.substr(1);
    spelling.upper_e = parts.suffix[0] == 'E';
    spelling.exponent_plus = exponent[0] == '+';
    spelling.exponent_minus = exponent[0] == '-' && suffix.exponent == 0;
    spelling.exponent_of_zero = suffix.exponent == 0;
    if (exponent[0] == '+' || exponent[0] == '-') exponent.remove_prefix(1);
    while (exponent.size() > 1 && exponent[0] == '0') exponent.remove_prefix(1), ++spelling.exponent_zeros;
    if (exponent.size() > 5) return;  // its high bits were lost
  }
  spelling.Remember(quantity);
}

// Common text, a few digits and a suffix with nothing to round, without the detours of the general way.
std::optional<Quantity> ReadCommon(std::string_view text) {
  size_t at = 0;
  int64_t value = 0;
  while (at < text.size() && at < 10 && IsDigit(text[at])) value = value * 10 + (text[at++] - '0');
  if (at == 0 || text[0] == '0') return std::nullopt;
  const size_t rest = text.size() - at;
  if (rest == 0) return Quantity::FromInt(value);
  if (rest == 1 && text[at] == 'm') return Quantity::FromMilli(value);
  if (rest == 2 && text[at + 1] == 'i' && value < int64_t{1} << 33) {  // so that no shift below overflows
    switch (text[at]) {
      case 'K': return Quantity::FromInt(value << 10, Format::kBinarySi);
      case 'M': return Quantity::FromInt(value << 20, Format::kBinarySi);
      case 'G': return Quantity::FromInt(value << 30, Format::kBinarySi);
      default: break;
    }
  }
  return std::nullopt;
}

}  // namespace
}  // namespace internal

Result<Quantity> Quantity::Parse(std::string_view text) {
  using namespace internal;
  if (const auto common = ReadCommon(text)) return *common;
  if (text.empty()) return Refuse(kWrongForm);
  if (text.size() > kMaxInputLength) {
    return Error::InvalidArgument("quantity is longer than " + std::to_string(kMaxInputLength) + " characters");
  }
  const std::optional<Parts> parts = TakeApart(text);
  if (!parts) return Refuse(kWrongForm);
  const std::optional<Suffix> suffix = ReadSuffix(parts->suffix);
  if (!suffix) return Refuse(kWrongSuffix);

  Decimal decimal;
  Format format = suffix->format;
  // Text without a digit is zero to Kubernetes, "m" or "-", but not with the suffixes beyond its fast way of reading.
  const bool no_digits = parts->leading_zeros == 0 && parts->whole.empty() && parts->fraction.empty();
  if (no_digits && (format == Format::kBinarySi ? suffix->exponent >= 50 : suffix->exponent < kNano)) {
    return Refuse(kWrongNumber);
  }
  if (format == Format::kBinarySi) {
    decimal = ReadBinary(*parts, suffix->exponent);
    const bool below_one = decimal.exponent == kNano && decimal.mantissa < kNanosPerUnit;
    if (below_one && decimal.mantissa > 0) format = Format::kDecimalSi;
  } else {
    KEELSON_TRY(read, ReadDecimal(*parts, suffix->exponent));
    decimal = read;
  }
  if (parts->negative) decimal.mantissa = -decimal.mantissa;
  std::optional<Quantity> quantity = decimal.ToQuantity(format);
  if (!quantity) return Refuse(kTooLarge);
  if (!quantity->IsZero()) RememberSpelling(*parts, *suffix, *quantity);
  return *quantity;
}

namespace internal {
namespace {

char* PrintUnsigned(char* out, Uint128 value) {
  if (value <= UINT64_MAX) return std::to_chars(out, out + 20, static_cast<uint64_t>(value)).ptr;
  constexpr auto kChunk = static_cast<uint64_t>(PowerOfTen(19));
  out = PrintUnsigned(out, value / kChunk);
  uint64_t low = static_cast<uint64_t>(value % kChunk);
  for (int i = 18; i >= 0; --i, low /= 10) out[i] = static_cast<char>('0' + low % 10);
  return out + 19;
}

// What is printed: a whole number and its suffix's exponent, of 1024 or of ten and then a multiple of three.
struct PrintedForm {
  Uint128 number;
  int exponent;
  Format format;
};

PrintedForm PrintedFormOf(const Decimal& decimal, Format format) {
  Uint128 number = Magnitude(decimal.mantissa);
  int exponent = decimal.exponent;
  if (format == Format::kBinarySi) {
    // Below 1024 and with a fraction, a binary amount prints as a decimal one. Far beyond 2^63, too.
    format = Format::kDecimalSi;
    if (exponent >= 0 && exponent <= 9) {
      const Uint128 units = number * PowerOfTen(exponent);
      if (units >= 1024) {
        const auto low = static_cast<uint64_t>(units);
        const int powers = low == 0 ? 6 : std::min(std::countr_zero(low) / 10, 6);
        return {units >> (10 * powers), powers, Format::kBinarySi};
      }
    }
  }
  if (number <= UINT64_MAX) {
    auto small = static_cast<uint64_t>(number);
    while (small % 10 == 0) small /= 10, ++exponent;
    number = small;
  } else {
    while (number % 10 == 0) number /= 10, ++exponent;
  }
  while (exponent % 3 != 0) number *= 10, --exponent;
  // There is no suffix beyond E.
  if (format == Format::kDecimalSi && exponent > kExa) format = Format::kDecimalExponent;
  return {number, exponent, format};
}

char* PrintExponent(char* out, int exponent, const Spelling& spelling) {
  if (exponent == 0 && !spelling.exponent_of_zero) return out;
  *out++ = spelling.upper_e ? 'E' : 'e';
  if (spelling.exponent_plus) *out++ = '+';
  if (exponent < 0 || spelling.exponent_minus) *out++ = '-';
  for (unsigned i = 0; i < spelling.exponent_zeros; ++i) *out++ = '0';
  return std::to_chars(out, out + 6, exponent < 0 ? -exponent : exponent).ptr;
}

}  // namespace
}  // namespace internal

size_t Quantity::Print(char* buffer) const {
  using namespace internal;
  char* out = buffer;
  if (IsZero()) {
    *out = '0';
    return 1;
  }
  const Decimal decimal = Decimal::Of(*this);
  const PrintedForm printed = PrintedFormOf(decimal, format());
  const Spelling spelling = Spelling::Of(*this);
  if (decimal.mantissa < 0) *out++ = '-';
  if (spelling.plus) *out++ = '+';
  for (unsigned i = 0; i < spelling.leading_zeros; ++i) *out++ = '0';
  out = PrintUnsigned(out, printed.number);
  int exponent = printed.exponent;
  if (spelling.fraction > 0) {
    const unsigned digits = spelling.fraction - 1;
    std::memmove(out - digits + 1, out - digits, digits);
    *(out - digits) = '.';
    ++out;
    exponent += static_cast<int>(digits);
  }
  switch (printed.format) {
    case Format::kBinarySi:
      if (exponent > 0) {
        *out++ = " KMGTPE"[exponent];
        *out++ = 'i';
      }
      break;
    case Format::kDecimalSi:
      if (exponent != 0) *out++ = "num kMGTPE"[exponent / 3 + 3];
      break;
    case Format::kDecimalExponent: out = PrintExponent(out, exponent, spelling); break;
  }
  return static_cast<size_t>(out - buffer);
}

void Quantity::AppendTo(std::string& out) const {
  char buffer[kMaxTextLength];
  out.append(buffer, Print(buffer));
}

std::string Quantity::ToString() const {
  std::string out;
  AppendTo(out);
  return out;
}

}  // namespace keelson::resource
