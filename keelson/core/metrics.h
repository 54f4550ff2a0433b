// Counters, gauges and histograms for Prometheus.
//
//   MetricRegistry registry;
//   MetricFamily<Counter> adds =
//       registry.AddCounter({.name = "workqueue_adds_total", .help = "Keys added.", .labels = {"name"}}).value();
//   Counter pods = adds.With({"pods"});   // keep it: finding it again costs a lookup
//   pods.Increment();
//   response.body = registry.Render();
//
// The number of series a family can grow to is bounded: what comes after that goes to one series whose label values are
// all "other", and is counted in keelson_metrics_overflow_total. Everything here is thread-safe. Families and metrics
// are cheap to copy and must not be used after their registry; a default-constructed metric goes nowhere.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "keelson/core/result.h"
#include "keelson/core/time.h"

namespace prometheus {
class Counter;
class Gauge;
class Histogram;
}  // namespace prometheus

namespace keelson {

namespace internal {
template <class Metric>
struct FamilyState;
struct RegistryState;
}  // namespace internal

// Only grows: a negative amount is ignored.
class Counter {
 public:
  using Native = prometheus::Counter;
  Counter() = default;
  explicit Counter(Native* native) : native_(native) {}

  void Increment(double by = 1) const;
  double Value() const;

 private:
  Native* native_ = nullptr;
};

// Goes up and down.
class Gauge {
 public:
  using Native = prometheus::Gauge;
  Gauge() = default;
  explicit Gauge(Native* native) : native_(native) {}

  void Set(double value) const;
  void Increment(double by = 1) const;
  void Decrement(double by = 1) const;
  double Value() const;

 private:
  Native* native_ = nullptr;
};

// How often observations fell in each bucket. Times are observed in seconds, as Prometheus expects.
class Histogram {
 public:
  using Native = prometheus::Histogram;
  Histogram() = default;
  explicit Histogram(Native* native) : native_(native) {}

  void Observe(double value) const;
  void Observe(Duration span) const { Observe(std::chrono::duration<double>(span).count()); }

 private:
  Native* native_ = nullptr;
};

struct MetricOptions {
  std::string name;  // "workqueue_adds_total"
  std::string help;
  std::vector<std::string> labels = {};  // names; their values are given to With() in this order
  size_t max_series = 1000;
};

// The metrics of one name, one for each combination of label values.
template <class Metric>
class MetricFamily {
 public:
  // One value for each label; another number of them is a bug in the caller and ends the process.
  Metric With(std::span<const std::string_view> label_values) const;
  Metric With(std::initializer_list<std::string_view> label_values) const {
    return With(std::span(label_values.begin(), label_values.size()));
  }

 private:
  friend class MetricRegistry;
  explicit MetricFamily(std::shared_ptr<internal::FamilyState<Metric>> state) : state_(std::move(state)) {}

  std::shared_ptr<internal::FamilyState<Metric>> state_;
};

extern template class MetricFamily<Counter>;
extern template class MetricFamily<Gauge>;
extern template class MetricFamily<Histogram>;

class MetricRegistry {
 public:
  MetricRegistry();
  ~MetricRegistry();
  MetricRegistry(const MetricRegistry&) = delete;
  MetricRegistry& operator=(const MetricRegistry&) = delete;

  // Adding the same family again returns the first one, so that two users may share it. kAlreadyExists when the name is
  // taken by a family that differs, kInvalidArgument when Prometheus would refuse a name or the buckets do not
  // increase.
  Result<MetricFamily<Counter>> AddCounter(MetricOptions options);
  Result<MetricFamily<Gauge>> AddGauge(MetricOptions options);
  // Buckets are given by their upper bounds; the one without a bound is added.
  Result<MetricFamily<Histogram>> AddHistogram(MetricOptions options, std::vector<double> buckets = DefaultBuckets());

  // 5 ms to 10 s: suits the latency of a network request.
  static std::vector<double> DefaultBuckets();

  // All metrics in Prometheus' text format, sorted by name and labels.
  std::string Render() const;

 private:
  std::unique_ptr<internal::RegistryState> state_;
};

}  // namespace keelson
