#include "keelson/workqueue/queue_metrics.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "keelson/core/leaf_mutex.h"

namespace keelson {

namespace {

MetricOptions Named(std::string name, std::string help) {
  return {.name = std::move(name), .help = std::move(help), .labels = {"name", "controller"}};
}

// 10 ns to 1,000 s, a power of ten apart. Multiplied up as Go does it: sums over programs of both kinds need bounds
// that are equal to the last bit.
std::vector<double> DurationBuckets() {
  std::vector<double> buckets;
  for (double bound = 10e-9; buckets.size() < 12; bound *= 10) buckets.push_back(bound);
  return buckets;
}

constexpr size_t kMaxPriorities = 25;

}  // namespace

struct DepthMetric::Others {
  Others(MetricFamily<Gauge> family_given, std::string_view name_given)
      : family(std::move(family_given)), name(name_given) {}
  Gauge Make(std::string_view label) const { return family.With({name, name, label}); }

  const MetricFamily<Gauge> family;
  const std::string name;
  LeafMutex mutex;
  std::vector<std::pair<int32_t, Gauge>> known;  // guarded by mutex
};

DepthMetric::DepthMetric(MetricFamily<Gauge> family, std::string_view name)
    : others_(std::make_shared<Others>(std::move(family), name)) {
  zero_ = others_->Make("0");
}

Gauge DepthMetric::AtOther(int32_t priority) const {
  LeafLock lock(others_->mutex);
  auto& known = others_->known;
  const auto found = std::find_if(known.begin(), known.end(), [&](const auto& each) { return each.first == priority; });
  if (found != known.end()) return found->second;
  // One of the 25 is 0.
  if (known.size() + 1 >= kMaxPriorities) return others_->Make("exceeded_cardinality_limit");
  return known.emplace_back(priority, others_->Make(std::to_string(priority))).second;
}

Result<QueueMetrics> QueueMetrics::Create(MetricRegistry& registry, std::string_view name) {
  KEELSON_TRY(depth, registry.AddGauge({.name = "workqueue_depth",
                                        .help = "Keys waiting for a worker, by priority.",
                                        .labels = {"name", "controller", "priority"}}));
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
                      .depth = DepthMetric(std::move(depth), name),
                      .adds = adds.With({name, name}),
                      .queue_duration = queued.With({name, name}),
                      .work_duration = worked.With({name, name}),
                      .retries = retries.With({name, name}),
                      .unfinished_work = unfinished.With({name, name}),
                      .longest_running = longest.With({name, name})};
}

}  // namespace keelson
