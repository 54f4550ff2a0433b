#include "keelson/codec/json_equal.h"

namespace keelson {

namespace {

// Compares as integers: a large integer has no double of its own, and a rounded one would equal its neighbours.
bool SameNumber(int64_t integer, double number) {
  constexpr double kLimit = 9223372036854775808.0;  // 2^63
  return number >= -kLimit && number < kLimit && static_cast<int64_t>(number) == integer &&
         static_cast<double>(static_cast<int64_t>(number)) == number;
}

bool SameList(const JsonList& a, const JsonList& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (!NumericallyEqual(a[i], b[i])) return false;
  }
  return true;
}

bool SameObject(const JsonObject& a, const JsonObject& b) {
  if (a.size() != b.size()) return false;
  auto other = b.begin();  // both are in key order
  for (const auto& [key, value] : a) {
    const auto [other_key, other_value] = *other;
    if (key != other_key || !NumericallyEqual(value, other_value)) return false;
    ++other;
  }
  return true;
}

}  // namespace

bool NumericallyEqual(const Json& a, const Json& b) {
  if (a.is_int() && b.is_double()) return SameNumber(a.integer(), b.number());
  if (a.is_double() && b.is_int()) return SameNumber(b.integer(), a.number());
  if (a.is_list() && b.is_list()) return SameList(a.list(), b.list());
  if (a.is_object() && b.is_object()) return SameObject(a.object(), b.object());
  return a == b;
}

}  // namespace keelson
