// The values of flags, and what to say about a flag that nobody knows.
#pragma once

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "keelson/core/result.h"
#include "keelson/core/time.h"

namespace keelson::internal {

// As Go's strconv reads them: 1, t, true, …
Result<bool> ParseBool(std::string_view text);
// "1m30s"
Result<Duration> ParseSpan(std::string_view text);

template <class T>
Result<T> ParseNumber(std::string_view text, T least) {
  T number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  bool good = error == std::errc() && end == text.data() + text.size() && number >= least;
  if constexpr (std::is_floating_point_v<T>) good = good && std::isfinite(number);
  if (!good) return Error::InvalidArgument(fmt::format("expected a number that is not below {}", least));
  return number;
}

// One argument of a command line, taken apart.
struct FlagArgument {
  bool is_flag = false;           // it begins with one dash or two, and there is more
  std::string_view written = {};  // with the dashes
  std::string_view name = {};
  bool has_value = false;  // behind "="
  std::string_view value = {};
};
FlagArgument ReadFlagArgument(std::string_view argument);

// Names the known one that is closest, where any is. The names of logging's flags need not be given.
Error UnknownFlag(const FlagArgument& argument, std::vector<std::string> known);

// A line of --help.
std::string FlagUsage(std::string_view name, std::string_view value, std::string_view help, std::string_view shown);

}  // namespace keelson::internal
