// What a queue tells Prometheus, under the names and labels that controller-runtime's queues use (client-go's have no
// "controller"), so that dashboards and alerts fit.
//
//   Queue<std::string> queue({.metrics = QueueMetrics::Create(registry, "deployments").value()});
//
// | workqueue_depth                              | keys waiting for a worker, by "priority"                 |
// | workqueue_adds_total                         | additions that were not merged with one that waits       |
// | workqueue_queue_duration_seconds             | from the addition until a worker takes the key           |
// | workqueue_work_duration_seconds              | from then until it is done                               |
// | workqueue_retries_total                      | additions for a later time                               |
// | workqueue_unfinished_work_seconds            | age of the work under way, summed over the workers       |
// | workqueue_longest_running_processor_seconds  | age of the oldest of it                                  |
//
// All have the labels "name" and "controller", with the queue's name. The last two are brought up to date twice a
// second.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "keelson/core/metrics.h"
#include "keelson/core/result.h"

namespace keelson {

// A gauge for each priority. Cheap to copy; a default-constructed one goes nowhere. Priorities beyond the first 25
// share one gauge, whose label is "exceeded_cardinality_limit".
class DepthMetric {
 public:
  DepthMetric() = default;
  DepthMetric(MetricFamily<Gauge> family, std::string_view name);

  void Increment(int32_t priority) const { At(priority).Increment(); }
  void Decrement(int32_t priority) const { At(priority).Decrement(); }

 private:
  struct Others;
  // Most keys have priority 0, which costs no look-up.
  Gauge At(int32_t priority) const { return priority == 0 || others_ == nullptr ? zero_ : AtOther(priority); }
  Gauge AtOther(int32_t priority) const;

  Gauge zero_;
  std::shared_ptr<Others> others_;
};

// Default-constructed ones go nowhere, and spare the queue its looks at the clock. Must not be used after the registry.
struct QueueMetrics {
  // kAlreadyExists when the registry has one of the names with other labels.
  static Result<QueueMetrics> Create(MetricRegistry& registry, std::string_view name);

  bool enabled = false;
  DepthMetric depth;
  Counter adds;
  Histogram queue_duration;
  Histogram work_duration;
  Counter retries;
  Gauge unfinished_work;
  Gauge longest_running;
};

}  // namespace keelson
