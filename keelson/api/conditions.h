// The conditions of an object's status: what is true of it now, since when, and why.
//
//   SetStatusCondition(app.status.conditions, {.type = "Available", .status = kConditionTrue,
//                                              .reason = "MinimumReplicas", .message = "3 of 3 replicas are ready"});
//   if (IsStatusConditionTrue(deployment.status.conditions, "Available")) …
//
// For lists of metav1::Condition, ours or std::vector.
#pragma once

#include <string_view>
#include <vector>

#include "keelson/api/meta/v1.h"

namespace keelson {

inline constexpr std::string_view kConditionTrue = "True";
inline constexpr std::string_view kConditionFalse = "False";
inline constexpr std::string_view kConditionUnknown = "Unknown";

// Adds the condition or updates the one of its type; says whether anything changed. `lastTransitionTime` moves only
// when the status differs from before: to the time given in `condition`, or to the present when none is given.
bool SetStatusCondition(List<metav1::Condition>& conditions, metav1::Condition condition);
bool SetStatusCondition(std::vector<metav1::Condition>& conditions, metav1::Condition condition);

// Says whether there was one.
bool RemoveStatusCondition(List<metav1::Condition>& conditions, std::string_view type);
bool RemoveStatusCondition(std::vector<metav1::Condition>& conditions, std::string_view type);

// The condition of that type, or null. Valid until the list changes.
template <class Conditions>
const metav1::Condition* FindStatusCondition(const Conditions& conditions, std::string_view type) {
  for (const metav1::Condition& condition : conditions) {
    if (condition.type == type) return &condition;
  }
  return nullptr;
}
template <class Conditions>
const metav1::Condition* FindStatusCondition(const Conditions&& conditions, std::string_view type) = delete;

template <class Conditions>
bool IsStatusConditionPresentAndEqual(const Conditions& conditions, std::string_view type, std::string_view status) {
  const metav1::Condition* condition = FindStatusCondition(conditions, type);
  return condition != nullptr && condition->status == status;
}
// False also when there is no such condition.
template <class Conditions>
bool IsStatusConditionTrue(const Conditions& conditions, std::string_view type) {
  return IsStatusConditionPresentAndEqual(conditions, type, kConditionTrue);
}
template <class Conditions>
bool IsStatusConditionFalse(const Conditions& conditions, std::string_view type) {
  return IsStatusConditionPresentAndEqual(conditions, type, kConditionFalse);
}

}  // namespace keelson
