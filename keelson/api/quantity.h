// An exact amount of a resource, as Kubernetes writes it: "500m", "128Mi", "1e3".
//
//   Quantity limit = "128Mi";                          // a literal; bad text throws std::invalid_argument
//   Result<Quantity> asked = Quantity::Parse(text);    // input
//   if (*asked > limit) *asked = limit;
//   asked->MilliValue();
//
// Fixed point, never floating: whole units and billionths. Parsing rounds what is finer than a billionth away from
// zero, and caps a binary amount at 2^63-1, as Kubernetes does. A decimal amount of 2^63 or more is held as up to 28
// significant digits and a power of ten; more digits are refused by Parse and rounded away from zero by arithmetic.
//
// The format (decimal suffix, binary suffix or exponent) is that of the text it came from. Printing gives the canonical
// form, the largest suffix without a fraction, except where Kubernetes gives back the text that came in: it does so for
// "1.125", "+5" or "1E3", where a check meant to recognise canonical text is too lenient.
//
// Sixteen bytes, trivially copyable; all-zero bytes are the default value, "0". Thread-safe as any value is.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>

#include "keelson/core/result.h"

namespace keelson::resource {

namespace internal {
struct Decimal;
struct Spelling;
}  // namespace internal

enum class Format : uint8_t {
  kDecimalSi,        // 12M = 12 * 10^6
  kBinarySi,         // 12Mi = 12 * 2^20
  kDecimalExponent,  // 12e6
};

// Powers of ten for Quantity::ScaledValue and Quantity::FromScaled.
enum Scale : int {
  kNano = -9,
  kMicro = -6,
  kMilli = -3,
  kUnit = 0,
  kKilo = 3,
  kMega = 6,
  kGiga = 9,
  kTera = 12,
  kPeta = 15,
  kExa = 18,
};

class Quantity {
 public:
  // Room that Print needs at most.
  static constexpr size_t kMaxTextLength = 64;
  // Longest text that Parse reads.
  static constexpr size_t kMaxInputLength = 4096;

  constexpr Quantity() = default;
  // For literals in code, so that `.requests = {{"cpu", "500m"}}` compiles; throws std::invalid_argument on bad text.
  // Text that comes from outside goes through Parse.
  Quantity(const char* literal) : Quantity(std::string_view(literal)) {}
  Quantity(std::string_view literal);
  Quantity(std::nullptr_t) = delete;

  // Reads what Kubernetes reads and refuses, in its words, what it refuses. Surrounding space is refused here, although
  // Kubernetes' JSON decoder strips it first.
  static Result<Quantity> Parse(std::string_view text);

  static constexpr Quantity FromInt(int64_t units, Format format = Format::kDecimalSi);
  static Quantity FromMilli(int64_t thousandths, Format format = Format::kDecimalSi);
  // mantissa * 10^scale; finer than a billionth is rounded away from zero. `scale` is at most ±1000
  // (std::out_of_range).
  static Quantity FromScaled(int64_t mantissa, int scale, Format format = Format::kDecimalSi);

  std::string ToString() const;
  void AppendTo(std::string& out) const;
  // Writes ToString() to `buffer`, which has room for kMaxTextLength, without allocating; returns the length.
  size_t Print(char* buffer) const;

  // In units, thousandths or 10^scale, rounded away from zero; the nearest int64 when out of range.
  int64_t Value() const;
  int64_t MilliValue() const { return ScaledValue(kMilli); }
  int64_t ScaledValue(int scale) const;
  // The nearest double; infinite when out of range.
  double AsDouble() const;

  constexpr Format format() const { return static_cast<Format>(form_ & kFormatMask); }
  constexpr void set_format(Format format) {
    form_ = static_cast<uint16_t>((form_ & kWide) | static_cast<uint16_t>(format));
  }

  // The same without a memory of how its text was written: prints canonically.
  constexpr Quantity Canonical() const {
    Quantity canonical = *this;
    canonical.set_format(format());
    return canonical;
  }

  constexpr bool IsZero() const { return units_ == 0 && nanos_ == 0; }
  // -1, 0 or 1.
  constexpr int Sign() const;

  // A zero takes the format of what is added to or subtracted from it.
  void Add(const Quantity& other);
  void Sub(const Quantity& other);
  void Neg();
  Quantity& operator+=(const Quantity& other) { return Add(other), *this; }
  Quantity& operator-=(const Quantity& other) { return Sub(other), *this; }
  friend Quantity operator+(Quantity a, const Quantity& b) { return a += b; }
  friend Quantity operator-(Quantity a, const Quantity& b) { return a -= b; }
  friend Quantity operator-(Quantity a) { return a.Neg(), a; }

  // -1, 0 or 1. Comparison, also by ==, is by value alone: "1Ki" == "1024" and "1000m" == "1".
  int Cmp(const Quantity& other) const;
  friend bool operator==(const Quantity& a, const Quantity& b) { return a.Cmp(b) == 0; }
  friend std::weak_ordering operator<=>(const Quantity& a, const Quantity& b) { return a.Cmp(b) <=> 0; }
  // Whether the two also print alike and stay alike in arithmetic: all their bytes are the same.
  constexpr bool SameAs(const Quantity& other) const {
    return units_ == other.units_ && nanos_ == other.nanos_ && exponent_ == other.exponent_ && form_ == other.form_;
  }

  friend std::ostream& operator<<(std::ostream& out, const Quantity& quantity) { return out << quantity.ToString(); }

 private:
  friend struct internal::Decimal;
  friend struct internal::Spelling;

  // Bits of form_. The ones from kSpelled on are set only where the text that came in is printed and is not canonical;
  // internal::Spelling says what they mean.
  static constexpr uint16_t kFormatMask = 3;
  static constexpr uint16_t kWide = 4;
  static constexpr uint16_t kSpelled = 8;

  constexpr Quantity(int64_t units, int32_t nanos, Format format)
      : units_(units), nanos_(nanos), form_(static_cast<uint16_t>(format)) {}

  bool wide() const { return (form_ & kWide) != 0; }
  bool spelled() const { return (form_ & kSpelled) != 0; }

  // Narrow, |value| < 2^63: units and billionths, both of the value's sign, |nanos_| < 10^9.
  // Wide, |value| >= 2^63: a 96-bit two's complement mantissa, low bits in units_, high bits in nanos_, no multiple of
  // ten, times 10^exponent_. So equal values of one format have equal bytes, spelling aside.
  int64_t units_ = 0;
  int32_t nanos_ = 0;
  int16_t exponent_ = 0;
  uint16_t form_ = 0;
};

constexpr Quantity Quantity::FromInt(int64_t units, Format format) {
  if (units != INT64_MIN) return Quantity(units, 0, format);
  Quantity lowest(units, -1, format);
  lowest.form_ |= kWide;
  return lowest;
}

constexpr int Quantity::Sign() const {
  if (nanos_ != 0) return nanos_ < 0 ? -1 : 1;
  if ((form_ & kWide) != 0) return 1;  // bit 63 of units_ is part of the magnitude
  return units_ == 0 ? 0 : units_ < 0 ? -1 : 1;
}

}  // namespace keelson::resource

namespace keelson {
using resource::Quantity;
}  // namespace keelson

template <>
struct std::hash<keelson::resource::Quantity> {
  // By value, as == is.
  size_t operator()(const keelson::resource::Quantity& quantity) const noexcept {
    return std::hash<int64_t>()(quantity.Value()) * 31 + std::hash<int64_t>()(quantity.MilliValue());
  }
};
