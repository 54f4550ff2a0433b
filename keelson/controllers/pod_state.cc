#include "keelson/controllers/pod_state.h"

#include "keelson/api/conditions.h"
#include "keelson/api/finalizers.h"

namespace keelson::controllers {

std::optional<metav1::Time> ReadySince(const corev1::Pod& pod) {
  for (const corev1::PodCondition& condition : pod.status.conditions) {
    if (condition.type == "Ready" && condition.status == kConditionTrue) return condition.lastTransitionTime;
  }
  return std::nullopt;
}

bool IsReady(const corev1::Pod& pod) { return ReadySince(pod).has_value(); }

std::optional<Duration> UntilAvailable(const corev1::Pod& pod, int32_t min_ready_seconds, WallTime now) {
  const std::optional<metav1::Time> since = ReadySince(pod);
  if (!since || since->IsZero() || min_ready_seconds <= 0) return std::nullopt;
  const Duration left = since->ToTimePoint() + std::chrono::seconds(min_ready_seconds) - now;
  return left > Duration::zero() ? std::optional(left) : std::nullopt;
}

bool IsAvailable(const corev1::Pod& pod, int32_t min_ready_seconds, WallTime now) {
  const std::optional<metav1::Time> since = ReadySince(pod);
  if (!since) return false;
  if (min_ready_seconds <= 0) return true;
  return !since->IsZero() && !UntilAvailable(pod, min_ready_seconds, now);
}

bool IsFinished(const corev1::Pod& pod) { return pod.status.phase == "Succeeded" || pod.status.phase == "Failed"; }
bool IsActive(const corev1::Pod& pod) { return !IsFinished(pod) && !IsBeingDeleted(pod); }
bool IsTerminating(const corev1::Pod& pod) { return !IsFinished(pod) && IsBeingDeleted(pod); }

}  // namespace keelson::controllers
