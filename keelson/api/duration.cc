// Reading and printing metav1::Duration in Go's syntax.
#include <charconv>
#include <cstring>
#include <optional>

#include "keelson/api/internal/quote.h"
#include "keelson/api/time.h"

namespace keelson::metav1 {
namespace {

using internal::QuoteAscii;

constexpr uint64_t kMicrosecond = 1'000;
constexpr uint64_t kMillisecond = 1'000'000;
constexpr uint64_t kSecond = 1'000'000'000;
constexpr uint64_t kMinute = 60 * kSecond;
constexpr uint64_t kHour = 60 * kMinute;
constexpr uint64_t kLimit = uint64_t{1} << 63;  // the magnitude of the most negative duration

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

std::optional<uint64_t> UnitOf(std::string_view name) {
  if (name == "h") return kHour;
  if (name == "m") return kMinute;
  if (name == "s") return kSecond;
  if (name == "ms") return kMillisecond;
  // The micro sign and the Greek letter mu both serve.
  if (name == "us" || name == "\u00B5s" || name == "\u03BCs") return kMicrosecond;
  if (name == "ns") return 1;
  return std::nullopt;
}

// Digits off the front of `rest`; nothing when they exceed the limit.
std::optional<uint64_t> TakeWhole(std::string_view& rest) {
  uint64_t value = 0;
  while (!rest.empty() && IsDigit(rest[0])) {
    if (value > kLimit / 10) return std::nullopt;
    value = value * 10 + static_cast<uint64_t>(rest[0] - '0');
    if (value > kLimit) return std::nullopt;
    rest.remove_prefix(1);
  }
  return value;
}

struct Fraction {
  uint64_t digits = 0;
  double scale = 1;  // the value is digits / scale
};

// Digits off the front of `rest`; those that don't fit any more are without effect.
Fraction TakeFraction(std::string_view& rest) {
  Fraction fraction;
  bool full = false;
  for (; !rest.empty() && IsDigit(rest[0]); rest.remove_prefix(1)) {
    const uint64_t next = fraction.digits * 10 + static_cast<uint64_t>(rest[0] - '0');
    full = full || fraction.digits > (kLimit - 1) / 10 || next > kLimit;
    if (full) continue;
    fraction.digits = next;
    fraction.scale *= 10;
  }
  return fraction;
}

// "1.5h" and the like off the front of `rest`, in nanoseconds up to the limit. The message of a failure is without the
// text it is about.
Result<uint64_t> TakeTerm(std::string_view& rest) {
  const Error invalid = Error::InvalidArgument("invalid duration ");
  if (rest[0] != '.' && !IsDigit(rest[0])) return invalid;
  const size_t size_before = rest.size();
  const std::optional<uint64_t> whole = TakeWhole(rest);
  if (!whole) return invalid;
  bool any_digit = rest.size() != size_before;
  Fraction fraction;
  if (!rest.empty() && rest[0] == '.') {
    rest.remove_prefix(1);
    const size_t before_fraction = rest.size();
    fraction = TakeFraction(rest);
    any_digit = any_digit || rest.size() != before_fraction;
  }
  if (!any_digit) return invalid;

  size_t name_length = 0;
  while (name_length < rest.size() && rest[name_length] != '.' && !IsDigit(rest[name_length])) ++name_length;
  if (name_length == 0) return Error::InvalidArgument("missing unit in duration ");
  const std::string_view name = rest.substr(0, name_length);
  const std::optional<uint64_t> unit = UnitOf(name);
  if (!unit) return Error::InvalidArgument("unknown unit " + QuoteAscii(name) + " in duration ");
  rest.remove_prefix(name_length);

  if (*whole > kLimit / *unit) return invalid;
  uint64_t span = *whole * *unit;
  if (fraction.digits > 0) {
    // In floating point, so that a result agrees with Go's to the nanosecond. Less than a unit: no overflow of uint64.
    span += static_cast<uint64_t>(static_cast<double>(fraction.digits) * (static_cast<double>(*unit) / fraction.scale));
    if (span > kLimit) return invalid;
  }
  return span;
}

}  // namespace

Result<Duration> Duration::Parse(std::string_view text) {
  if (text.size() > kMaxInputLength) {
    return Error::InvalidArgument("time: duration is longer than " + std::to_string(kMaxInputLength) + " bytes");
  }
  const auto fail = [text](std::string_view what) {
    return Error::InvalidArgument("time: " + std::string(what) + QuoteAscii(text));
  };
  std::string_view rest = text;
  const bool negative = rest.starts_with('-');
  if (negative || rest.starts_with('+')) rest.remove_prefix(1);
  if (rest == "0") return Duration();
  if (rest.empty()) return fail("invalid duration ");
  uint64_t total = 0;
  while (!rest.empty()) {
    const Result<uint64_t> term = TakeTerm(rest);
    if (!term) return fail(term.error().message());
    total += *term;  // two magnitudes up to 2^63: no wrap but to zero
    if (total > kLimit || total < *term) return fail("invalid duration ");
  }
  if (!negative && total == kLimit) return fail("invalid duration ");
  Duration span;
  span.nanoseconds_ = static_cast<int64_t>(negative ? -total : total);
  return span;
}

size_t Duration::Print(char* buffer) const {
  // Written from the end: the seconds with what is below the point, then minutes and hours where there are any.
  char text[kMaxTextLength];
  char* const end = text + sizeof(text);
  char* at = end;
  const auto put_number = [&at](uint64_t value) {
    do *--at = static_cast<char>('0' + value % 10);
    while ((value /= 10) != 0);
  };
  // value / 10^digits, the zeros at the end of the fraction left out.
  const auto put_fraction = [&](uint64_t value, int digits) {
    bool printing = false;
    for (; digits > 0; --digits, value /= 10) {
      printing = printing || value % 10 != 0;
      if (printing) *--at = static_cast<char>('0' + value % 10);
    }
    if (printing) *--at = '.';
    return value;
  };

  uint64_t rest = nanoseconds_ < 0 ? -static_cast<uint64_t>(nanoseconds_) : static_cast<uint64_t>(nanoseconds_);
  *--at = 's';
  if (rest == 0) {
    *--at = '0';
  } else if (rest < kSecond) {
    if (rest < kMicrosecond) {
      *--at = 'n';
      put_number(rest);
    } else if (rest < kMillisecond) {
      at -= 2;
      std::memcpy(at, "\u00B5", 2);
      put_number(put_fraction(rest, 3));
    } else {
      *--at = 'm';
      put_number(put_fraction(rest, 6));
    }
  } else {
    rest = put_fraction(rest, 9);
    put_number(rest % 60);
    rest /= 60;
    if (rest > 0) {
      *--at = 'm';
      put_number(rest % 60);
      rest /= 60;
      if (rest > 0) {
        *--at = 'h';
        put_number(rest);
      }
    }
  }
  if (nanoseconds_ < 0) *--at = '-';
  const auto length = static_cast<size_t>(end - at);
  std::memcpy(buffer, at, length);
  return length;
}

}  // namespace keelson::metav1
