#include <fmt/format.h>

#include <chrono>

#include "keelson/apiserver/tables/printers.h"

namespace keelson::apiserver {

std::string HumanDuration(Duration duration) {
  const int64_t seconds = std::chrono::duration_cast<std::chrono::seconds>(duration).count();
  // Clocks that differ by a second or two are taken for equal.
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 120) return fmt::format("{}s", seconds);
  // Two units while the smaller one still matters, and the smaller one only when it is not zero.
  const auto two = [](int64_t large, char large_unit, int64_t small, char small_unit) {
    return small == 0 ? fmt::format("{}{}", large, large_unit)
                      : fmt::format("{}{}{}{}", large, large_unit, small, small_unit);
  };
  const int64_t minutes = seconds / 60;
  if (minutes < 10) return two(minutes, 'm', seconds % 60, 's');
  if (minutes < 3 * 60) return fmt::format("{}m", minutes);
  const int64_t hours = minutes / 60;
  if (hours < 8) return two(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return fmt::format("{}h", hours);
  const int64_t days = hours / 24;
  if (days < 8) return two(days, 'd', hours % 24, 'h');
  const int64_t years = days / 365;
  if (years < 2) return fmt::format("{}d", days);
  if (years < 8) return two(years, 'y', days % 365, 'd');
  return fmt::format("{}y", years);
}

std::string Age(const metav1::Time& time, WallTime now) {
  return time.IsZero() ? "<unknown>" : HumanDuration(now - time.ToTimePoint());
}

std::string Age(const metav1::MicroTime& time, WallTime now) {
  return time.IsZero() ? "<unknown>" : HumanDuration(now - time.ToTimePoint());
}

}  // namespace keelson::apiserver
