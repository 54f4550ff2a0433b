#include "keelson/apiserver/schema/go_numbers.h"

#include <cmath>
#include <limits>
#include <optional>

#include "keelson/apiserver/go_text.h"
#include "keelson/codec/json_writer.h"

namespace keelson::apiserver {

namespace {

// The value with its numbers so; nothing when they are already.
std::optional<Json> Normalized(const Json& value) {
  if (value.is_double()) {
    const double number = value.number();
    if (number != std::trunc(number) || std::abs(number) >= 9223372036854775808.0) return std::nullopt;
    return Json(static_cast<int64_t>(number));
  }
  bool changed = false;
  if (value.is_object()) {
    JsonObject copy = value.object();  // shared until it is written to
    for (const auto& [name, member] : value.object()) {
      std::optional<Json> normalized = Normalized(member);
      if (!normalized) continue;
      copy.Set(name, std::move(*normalized));
      changed = true;
    }
    if (changed) return Json(std::move(copy));
  } else if (value.is_list()) {
    JsonList copy = value.list();
    for (size_t i = 0; i < value.list().size(); ++i) {
      std::optional<Json> normalized = Normalized(value.list()[i]);
      if (!normalized) continue;
      copy[i] = std::move(*normalized);
      changed = true;
    }
    if (changed) return Json(std::move(copy));
  }
  return std::nullopt;
}

}  // namespace

int64_t GoTruncated(double value) {
  // The bounds are exact doubles.
  if (value >= -9223372036854775808.0 && value < 9223372036854775808.0) return static_cast<int64_t>(value);
  return std::numeric_limits<int64_t>::min();
}

bool IsJsonInteger(double value) {
  constexpr double kLargest = 9007199254740991.0;  // 2^53 - 1
  if (std::isnan(value) || value < -kLargest || value > kLargest) return false;
  if (value == std::trunc(value)) return true;
  // Upstream converts to an unsigned integer here, which on its machines leaves a small negative number's bits alone:
  // as a double that is near 2^64, and nothing is near that.
  if (value < 0) return false;
  const double whole = std::trunc(value);
  if (whole == 0) return false;
  return (value - whole) / (value + whole) < 1e-9;
}

void NormalizeNumbers(Json& value) {
  if (std::optional<Json> normalized = Normalized(value)) value = std::move(*normalized);
}

std::string GoShown(const Json& value) {
  if (value.is_string()) return Quoted(value.string());
  if (value.is_double()) return GoFloat(value.number());
  const std::optional<Json> normalized = Normalized(value);
  return ToJson(normalized ? *normalized : value);
}

}  // namespace keelson::apiserver
