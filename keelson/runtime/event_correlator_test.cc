// The rules by which events are folded, without a server.
#include "keelson/runtime/event_correlator.h"

#include <gtest/gtest.h>

#include "keelson/runtime/event_series.h"

namespace keelson {
namespace {

using namespace std::chrono_literals;

EventRecord Told(std::string message, Duration at = {}, std::string object = "web") {
  return {.regarding = {.kind = "Pod", .namespace_ = "default", .name = object, .uid = "1", .apiVersion = "v1"},
          .reason = "Failed",
          .message = std::move(message),
          .controller = "c",
          .time = WallTime(1'700'000'000s) + at,
          .at = TimePoint() + at};
}

TEST(EventCorrelator, EqualEventsHaveOneNameAndACount) {
  EventCorrelator correlator({});
  const auto first = correlator.Correlate(Told("a"));
  const auto second = correlator.Correlate(Told("a", 1h));
  ASSERT_TRUE(first && second);
  EXPECT_FALSE(first->exists);
  EXPECT_TRUE(second->exists);
  EXPECT_EQ(second->key, first->key);
  EXPECT_EQ(second->event.metadata.name, first->event.metadata.name);
  EXPECT_EQ(second->event.count, 2);
  EXPECT_EQ(second->event.firstTimestamp, first->event.firstTimestamp);
  EXPECT_EQ(second->event.lastTimestamp.unix_seconds(), 1'700'003'600);
}

TEST(EventCorrelator, WhatDiffersInAnyPartIsAnotherEvent) {
  const EventRecord base = Told("a");
  std::vector<EventRecord> others(9, base);
  others[0].type = EventType::kWarning;
  others[1].reason = "Other";
  others[2].message = "b";
  others[3].controller = "d";
  others[4].instance = "host";
  others[5].regarding.uid = "2";
  others[6].regarding.fieldPath = "spec.containers{app}";
  others[7].regarding.namespace_ = "other";
  others[8].regarding.apiVersion = "v2";
  for (size_t i = 0; i < others.size(); ++i) {
    EventCorrelator correlator({});
    const auto first = correlator.Correlate(base);
    const auto other = correlator.Correlate(others[i]);
    ASSERT_TRUE(first && other);
    EXPECT_NE(first->key, other->key) << i;
    EXPECT_EQ(other->event.count, 1) << i;
  }
  // Another version of the object is the same object.
  EventCorrelator correlator({});
  EventRecord newer = base;
  newer.regarding.resourceVersion = "2";
  ASSERT_TRUE(correlator.Correlate(base));
  EXPECT_EQ(correlator.Correlate(newer)->event.count, 2);
}

TEST(EventCorrelator, MessagesThatWereFirstStayThemselvesWhileOthersAreCombined) {
  EventCorrelator correlator({});
  for (int i = 1; i <= 9; ++i)
    EXPECT_EQ(correlator.Correlate(Told(std::to_string(i)))->event.message, std::to_string(i));
  EXPECT_EQ(correlator.Correlate(Told("10"))->event.message, "(combined from similar events): 10");
  const auto known = correlator.Correlate(Told("9"));
  EXPECT_EQ(known->event.message, "9");
  EXPECT_EQ(known->event.count, 2);
  const auto again = correlator.Correlate(Told("11"));
  EXPECT_EQ(again->event.message, "(combined from similar events): 11");
  EXPECT_EQ(again->event.count, 2);
  EXPECT_TRUE(again->exists);
}

TEST(EventCorrelator, AfterTenQuietMinutesMessagesAreNotSimilarAnyMore) {
  EventCorrelator correlator({});
  for (int i = 1; i <= 12; ++i) ASSERT_TRUE(correlator.Correlate(Told(std::to_string(i))));
  EXPECT_EQ(correlator.Correlate(Told("13", 10min))->event.message, "(combined from similar events): 13");
  EXPECT_EQ(correlator.Correlate(Told("14", 20min + 1ns))->event.message, "14");
}

TEST(EventCorrelator, TheLimitRefillsOneByOneAndIsNeverMoreThanItsBurst) {
  EventCorrelator correlator({.burst = 3, .refill = 5min});
  const auto allowed = [&](Duration at) { return correlator.Correlate(Told("a", at)).has_value(); };
  EXPECT_TRUE(allowed(0s) && allowed(0s) && allowed(0s));
  EXPECT_FALSE(allowed(0s));
  EXPECT_FALSE(allowed(5min - 1ns));
  EXPECT_TRUE(allowed(5min));
  EXPECT_FALSE(allowed(5min));
  EXPECT_TRUE(allowed(48h) && allowed(48h) && allowed(48h));
  EXPECT_FALSE(allowed(48h));
  // What was refused is counted.
  EXPECT_EQ(correlator.Correlate(Told("a", 49h))->event.count, 12);
}

TEST(EventCorrelator, OnlySoManyEventsAreRemembered) {
  EventCorrelator correlator({.remembered = 2});
  ASSERT_TRUE(correlator.Correlate(Told("m", 0s, "a")));
  ASSERT_TRUE(correlator.Correlate(Told("m", 0s, "b")));
  EXPECT_EQ(correlator.Correlate(Told("m", 0s, "a"))->event.count, 2);
  ASSERT_TRUE(correlator.Correlate(Told("m", 0s, "c")));                // b was used longest ago
  EXPECT_EQ(correlator.Correlate(Told("m", 0s, "a"))->event.count, 3);  // a was not
  EXPECT_EQ(correlator.Correlate(Told("m", 0s, "b"))->event.count, 1);
}

TEST(EventSeriesTable, WhatIsForgottenIsWrittenFirst) {
  EventSeriesTable table({.remembered = 1}, {}, TimePoint());
  std::vector<SeriesEvent> displaced;
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(table.Observe(Told("m", 0s, "a"), displaced));
  EXPECT_TRUE(displaced.empty());
  ASSERT_TRUE(table.Observe(Told("m", 0s, "b"), displaced));
  ASSERT_EQ(displaced.size(), 1u);
  EXPECT_EQ(displaced[0].event.series->count, 5);
  EXPECT_TRUE(displaced[0].exists);
}

TEST(EventSeriesTable, NewEventsAboutAnObjectAreLimitedAndKnownOnesAreNot) {
  EventSeriesTable table({.burst = 1}, {}, TimePoint());
  std::vector<SeriesEvent> displaced;
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(table.Observe(Told("m"), displaced));
  EventRecord other = Told("m");
  other.reason = "Other";
  EXPECT_FALSE(table.Observe(other, displaced));
  ASSERT_EQ(table.Flush().size(), 1u);
  EXPECT_TRUE(table.Flush().empty());
}

TEST(EventSeriesTable, ASeriesEndsWhenNothingComesForSixMinutes) {
  EventSeriesTable table({}, {}, TimePoint());
  std::vector<SeriesEvent> displaced;
  EXPECT_EQ(table.next_tick(), TimePoint::max());
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(table.Observe(Told("m", 1min), displaced));
  EXPECT_EQ(table.next_tick(), TimePoint() + 6min);
  EXPECT_TRUE(table.Tick(TimePoint() + 6min).empty());
  const auto ended = table.Tick(TimePoint() + 12min);
  ASSERT_EQ(ended.size(), 1u);
  EXPECT_EQ(ended[0].event.series->count, 3);
  EXPECT_EQ(table.next_tick(), TimePoint::max());
  EXPECT_FALSE(table.Observe(Told("m", 13min), displaced)->event.exists);
}

TEST(EventName, IsTheObjectsAndTheTimeOrAUuid) {
  const WallTime time(1'700'000'000s);
  EXPECT_EQ(internal::EventName("web", time), "web.17979cfe362a0000");
  const std::string odd = internal::EventName("system:web", time);
  EXPECT_EQ(odd.size(), 36u);
  EXPECT_EQ(odd[14], '4');
  EXPECT_NE(odd, internal::EventName("system:web", time));
}

}  // namespace
}  // namespace keelson
