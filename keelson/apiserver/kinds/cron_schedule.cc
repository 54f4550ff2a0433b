#include "keelson/apiserver/kinds/cron_schedule.h"

#include <fmt/format.h>

#include <charconv>
#include <span>
#include <vector>

#include "keelson/api/values.h"
#include "keelson/apiserver/kinds/checks_common.h"
#include "keelson/core/ascii.h"

namespace keelson::apiserver {

namespace {

constexpr std::string_view kMonths[] = {"jan", "feb", "mar", "apr", "may", "jun",
                                        "jul", "aug", "sep", "oct", "nov", "dec"};
constexpr std::string_view kDays[] = {"sun", "mon", "tue", "wed", "thu", "fri", "sat"};

struct Bounds {
  int low;
  int high;
  std::span<const std::string_view> names;  // of `low` and the numbers behind it
};

constexpr Bounds kFields[] = {{0, 59, {}}, {0, 23, {}}, {1, 31, {}}, {1, 12, kMonths}, {0, 6, kDays}};

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::vector<std::string_view> Words(std::string_view text) {
  std::vector<std::string_view> words;
  for (const std::string_view word : Split(text, ' ')) {
    if (!word.empty()) words.push_back(word);
  }
  return words;
}

std::string ReadNumber(std::string_view text, int& number) {
  std::string_view digits = text;
  if (digits.starts_with('+')) digits.remove_prefix(1);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error == std::errc::result_out_of_range) {
    return fmt::format("failed to parse int from {}: strconv.Atoi: parsing \"{}\": value out of range", text, text);
  }
  if (error != std::errc() || end != digits.data() + digits.size()) {
    return fmt::format("failed to parse int from {}: strconv.Atoi: parsing \"{}\": invalid syntax", text, text);
  }
  if (number < 0) return fmt::format("negative number ({}) not allowed: {}", number, text);
  return {};
}

std::string ReadNumberOrName(std::string_view text, const Bounds& bounds, int& number) {
  const std::string lower = AsciiLower(text);
  for (size_t i = 0; i < bounds.names.size(); ++i) {
    if (bounds.names[i] != lower) continue;
    number = bounds.low + static_cast<int>(i);
    return {};
  }
  return ReadNumber(text, number);
}

// "5", "1-5", "*/10", "1-30/2"
std::string CheckRange(std::string_view text, const Bounds& bounds) {
  const std::vector<std::string_view> range_and_step = Split(text, '/');
  const std::vector<std::string_view> low_and_high = Split(range_and_step[0], '-');
  int start = bounds.low;
  int end = bounds.high;
  if (low_and_high[0] != "*" && low_and_high[0] != "?") {
    if (std::string why = ReadNumberOrName(low_and_high[0], bounds, start); !why.empty()) return why;
    if (low_and_high.size() == 1) {
      end = start;
    } else if (low_and_high.size() == 2) {
      if (std::string why = ReadNumberOrName(low_and_high[1], bounds, end); !why.empty()) return why;
    } else {
      return fmt::format("too many hyphens: {}", text);
    }
  }
  int step = 1;
  if (range_and_step.size() == 2) {
    if (std::string why = ReadNumber(range_and_step[1], step); !why.empty()) return why;
    if (low_and_high.size() == 1) end = bounds.high;
  } else if (range_and_step.size() > 2) {
    return fmt::format("too many slashes: {}", text);
  }
  if (start < bounds.low) return fmt::format("beginning of range ({}) below minimum ({}): {}", start, bounds.low, text);
  if (end > bounds.high) return fmt::format("end of range ({}) above maximum ({}): {}", end, bounds.high, text);
  if (start > end) return fmt::format("beginning of range ({}) beyond end of range ({}): {}", start, end, text);
  if (step == 0) return fmt::format("step of range should be a positive number: {}", text);
  return {};
}

std::string CheckDescriptor(std::string_view text) {
  if (IsOneOf(text, {"@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"})) return {};
  constexpr std::string_view kEvery = "@every ";
  if (!text.starts_with(kEvery)) return fmt::format("unrecognized descriptor: {}", text);
  const std::string_view duration = text.substr(kEvery.size());
  if (metav1::Duration::Parse(duration)) return {};
  return fmt::format("failed to parse duration {}: time: invalid duration \"{}\"", text, duration);
}

}  // namespace

std::string WhyNoSchedule(std::string_view schedule) {
  if (schedule.empty()) return "empty spec string";
  if (schedule.starts_with("TZ=") || schedule.starts_with("CRON_TZ=")) {
    const size_t space = schedule.find(' ');
    if (space == std::string_view::npos) {
      return "invalid schedule format: runtime error: slice bounds out of range [:-1]";
    }
    schedule.remove_prefix(space);
    while (schedule.starts_with(' ')) schedule.remove_prefix(1);
  }
  if (schedule.starts_with('@')) return CheckDescriptor(schedule);
  const std::vector<std::string_view> fields = Words(schedule);
  if (fields.size() != std::size(kFields)) {
    return fmt::format("expected exactly 5 fields, found {}: [{}]", fields.size(), fmt::join(fields, " "));
  }
  for (size_t i = 0; i < fields.size(); ++i) {
    for (const std::string_view part : Split(fields[i], ',')) {
      if (part.empty()) continue;
      if (std::string why = CheckRange(part, kFields[i]); !why.empty()) return why;
    }
  }
  return {};
}

}  // namespace keelson::apiserver
