#include "keelson/core/metrics.h"

#include <fmt/format.h>
#include <prometheus/check_names.h>
#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <sstream>
#include <type_traits>
#include <unordered_map>
#include <variant>

#include "keelson/core/hash.h"
#include "keelson/core/internal/utf8.h"

namespace keelson {

namespace {

constexpr std::string_view kOther = "other";
constexpr const char* kOverflowName = "keelson_metrics_overflow_total";
constexpr const char* kOverflowHelp = "Lookups of series that went to \"other\" because their metric had its maximum.";

}  // namespace

namespace internal {

// Values of labels, kept or about to be looked up.
struct LabelValuesHash {
  using is_transparent = void;
  template <class Values>
  size_t operator()(const Values& values) const {
    uint64_t state = values.size();
    for (const auto& value : values) state = HashBytes(value.data(), value.size(), state);
    return state;
  }
};
struct SameLabelValues {
  using is_transparent = void;
  template <class A, class B>
  bool operator()(const A& a, const B& b) const {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }
};

// Locks here are std::mutex and not Mutex: counting is no scheduling point, so that a metric more or less does not
// change what a simulation's seed does. Nothing that could wait happens under them.
template <class Metric>
struct FamilyState {
  using Native = typename Metric::Native;

  FamilyState(MetricOptions given, std::vector<double> bounds, prometheus::Family<prometheus::Counter>& overflow_family)
      : options(std::move(given)),
        buckets(std::move(bounds)),
        overflows(overflow_family),
        native(options.name, options.help, {}) {}

  const MetricOptions options;
  const std::vector<double> buckets;  // of histograms
  prometheus::Family<prometheus::Counter>& overflows;
  prometheus::Family<Native> native;

  std::mutex mutex;
  // Guarded by mutex.
  std::unordered_map<std::vector<std::string>, Native*, LabelValuesHash, SameLabelValues> series;
  Native* other = nullptr;

  Native* Add(std::span<const std::string_view> label_values) {
    prometheus::Labels labels;
    for (size_t i = 0; i < label_values.size(); ++i) {
      labels.emplace(options.labels[i], ReplaceInvalidUtf8(label_values[i]));
    }
    if constexpr (std::is_same_v<Metric, Histogram>) {
      return &native.Add(labels, buckets);
    } else {
      return &native.Add(labels);
    }
  }

  Native* Find(std::span<const std::string_view> label_values) {
    std::lock_guard lock(mutex);
    if (auto found = series.find(label_values); found != series.end()) return found->second;
    if (series.size() < options.max_series) {
      std::vector<std::string> kept(label_values.begin(), label_values.end());
      return series.try_emplace(std::move(kept), Add(label_values)).first->second;
    }
    overflows.Add({{"metric", options.name}}).Increment();
    if (other == nullptr) other = Add(std::vector<std::string_view>(label_values.size(), kOther));
    return other;
  }
};

struct RegistryState {
  using AnyFamily = std::variant<std::shared_ptr<FamilyState<Counter>>, std::shared_ptr<FamilyState<Gauge>>,
                                 std::shared_ptr<FamilyState<Histogram>>>;

  prometheus::Family<prometheus::Counter> overflows{kOverflowName, kOverflowHelp, {}};

  std::mutex mutex;
  std::map<std::string, AnyFamily> families;  // guarded by mutex

  template <class Metric>
  Result<std::shared_ptr<FamilyState<Metric>>> Add(MetricOptions options, std::vector<double> buckets);
};

namespace {

Result<void> CheckOptions(const MetricOptions& options, bool histogram, const std::vector<double>& buckets) {
  if (!prometheus::CheckMetricName(options.name)) {
    return Error::InvalidArgument(fmt::format(
        "metric name \"{}\" is not one of Prometheus: expected letters, digits, '_' and ':', not a digit first",
        options.name));
  }
  for (size_t i = 0; i < options.labels.size(); ++i) {
    const std::string& label = options.labels[i];
    if (!prometheus::CheckLabelName(label) || (histogram && label == "le")) {
      return Error::InvalidArgument(fmt::format(
          "label \"{}\" of metric {} cannot be used: expected letters, digits and '_', not a digit or \"__\" first{}",
          label, options.name, histogram ? ", and not \"le\"" : ""));
    }
    if (std::find(options.labels.begin(), options.labels.begin() + static_cast<ptrdiff_t>(i), label) !=
        options.labels.begin() + static_cast<ptrdiff_t>(i)) {
      return Error::InvalidArgument(fmt::format("label \"{}\" of metric {} is given twice", label, options.name));
    }
  }
  for (size_t i = 0; i < buckets.size(); ++i) {
    if (!std::isfinite(buckets[i]) || (i > 0 && buckets[i] <= buckets[i - 1])) {
      return Error::InvalidArgument(
          fmt::format("bucket {} of metric {} is {}: expected finite bounds, each above the one before", i,
                      options.name, buckets[i]));
    }
  }
  return {};
}

}  // namespace

template <class Metric>
Result<std::shared_ptr<FamilyState<Metric>>> RegistryState::Add(MetricOptions options, std::vector<double> buckets) {
  KEELSON_RETURN_IF_ERROR(CheckOptions(options, std::is_same_v<Metric, Histogram>, buckets));
  std::lock_guard lock(mutex);
  if (auto found = families.find(options.name); found != families.end()) {
    const auto* same_kind = std::get_if<std::shared_ptr<FamilyState<Metric>>>(&found->second);
    if (same_kind != nullptr && (*same_kind)->options.labels == options.labels && (*same_kind)->buckets == buckets) {
      return *same_kind;
    }
    return Error::AlreadyExists(fmt::format(
        "metric {} exists with another kind, other labels or other buckets; choose another name", options.name));
  }
  if (options.name == kOverflowName) {
    return Error::AlreadyExists(fmt::format("metric {} is the registry's own; choose another name", options.name));
  }
  std::string name = options.name;
  auto state = std::make_shared<FamilyState<Metric>>(std::move(options), std::move(buckets), overflows);
  families.emplace(std::move(name), state);
  return state;
}

}  // namespace internal

void Counter::Increment(double by) const {
  if (native_ != nullptr) native_->Increment(by);
}
double Counter::Value() const { return native_ != nullptr ? native_->Value() : 0; }

void Gauge::Set(double value) const {
  if (native_ != nullptr) native_->Set(value);
}
void Gauge::Increment(double by) const {
  if (native_ != nullptr) native_->Increment(by);
}
void Gauge::Decrement(double by) const {
  if (native_ != nullptr) native_->Decrement(by);
}
double Gauge::Value() const { return native_ != nullptr ? native_->Value() : 0; }

void Histogram::Observe(double value) const {
  if (native_ != nullptr) native_->Observe(value);
}

template <class Metric>
Metric MetricFamily<Metric>::With(std::span<const std::string_view> label_values) const {
  if (label_values.size() != state_->options.labels.size()) {
    std::fprintf(stderr, "keelson: metric %s has %zu labels and was given %zu values\n", state_->options.name.c_str(),
                 state_->options.labels.size(), label_values.size());
    std::abort();
  }
  return Metric(state_->Find(label_values));
}

template class MetricFamily<Counter>;
template class MetricFamily<Gauge>;
template class MetricFamily<Histogram>;

MetricRegistry::MetricRegistry() : state_(std::make_unique<internal::RegistryState>()) {}
MetricRegistry::~MetricRegistry() = default;

Result<MetricFamily<Counter>> MetricRegistry::AddCounter(MetricOptions options) {
  KEELSON_TRY(family, state_->Add<Counter>(std::move(options), {}));
  return MetricFamily<Counter>(std::move(family));
}

Result<MetricFamily<Gauge>> MetricRegistry::AddGauge(MetricOptions options) {
  KEELSON_TRY(family, state_->Add<Gauge>(std::move(options), {}));
  return MetricFamily<Gauge>(std::move(family));
}

Result<MetricFamily<Histogram>> MetricRegistry::AddHistogram(MetricOptions options, std::vector<double> buckets) {
  KEELSON_TRY(family, state_->Add<Histogram>(std::move(options), std::move(buckets)));
  return MetricFamily<Histogram>(std::move(family));
}

std::vector<double> MetricRegistry::DefaultBuckets() {
  return {0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10};
}

std::string MetricRegistry::Render() const {
  std::vector<prometheus::MetricFamily> collected = state_->overflows.Collect();
  {
    std::lock_guard lock(state_->mutex);
    for (const auto& [name, any] : state_->families) {
      std::visit(
          [&](const auto& family) {
            for (auto& part : family->native.Collect()) collected.push_back(std::move(part));
          },
          any);
    }
  }
  std::sort(collected.begin(), collected.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  for (prometheus::MetricFamily& family : collected) {
    std::sort(family.metric.begin(), family.metric.end(),
              [](const auto& a, const auto& b) { return a.label < b.label; });
  }
  std::ostringstream out;
  prometheus::TextSerializer().Serialize(out, collected);
  return out.str();
}

}  // namespace keelson
