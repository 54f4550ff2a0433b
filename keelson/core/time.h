// The types of time that the seam speaks: spans, steady instants, calendar instants.
//
//   TimePoint deadline = Clock::Now() + 30s;   // see clock.h
#pragma once

#include <chrono>
#include <string>

namespace keelson {

using Duration = std::chrono::nanoseconds;

// An instant of the steady clock: for deadlines and measuring. Never goes back, means nothing outside the process.
using TimePoint = std::chrono::time_point<std::chrono::steady_clock, Duration>;

// An instant of the calendar: for timestamps in objects and logs. May jump when the machine's clock is set.
using WallTime = std::chrono::time_point<std::chrono::system_clock, Duration>;

// Identifies a clock's time points that go on counting while the machine is suspended; read by Clock::BootNow().
struct BootClock {
  using duration = Duration;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<BootClock, Duration>;
  static constexpr bool is_steady = true;
};
using BootTime = BootClock::time_point;

// `from + span`, held at the last representable instant instead of overflowing: "for ever" is Duration::max().
constexpr TimePoint SaturatingAdd(TimePoint from, Duration span) {
  if (span > Duration::zero() && from > TimePoint::max() - span) return TimePoint::max();
  return from + span;
}

// As Go prints a duration: "1h0m0.5s", "1.5ms", "0s".
std::string FormatDuration(Duration span);

// RFC 3339 in UTC with as many digits of the second as it takes: "2025-01-01T00:00:00.25Z".
std::string FormatTime(WallTime time);

}  // namespace keelson
