// The number inside a Quantity, and how its text was spelled. Shared by quantity.cc and quantity_text.cc.
#pragma once

#include <cstdint>
#include <optional>

#include "keelson/api/quantity.h"

namespace keelson::resource::internal {

using Int128 = __int128;
using Uint128 = unsigned __int128;

inline constexpr int32_t kNanosPerUnit = 1'000'000'000;

// 10^n for n <= 38.
constexpr Uint128 PowerOfTen(int n) {
  Uint128 power = 1;
  while (n-- > 0) power *= 10;
  return power;
}

constexpr Uint128 Magnitude(Int128 value) {
  return value < 0 ? -static_cast<Uint128>(value) : static_cast<Uint128>(value);
}

// mantissa * 10^exponent
struct Decimal {
  Int128 mantissa = 0;
  int exponent = 0;

  static Decimal Of(const Quantity& quantity);

  // Nothing when Quantity has no room for it. The exponent is at least -9, or the mantissa is zero.
  std::optional<Quantity> ToQuantity(Format format) const;
  // Rounds away from zero to what Quantity has room for.
  Quantity ToNearestQuantity(Format format) const;
};

// Text that Kubernetes prints as it came although it isn't canonical. The digits and the suffix follow from the value;
// this is the rest.
struct Spelling {
  bool plus = false;              // "+5"
  unsigned leading_zeros = 0;     // "005", up to 3
  unsigned fraction = 0;          // 0: no point; 1: a bare point, "5."; n + 1: n digits after the point, n up to 18
  bool upper_e = false;           // "1E3"
  bool exponent_plus = false;     // "1e+3"
  bool exponent_minus = false;    // "1e-0"; that of a negative exponent follows from the value
  unsigned exponent_zeros = 0;    // "1e03", up to 1
  bool exponent_of_zero = false;  // "5e0"

  static Spelling Of(const Quantity& quantity);
  // Does nothing where the text is canonical or is beyond what can be remembered.
  void Remember(Quantity& quantity) const;

  friend bool operator==(const Spelling&, const Spelling&) = default;
};

}  // namespace keelson::resource::internal
