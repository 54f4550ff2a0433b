#include "keelson/core/time.h"

#include <gtest/gtest.h>

namespace keelson {
namespace {

using namespace std::chrono_literals;

TEST(FormatDuration, PrintsAsGoDoes) {
  EXPECT_EQ(FormatDuration(0s), "0s");
  EXPECT_EQ(FormatDuration(1ns), "1ns");
  EXPECT_EQ(FormatDuration(1500ns), "1.5µs");
  EXPECT_EQ(FormatDuration(250ms), "250ms");
  EXPECT_EQ(FormatDuration(1s), "1s");
  EXPECT_EQ(FormatDuration(90s), "1m30s");
  EXPECT_EQ(FormatDuration(1h + 500ms), "1h0m0.5s");
  EXPECT_EQ(FormatDuration(-2min), "-2m0s");
  EXPECT_EQ(FormatDuration(Duration::max()), "2562047h47m16.854775807s");
  EXPECT_EQ(FormatDuration(Duration::min()), "-2562047h47m16.854775808s");
}

TEST(FormatTime, PrintsRfc3339InUtc) {
  const WallTime day = std::chrono::sys_days(std::chrono::March / 1 / 2024);
  EXPECT_EQ(FormatTime(day), "2024-03-01T00:00:00Z");
  EXPECT_EQ(FormatTime(day - 1ns), "2024-02-29T23:59:59.999999999Z");
  EXPECT_EQ(FormatTime(day + 12h + 34min + 56s + 250ms), "2024-03-01T12:34:56.25Z");
  EXPECT_EQ(FormatTime(WallTime(-1s)), "1969-12-31T23:59:59Z");
}

TEST(SaturatingAdd, HoldsAtTheEndOfTime) {
  const TimePoint now(5s);
  EXPECT_EQ(SaturatingAdd(now, Duration::max()), TimePoint::max());
  EXPECT_EQ(SaturatingAdd(now, 1s), TimePoint(6s));
  EXPECT_EQ(SaturatingAdd(now, -1s), TimePoint(4s));
}

}  // namespace
}  // namespace keelson
