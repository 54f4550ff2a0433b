#include "keelson/api/quantity.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <stdexcept>
#include <utility>

#include "keelson/api/internal/quantity_decimal.h"

namespace keelson::resource {

namespace internal {
namespace {

constexpr Uint128 kWideLimit = Uint128{1} << 95;                      // of a wide mantissa's magnitude
constexpr Uint128 kNarrowLimit = (Uint128{1} << 63) * kNanosPerUnit;  // of a narrow value's magnitude in nanos
constexpr int kMaxExponent = std::numeric_limits<int16_t>::max();

int CountDigits(Uint128 value) {
  int digits = 1;
  while (value >= 10) value /= 10, ++digits;
  return digits;
}

// value / 10^power, rounded away from zero.
Uint128 DivideRoundingUp(Uint128 value, int power) {
  if (power > 38) return value == 0 ? 0 : 1;
  const Uint128 divisor = PowerOfTen(power);
  return value / divisor + (value % divisor != 0 ? 1 : 0);
}

// value * 10^power, or nothing when that is `limit` or more.
std::optional<Uint128> MultiplyBelow(Uint128 value, int power, Uint128 limit) {
  if (value == 0) return Uint128{0};
  if (power > 38 || value > (limit - 1) / PowerOfTen(power)) return std::nullopt;
  return value * PowerOfTen(power);
}

Int128 WithSign(Uint128 magnitude, bool negative) {
  return negative ? -static_cast<Int128>(magnitude) : static_cast<Int128>(magnitude);
}

Decimal Sum(Decimal a, Decimal b) {
  if (a.mantissa == 0) return b;
  if (b.mantissa == 0) return a;
  if (a.exponent < b.exponent) std::swap(a, b);
  // Bring `a`, the one with the larger exponent, down to b's while it has room; then give up digits of `b`.
  constexpr Uint128 kRoom = Uint128{1} << 125;
  while (a.exponent > b.exponent && Magnitude(a.mantissa) < kRoom / 10) a.mantissa *= 10, --a.exponent;
  if (a.exponent > b.exponent) {
    b.mantissa = WithSign(DivideRoundingUp(Magnitude(b.mantissa), a.exponent - b.exponent), b.mantissa < 0);
    b.exponent = a.exponent;
  }
  return {a.mantissa + b.mantissa, b.exponent};
}

int CompareMagnitudes(const Decimal& a, const Decimal& b) {
  Uint128 x = Magnitude(a.mantissa);
  Uint128 y = Magnitude(b.mantissa);
  const int x_top = CountDigits(x) + a.exponent;
  const int y_top = CountDigits(y) + b.exponent;
  if (x_top != y_top) return x_top < y_top ? -1 : 1;
  // As many digits before the point: the exponents differ by less than a mantissa's digits.
  if (a.exponent > b.exponent) x *= PowerOfTen(a.exponent - b.exponent);
  if (b.exponent > a.exponent) y *= PowerOfTen(b.exponent - a.exponent);
  return x == y ? 0 : x < y ? -1 : 1;
}

}  // namespace

Decimal Decimal::Of(const Quantity& quantity) {
  if (quantity.wide()) {
    const Uint128 high = static_cast<Uint128>(static_cast<Int128>(quantity.nanos_)) << 64;
    return {static_cast<Int128>(high | static_cast<uint64_t>(quantity.units_)), quantity.exponent_};
  }
  if (quantity.nanos_ == 0) return {quantity.units_, 0};
  return {static_cast<Int128>(quantity.units_) * kNanosPerUnit + quantity.nanos_, -9};
}

std::optional<Quantity> Decimal::ToQuantity(Format format) const {
  Uint128 magnitude = Magnitude(mantissa);
  const bool negative = mantissa < 0;
  if (const auto nanos = MultiplyBelow(magnitude, exponent + 9, kNarrowLimit)) {
    const auto units = static_cast<int64_t>(*nanos / kNanosPerUnit);
    const auto rest = static_cast<int32_t>(*nanos % kNanosPerUnit);
    return negative ? Quantity(-units, -rest, format) : Quantity(units, rest, format);
  }
  int power = exponent;
  while (magnitude % 10 == 0) magnitude /= 10, ++power;
  if (magnitude >= kWideLimit || power > kMaxExponent) return std::nullopt;
  const Int128 signed_mantissa = WithSign(magnitude, negative);
  Quantity wide(static_cast<int64_t>(static_cast<uint64_t>(signed_mantissa)),
                static_cast<int32_t>(signed_mantissa >> 64), format);
  wide.exponent_ = static_cast<int16_t>(power);
  wide.form_ |= Quantity::kWide;
  return wide;
}

Quantity Decimal::ToNearestQuantity(Format format) const {
  Decimal rounded = *this;
  for (;;) {
    if (const auto quantity = rounded.ToQuantity(format)) return *quantity;
    rounded.mantissa = WithSign(DivideRoundingUp(Magnitude(rounded.mantissa), 1), rounded.mantissa < 0);
    // Beyond the largest power of ten the value saturates there.
    rounded.exponent = rounded.exponent < kMaxExponent ? rounded.exponent + 1 : kMaxExponent;
  }
}

}  // namespace internal

using internal::Decimal;
using internal::Int128;
using internal::Magnitude;
using internal::Uint128;

Quantity::Quantity(std::string_view literal) {
  Result<Quantity> parsed = Parse(literal);
  if (!parsed) throw std::invalid_argument("cannot parse '" + std::string(literal) + "': " + parsed.error().message());
  *this = *parsed;
}

Quantity Quantity::FromMilli(int64_t thousandths, Format format) {
  return Quantity(thousandths / 1000, static_cast<int32_t>(thousandths % 1000) * 1'000'000, format);
}

Quantity Quantity::FromScaled(int64_t mantissa, int scale, Format format) {
  if (scale < -1000 || scale > 1000) {
    throw std::out_of_range("Quantity::FromScaled takes a scale from -1000 to 1000, not " + std::to_string(scale));
  }
  Decimal decimal{mantissa, scale};
  if (scale < kNano) {
    decimal = {internal::WithSign(internal::DivideRoundingUp(Magnitude(mantissa), kNano - scale), mantissa < 0), kNano};
  }
  return decimal.ToNearestQuantity(format);
}

int64_t Quantity::Value() const {
  if (wide()) return ScaledValue(kUnit);
  const int64_t away = nanos_ == 0 ? 0 : nanos_ < 0 ? -1 : 1;
  int64_t value;
  return __builtin_add_overflow(units_, away, &value) ? (away < 0 ? INT64_MIN : INT64_MAX) : value;
}

int64_t Quantity::ScaledValue(int scale) const {
  const Decimal decimal = Decimal::Of(*this);
  const bool negative = decimal.mantissa < 0;
  const Uint128 limit = (Uint128{1} << 63) + (negative ? 1 : 0);
  const Uint128 magnitude = Magnitude(decimal.mantissa);
  const int64_t power = int64_t{decimal.exponent} - scale;
  const int64_t saturated = negative ? INT64_MIN : INT64_MAX;
  Uint128 scaled;
  if (power >= 0) {
    const auto product = internal::MultiplyBelow(magnitude, static_cast<int>(std::min<int64_t>(power, 39)), limit);
    if (!product) return saturated;
    scaled = *product;
  } else {
    scaled = internal::DivideRoundingUp(magnitude, static_cast<int>(std::min<int64_t>(-power, 39)));
    if (scaled >= limit) return saturated;
  }
  return static_cast<int64_t>(internal::WithSign(scaled, negative));
}

double Quantity::AsDouble() const {
  if (!wide() && nanos_ == 0) return static_cast<double>(units_);
  // The decimal text of the number goes through the correctly rounding reader of the standard library.
  const Decimal decimal = Decimal::Of(*this);
  char text[64];
  char* end = text + sizeof(text);
  end = std::to_chars(text + 40, end, decimal.exponent).ptr;
  char* at = text + 40;
  *--at = 'e';
  Uint128 magnitude = Magnitude(decimal.mantissa);
  do *--at = static_cast<char>('0' + static_cast<int>(magnitude % 10));
  while ((magnitude /= 10) != 0);
  double value = 0;
  if (std::from_chars(at, end, value).ec == std::errc::result_out_of_range) {
    value = std::numeric_limits<double>::infinity();  // a wide value is never too small
  }
  return decimal.mantissa < 0 ? -value : value;
}

void Quantity::Add(const Quantity& other) {
  const Format result_format = IsZero() ? other.format() : format();
  if (!wide() && !other.wide()) {
    // Both parts of a value have its sign. So their sums differ in sign by at most one unit, and only parts of one sign
    // carry.
    int64_t units;
    int32_t nanos = nanos_ + other.nanos_;
    if (!__builtin_add_overflow(units_, other.units_, &units) && units != INT64_MIN && units != INT64_MAX &&
        units != -INT64_MAX) {
      if (nanos >= internal::kNanosPerUnit || (nanos > 0 && units < 0)) {
        nanos -= internal::kNanosPerUnit;
        ++units;
      } else if (nanos <= -internal::kNanosPerUnit || (nanos < 0 && units > 0)) {
        nanos += internal::kNanosPerUnit;
        --units;
      }
      *this = Quantity(units, nanos, result_format);
      return;
    }
  }
  *this = internal::Sum(Decimal::Of(*this), Decimal::Of(other)).ToNearestQuantity(result_format);
}

void Quantity::Sub(const Quantity& other) { Add(-other); }

void Quantity::Neg() {
  if (wide()) {
    const Decimal decimal = Decimal::Of(*this);
    *this = Decimal{-decimal.mantissa, decimal.exponent}.ToNearestQuantity(format());
  } else {
    *this = Quantity(-units_, -nanos_, format());
  }
}

int Quantity::Cmp(const Quantity& other) const {
  if (!wide() && !other.wide()) {
    if (units_ != other.units_) return units_ < other.units_ ? -1 : 1;
    return nanos_ == other.nanos_ ? 0 : nanos_ < other.nanos_ ? -1 : 1;
  }
  const int sign = Sign();
  if (sign != other.Sign()) return sign < other.Sign() ? -1 : 1;
  return sign * internal::CompareMagnitudes(Decimal::Of(*this), Decimal::Of(other));
}

}  // namespace keelson::resource
