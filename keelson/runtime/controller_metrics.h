// What a controller tells Prometheus, under controller-runtime's names, so that dashboards and alerts fit.
//
// | controller_runtime_reconcile_total                  | by "result": success, error, requeue, requeue_after  |
// | controller_runtime_reconcile_errors_total           | reconciles that gave an error                        |
// | controller_runtime_terminal_reconcile_errors_total  | of these, those that are not tried again             |
// | controller_runtime_reconcile_panics_total           | exceptions                                           |
// | controller_runtime_reconcile_timeouts_total         | that ended at reconcile_timeout                      |
// | controller_runtime_reconcile_time_seconds           | how long they took                                   |
// | controller_runtime_max_concurrent_reconciles        | workers                                              |
// | controller_runtime_active_workers                   | of these, those that reconcile now                   |
// | keelson_controller_synced                           | 1 once all sources have synced                       |
//
// All have the label "controller".
#pragma once

#include <string_view>

#include "keelson/core/metrics.h"
#include "keelson/core/result.h"

namespace keelson {

// Default-constructed ones go nowhere, and spare the controller its looks at the clock. Must not be used after the
// registry.
struct ControllerMetrics {
  // kAlreadyExists when the registry has one of the names with other labels.
  static Result<ControllerMetrics> Create(MetricRegistry& registry, std::string_view controller);

  bool enabled = false;
  Counter success;
  Counter error;
  Counter requeue;
  Counter requeue_after;
  Counter errors;
  Counter terminal_errors;
  Counter panics;
  Counter timeouts;
  Histogram time;
  Gauge workers;
  Gauge active_workers;
  Gauge synced;
};

}  // namespace keelson
