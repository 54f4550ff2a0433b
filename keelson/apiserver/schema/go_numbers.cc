#include "keelson/apiserver/schema/go_numbers.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>

#include "keelson/apiserver/cel/go_text.h"
#include "keelson/codec/json_writer.h"

namespace keelson::apiserver {

std::string GoFloat(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  char buffer[64];
  const char* end = std::to_chars(buffer, buffer + sizeof(buffer), value, std::chars_format::scientific).ptr;
  const std::string_view scientific(buffer, static_cast<size_t>(end - buffer));
  const size_t mark = scientific.find('e');
  int exponent = 0;
  const size_t digits = mark + (scientific[mark + 1] == '+' ? 2 : 1);
  std::from_chars(scientific.data() + digits, end, exponent);
  if (exponent < -4 || exponent >= 6) return std::string(scientific);
  end = std::to_chars(buffer, buffer + sizeof(buffer), value, std::chars_format::fixed).ptr;
  return std::string(buffer, static_cast<size_t>(end - buffer));
}

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

std::string GoShown(const Json& value) {
  if (value.is_string()) return cel::Quoted(value.string());
  if (value.is_double()) return GoFloat(value.number());
  return ToJson(value);
}

}  // namespace keelson::apiserver
