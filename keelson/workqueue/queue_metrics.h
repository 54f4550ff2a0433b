// What a queue tells Prometheus, under the names that client-go's queues use, so that dashboards and alerts fit.
//
//   Queue<std::string> queue({.metrics = QueueMetrics::Create(registry, "deployments").value()});
//
// | workqueue_depth                              | keys waiting for a worker                                |
// | workqueue_adds_total                         | additions that were not merged with one that waits       |
// | workqueue_queue_duration_seconds             | from the addition until a worker takes the key           |
// | workqueue_work_duration_seconds              | from then until it is done                               |
// | workqueue_retries_total                      | additions for a later time                               |
// | workqueue_unfinished_work_seconds            | age of the work under way, summed over the workers       |
// | workqueue_longest_running_processor_seconds  | age of the oldest of it                                  |
//
// All have the label "name". The last two are brought up to date twice a second.
#pragma once

#include <string_view>

#include "keelson/core/metrics.h"
#include "keelson/core/result.h"

namespace keelson {

// Default-constructed ones go nowhere, and spare the queue its looks at the clock. Must not be used after the registry.
struct QueueMetrics {
  // kAlreadyExists when the registry has one of the names with other labels.
  static Result<QueueMetrics> Create(MetricRegistry& registry, std::string_view name);

  bool enabled = false;
  Gauge depth;
  Counter adds;
  Histogram queue_duration;
  Histogram work_duration;
  Counter retries;
  Gauge unfinished_work;
  Gauge longest_running;
};

}  // namespace keelson
