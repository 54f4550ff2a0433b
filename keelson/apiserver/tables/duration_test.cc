#include <gtest/gtest.h>

#include <vector>

#include "keelson/api/flowcontrol/v1.h"
#include "keelson/apiserver/tables/printers.h"

namespace keelson::apiserver {
namespace {

using namespace std::chrono_literals;

TEST(HumanDuration, KeepsTwoUnitsWhileTheSmallerOneMatters) {
  const std::vector<std::pair<Duration, std::string>> cases = {{-2s, "<invalid>"},
                                                               {-1900ms, "0s"},
                                                               {0s, "0s"},
                                                               {119999ms, "119s"},
                                                               {120s, "2m"},
                                                               {9min + 59s, "9m59s"},
                                                               {10min + 59s, "10m"},
                                                               {179min, "179m"},
                                                               {3h, "3h"},
                                                               {7h + 59min, "7h59m"},
                                                               {8h + 59min, "8h"},
                                                               {47h, "47h"},
                                                               {48h, "2d"},
                                                               {191h, "7d23h"},
                                                               {192h, "8d"},
                                                               {24h * 365 * 2 - 1h, "729d"},
                                                               {24h * 365 * 2, "2y"},
                                                               {24h * (365 * 2 + 1), "2y1d"},
                                                               {24h * 365 * 8 - 1h, "7y364d"},
                                                               {24h * 365 * 8, "8y"},
                                                               {24h * 365 * 100, "100y"}};
  for (const auto& [duration, text] : cases) EXPECT_EQ(HumanDuration(duration), text) << duration.count();
}

TEST(Age, IsUnknownWithoutATime) {
  const WallTime now = metav1::Time::FromUnix(1'700'000'000).ToTimePoint();
  EXPECT_EQ(Age(metav1::Time(), now), "<unknown>");
  EXPECT_EQ(Age(metav1::MicroTime(), now), "<unknown>");
  EXPECT_EQ(Age(metav1::Time::FromUnix(1'700'000'000 - 61), now), "61s");
  EXPECT_EQ(Age(metav1::MicroTime::FromUnixMicros((1'700'000'000 - 61) * 1'000'000LL + 1), now), "60s");
}

TEST(Tables, FlowSchemasStandInTheOrderOfTheirPrecedence) {
  const Printer* printer = FindPrinter(TypeOf<flowcontrolv1::FlowSchema>());
  ASSERT_NE(printer, nullptr);
  ASSERT_NE(printer->before, nullptr);
  const flowcontrolv1::FlowSchema first = {.metadata = {.name = "b"}, .spec = {.matchingPrecedence = 1}};
  const flowcontrolv1::FlowSchema second = {.metadata = {.name = "a"}, .spec = {.matchingPrecedence = 2}};
  const flowcontrolv1::FlowSchema third = {.metadata = {.name = "c"}, .spec = {.matchingPrecedence = 2}};
  EXPECT_TRUE(printer->before(&first, &second));
  EXPECT_FALSE(printer->before(&second, &first));
  EXPECT_TRUE(printer->before(&second, &third));
}

}  // namespace
}  // namespace keelson::apiserver
