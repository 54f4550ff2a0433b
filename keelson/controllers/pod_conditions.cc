#include "keelson/controllers/pod_conditions.h"

#include "keelson/core/clock.h"

namespace keelson::controllers {

const corev1::PodCondition* FindPodCondition(const corev1::PodStatus& status, std::string_view type) {
  for (const corev1::PodCondition& condition : status.conditions) {
    if (condition.type == type) return &condition;
  }
  return nullptr;
}

bool IsPodConditionTrue(const corev1::PodStatus& status, std::string_view type) {
  const corev1::PodCondition* condition = FindPodCondition(status, type);
  return condition != nullptr && condition->status == "True";
}

bool SetPodCondition(corev1::PodStatus& status, corev1::PodCondition condition) {
  const auto now = [] { return metav1::Time(Clock::WallNow()); };
  for (size_t i = 0; i < status.conditions.size(); ++i) {
    const corev1::PodCondition& before = std::as_const(status.conditions)[i];
    if (before.type != condition.type) continue;
    condition.lastTransitionTime = before.status == condition.status ? before.lastTransitionTime : now();
    if (before.status == condition.status && before.reason == condition.reason && before.message == condition.message &&
        before.observedGeneration == condition.observedGeneration && before.lastProbeTime == condition.lastProbeTime) {
      return false;
    }
    status.conditions[i] = std::move(condition);
    return true;
  }
  condition.lastTransitionTime = now();
  status.conditions.push_back(std::move(condition));
  return true;
}

}  // namespace keelson::controllers
