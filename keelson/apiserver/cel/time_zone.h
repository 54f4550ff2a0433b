// Time zones by their IANA names, from the machine's own database.
//
//   KEELSON_TRY(zone, TimeZone::Load("Europe/Berlin"));
//   zone.OffsetAt(seconds_since_1970)      // 3600 or 7200
//
// Reads TZif files (RFC 8536). Machines without a database know UTC alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace keelson::apiserver::cel {

class TimeZone {
 public:
  // nullopt: there is none of that name, or its file cannot be read.
  static std::optional<TimeZone> Load(std::string_view name);
  // Of the bytes of a file.
  static std::optional<TimeZone> Parse(std::string_view file);

  // Seconds east of UTC at that time.
  int32_t OffsetAt(int64_t seconds) const;

 private:
  struct Transition {
    int64_t at;
    int32_t offset;
  };
  // A day of the year and a time of that day at which the clock changes.
  struct Change {
    enum class Form : uint8_t { kMonthWeekDay, kJulian, kZeroBased } form;
    int month;
    int week;
    int day;
    int32_t time;
  };
  // What holds behind the last transition: always one offset, or two that take turns.
  struct Rule {
    int32_t standard = 0;
    int32_t summer = 0;
    std::optional<Change> start = {};
    std::optional<Change> end = {};
  };
  class RuleReader;

  static int64_t SecondsInto(int year, const Change& change);

  int32_t first_offset_ = 0;
  std::vector<Transition> transitions_;
  std::optional<Rule> rule_;
};

}  // namespace keelson::apiserver::cel
