#include "keelson/runtime/controller_metrics.h"

#include <string>
#include <vector>

namespace keelson {

namespace {

MetricOptions Named(std::string name, std::string help) {
  return {.name = std::move(name), .help = std::move(help), .labels = {"controller"}};
}

// controller-runtime's: fine where reconciles usually are, up to a minute.
std::vector<double> TimeBuckets() {
  return {0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1,  1.25, 1.5,
          1.75,  2,    2.5,   3,    3.5, 4,    4.5, 5,    6,   7,    8,   9,    10,  15,  20,  25,  30,  40, 50,   60};
}

}  // namespace

Result<ControllerMetrics> ControllerMetrics::Create(MetricRegistry& registry, std::string_view controller) {
  KEELSON_TRY(total, registry.AddCounter({.name = "controller_runtime_reconcile_total",
                                          .help = "Reconciles by controller and result.",
                                          .labels = {"controller", "result"}}));
  KEELSON_TRY(errors, registry.AddCounter(Named("controller_runtime_reconcile_errors_total",
                                                "Reconciles that gave an error, by controller.")));
  KEELSON_TRY(terminal, registry.AddCounter(Named("controller_runtime_terminal_reconcile_errors_total",
                                                  "Reconciles whose error is not tried again, by controller.")));
  KEELSON_TRY(panics, registry.AddCounter(Named("controller_runtime_reconcile_panics_total",
                                                "Reconciles that threw an exception, by controller.")));
  KEELSON_TRY(timeouts, registry.AddCounter(Named("controller_runtime_reconcile_timeouts_total",
                                                  "Reconciles that ended at their time limit, by controller.")));
  KEELSON_TRY(time, registry.AddHistogram(Named("controller_runtime_reconcile_time_seconds",
                                                "Seconds that a reconcile took, by controller."),
                                          TimeBuckets()));
  KEELSON_TRY(workers, registry.AddGauge(Named("controller_runtime_max_concurrent_reconciles",
                                               "Reconciles that may run at a time, by controller.")));
  KEELSON_TRY(active,
              registry.AddGauge(Named("controller_runtime_active_workers", "Reconciles that run now, by controller.")));
  KEELSON_TRY(synced,
              registry.AddGauge(Named("keelson_controller_synced", "1 once all sources of a controller have synced.")));
  return ControllerMetrics{.enabled = true,
                           .success = total.With({controller, "success"}),
                           .error = total.With({controller, "error"}),
                           .requeue = total.With({controller, "requeue"}),
                           .requeue_after = total.With({controller, "requeue_after"}),
                           .errors = errors.With({controller}),
                           .terminal_errors = terminal.With({controller}),
                           .panics = panics.With({controller}),
                           .timeouts = timeouts.With({controller}),
                           .time = time.With({controller}),
                           .workers = workers.With({controller}),
                           .active_workers = active.With({controller}),
                           .synced = synced.With({controller})};
}

}  // namespace keelson
