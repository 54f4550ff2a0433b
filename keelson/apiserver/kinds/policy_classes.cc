// PriorityClass and RuntimeClass.
#include <fmt/format.h>

#include "keelson/api/node/v1.h"
#include "keelson/api/scheduling/v1.h"
#include "keelson/api/status_error.h"
#include "keelson/apiserver/kinds/checks_common.h"
#include "keelson/apiserver/kinds/checks_node_selector.h"
#include "keelson/apiserver/kinds/checks_resources.h"
#include "keelson/apiserver/kinds/kind_groups.h"
#include "keelson/apiserver/kinds/pod_checks.h"
#include "keelson/apiserver/kinds/resource_rounding.h"

namespace keelson::apiserver {

namespace {

// --- PriorityClass ---

constexpr int32_t kHighestUserPriority = 1000000000;

void SetPriorityDefaults(schedulingv1::PriorityClass& object) {
  if (!object.preemptionPolicy) object.preemptionPolicy = "PreemptLowerPriority";
}

// The admission plugin Priority lets only one class be the default.
Result<void> CheckOnlyDefault(const schedulingv1::PriorityClass& object, bool create, const WriteContext& context) {
  if (!object.globalDefault) return {};
  for (const schedulingv1::PriorityClass& other : context.lookup.FindAll<schedulingv1::PriorityClass>("")) {
    if (!other.globalDefault || (!create && other.metadata.name == object.metadata.name)) continue;
    return apierrors::Forbidden({"scheduling.k8s.io", "priorityclasses"}, object.metadata.name,
                                fmt::format("PriorityClass {} is already marked as default. Only one default can exist",
                                            other.metadata.name.view()));
  }
  return {};
}

Result<void> PreparePriorityCreate(schedulingv1::PriorityClass& object, WriteContext& context) {
  object.metadata.generation = 1;  // and never grows
  return CheckOnlyDefault(object, true, context);
}

Result<void> PreparePriorityUpdate(schedulingv1::PriorityClass& object, const schedulingv1::PriorityClass&,
                                   WriteContext& context) {
  return CheckOnlyDefault(object, false, context);
}

// Why a class of the reserved names is none of the two that exist; empty when it is.
std::string WhyNoSystemClass(const schedulingv1::PriorityClass& object) {
  const String& name = object.metadata.name;
  if (name != "system-node-critical" && name != "system-cluster-critical") {
    return fmt::format("{} is not a known system priority class", name.view());
  }
  const int32_t value = 2 * kHighestUserPriority + (name == "system-node-critical" ? 1000 : 0);
  if (object.value != value) return fmt::format("value of {} PriorityClass must be {}", name.view(), value);
  if (object.globalDefault) return fmt::format("globalDefault of {} PriorityClass must be false", name.view());
  return {};
}

void ValidatePriority(const schedulingv1::PriorityClass& object, FieldErrors& errors) {
  if (object.metadata.name.view().starts_with("system-")) {
    if (const std::string why = WhyNoSystemClass(object); !why.empty()) {
      const Path metadata("metadata");
      errors.Forbidden(
          metadata / "name",
          fmt::format("priority class names with 'system-' prefix are reserved for system use only. error: {}", why));
    }
  } else if (object.value > kHighestUserPriority) {
    errors.Forbidden(Path("value"),
                     fmt::format("maximum allowed value of a user defined priority is {}", kHighestUserPriority));
  }
  if (!object.preemptionPolicy) return;
  const Path policy("preemptionPolicy");
  if (object.preemptionPolicy->empty()) {
    errors.Required(policy, "");
  } else if (!IsOneOf(*object.preemptionPolicy, {"PreemptLowerPriority", "Never"})) {
    errors.NotSupportedAsListed(policy, Json(*object.preemptionPolicy), {"PreemptLowerPriority", "Never"});
  }
}

void ValidatePriorityUpdate(const schedulingv1::PriorityClass& object, const schedulingv1::PriorityClass& old,
                            FieldErrors& errors) {
  if (object.value != old.value) errors.Forbidden(Path("value"), "may not be changed in an update.");
  CheckImmutable(object.preemptionPolicy, old.preemptionPolicy, Path("preemptionPolicy"), errors);
}

// --- RuntimeClass ---

void WarnOfRuntime(const nodev1::RuntimeClass& object, std::vector<std::string>& warnings) {
  if (!object.scheduling) return;
  for (const auto& [key, value] : object.scheduling->nodeSelector) {
    WarnOfNodeLabel(key, Path("scheduling.nodeSelector"), warnings);
  }
}

void SetRuntimeDefaults(nodev1::RuntimeClass& object) {
  if (object.overhead) RoundUpToMilli(object.overhead->podFixed);
}

void ValidateRuntime(const nodev1::RuntimeClass& object, FieldErrors& errors) {
  const Path handler("handler");
  if (object.handler.empty()) {
    errors.Required(handler, "");
  } else {
    CheckDnsLabel(object.handler, handler, errors);
  }
  if (object.overhead) {
    corev1::ResourceRequirements requirements;
    requirements.limits = object.overhead->podFixed;
    CheckResourceRequirements(requirements, ResourceOwner::kContainer, {}, {}, Path("overhead"), errors);
  }
  if (!object.scheduling) return;
  const Path scheduling("scheduling");
  CheckLabels(object.scheduling->nodeSelector, scheduling / "nodeSelector", errors);
  const Path tolerations = scheduling / "tolerations";
  const List<corev1::Toleration>& list = object.scheduling->tolerations;
  CheckTolerations(list, tolerations, errors);
  for (size_t i = 0; i < list.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (list[i].key != list[j].key || list[i].operator_ != list[j].operator_ || list[i].value != list[j].value ||
          list[i].effect != list[j].effect) {
        continue;
      }
      errors.DuplicateShown(tolerations[i], InternalForm(list[i]));
      break;
    }
  }
}

void ValidateRuntimeUpdate(const nodev1::RuntimeClass& object, const nodev1::RuntimeClass& old, FieldErrors& errors) {
  ValidateRuntime(object, errors);
  CheckImmutable(object.handler, old.handler, Path("handler"), errors);
}

}  // namespace

void AddClassRules(RulesTable& table) {
  table.Add<schedulingv1::PriorityClass>({.set_defaults = SetPriorityDefaults,
                                          .prepare_create = PreparePriorityCreate,
                                          .prepare_update = PreparePriorityUpdate,
                                          .validate = ValidatePriority,
                                          .validate_update = ValidatePriorityUpdate,
                                          .generation = false});
  table.Add<nodev1::RuntimeClass>({.set_defaults = SetRuntimeDefaults,
                                   .validate = ValidateRuntime,
                                   .validate_update = ValidateRuntimeUpdate,
                                   .warn = WarnOfRuntime,
                                   .generation = false,
                                   .create_on_update = true,
                                   .unconditional_update = false});
}

}  // namespace keelson::apiserver
