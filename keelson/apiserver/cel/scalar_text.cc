#include "keelson/apiserver/cel/scalar_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <limits>

namespace keelson::apiserver::cel {

namespace {

constexpr uint64_t kDurationLimit = uint64_t{1} << 63;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Digits of a positive finite number, without trailing zeros, and the exponent of the first.
struct Decimal {
  std::string digits;
  int exponent;
};

Decimal ShortestDigits(double value) {
  char buffer[40];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof(buffer), value, std::chars_format::scientific);
  const std::string_view text(buffer, static_cast<size_t>(end - buffer));
  const size_t e = text.find('e');
  Decimal result{.digits = {}, .exponent = 0};
  for (char c : text.substr(0, e)) {
    if (IsDigit(c)) result.digits.push_back(c);
  }
  const bool negative = text[e + 1] == '-';
  for (char c : text.substr(e + 2)) result.exponent = result.exponent * 10 + (c - '0');
  if (negative) result.exponent = -result.exponent;
  return result;
}

std::string Fixed(const Decimal& decimal) {
  const auto& [digits, exponent] = decimal;
  if (exponent < 0) return "0." + std::string(static_cast<size_t>(-exponent - 1), '0') + digits;
  const auto whole = static_cast<size_t>(exponent) + 1;
  if (digits.size() <= whole) return digits + std::string(whole - digits.size(), '0');
  return digits.substr(0, whole) + "." + digits.substr(whole);
}

std::optional<std::string> Special(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  if (value == 0) return std::signbit(value) ? "-0" : "0";
  return std::nullopt;
}

bool EqualsIgnoringCase(std::string_view text, std::string_view lower) {
  return std::ranges::equal(text, lower, [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a + 32 : a) == b; });
}

// The unit at the start of `text`, in nanoseconds; 0 when there is none that is known. Takes it away.
uint64_t TakeUnit(std::string_view& text) {
  size_t length = 0;
  while (length < text.size() && text[length] != '.' && !IsDigit(text[length])) ++length;
  const std::string_view unit = text.substr(0, length);
  text.remove_prefix(length);
  if (unit == "ns") return 1;
  if (unit == "us" || unit == "\xc2\xb5s" || unit == "\xce\xbcs") return 1'000;
  if (unit == "ms") return 1'000'000;
  if (unit == "s") return 1'000'000'000;
  if (unit == "m") return 60'000'000'000;
  if (unit == "h") return 3'600'000'000'000;
  return 0;
}

// Exactly `count` digits at the start; takes them away.
std::optional<int> TakeDigits(std::string_view& text, size_t count) {
  if (text.size() < count) return std::nullopt;
  int value = 0;
  for (size_t i = 0; i < count; ++i) {
    if (!IsDigit(text[i])) return std::nullopt;
    value = value * 10 + (text[i] - '0');
  }
  text.remove_prefix(count);
  return value;
}

bool Take(std::string_view& text, char c) {
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}

}  // namespace

std::string FormatDouble(double value) {
  if (const auto special = Special(value)) return *special;
  const std::string sign = value < 0 ? "-" : "";
  const Decimal decimal = ShortestDigits(std::abs(value));
  const int exponent = decimal.exponent;
  if (exponent >= -4 && exponent < 6) return sign + Fixed(decimal);
  std::string out = sign + decimal.digits.substr(0, 1);
  if (decimal.digits.size() > 1) out += "." + decimal.digits.substr(1);
  return out + fmt::format("e{}{:02}", exponent < 0 ? '-' : '+', std::abs(exponent));
}

std::string FormatDoubleFixed(double value) {
  if (const auto special = Special(value)) return *special;
  return (value < 0 ? "-" : "") + Fixed(ShortestDigits(std::abs(value)));
}

std::optional<int64_t> ParseInt(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && IsDigit(text[1])) text.remove_prefix(1);
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<uint64_t> ParseUint(std::string_view text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<double> ParseDouble(std::string_view text) {
  bool negative = false;
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) {
    negative = text[0] == '-';
    text.remove_prefix(1);
  }
  double value = 0;
  if (EqualsIgnoringCase(text, "inf") || EqualsIgnoringCase(text, "infinity")) {
    value = std::numeric_limits<double>::infinity();
  } else if (EqualsIgnoringCase(text, "nan")) {
    return std::numeric_limits<double>::quiet_NaN();
  } else {
    const bool hex = text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    if (hex && text.find_first_of("pP") == std::string_view::npos) return std::nullopt;
    if (hex) text.remove_prefix(2);
    if (text.empty() || (text[0] != '.' && !std::isxdigit(static_cast<unsigned char>(text[0])))) return std::nullopt;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value,
                                              hex ? std::chars_format::hex : std::chars_format::general);
    if (end != text.data() + text.size()) return std::nullopt;
    if (error == std::errc::result_out_of_range) {
      // Too small is zero, too large is an error.
      if (const size_t e = text.find_first_of("eEpP"); e == std::string_view::npos || text[e + 1] != '-') {
        return std::nullopt;
      }
      value = 0;
    } else if (error != std::errc()) {
      return std::nullopt;
    }
  }
  return negative ? -value : value;
}

std::optional<int64_t> ParseDuration(std::string_view text) {
  bool negative = false;
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    negative = text[0] == '-';
    text.remove_prefix(1);
  }
  if (text == "0") return 0;
  if (text.empty()) return std::nullopt;
  uint64_t total = 0;
  while (!text.empty()) {
    if (text[0] != '.' && !IsDigit(text[0])) return std::nullopt;
    uint64_t whole = 0;
    bool digits = false;
    while (!text.empty() && IsDigit(text[0])) {
      if (whole > kDurationLimit / 10) return std::nullopt;
      whole = whole * 10 + static_cast<uint64_t>(text[0] - '0');
      if (whole > kDurationLimit) return std::nullopt;
      digits = true;
      text.remove_prefix(1);
    }
    uint64_t fraction = 0;
    double scale = 1;
    if (Take(text, '.')) {
      bool full = false;
      while (!text.empty() && IsDigit(text[0])) {
        digits = true;
        if (!full && fraction > (kDurationLimit - 1) / 10) full = true;
        if (!full) {
          const uint64_t next = fraction * 10 + static_cast<uint64_t>(text[0] - '0');
          if (next > kDurationLimit) {
            full = true;
          } else {
            fraction = next;
            scale *= 10;
          }
        }
        text.remove_prefix(1);
      }
    }
    if (!digits) return std::nullopt;
    const uint64_t unit = TakeUnit(text);
    if (unit == 0 || whole > kDurationLimit / unit) return std::nullopt;
    whole *= unit;
    if (fraction > 0) {
      whole += static_cast<uint64_t>(static_cast<double>(fraction) * (static_cast<double>(unit) / scale));
      if (whole > kDurationLimit) return std::nullopt;
    }
    total += whole;
    if (total > kDurationLimit) return std::nullopt;
  }
  if (negative) return static_cast<int64_t>(~total + 1);
  if (total > kDurationLimit - 1) return std::nullopt;
  return static_cast<int64_t>(total);
}

std::string FormatSeconds(int64_t nanos) {
  // In the same order of operations as Go's Duration.Seconds, whose rounding it shows.
  const int64_t seconds = nanos / 1'000'000'000;
  const int64_t rest = nanos % 1'000'000'000;
  return FormatDoubleFixed(static_cast<double>(seconds) + static_cast<double>(rest) / 1e9) + "s";
}

std::optional<Timestamp> ParseTimestamp(std::string_view text) {
  const auto year = TakeDigits(text, 4);
  if (!year || !Take(text, '-')) return std::nullopt;
  const auto month = TakeDigits(text, 2);
  if (!month || !Take(text, '-')) return std::nullopt;
  const auto day = TakeDigits(text, 2);
  if (!day || !Take(text, 'T')) return std::nullopt;
  // Go's reader is content with one digit here.
  const auto hour = TakeDigits(text, text.size() > 1 && text[1] == ':' ? 1 : 2);
  if (!hour || !Take(text, ':')) return std::nullopt;
  const auto minute = TakeDigits(text, 2);
  if (!minute || !Take(text, ':')) return std::nullopt;
  const auto second = TakeDigits(text, 2);
  if (!second || *hour > 23 || *minute > 59 || *second > 59) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year), std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return std::nullopt;

  uint32_t nanos = 0;
  if (text.size() > 1 && (text[0] == '.' || text[0] == ',') && IsDigit(text[1])) {
    text.remove_prefix(1);
    uint32_t scale = 100'000'000;
    for (; !text.empty() && IsDigit(text[0]); text.remove_prefix(1), scale /= 10) {
      nanos += static_cast<uint32_t>(text[0] - '0') * scale;
    }
  }
  int offset = 0;
  if (!Take(text, 'Z')) {
    const bool west = Take(text, '-');
    if (!west && !Take(text, '+')) return std::nullopt;
    const auto hours = TakeDigits(text, 2);
    if (!hours || !Take(text, ':')) return std::nullopt;
    const auto minutes = TakeDigits(text, 2);
    if (!minutes || *hours > 24 || *minutes > 60) return std::nullopt;
    offset = (*hours * 60 + *minutes) * (west ? -1 : 1);
  }
  if (!text.empty()) return std::nullopt;
  const int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  const int64_t seconds = days * 86400 + *hour * 3600 + *minute * 60 + *second - offset * 60;
  return Timestamp{.seconds = seconds, .nanos = nanos, .offset_minutes = static_cast<int16_t>(offset)};
}

std::string FormatTimestamp(const Timestamp& timestamp) {
  const std::chrono::sys_seconds local(std::chrono::seconds(timestamp.seconds + timestamp.offset_minutes * 60));
  const auto days = std::chrono::floor<std::chrono::days>(local);
  const std::chrono::year_month_day date(days);
  const std::chrono::hh_mm_ss time(local - days);
  std::string out = fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", static_cast<int>(date.year()),
                                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                                time.hours().count(), time.minutes().count(), time.seconds().count());
  if (timestamp.nanos != 0) {
    std::string fraction = fmt::format(".{:09}", timestamp.nanos);
    fraction.erase(fraction.find_last_not_of('0') + 1);
    out += fraction;
  }
  if (timestamp.offset_minutes == 0) return out + "Z";
  const int offset = std::abs(int{timestamp.offset_minutes});
  return out + fmt::format("{}{:02}:{:02}", timestamp.offset_minutes < 0 ? '-' : '+', offset / 60, offset % 60);
}

}  // namespace keelson::apiserver::cel
