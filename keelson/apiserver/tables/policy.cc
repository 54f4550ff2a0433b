// Budgets, autoscalers, leases, classes and roles.
#include <fmt/format.h>

#include "keelson/api/autoscaling/v2.h"
#include "keelson/api/coordination/v1.h"
#include "keelson/api/node/v1.h"
#include "keelson/api/policy/v1.h"
#include "keelson/api/rbac/v1.h"
#include "keelson/api/scheduling/v1.h"
#include "keelson/apiserver/tables/cells.h"

namespace keelson::apiserver::tables {
namespace {

Cells PodDisruptionBudgetCells(const policyv1::PodDisruptionBudget& budget, const PrintContext& context) {
  const auto amount = [](const Optional<IntOrString>& value) { return value ? value->ToString() : "N/A"; };
  return {budget.metadata.name, amount(budget.spec.minAvailable), amount(budget.spec.maxUnavailable),
          budget.status.disruptionsAllowed, AgeOf(budget.metadata, context)};
}

// "<nil>" is how an absent quantity shows in the answers of a server written in Go.
std::string Text(const Optional<Quantity>& quantity) { return quantity ? quantity->ToString() : "<nil>"; }

// An amount per pod where the target is one, else `current` and `target` of the whole.
template <class Status>
std::string AverageOrValue(const autoscalingv2::MetricTarget& target, const Optional<Status>& status) {
  if (target.averageValue) {
    const bool known = status && status->current.averageValue;
    return fmt::format("{}/{} (avg)", known ? Text(status->current.averageValue) : kUnknown, Text(target.averageValue));
  }
  return fmt::format("{}/{}", status ? Text(status->current.value) : kUnknown, Text(target.value));
}

template <class Status>
std::string ResourceTarget(std::string_view name, const autoscalingv2::MetricTarget& target,
                           const Optional<Status>& status) {
  if (target.averageValue) {
    return fmt::format("{}: {}/{}", name, status ? Text(status->current.averageValue) : kUnknown,
                       Text(target.averageValue));
  }
  const auto percent = [](const Optional<int32_t>& value, std::string_view if_absent) {
    return value ? fmt::format("{}%", *value) : std::string(if_absent);
  };
  return fmt::format("{}: {}/{}", name, status ? percent(status->current.averageUtilization, kUnknown) : kUnknown,
                     percent(target.averageUtilization, "<auto>"));
}

std::string MetricText(const autoscalingv2::MetricSpec& metric, const autoscalingv2::MetricStatus& status) {
  if (metric.type == "External" && metric.external) return AverageOrValue(metric.external->target, status.external);
  if (metric.type == "Object" && metric.object) return AverageOrValue(metric.object->target, status.object);
  if (metric.type == "Pods" && metric.pods) {
    return fmt::format("{}/{}", status.pods ? Text(status.pods->current.averageValue) : kUnknown,
                       Text(metric.pods->target.averageValue));
  }
  if (metric.type == "Resource" && metric.resource) {
    return ResourceTarget(metric.resource->name, metric.resource->target, status.resource);
  }
  if (metric.type == "ContainerResource" && metric.containerResource) {
    return ResourceTarget(metric.containerResource->name, metric.containerResource->target, status.containerResource);
  }
  return "<unknown type>";
}

Cells HorizontalPodAutoscalerCells(const autoscalingv2::HorizontalPodAutoscaler& scaler, const PrintContext& context) {
  constexpr size_t kShown = 2;
  const List<autoscalingv2::MetricSpec>& metrics = scaler.spec.metrics;
  const List<autoscalingv2::MetricStatus>& statuses = scaler.status.currentMetrics;
  std::string targets(metrics.empty() ? kNone : "");
  for (size_t i = 0; i < metrics.size() && i < kShown; ++i) {
    if (i > 0) targets += ", ";
    targets += MetricText(metrics[i], i < statuses.size() ? statuses[i] : autoscalingv2::MetricStatus());
  }
  if (metrics.size() > kShown) targets += fmt::format(" + {} more...", metrics.size() - kShown);
  const Optional<int32_t>& minimum = scaler.spec.minReplicas;
  return {scaler.metadata.name,
          scaler.spec.scaleTargetRef.kind.str() + "/" + scaler.spec.scaleTargetRef.name.str(),
          targets,
          minimum ? std::to_string(*minimum) : std::string(kUnset),
          scaler.spec.maxReplicas,
          scaler.status.currentReplicas,
          AgeOf(scaler.metadata, context)};
}

Cells LeaseCells(const coordinationv1::Lease& lease, const PrintContext& context) {
  return {lease.metadata.name, Or(lease.spec.holderIdentity, ""), AgeOf(lease.metadata, context)};
}

Cells PriorityClassCells(const schedulingv1::PriorityClass& priority, const PrintContext& context) {
  return {priority.metadata.name, priority.value, priority.globalDefault, AgeOf(priority.metadata, context),
          Or(priority.preemptionPolicy, "")};
}

Cells RuntimeClassCells(const nodev1::RuntimeClass& runtime, const PrintContext& context) {
  return {runtime.metadata.name, runtime.handler, AgeOf(runtime.metadata, context)};
}

template <class Binding>
Cells BindingCells(const Binding& binding, const PrintContext& context) {
  std::vector<std::string_view> users;
  std::vector<std::string_view> groups;
  std::string accounts;
  for (const rbacv1::Subject& subject : binding.subjects) {
    if (subject.kind == "User") {
      users.push_back(subject.name);
    } else if (subject.kind == "Group") {
      groups.push_back(subject.name);
    } else if (subject.kind == "ServiceAccount") {
      if (!accounts.empty()) accounts += ", ";
      accounts += subject.namespace_.str() + "/" + subject.name.str();
    }
  }
  return {binding.metadata.name,
          binding.roleRef.kind.str() + "/" + binding.roleRef.name.str(),
          AgeOf(binding.metadata, context),
          Join(users, ", "),
          Join(groups, ", "),
          accounts};
}

}  // namespace

void AddPolicyPrinters(Printers& printers) {
  AddPrinter<policyv1::PodDisruptionBudget, PodDisruptionBudgetCells>(printers);
  AddPrinter<autoscalingv2::HorizontalPodAutoscaler, HorizontalPodAutoscalerCells>(printers);
  AddPrinter<coordinationv1::Lease, LeaseCells>(printers);
  AddPrinter<schedulingv1::PriorityClass, PriorityClassCells>(printers);
  AddPrinter<nodev1::RuntimeClass, RuntimeClassCells>(printers);
  AddPrinter<rbacv1::RoleBinding, BindingCells<rbacv1::RoleBinding>>(printers);
  AddPrinter<rbacv1::ClusterRoleBinding, BindingCells<rbacv1::ClusterRoleBinding>>(printers);
}

}  // namespace keelson::apiserver::tables
