#include "keelson/api/conditions.h"

#include <algorithm>
#include <utility>

#include "keelson/core/clock.h"

namespace keelson {

namespace {

metav1::Time Present() { return metav1::Time(Clock::WallNow()); }

// Null when nothing changes; otherwise what takes the place of `before`.
Optional<metav1::Condition> Updated(const metav1::Condition& before, metav1::Condition condition) {
  metav1::Condition after = before;
  if (before.status != condition.status) {
    after.status = condition.status;
    after.lastTransitionTime = condition.lastTransitionTime.IsZero() ? Present() : condition.lastTransitionTime;
  }
  after.reason = condition.reason;
  after.message = condition.message;
  after.observedGeneration = condition.observedGeneration;
  const bool same = after.status == before.status && after.reason == before.reason && after.message == before.message &&
                    after.observedGeneration == before.observedGeneration;
  if (same) return {};
  return after;
}

// A change goes through `conditions[i] = …` alone, so that an unchanged list is never detached.
template <class Conditions>
bool Set(Conditions& conditions, metav1::Condition condition) {
  for (size_t i = 0; i < conditions.size(); ++i) {
    const metav1::Condition& before = std::as_const(conditions)[i];
    if (before.type != condition.type) continue;
    const Optional<metav1::Condition> after = Updated(before, std::move(condition));
    if (after) conditions[i] = *after;
    return after.has_value();
  }
  if (condition.lastTransitionTime.IsZero()) condition.lastTransitionTime = Present();
  conditions.push_back(std::move(condition));
  return true;
}

}  // namespace

bool SetStatusCondition(List<metav1::Condition>& conditions, metav1::Condition condition) {
  return Set(conditions, std::move(condition));
}

bool SetStatusCondition(std::vector<metav1::Condition>& conditions, metav1::Condition condition) {
  return Set(conditions, std::move(condition));
}

bool RemoveStatusCondition(List<metav1::Condition>& conditions, std::string_view type) {
  const String wanted(type);  // `type` may point into the list
  return conditions.EraseIf([&](const metav1::Condition& condition) { return condition.type == wanted; }) != 0;
}

bool RemoveStatusCondition(std::vector<metav1::Condition>& conditions, std::string_view type) {
  const String wanted(type);
  return std::erase_if(conditions, [&](const metav1::Condition& condition) { return condition.type == wanted; }) != 0;
}

}  // namespace keelson
