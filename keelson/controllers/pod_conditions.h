// The conditions of a pod's status, whose type is not that of other kinds'.
#pragma once

#include <string_view>

#include "keelson/api/core/v1.h"

namespace keelson::controllers {

// Null when there is none.
const corev1::PodCondition* FindPodCondition(const corev1::PodStatus& status, std::string_view type);
bool IsPodConditionTrue(const corev1::PodStatus& status, std::string_view type);

// Adds the condition or updates the one of its type; says whether anything changed. `lastTransitionTime` moves only
// with the status: to the present.
bool SetPodCondition(corev1::PodStatus& status, corev1::PodCondition condition);

}  // namespace keelson::controllers
