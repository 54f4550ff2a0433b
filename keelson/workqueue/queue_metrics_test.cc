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

TEST(QueueMetrics, HaveControllerRuntimesNamesAndTellTheTruth) {
  Simulation simulation({.seed = 3});
  const auto result = simulation.Run([] {
    MetricRegistry registry;
    RateLimitingQueue<std::string> queue({.metrics = QueueMetrics::Create(registry, "pods").value()});
    queue.Add("a");
    queue.Add("a");
    queue.Add("b");
    SleepFor(3s, {});
    EXPECT_THAT(registry.Render(), HasSubstr("workqueue_depth{controller=\"pods\",name=\"pods\",priority=\"0\"} 2\n"));
    {
      const auto a = queue.Get();
      SleepFor(2s, {});
      const auto b = queue.Get();
      SleepFor(4s, {});
      queue.Add("a");
      const std::string text = registry.Render();
      EXPECT_THAT(text, HasSubstr("workqueue_depth{controller=\"pods\",name=\"pods\",priority=\"0\"} 1\n"));
      EXPECT_THAT(text, HasSubstr("workqueue_adds_total{controller=\"pods\",name=\"pods\"} 3\n"));
      EXPECT_THAT(text, HasSubstr("workqueue_queue_duration_seconds_count{controller=\"pods\",name=\"pods\"} 2\n"));
      EXPECT_THAT(text, HasSubstr("workqueue_queue_duration_seconds_sum{controller=\"pods\",name=\"pods\"} 8\n"));
      EXPECT_THAT(text, HasSubstr("workqueue_work_duration_seconds_count{controller=\"pods\",name=\"pods\"} 0\n"));
    }
    SleepFor(1s, {});
    queue.AddRateLimited("c");
    const auto a = queue.Get();
    SleepFor(10s, {});
    const std::string text = registry.Render();
    EXPECT_THAT(text, HasSubstr("workqueue_work_duration_seconds_sum{controller=\"pods\",name=\"pods\"} 10\n"));
    EXPECT_THAT(text, HasSubstr("workqueue_work_duration_seconds_count{controller=\"pods\",name=\"pods\"} 2\n"));
    EXPECT_THAT(text, HasSubstr("workqueue_retries_total{controller=\"pods\",name=\"pods\"} 1\n"));
    EXPECT_THAT(text, ::testing::ContainsRegex(
                          "workqueue_unfinished_work_seconds.controller=\"pods\",name=\"pods\". (9.5|10)\n"));
    EXPECT_THAT(text, ::testing::ContainsRegex(
                          "workqueue_longest_running_processor_seconds.controller=\"pods\",name=\"pods\". (9.5|10)\n"));
  });
  EXPECT_TRUE(result) << result.error().message();
}

std::string DepthLine(std::string_view priority, int depth) {
  return "workqueue_depth{controller=\"pods\",name=\"pods\",priority=\"" + std::string(priority) + "\"} " +
         std::to_string(depth) + "\n";
}

TEST(QueueMetrics, DepthIsCountedByPriority) {
  MetricRegistry registry;
  Queue<std::string> queue({.metrics = QueueMetrics::Create(registry, "pods").value()});
  queue.Add("a", {.priority = -100});
  queue.Add("b", {.priority = -100});
  queue.Add("c");
  EXPECT_THAT(registry.Render(), ::testing::AllOf(HasSubstr(DepthLine("-100", 2)), HasSubstr(DepthLine("0", 1))));
  queue.Add("a", {.priority = 7});      // raised
  queue.Add("b", {.priority = -1000});  // never lowered
  EXPECT_THAT(registry.Render(), ::testing::AllOf(HasSubstr(DepthLine("-100", 1)), HasSubstr(DepthLine("0", 1)),
                                                  HasSubstr(DepthLine("7", 1))));
  {
    const auto a = queue.Get();
    EXPECT_THAT(registry.Render(), HasSubstr(DepthLine("7", 0)));
    queue.Add("a", {.priority = 3});  // waits for its own end
    queue.Add("a", {.priority = 5});  // and is raised while it does
    EXPECT_THAT(registry.Render(), ::testing::AllOf(HasSubstr(DepthLine("3", 0)), HasSubstr(DepthLine("5", 1))));
  }
  for (int i = 0; i < 3; ++i) (void)queue.Get();
  const std::string text = registry.Render();
  for (const char* priority : {"-100", "0", "3", "5", "7"}) EXPECT_THAT(text, HasSubstr(DepthLine(priority, 0)));
}

// The thread that watches ages is woken by each first key, and at work while the queue ends.
TEST(QueueMetrics, LookAtNoKeyOfAQueueThatEnds) {
  MetricRegistry registry;
  const QueueMetrics metrics = QueueMetrics::Create(registry, "pods").value();
  for (int i = 0; i < 300; ++i) {
    Queue<std::string> queue({.metrics = metrics});
    for (int k = 0; k < 20; ++k) queue.Add(std::to_string(k));
    for (int k = 0; k < 20; ++k) (void)queue.Get();
  }
  EXPECT_EQ(metrics.adds.Value(), 6000);
}

TEST(QueueMetrics, ManyPrioritiesShareOneGauge) {
  MetricRegistry registry;
  Queue<std::string> queue({.metrics = QueueMetrics::Create(registry, "pods").value()});
  for (int i = 1; i <= 100; ++i) queue.Add(std::to_string(i), {.priority = i});
  const std::string text = registry.Render();
  EXPECT_THAT(text, HasSubstr(DepthLine("24", 1)));
  EXPECT_THAT(text, ::testing::Not(HasSubstr("priority=\"25\"")));
  EXPECT_THAT(text, HasSubstr(DepthLine("exceeded_cardinality_limit", 76)));
  for (int i = 1; i <= 100; ++i) (void)queue.Get();
  EXPECT_THAT(registry.Render(), HasSubstr(DepthLine("exceeded_cardinality_limit", 0)));
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
