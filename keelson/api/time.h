// Points in time and spans of time as API objects hold them: Time, MicroTime, Duration.
//
//   pod.metadata.creationTimestamp = metav1::Time::FromUnix(1700000000);
//   Result<metav1::Time> at = metav1::Time::Parse("2006-01-02T15:04:05+01:00");
//   lease.spec.renewTime = metav1::MicroTime(clock.Now());            // from std::chrono::system_clock::time_point
//   metav1::Duration interval = std::chrono::seconds(90);             // prints "1m30s"
//
// Each is eight bytes and trivially copyable; all-zero bytes are the default value, which for the first two is Go's
// zero time, 0001-01-01T00:00:00Z, and means "not set" (null in JSON). Conversions that would leave the range of int64
// give the nearest value. Thread-safe as any value is.
#pragma once

#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "keelson/core/result.h"

namespace keelson::internal {

// From 0001-01-01T00:00:00Z to 1970-01-01T00:00:00Z.
inline constexpr int64_t kUnixEpochSeconds = 62'135'596'800;

constexpr int64_t SaturatingAdd(int64_t a, int64_t b) {
  int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? (b < 0 ? INT64_MIN : INT64_MAX) : sum;
}
constexpr int64_t SaturatingMultiply(int64_t a, int64_t b) {
  int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? ((a < 0) != (b < 0) ? INT64_MIN : INT64_MAX) : product;
}
constexpr int64_t FloorDivide(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

// A span in another unit, such as std::micro: rounded down, the nearest int64 when out of range.
template <class Unit, class Rep, class Period>
  requires std::is_integral_v<Rep>
constexpr int64_t CountOf(std::chrono::duration<Rep, Period> span) {
  using Factor = std::ratio_divide<Period, Unit>;
  const int64_t count = std::cmp_greater(span.count(), INT64_MAX) ? INT64_MAX : static_cast<int64_t>(span.count());
  return FloorDivide(SaturatingMultiply(count, Factor::num), Factor::den);
}

}  // namespace keelson::internal

namespace keelson::metav1 {

// A point in time, to the second.
class Time {
 public:
  // Room that Print needs at most; years 0000 to 9999 take 20.
  static constexpr size_t kMaxTextLength = 40;

  constexpr Time() = default;
  // Fractions of a second are cut off, towards the past.
  template <class Unit>
  constexpr explicit Time(std::chrono::sys_time<Unit> time)
      : Time(FromUnix(internal::CountOf<std::ratio<1>>(time.time_since_epoch()))) {}
  static constexpr Time FromUnix(int64_t seconds) {
    Time time;
    time.seconds_ = internal::SaturatingAdd(seconds, internal::kUnixEpochSeconds);
    return time;
  }

  // RFC 3339, as leniently as Go reads it: any offset, a fraction of a second (cut off) behind a point or comma, an
  // hour of one digit.
  static Result<Time> Parse(std::string_view text);

  constexpr bool IsZero() const { return seconds_ == 0; }
  constexpr int64_t unix_seconds() const { return internal::SaturatingAdd(seconds_, -internal::kUnixEpochSeconds); }
  constexpr std::chrono::sys_seconds ToSysSeconds() const {
    return std::chrono::sys_seconds(std::chrono::seconds(unix_seconds()));
  }
  // The nearest point that the system clock can hold: with nanoseconds, years 1677 to 2262.
  std::chrono::system_clock::time_point ToTimePoint() const;

  // "2006-01-02T15:04:05Z", in UTC.
  std::string ToString() const;
  void AppendTo(std::string& out) const;
  // Writes ToString() to `buffer`, which has room for kMaxTextLength, without allocating; returns the length.
  size_t Print(char* buffer) const;

  friend constexpr auto operator<=>(const Time&, const Time&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Time& time) { return out << time.ToString(); }

 private:
  int64_t seconds_ = 0;  // since 0001-01-01T00:00:00Z
};

// A point in time, to the microsecond.
class MicroTime {
 public:
  static constexpr size_t kMaxTextLength = 40;  // years 0000 to 9999 take 27

  constexpr MicroTime() = default;
  template <class Unit>
  constexpr explicit MicroTime(std::chrono::sys_time<Unit> time)
      : MicroTime(FromUnixMicros(internal::CountOf<std::micro>(time.time_since_epoch()))) {}
  constexpr explicit MicroTime(Time time)
      : MicroTime(FromUnixMicros(internal::SaturatingMultiply(time.unix_seconds(), 1'000'000))) {}
  static constexpr MicroTime FromUnixMicros(int64_t microseconds) {
    MicroTime time;
    time.microseconds_ = internal::SaturatingAdd(microseconds, internal::kUnixEpochSeconds * 1'000'000);
    return time;
  }

  // RFC 3339 with exactly six digits of fraction, which is all that Go reads here.
  static Result<MicroTime> Parse(std::string_view text);

  constexpr bool IsZero() const { return microseconds_ == 0; }
  constexpr int64_t unix_microseconds() const {
    return internal::SaturatingAdd(microseconds_, -internal::kUnixEpochSeconds * 1'000'000);
  }
  constexpr std::chrono::sys_time<std::chrono::microseconds> ToSysMicroseconds() const {
    return std::chrono::sys_time<std::chrono::microseconds>(std::chrono::microseconds(unix_microseconds()));
  }
  std::chrono::system_clock::time_point ToTimePoint() const;
  // The second it lies in.
  constexpr Time ToTime() const { return Time::FromUnix(internal::FloorDivide(unix_microseconds(), 1'000'000)); }

  // "2006-01-02T15:04:05.000000Z", in UTC.
  std::string ToString() const;
  void AppendTo(std::string& out) const;
  size_t Print(char* buffer) const;  // as Time::Print

  friend constexpr auto operator<=>(const MicroTime&, const MicroTime&) = default;
  friend std::ostream& operator<<(std::ostream& out, const MicroTime& time) { return out << time.ToString(); }

 private:
  int64_t microseconds_ = 0;  // since 0001-01-01T00:00:00Z
};

// A span of time, to the nanosecond.
class Duration {
 public:
  static constexpr size_t kMaxTextLength = 40;
  static constexpr size_t kMaxInputLength = 1024;

  constexpr Duration() = default;
  // From any duration of whole numbers; parts of a nanosecond are rounded down.
  template <class Rep, class Period>
    requires std::is_integral_v<Rep>
  constexpr Duration(std::chrono::duration<Rep, Period> span) : nanoseconds_(internal::CountOf<std::nano>(span)) {}

  // "1h30m", "1.5s", "-100ms", "1µs", "0".
  static Result<Duration> Parse(std::string_view text);

  constexpr int64_t nanoseconds() const { return nanoseconds_; }
  constexpr std::chrono::nanoseconds ToChrono() const { return std::chrono::nanoseconds(nanoseconds_); }
  constexpr operator std::chrono::nanoseconds() const { return ToChrono(); }
  constexpr bool IsZero() const { return nanoseconds_ == 0; }

  // As Go prints it: "1h30m0s", "1.5s", "100ms", "1µs", "0s".
  std::string ToString() const;
  void AppendTo(std::string& out) const;
  size_t Print(char* buffer) const;  // as Time::Print

  friend constexpr auto operator<=>(const Duration&, const Duration&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Duration& span) { return out << span.ToString(); }

 private:
  int64_t nanoseconds_ = 0;
};

}  // namespace keelson::metav1

template <>
struct std::hash<keelson::metav1::Time> {
  size_t operator()(keelson::metav1::Time time) const noexcept { return std::hash<int64_t>()(time.unix_seconds()); }
};
template <>
struct std::hash<keelson::metav1::MicroTime> {
  size_t operator()(keelson::metav1::MicroTime time) const noexcept {
    return std::hash<int64_t>()(time.unix_microseconds());
  }
};
template <>
struct std::hash<keelson::metav1::Duration> {
  size_t operator()(keelson::metav1::Duration span) const noexcept { return std::hash<int64_t>()(span.nanoseconds()); }
};
