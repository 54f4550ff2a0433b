#include "keelson/api/time.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
#include <type_traits>

#include "keelson/api/recorded_cases_test_support.h"

namespace keelson::metav1 {
namespace {

using std::chrono::sys_days;
using namespace std::chrono_literals;

template <class T>
constexpr bool kIsPlain = sizeof(T) == 8 && std::is_trivially_copyable_v<T> && std::is_standard_layout_v<T> &&
                          std::has_unique_object_representations_v<T>;
static_assert(kIsPlain<Time> && kIsPlain<MicroTime> && kIsPlain<Duration>);
static_assert(Time().IsZero() && MicroTime().IsZero() && Duration().IsZero());

template <class T>
bool IsAllZeroBytes(const T& value) {
  const char zeros[sizeof(T)] = {};
  return std::memcmp(&value, zeros, sizeof(T)) == 0;
}

template <class T>
void Replay(const testing::RecordedCase& recorded, int64_t (*seconds)(const T&), bool compare_zero) {
  const Result<T> parsed = T::Parse(recorded["in"].text);
  ASSERT_EQ(parsed.has_value(), recorded["ok"].is_true());
  if (!parsed) {
    EXPECT_EQ(parsed.error().message(), recorded["error"].text);
    return;
  }
  if (recorded.has("unix")) {
    EXPECT_EQ(seconds(*parsed), recorded["unix"].integer());
  }
  if (compare_zero) {
    EXPECT_EQ(parsed->IsZero(), recorded["zero"].is_true());
  }
  // A zero time is null in JSON.
  if (recorded["out"].kind == testing::RecordedValue::kString) {
    EXPECT_EQ(parsed->ToString(), recorded["out"].text);
  }
}

TEST(Time, ReadsAndPrintsAsKubernetesDoes) {
  for (const auto& recorded : testing::ReadRecordedCases("time.jsonl")) {
    if (recorded["in"].kind != testing::RecordedValue::kString) continue;  // null and numbers are for the codec
    SCOPED_TRACE(recorded.line);
    if (recorded["type"].text == "Time") {
      // A fraction that is cut off may make a time zero here that is not so in Go.
      const bool compare_zero = !recorded.has("nanos") || recorded["nanos"].integer() == 0;
      Replay<Time>(recorded, [](const Time& time) { return time.unix_seconds(); }, compare_zero);
    } else {
      ASSERT_EQ(recorded["type"].text, "MicroTime");
      Replay<MicroTime>(recorded, [](const MicroTime& time) { return time.ToTime().unix_seconds(); }, true);
    }
  }
}

TEST(Time, DefaultIsGosZeroTime) {
  EXPECT_TRUE(IsAllZeroBytes(Time()));
  EXPECT_EQ(Time().ToString(), "0001-01-01T00:00:00Z");
  EXPECT_EQ(Time().unix_seconds(), -62135596800);
  EXPECT_TRUE(Time::Parse("0001-01-01T00:00:00Z")->IsZero());
  EXPECT_FALSE(Time::FromUnix(0).IsZero());
}

TEST(Time, EveryDayOfFourCenturiesAgreesWithTheStandardLibrary) {
  const sys_days end = std::chrono::January / 1 / 2201;
  for (sys_days day = std::chrono::January / 1 / 1800; day < end; day += std::chrono::days(1)) {
    const std::chrono::year_month_day date(day);
    char expected[32];
    std::snprintf(expected, sizeof(expected), "%04d-%02u-%02uT00:00:00Z", int(date.year()), unsigned(date.month()),
                  unsigned(date.day()));
    const Time time{std::chrono::sys_seconds(day)};
    ASSERT_EQ(time.ToString(), expected);
    ASSERT_EQ(*Time::Parse(expected), time);
  }
}

// The form that servers write has a way of its own through the parser: it must agree with the way of all others.
template <class T>
void ExpectSameAsWithAnOffset(const std::string& usual) {
  for (size_t at = 0; at + 1 < usual.size(); ++at) {
    for (const char c : {'0', '1', '2', '3', '5', '6', '9', '-', ':', 'T', 'Z', '.', '/', ' ', '\xb0'}) {
      std::string text = usual;
      text[at] = c;
      const auto read = T::Parse(text);
      const auto other = T::Parse(text.substr(0, text.size() - 1) + "+00:00");
      ASSERT_EQ(read.has_value(), other.has_value()) << text;
      if (read) {
        EXPECT_EQ(*read, *other) << text;
      }
    }
  }
}

TEST(Time, UsualFormsAreReadAsOthersAre) {
  for (const std::string date : {"2024-02-29", "2023-02-28", "1900-02-28", "0001-01-01", "9999-12-31", "2026-11-30"}) {
    ExpectSameAsWithAnOffset<Time>(date + "T23:59:59Z");
    ExpectSameAsWithAnOffset<MicroTime>(date + "T00:30:09.123456Z");
  }
  EXPECT_EQ(Time::Parse("1970-01-02T00:00:01Z")->unix_seconds(), 86401);
}

TEST(Time, EndsOfTheRangePrint) {
  EXPECT_EQ(Time::Parse("9999-12-31T23:59:59Z")->ToString(), "9999-12-31T23:59:59Z");
  EXPECT_EQ(Time::Parse("9999-12-31T23:59:59-01:00")->ToString(), "10000-01-01T00:59:59Z");
  EXPECT_EQ(Time::Parse("0000-01-01T00:00:00+00:01")->ToString(), "-0001-12-31T23:59:00Z");
  for (const Time time : {Time::FromUnix(INT64_MIN), Time::FromUnix(INT64_MAX)}) {
    EXPECT_LE(time.ToString().size(), Time::kMaxTextLength);
  }
  EXPECT_LE(MicroTime::FromUnixMicros(INT64_MIN).ToString().size(), MicroTime::kMaxTextLength);
}

TEST(Time, ConvertsFromAndToTheSystemClock) {
  const std::chrono::sys_seconds second = sys_days(std::chrono::July / 4 / 2024) + 12h;
  EXPECT_EQ(Time(second).ToString(), "2024-07-04T12:00:00Z");
  EXPECT_EQ(Time(second + 999ms), Time(second));
  EXPECT_EQ(Time(second - 1ms).ToString(), "2024-07-04T11:59:59Z") << "towards the past";
  EXPECT_EQ(Time(std::chrono::sys_time<std::chrono::nanoseconds>(-1ns)).unix_seconds(), -1);
  EXPECT_EQ(Time(second).ToSysSeconds(), second);
  EXPECT_EQ(Time(second).ToTimePoint(), std::chrono::system_clock::time_point(second));
  EXPECT_EQ(Time().ToTimePoint(), std::chrono::system_clock::time_point::min()) << "the nearest it can hold";
}

TEST(Time, OrdersByTime) {
  EXPECT_LT(Time(), Time::FromUnix(0));
  EXPECT_LT(Time::FromUnix(-1), Time::FromUnix(0));
  EXPECT_EQ(*Time::Parse("2024-01-01T01:00:00+01:00"), *Time::Parse("2024-01-01T00:00:00Z"));
}

TEST(Time, OverlongTextIsRefused) {
  EXPECT_FALSE(Time::Parse("2006-01-02T15:04:05." + std::string(2000, '0') + "Z").has_value());
}

TEST(MicroTime, KeepsMicroseconds) {
  EXPECT_TRUE(IsAllZeroBytes(MicroTime()));
  const MicroTime time = *MicroTime::Parse("2024-02-29T23:59:59.123456Z");
  EXPECT_EQ(time.ToString(), "2024-02-29T23:59:59.123456Z");
  EXPECT_EQ(time.unix_microseconds(), 1709251199123456);
  EXPECT_EQ(time.ToTime().ToString(), "2024-02-29T23:59:59Z");
  EXPECT_EQ(MicroTime(time.ToTime()).ToString(), "2024-02-29T23:59:59.000000Z");
  EXPECT_EQ(MicroTime(time.ToSysMicroseconds()), time);
  EXPECT_EQ(MicroTime(time.ToTimePoint()), time);
  EXPECT_EQ(MicroTime::FromUnixMicros(-1).ToString(), "1969-12-31T23:59:59.999999Z");
  EXPECT_EQ(MicroTime(Time()), MicroTime()) << "unset stays unset";
}

TEST(Duration, ReadsAndPrintsAsGoDoes) {
  for (const auto& recorded : testing::ReadRecordedCases("duration.jsonl")) {
    if (recorded["in"].kind != testing::RecordedValue::kString) continue;  // for the codec
    SCOPED_TRACE(recorded.line);
    const Result<Duration> parsed = Duration::Parse(recorded["in"].text);
    ASSERT_EQ(parsed.has_value(), recorded["ok"].is_true());
    if (!parsed) {
      EXPECT_EQ(parsed.error().message(), recorded["error"].text);
      continue;
    }
    EXPECT_EQ(parsed->nanoseconds(), recorded["nanos"].integer());
    EXPECT_EQ(parsed->ToString(), recorded["out"].text);
  }
}

TEST(Duration, ConvertsFromAndToChrono) {
  const Duration interval = 90s;
  EXPECT_EQ(interval.ToString(), "1m30s");
  EXPECT_EQ(interval.ToChrono(), 90s);
  EXPECT_TRUE(IsAllZeroBytes(Duration()));
  EXPECT_EQ(Duration().ToString(), "0s");
  EXPECT_EQ(Duration(std::chrono::hours(INT32_MAX)).nanoseconds(), INT64_MAX) << "the nearest it can hold";
  EXPECT_EQ(Duration(std::chrono::nanoseconds::min()).ToString(), "-2562047h47m16.854775808s");
  EXPECT_LT(Duration(1ms), Duration(1s));
}

TEST(Duration, OverlongTextIsRefused) {
  EXPECT_FALSE(Duration::Parse(std::string(2000, '0') + "s").has_value());
  EXPECT_TRUE(Duration::Parse(std::string(1000, '0') + "s").has_value());
}

}  // namespace
}  // namespace keelson::metav1
