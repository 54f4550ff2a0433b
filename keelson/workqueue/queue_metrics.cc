#include "keelson/workqueue/queue_metrics.h"

#include <string>
#include <vector>

namespace keelson {

namespace {

MetricOptions Named(std::string name, std::string help) {
  return {.name = std::move(name), .help = std::move(help), .labels = {"name"}};
}

// 10 ns to 1,000 s, a power of ten apart, as client-go's users have them.
std::vector<double> DurationBuckets() { return {1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 10, 100, 1000}; }

}  // namespace

Result<QueueMetrics> QueueMetrics::Create(MetricRegistry& registry, std::string_view name) {
  KEELSON_TRY(depth, registry.AddGauge(Named("workqueue_depth", "Keys waiting for a worker.")));
  KEELSON_TRY(adds, registry.AddCounter(Named("workqueue_adds_total", "Keys added, merged ones not counted.")));
  KEELSON_TRY(queued, registry.AddHistogram(Named("workqueue_queue_duration_seconds",
                                                  "Seconds from a key's addition until a worker takes it."),
                                            DurationBuckets()));
  KEELSON_TRY(worked, registry.AddHistogram(Named("workqueue_work_duration_seconds",
                                                  "Seconds from a worker's taking a key until it is done."),
                                            DurationBuckets()));
  KEELSON_TRY(retries, registry.AddCounter(Named("workqueue_retries_total", "Keys added for a later time.")));
  KEELSON_TRY(unfinished, registry.AddGauge(Named("workqueue_unfinished_work_seconds",
                                                  "Age of the work under way, summed over all workers.")));
  KEELSON_TRY(longest, registry.AddGauge(Named("workqueue_longest_running_processor_seconds",
                                               "Age of the work that has been under way longest.")));
  return QueueMetrics{.enabled = true,
                      .depth = depth.With({name}),
                      .adds = adds.With({name}),
                      .queue_duration = queued.With({name}),
                      .work_duration = worked.With({name}),
                      .retries = retries.With({name}),
                      .unfinished_work = unfinished.With({name}),
                      .longest_running = longest.With({name})};
}

}  // namespace keelson
