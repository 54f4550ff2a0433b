// Equality as JSON knows it: a number is its value, so 1 and 1.0 are equal.
#pragma once

#include "keelson/api/json.h"

namespace keelson {

// Like ==, but an integer equals the double of exactly that value.
bool NumericallyEqual(const Json& a, const Json& b);

}  // namespace keelson
