// How many replicas a target should have: the whole policy, without a cluster.
//
//   const Decision decision = Decide(scaling.spec, {.replicas = 2, .metric = 85, .since_last_step = 5min});
//   if (decision.replicas != 2) …
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "api/v1/scaling.h"
#include "keelson/core/time.h"

namespace scaling {

// What is known of a target.
struct Observation {
  int32_t replicas = 0;                                   // that it is asked to have
  std::optional<int32_t> metric = {};                     // in percent; nothing: it could not be read
  std::optional<keelson::Duration> since_last_step = {};  // nothing: none was made yet
};

// Where the target stands: the reasons of the condition Ready.
inline constexpr std::string_view kOutOfBounds = "OutOfBounds";
inline constexpr std::string_view kMetricUnavailable = "MetricUnavailable";
inline constexpr std::string_view kAboveThreshold = "AboveThreshold";
inline constexpr std::string_view kBelowThreshold = "BelowThreshold";
inline constexpr std::string_view kAtMaximum = "AtMaximum";
inline constexpr std::string_view kAtMinimum = "AtMinimum";
inline constexpr std::string_view kWithinThresholds = "WithinThresholds";

struct Decision {
  int32_t replicas = 0;  // that the target is to have now
  std::string_view reason = {};
  // A step is due so much later, if the metric stays as it is. Zero: none is.
  keelson::Duration wait{0};

  friend bool operator==(const Decision&, const Decision&) = default;
};

// The bounds hold at once, whatever is measured. Beyond a threshold the replicas change by one step, and again once the
// stabilisation time has passed.
Decision Decide(const v1::ScalingSpec& spec, const Observation& observation);

}  // namespace scaling
