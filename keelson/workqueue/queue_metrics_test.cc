#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "keelson/core/clock.h"
#include "keelson/core/simulation.h"
#include "keelson/workqueue/rate_limiting_queue.h"

namespace keelson {
namespace {

using std::chrono_literals::operator""s;
using ::testing::HasSubstr;

TEST(QueueMetrics, HaveClientGosNamesAndTellTheTruth) {
  Simulation simulation({.seed = 3});
  const auto result = simulation.Run([] {
    MetricRegistry registry;
    RateLimitingQueue<std::string> queue({.metrics = QueueMetrics::Create(registry, "pods").value()});
    queue.Add("a");
    queue.Add("a");
    queue.Add("b");
    SleepFor(3s, {});
    EXPECT_THAT(registry.Render(), HasSubstr("workqueue_depth{name=\"pods\"} 2\n"));
    {
      const auto a = queue.Get();
      SleepFor(2s, {});
      const auto b = queue.Get();
      SleepFor(4s, {});
      queue.Add("a");
      const std::string text = registry.Render();
      EXPECT_THAT(text, HasSubstr("workqueue_depth{name=\"pods\"} 1\n"));
      EXPECT_THAT(text, HasSubstr("workqueue_adds_total{name=\"pods\"} 3\n"));
      EXPECT_THAT(text, HasSubstr("workqueue_queue_duration_seconds_count{name=\"pods\"} 2\n"));
      EXPECT_THAT(text, HasSubstr("workqueue_queue_duration_seconds_sum{name=\"pods\"} 8\n"));
      EXPECT_THAT(text, HasSubstr("workqueue_work_duration_seconds_count{name=\"pods\"} 0\n"));
    }
    SleepFor(1s, {});
    queue.AddRateLimited("c");
    const auto a = queue.Get();
    SleepFor(10s, {});
    const std::string text = registry.Render();
    EXPECT_THAT(text, HasSubstr("workqueue_work_duration_seconds_sum{name=\"pods\"} 10\n"));
    EXPECT_THAT(text, HasSubstr("workqueue_work_duration_seconds_count{name=\"pods\"} 2\n"));
    EXPECT_THAT(text, HasSubstr("workqueue_retries_total{name=\"pods\"} 1\n"));
    EXPECT_THAT(text, ::testing::ContainsRegex("workqueue_unfinished_work_seconds.name=\"pods\". (9.5|10)\n"));
    EXPECT_THAT(text,
                ::testing::ContainsRegex("workqueue_longest_running_processor_seconds.name=\"pods\". (9.5|10)\n"));
  });
  EXPECT_TRUE(result) << result.error().message();
}

TEST(QueueMetrics, TwoQueuesShareARegistry) {
  MetricRegistry registry;
  QueueMetrics pods = QueueMetrics::Create(registry, "pods").value();
  QueueMetrics nodes = QueueMetrics::Create(registry, "nodes").value();
  pods.adds.Increment();
  EXPECT_EQ(pods.adds.Value(), 1);
  EXPECT_EQ(nodes.adds.Value(), 0);
  ASSERT_TRUE(registry.AddGauge({.name = "other", .help = "x"}));
  MetricRegistry taken;
  ASSERT_TRUE(taken.AddGauge({.name = "workqueue_depth", .help = "x"}));
  EXPECT_FALSE(QueueMetrics::Create(taken, "pods"));
}

}  // namespace
}  // namespace keelson
