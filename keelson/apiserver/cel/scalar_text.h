// Numbers, durations and timestamps as text, read and written as Go's library does: what CEL's conversions are defined
// by.
//
//   FormatDouble(1e6) == "1e+06";  ParseDuration("1h30m") == 5'400'000'000'000;
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace keelson::apiserver::cel {

// As %g prints it: the shortest digits that read back the same, with an exponent below 1e-4 and from 1e6 on.
std::string FormatDouble(double value);
// The same without an exponent: "1000000", "0.00001".
std::string FormatDoubleFixed(double value);

std::optional<int64_t> ParseInt(std::string_view text);
std::optional<uint64_t> ParseUint(std::string_view text);
std::optional<double> ParseDouble(std::string_view text);

// "1h2m3.5s", "-1.5ms", "0": in nanoseconds.
std::optional<int64_t> ParseDuration(std::string_view text);
// As seconds: "90s", "0.25s".
std::string FormatSeconds(int64_t nanos);

struct Timestamp {
  int64_t seconds = 0;  // since 1970
  uint32_t nanos = 0;
  int16_t offset_minutes = 0;
};
// The years 1 to 9999.
inline constexpr int64_t kMinTimestamp = -62135596800;
inline constexpr int64_t kMaxTimestamp = 253402300799;

// RFC 3339; the year may be 0000, which is below kMinTimestamp.
std::optional<Timestamp> ParseTimestamp(std::string_view text);
std::string FormatTimestamp(const Timestamp& timestamp);

}  // namespace keelson::apiserver::cel
