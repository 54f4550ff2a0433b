// What timestamps and durations can be asked for: getFullYear(), getHours("Europe/Berlin") …
#include <fmt/format.h>

#include <chrono>
#include <string>

#include "keelson/apiserver/cel/scalar_text.h"
#include "keelson/apiserver/cel/standard.h"
#include "keelson/apiserver/cel/time_zone.h"
#include "keelson/apiserver/go_text.h"

namespace keelson::apiserver::cel {

namespace {

using Args = std::span<const Value>;

enum class Part : uint8_t {
  kFullYear,
  kMonth,
  kDayOfYear,
  kDayOfMonth,
  kDate,
  kDayOfWeek,
  kHours,
  kMinutes,
  kSeconds,
  kMilliseconds,
};

Value PartOf(Part part, int64_t local_seconds, uint32_t nanos) {
  const std::chrono::sys_seconds local{std::chrono::seconds(local_seconds)};
  const auto day = std::chrono::floor<std::chrono::days>(local);
  const int64_t second = (local - day).count();
  switch (part) {
    case Part::kHours: return Value::OfInt(second / 3600);
    case Part::kMinutes: return Value::OfInt(second / 60 % 60);
    case Part::kSeconds: return Value::OfInt(second % 60);
    case Part::kMilliseconds: return Value::OfInt(nanos / 1'000'000);
    case Part::kDayOfWeek: return Value::OfInt(std::chrono::weekday(day).c_encoding());
    default: break;
  }
  const std::chrono::year_month_day date(day);
  switch (part) {
    case Part::kFullYear: return Value::OfInt(static_cast<int>(date.year()));
    case Part::kMonth: return Value::OfInt(static_cast<unsigned>(date.month()) - 1);
    case Part::kDayOfMonth: return Value::OfInt(static_cast<unsigned>(date.day()) - 1);
    case Part::kDate: return Value::OfInt(static_cast<unsigned>(date.day()));
    default: return Value::OfInt((day - std::chrono::sys_days(date.year() / std::chrono::January / 1)).count());
  }
}

Value NotANumber(EvalContext& context, std::string_view text) {
  return context.Error(fmt::format("strconv.Atoi: parsing {}: invalid syntax", Quoted(text)));
}

// Seconds east of UTC, as an int; or an error.
Value OffsetOf(EvalContext& context, std::string_view zone, int64_t seconds) {
  const size_t colon = zone.find(':');
  if (colon != std::string_view::npos) {
    const std::string_view hour_text = zone.substr(0, colon);
    const std::string_view minute_text = zone.substr(colon + 1);
    const auto hours = ParseInt(hour_text);
    if (!hours) return NotANumber(context, hour_text);
    const auto minutes = ParseInt(minute_text);
    if (!minutes) return NotANumber(context, minute_text);
    // Far more than any zone has, far less than would overflow.
    constexpr int64_t kMost = 1'000'000'000;
    if (std::abs(*hours) > kMost || std::abs(*minutes) > kMost) return NotANumber(context, hour_text);
    const int64_t offset = *hours * 60 + (zone[0] == '-' ? -*minutes : *minutes);
    return Value::OfInt(offset * 60);
  }
  const TimeZone* found = context.Zone(zone);
  if (found != nullptr) return Value::OfInt(found->OffsetAt(seconds));
  if (zone.find("..") != std::string_view::npos || zone.starts_with('/') || zone.starts_with('\\')) {
    return Value::OfError("time: invalid location name");
  }
  return context.Error(fmt::format("unknown time zone {}", zone));
}

template <Part part>
Value OfTimestamp(EvalContext&, Args args) {
  return PartOf(part, args[0].seconds(), args[0].nanos());
}

template <Part part>
Value OfTimestampIn(EvalContext& context, Args args) {
  const Value offset = OffsetOf(context, args[1].text(), args[0].seconds());
  if (offset.is_error()) return offset;
  return PartOf(part, args[0].seconds() + offset.integer(), args[0].nanos());
}

template <int64_t unit>
Value OfDuration(EvalContext&, Args args) {
  return Value::OfInt(args[0].duration() / unit);
}

template <Part part>
void AddPart(FunctionTable& table, std::string_view name, std::string id, std::string id_with_zone = {}) {
  if (id_with_zone.empty()) id_with_zone = id + "_with_tz";
  table.Add(name, {.id = std::move(id),
                   .member = true,
                   .parameters = {Type::Timestamp()},
                   .result = Type::Int(),
                   .implementation = &OfTimestamp<part>});
  table.Add(name, {.id = std::move(id_with_zone),
                   .member = true,
                   .parameters = {Type::Timestamp(), Type::String()},
                   .result = Type::Int(),
                   .implementation = &OfTimestampIn<part>});
}

template <int64_t unit>
void AddDurationPart(FunctionTable& table, std::string_view name, std::string id) {
  table.Add(name, {.id = std::move(id),
                   .member = true,
                   .parameters = {Type::Duration()},
                   .result = Type::Int(),
                   .implementation = &OfDuration<unit>});
}

}  // namespace

void AddTimeFunctions(FunctionTable& table) {
  AddPart<Part::kFullYear>(table, "getFullYear", "timestamp_to_year");
  AddPart<Part::kMonth>(table, "getMonth", "timestamp_to_month");
  AddPart<Part::kDayOfYear>(table, "getDayOfYear", "timestamp_to_day_of_year");
  AddPart<Part::kDayOfMonth>(table, "getDayOfMonth", "timestamp_to_day_of_month");
  AddPart<Part::kDate>(table, "getDate", "timestamp_to_day_of_month_1_based");
  AddPart<Part::kDayOfWeek>(table, "getDayOfWeek", "timestamp_to_day_of_week");
  AddPart<Part::kHours>(table, "getHours", "timestamp_to_hours");
  AddDurationPart<3'600'000'000'000>(table, "getHours", "duration_to_hours");
  AddPart<Part::kMinutes>(table, "getMinutes", "timestamp_to_minutes");
  AddDurationPart<60'000'000'000>(table, "getMinutes", "duration_to_minutes");
  AddPart<Part::kSeconds>(table, "getSeconds", "timestamp_to_seconds", "timestamp_to_seconds_tz");
  AddDurationPart<1'000'000'000>(table, "getSeconds", "duration_to_seconds");
  AddPart<Part::kMilliseconds>(table, "getMilliseconds", "timestamp_to_milliseconds");
  AddDurationPart<1'000'000>(table, "getMilliseconds", "duration_to_milliseconds");
}

}  // namespace keelson::apiserver::cel
