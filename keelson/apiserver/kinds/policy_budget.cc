// PodDisruptionBudget.
#include "keelson/api/policy/v1.h"
#include "keelson/apiserver/kinds/checks_common.h"
#include "keelson/apiserver/kinds/kind_groups.h"

namespace keelson::apiserver {

namespace {

void CheckBudget(const policyv1::PodDisruptionBudgetSpec& spec, LabelSelectorOptions options, FieldErrors& errors) {
  const Path path("spec");
  if (spec.minAvailable && spec.maxUnavailable) {
    errors.InvalidShown(path, InternalForm(spec), "minAvailable and maxUnavailable cannot be both set");
  }
  const auto amount = [&](const Optional<IntOrString>& value, const Path& field) {
    if (!value) return;
    CheckNonNegativeIntOrPercent(*value, field, errors);
    CheckNotMoreThan100Percent(*value, field, errors);
  };
  amount(spec.minAvailable, path / "minAvailable");
  amount(spec.maxUnavailable, path / "maxUnavailable");
  CheckLabelSelector(spec.selector, path / "selector", errors, options);
  if (spec.unhealthyPodEvictionPolicy) {
    CheckOneOf(*spec.unhealthyPodEvictionPolicy, {"AlwaysAllow", "IfHealthyBudget"},
               path / "unhealthyPodEvictionPolicy", errors);
  }
}

void ValidateBudget(const policyv1::PodDisruptionBudget& budget, FieldErrors& errors) {
  CheckBudget(budget.spec, {}, errors);
}

void ValidateBudgetUpdate(const policyv1::PodDisruptionBudget& budget, const policyv1::PodDisruptionBudget& old,
                          FieldErrors& errors) {
  FieldErrors old_errors;
  CheckLabelSelector(old.spec.selector, Path("spec"), old_errors);
  CheckBudget(budget.spec, {.any_value = !old_errors.empty()}, errors);
}

void ValidateBudgetStatus(const policyv1::PodDisruptionBudget& budget, const policyv1::PodDisruptionBudget&,
                          FieldErrors& errors) {
  const Path status("status");
  CheckConditions(budget.status.conditions, status / "conditions", errors);
  CheckNonNegative(budget.status.disruptionsAllowed, status / "disruptionsAllowed", errors);
  CheckNonNegative(budget.status.currentHealthy, status / "currentHealthy", errors);
  CheckNonNegative(budget.status.desiredHealthy, status / "desiredHealthy", errors);
  CheckNonNegative(budget.status.expectedPods, status / "expectedPods", errors);
}

}  // namespace

void AddBudgetRules(RulesTable& table) {
  table.Add<policyv1::PodDisruptionBudget>({.validate = ValidateBudget,
                                            .validate_update = ValidateBudgetUpdate,
                                            .validate_status = ValidateBudgetStatus,
                                            .unconditional_update = false});
}

}  // namespace keelson::apiserver
