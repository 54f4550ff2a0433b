#include "keelson/api/int_or_string.h"

#include <charconv>

namespace keelson {

Result<int32_t> IntOrString::Scaled(int32_t total, bool round_up) const {
  if (!is_string()) return number_;
  const std::string_view text = text_.view();
  int32_t percent = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), percent);
  if (parsed.ec != std::errc() || parsed.ptr + 1 != text.data() + text.size() || *parsed.ptr != '%') {
    return Error::InvalidArgument("\"" + std::string(text) + "\" is neither a number nor a percentage such as \"25%\"");
  }
  const int64_t hundredths = int64_t{percent} * total;
  int64_t whole = hundredths / 100;
  if (round_up && hundredths % 100 > 0) ++whole;
  if (!round_up && hundredths % 100 < 0) --whole;
  return static_cast<int32_t>(whole);
}

}  // namespace keelson
