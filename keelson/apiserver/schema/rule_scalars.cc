#include "keelson/apiserver/schema/rule_scalars.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <optional>

#include "keelson/apiserver/cel/scalar_text.h"
#include "keelson/core/ascii.h"

namespace keelson::apiserver {

namespace {

using cel::Arena;
using cel::Value;

constexpr int64_t kMicrosecond = 1'000;
constexpr int64_t kMillisecond = 1'000 * kMicrosecond;
constexpr int64_t kSecond = 1'000 * kMillisecond;
constexpr int64_t kMinute = 60 * kSecond;
constexpr int64_t kHour = 60 * kMinute;
constexpr int64_t kDay = 24 * kHour;

// Words for a unit of time: any of the exact ones, or one that begins with the last.
struct TimeUnit {
  std::string_view symbol;
  std::string_view other_symbol;
  std::string_view beginning;
  int64_t nanoseconds;
};
constexpr std::array<TimeUnit, 8> kTimeUnits = {{
    {"ns", "ns", "nano", 1},
    {"us", "µs", "micro", kMicrosecond},
    {"ms", "ms", "milli", kMillisecond},
    {"s", "s", "sec", kSecond},
    {"m", "m", "min", kMinute},
    {"h", "hr", "hour", kHour},
    {"d", "d", "day", kDay},
    {"w", "wk", "week", 7 * kDay},
}};

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsBlank(char c) { return c == ' ' || (c >= '\t' && c <= '\r' && c != '\v'); }

// "3 days and 2 hours": every number that a word follows counts.
std::optional<int64_t> ReadWords(std::string_view text) {
  constexpr std::string_view kMicro = "µ";
  uint64_t sum = 0;
  bool found = false;
  for (size_t i = 0; i < text.size();) {
    if (!IsDigit(text[i])) {
      ++i;
      continue;
    }
    const size_t number_begin = i;
    while (i < text.size() && IsDigit(text[i])) ++i;
    const std::string_view digits = text.substr(number_begin, i - number_begin);
    size_t word_begin = i;
    while (word_begin < text.size() && IsBlank(text[word_begin])) ++word_begin;
    size_t word_end = word_begin;
    while (word_end < text.size()) {
      const char lower = AsciiLower(text[word_end]);
      if (lower >= 'a' && lower <= 'z') {
        ++word_end;
      } else if (text.substr(word_end, kMicro.size()) == kMicro) {
        word_end += kMicro.size();
      } else {
        break;
      }
    }
    if (word_end == word_begin) continue;
    int64_t factor = 0;
    if (std::from_chars(digits.data(), digits.data() + digits.size(), factor).ec != std::errc()) return std::nullopt;
    const std::string word = AsciiLower(text.substr(word_begin, word_end - word_begin));
    for (const TimeUnit& unit : kTimeUnits) {
      if (word != unit.symbol && word != unit.other_symbol && !word.starts_with(unit.beginning)) continue;
      found = true;
      sum += static_cast<uint64_t>(factor) * static_cast<uint64_t>(unit.nanoseconds);  // overflow wraps around
    }
    i = word_end;
  }
  if (!found) return std::nullopt;
  return static_cast<int64_t>(sum);
}

Value WrapDuration(std::string_view text, Arena& arena) {
  std::optional<int64_t> nanoseconds = cel::ParseDuration(text);
  if (!nanoseconds) nanoseconds = ReadWords(text);
  if (nanoseconds) return Value::OfDuration(*nanoseconds);
  return cel::MakeError(arena, fmt::format("Invalid duration {0}: unable to parse {0} as duration", text));
}

// Whether the text has the form of a date, if perhaps of a day that there is not, is known by then.
Value WrapDate(std::string_view text, Arena& arena) {
  const std::optional<cel::Timestamp> time = cel::ParseTimestamp(std::string(text) + "T00:00:00Z");
  if (time && text.size() == std::string_view("2006-01-02").size()) return Value::OfTimestamp(time->seconds, 0);
  return cel::MakeError(arena,
                        fmt::format("Invalid date formatted string {0}: parsing time \"{0}\": day out of range", text));
}

// RFC 3339, also without a zone; nothing is the beginning of 1970.
Value WrapDateTime(std::string_view text, Arena& arena) {
  if (text.empty()) return Value::OfTimestamp(0, 0);
  std::optional<cel::Timestamp> time = cel::ParseTimestamp(text);
  if (!time) time = cel::ParseTimestamp(std::string(text) + "Z");
  if (time) return Value::OfTimestamp(time->seconds, time->nanos, time->offset_minutes);
  return cel::MakeError(arena, fmt::format("Invalid date-time formatted string {0}: parsing time \"{0}\"", text));
}

int SextetOf(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (IsDigit(c)) return c - '0' + 52;
  return c == '-' ? 62 : c == '_' ? 63 : -1;
}

// Base64 in the alphabet for URLs, with padding; line breaks do not count.
Value WrapBytes(std::string_view text, Arena& arena) {
  const auto illegal = [&](size_t position) {
    return cel::MakeError(
        arena, fmt::format("Invalid byte formatted string {}: illegal base64 data at input byte {}", text, position));
  };
  std::string bytes;
  uint32_t group = 0;
  int digits = 0;
  int padding = 0;
  size_t group_begin = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n' || c == '\r') continue;
    if (c == '=' && digits + padding >= 2 && digits + padding < 4) {
      ++padding;
    } else if (padding > 0 || SextetOf(c) < 0) {
      return illegal(i);
    } else {
      group = group << 6 | static_cast<uint32_t>(SextetOf(c));
      ++digits;
    }
    if (digits + padding < 4) continue;
    group <<= 6 * padding;
    for (int shift = 16; shift >= 8 * padding; shift -= 8) bytes += static_cast<char>(group >> shift);
    if (padding > 0 && text.find_first_not_of("\r\n", i + 1) != std::string_view::npos) return illegal(i + 1);
    group = 0;
    digits = 0;
    group_begin = i + 1;
  }
  if (digits > 0) return illegal(group_begin);
  return Value::OfBytes(arena.Copy(bytes));
}

}  // namespace

Value WrapText(std::string_view format, std::string_view text, Arena& arena) {
  if (format.empty()) return Value::OfString(text);
  if (format == "date-time") return WrapDateTime(text, arena);
  if (format == "duration") return WrapDuration(text, arena);
  if (format == "date") return WrapDate(text, arena);
  if (format == "byte") return WrapBytes(text, arena);
  return Value::OfString(text);
}

}  // namespace keelson::apiserver
