// Numbers as Go converts them, since upstream's messages and verdicts depend on it.
#pragma once

#include <cstdint>
#include <string>

#include "keelson/api/json.h"

namespace keelson::apiserver {

// int64(value): towards zero; what does not fit, and NaN, becomes the smallest integer.
int64_t GoTruncated(double value);

// A double that JSON's integers could be, with a little tolerance: go-openapi's notion of an integer.
bool IsJsonInteger(double value);

// Doubles without a fraction become integers, anywhere in the value: what Go writes for them, and reads as integers the
// next time. Checks come before this, since they tell 1.0 from 1.
void NormalizeNumbers(Json& value);

// A value as it stands in `Invalid value: …`: text is quoted, numbers and bools printed, anything else is JSON.
std::string GoShown(const Json& value);

}  // namespace keelson::apiserver
