#include "keelson/core/time.h"

#include <fmt/format.h>

#include <cstdint>

namespace keelson {

namespace {

// ".25" for 250,000,000 of 1,000,000,000; empty for a whole number.
std::string Fraction(uint64_t part, int digits) {
  if (part == 0) return "";
  std::string text = fmt::format(".{:0{}}", part, digits);
  text.erase(text.find_last_not_of('0') + 1);
  return text;
}

}  // namespace

std::string FormatDuration(Duration span) {
  const bool negative = span.count() < 0;
  // Unsigned negation, since the least duration has no positive counterpart.
  const uint64_t ns = negative ? 0 - static_cast<uint64_t>(span.count()) : static_cast<uint64_t>(span.count());
  const char* sign = negative ? "-" : "";
  if (ns == 0) return "0s";
  if (ns < 1'000) return fmt::format("{}{}ns", sign, ns);
  if (ns < 1'000'000) return fmt::format("{}{}{}µs", sign, ns / 1'000, Fraction(ns % 1'000, 3));
  if (ns < 1'000'000'000) return fmt::format("{}{}{}ms", sign, ns / 1'000'000, Fraction(ns % 1'000'000, 6));
  const uint64_t seconds = ns / 1'000'000'000;
  const std::string rest = fmt::format("{}{}s", seconds % 60, Fraction(ns % 1'000'000'000, 9));
  if (seconds < 60) return sign + rest;
  if (seconds < 3600) return fmt::format("{}{}m{}", sign, seconds / 60, rest);
  return fmt::format("{}{}h{}m{}", sign, seconds / 3600, seconds / 60 % 60, rest);
}

std::string FormatTime(WallTime time) {
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(time - day);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}{}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), clock.hours().count(),
                     clock.minutes().count(), clock.seconds().count(),
                     Fraction(static_cast<uint64_t>(clock.subseconds().count()), 9));
}

}  // namespace keelson
