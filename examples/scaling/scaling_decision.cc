#include "scaling_decision.h"

#include <algorithm>
#include <chrono>

namespace scaling {

using keelson::Duration;

Decision Decide(const v1::ScalingSpec& spec, const Observation& observation) {
  const int32_t replicas = observation.replicas;
  const int32_t bounded = std::clamp(replicas, spec.minReplicas, std::max(spec.minReplicas, spec.maxReplicas));
  if (bounded != replicas) return {.replicas = bounded, .reason = kOutOfBounds};
  if (!observation.metric) return {.replicas = replicas, .reason = kMetricUnavailable};

  const bool up = *observation.metric > spec.scaleUp;
  const bool down = !up && *observation.metric < spec.scaleDown;
  if (!up && !down) return {.replicas = replicas, .reason = kWithinThresholds};
  if (up && replicas == spec.maxReplicas) return {.replicas = replicas, .reason = kAtMaximum};
  if (down && replicas == spec.minReplicas) return {.replicas = replicas, .reason = kAtMinimum};

  Decision decision{.replicas = replicas, .reason = up ? kAboveThreshold : kBelowThreshold};
  const Duration pause = std::chrono::seconds(spec.stabilizationSeconds.value_or(60));
  // A step that lies ahead was told by another clock, and holds nobody back.
  const Duration passed = observation.since_last_step.value_or(pause);
  if (passed >= Duration::zero() && passed < pause) {
    decision.wait = pause - passed;
  } else {
    // In 64 bits: a step may be as large as the schema lets it.
    const int64_t stepped = int64_t{replicas} + (up ? int64_t{spec.step} : -int64_t{spec.step});
    decision.replicas = static_cast<int32_t>(std::clamp<int64_t>(stepped, spec.minReplicas, spec.maxReplicas));
  }
  return decision;
}

}  // namespace scaling
