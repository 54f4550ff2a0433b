#include "keelson/core/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "keelson/core/thread.h"

namespace keelson {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

TEST(Metrics, RenderTheTextFormatSorted) {
  MetricRegistry registry;
  auto adds = registry.AddCounter({.name = "z_adds_total", .help = "Keys added.", .labels = {"name"}}).value();
  adds.With({"pods"}).Increment();
  adds.With({"nodes"}).Increment(2.5);
  auto depth = registry.AddGauge({.name = "a_depth", .help = "Keys waiting."}).value();
  depth.With({}).Set(4);
  EXPECT_EQ(registry.Render(),
            "# HELP a_depth Keys waiting.\n"
            "# TYPE a_depth gauge\n"
            "a_depth 4\n"
            "# HELP z_adds_total Keys added.\n"
            "# TYPE z_adds_total counter\n"
            "z_adds_total{name=\"nodes\"} 2.5\n"
            "z_adds_total{name=\"pods\"} 1\n");
}

TEST(Metrics, GaugeGoesUpAndDownAndCounterOnlyUp) {
  MetricRegistry registry;
  Gauge gauge = registry.AddGauge({.name = "g", .help = ""}).value().With({});
  gauge.Set(10);
  gauge.Increment(3);
  gauge.Decrement();
  EXPECT_EQ(gauge.Value(), 12);
  Counter counter = registry.AddCounter({.name = "c", .help = ""}).value().With({});
  counter.Increment(2);
  counter.Increment(-1);
  EXPECT_EQ(counter.Value(), 2);
}

TEST(Metrics, HistogramCountsIntoItsBuckets) {
  MetricRegistry registry;
  auto family = registry.AddHistogram({.name = "took_seconds", .help = "Time.", .labels = {"verb"}}, {0.5, 2}).value();
  Histogram histogram = family.With({"get"});
  histogram.Observe(0.25);
  histogram.Observe(1500ms);
  histogram.Observe(1h);
  EXPECT_EQ(registry.Render(),
            "# HELP took_seconds Time.\n"
            "# TYPE took_seconds histogram\n"
            "took_seconds_count{verb=\"get\"} 3\n"
            "took_seconds_sum{verb=\"get\"} 3601.75\n"
            "took_seconds_bucket{verb=\"get\",le=\"0.5\"} 1\n"
            "took_seconds_bucket{verb=\"get\",le=\"2\"} 2\n"
            "took_seconds_bucket{verb=\"get\",le=\"+Inf\"} 3\n");
}

TEST(Metrics, SameLabelValuesAreTheSameSeries) {
  MetricRegistry registry;
  auto family = registry.AddCounter({.name = "c", .help = "", .labels = {"a", "b"}}).value();
  family.With({"x", "yz"}).Increment();
  EXPECT_EQ(family.With({"x", "yz"}).Value(), 1);
  EXPECT_EQ(family.With({"xy", "z"}).Value(), 0);
}

TEST(Metrics, SeriesBeyondTheLimitGoToOtherAndAreCounted) {
  MetricRegistry registry;
  auto family = registry.AddCounter({.name = "c", .help = "C.", .labels = {"user"}, .max_series = 2}).value();
  for (int i = 0; i < 100; ++i) family.With({"user-" + std::to_string(i)}).Increment();
  family.With({"user-1"}).Increment();
  EXPECT_EQ(
      registry.Render(),
      "# HELP c C.\n"
      "# TYPE c counter\n"
      "c{user=\"other\"} 98\n"
      "c{user=\"user-0\"} 1\n"
      "c{user=\"user-1\"} 2\n"
      "# HELP keelson_metrics_overflow_total Lookups of series that went to \"other\" because their metric had its "
      "maximum.\n"
      "# TYPE keelson_metrics_overflow_total counter\n"
      "keelson_metrics_overflow_total{metric=\"c\"} 98\n");
}

TEST(Metrics, AddingTheSameFamilyAgainSharesIt) {
  MetricRegistry registry;
  const MetricOptions options{.name = "c", .help = "", .labels = {"a"}};
  registry.AddCounter(options).value().With({"x"}).Increment();
  EXPECT_EQ(registry.AddCounter(options).value().With({"x"}).Value(), 1);
}

TEST(Metrics, FamilyThatDiffersFromTheFirstIsRefused) {
  MetricRegistry registry;
  ASSERT_TRUE(registry.AddCounter({.name = "c", .help = "", .labels = {"a"}}));
  EXPECT_EQ(registry.AddCounter({.name = "c", .help = "", .labels = {"b"}}).error().code(), ErrorCode::kAlreadyExists);
  EXPECT_EQ(registry.AddGauge({.name = "c", .help = "", .labels = {"a"}}).error().code(), ErrorCode::kAlreadyExists);
  ASSERT_TRUE(registry.AddHistogram({.name = "h", .help = ""}, {1, 2}));
  EXPECT_EQ(registry.AddHistogram({.name = "h", .help = ""}, {1, 3}).error().code(), ErrorCode::kAlreadyExists);
  EXPECT_EQ(registry.AddCounter({.name = "keelson_metrics_overflow_total", .help = ""}).error().code(),
            ErrorCode::kAlreadyExists);
}

TEST(Metrics, NamesThatPrometheusRefusesAreErrors) {
  MetricRegistry registry;
  EXPECT_EQ(registry.AddCounter({.name = "1c", .help = ""}).error().message(),
            "metric name \"1c\" is not one of Prometheus: expected letters, digits, '_' and ':', not a digit first");
  EXPECT_EQ(registry.AddCounter({.name = "c", .help = "", .labels = {"a-b"}}).error().code(),
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(registry.AddCounter({.name = "c", .help = "", .labels = {"a", "a"}}).error().message(),
            "label \"a\" of metric c is given twice");
  EXPECT_EQ(registry.AddHistogram({.name = "h", .help = "", .labels = {"le"}}).error().code(),
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(registry.AddHistogram({.name = "h", .help = ""}, {1, 1}).error().message(),
            "bucket 1 of metric h is 1: expected finite bounds, each above the one before");
}

TEST(Metrics, LabelValuesAreEscapedAndUtf8) {
  MetricRegistry registry;
  auto family = registry.AddCounter({.name = "c", .help = "", .labels = {"a"}}).value();
  family.With({"q\"\\\n\xff"}).Increment();
  EXPECT_THAT(registry.Render(), HasSubstr("c{a=\"q\\\"\\\\\\n\xef\xbf\xbd\"} 1\n"));
}

TEST(Metrics, DefaultConstructedMetricGoesNowhere) {
  Counter().Increment();
  Gauge().Set(1);
  Histogram().Observe(1.0);
  EXPECT_EQ(Counter().Value(), 0);
  EXPECT_EQ(Gauge().Value(), 0);
}

TEST(Metrics, ThreadsCountTogether) {
  MetricRegistry registry;
  auto family = registry.AddCounter({.name = "c", .help = "", .labels = {"a"}, .max_series = 3}).value();
  family.With({"0"});
  {
    std::vector<Thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back("counting", [&] {
        for (int i = 0; i < 1000; ++i) family.With({std::to_string(i % 5)}).Increment();
      });
    }
    for (int i = 0; i < 20; ++i) EXPECT_THAT(registry.Render(), HasSubstr("# TYPE c counter\nc{a="));
    for (Thread& thread : threads) thread.Join();
  }
  EXPECT_EQ(family.With({"0"}).Value() + family.With({"1"}).Value() + family.With({"2"}).Value() +
                family.With({"3"}).Value() + family.With({"4"}).Value(),
            2400 + 2 * 1600);  // "other" is seen under two of the five names
}

TEST(MetricsDeathTest, WrongNumberOfLabelValuesEndsTheProcess) {
  MetricRegistry registry;
  auto family = registry.AddCounter({.name = "c", .help = "", .labels = {"a", "b"}}).value();
  EXPECT_DEATH(family.With({"x"}), "metric c has 2 labels and was given 1 values");
}

}  // namespace
}  // namespace keelson
