// Pod and PodTemplate: what is set when they are written, and which checks apply when.
#include <fmt/format.h>

#include <algorithm>

#include "keelson/api/compare.h"
#include "keelson/api/node/v1.h"
#include "keelson/api/scheduling/v1.h"
#include "keelson/api/status_error.h"
#include "keelson/apiserver/kinds/builtin_rules.h"
#include "keelson/apiserver/kinds/checks_common.h"
#include "keelson/apiserver/kinds/pod_checks.h"
#include "keelson/apiserver/kinds/pod_spec.h"

namespace keelson::apiserver {

namespace {

constexpr std::string_view kAppArmor = "container.apparmor.security.beta.kubernetes.io/";
constexpr int64_t kTolerationSeconds = 300;
const GroupResource kPods = {"", "pods"};
const GroupKind kPodKind = {"", "Pod"};

// The admission plugin Priority: a number from the class, or from the class that is the default of all.
Result<void> SetPriority(corev1::Pod& pod, WriteContext& context) {
  corev1::PodSpec& spec = pod.spec;
  int32_t priority = 0;
  Optional<String> preemption = String("PreemptLowerPriority");
  if (!spec.priorityClassName.empty()) {
    const auto found =
        context.lookup.Find<schedulingv1::PriorityClass>({.namespace_ = "", .name = spec.priorityClassName});
    if (!found) {
      return apierrors::Forbidden(
          kPods, pod.metadata.name,
          fmt::format("no PriorityClass with name {} was found", spec.priorityClassName.view()));
    }
    priority = found->value;
    preemption = found->preemptionPolicy;
  } else {
    std::optional<schedulingv1::PriorityClass> chosen;
    for (schedulingv1::PriorityClass& one : context.lookup.FindAll<schedulingv1::PriorityClass>("")) {
      if (one.globalDefault && (!chosen || one.value < chosen->value)) chosen = std::move(one);
    }
    if (chosen) {
      spec.priorityClassName = chosen->metadata.name;
      priority = chosen->value;
      preemption = chosen->preemptionPolicy;
    }
  }
  if (spec.priority && *spec.priority != priority) {
    return apierrors::Forbidden(
        kPods, pod.metadata.name,
        fmt::format("the integer value of priority ({}) must not be provided in pod spec; priority admission "
                    "controller computed {} from the given PriorityClass name",
                    *spec.priority, priority));
  }
  spec.priority = priority;
  if (!preemption) return {};
  if (spec.preemptionPolicy && *spec.preemptionPolicy != *preemption) {
    return apierrors::Forbidden(
        kPods, pod.metadata.name,
        fmt::format("the string value of PreemptionPolicy ({}) must not be provided in pod spec; priority admission "
                    "controller computed {} from the given PriorityClass name",
                    spec.preemptionPolicy->view(), preemption->view()));
  }
  spec.preemptionPolicy = preemption;
  return {};
}

Error Rejected(const corev1::Pod& pod, std::string_view why) {
  return apierrors::Forbidden(kPods, pod.metadata.name, fmt::format("pod rejected: {}", why));
}

// The admission plugin RuntimeClass: what the class costs, and where its nodes are.
Result<void> ApplyRuntimeClass(corev1::Pod& pod, WriteContext& context) {
  corev1::PodSpec& spec = pod.spec;
  std::optional<nodev1::RuntimeClass> found;
  if (spec.runtimeClassName) {
    found = context.lookup.Find<nodev1::RuntimeClass>({.namespace_ = "", .name = *spec.runtimeClassName});
    if (!found) return Rejected(pod, fmt::format("RuntimeClass \"{}\" not found", spec.runtimeClassName->view()));
  }
  const bool has_overhead = found && found->overhead && !found->overhead->podFixed.empty();
  if (has_overhead) {
    if (!spec.overhead.empty() && !(spec.overhead == found->overhead->podFixed)) {
      return Rejected(pod, "Pod's Overhead doesn't match RuntimeClass's defined Overhead");
    }
    spec.overhead = found->overhead->podFixed;
  } else if (!spec.overhead.empty()) {
    return Rejected(pod, "Pod Overhead set without corresponding RuntimeClass defined Overhead");
  }
  if (!found || !found->scheduling) return {};
  for (const auto& [key, value] : found->scheduling->nodeSelector) {
    const String* own = spec.nodeSelector.find(key);
    if (own != nullptr && *own != value) {
      return Rejected(pod, fmt::format("conflict: runtimeClass.scheduling.nodeSelector[{}] = {}; "
                                       "pod.spec.nodeSelector[{}] = {}",
                                       key.view(), value.view(), key.view(), own->view()));
    }
    spec.nodeSelector.Set(key, value);
  }
  for (const corev1::Toleration& toleration : found->scheduling->tolerations) {
    if (std::none_of(spec.tolerations.begin(), spec.tolerations.end(),
                     [&](const corev1::Toleration& own) { return Equal(own, toleration); })) {
      spec.tolerations.push_back(toleration);
    }
  }
  return {};
}

// The admission plugin DefaultTolerationSeconds: five minutes on a node that is not well.
void AddDefaultTolerations(corev1::PodSpec& spec) {
  for (const std::string_view key : {"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"}) {
    const bool tolerated =
        std::any_of(spec.tolerations.begin(), spec.tolerations.end(), [key](const corev1::Toleration& toleration) {
          return (toleration.key == key || toleration.key.empty()) &&
                 (toleration.effect == "NoExecute" || toleration.effect.empty());
        });
    if (tolerated) continue;
    corev1::Toleration& added = spec.tolerations.emplace_back();
    added.key = key;
    added.operator_ = "Exists";
    added.effect = "NoExecute";
    added.tolerationSeconds = kTolerationSeconds;
  }
}

void AddKeysToSelector(metav1::LabelSelector& selector, const List<String>& keys, std::string_view op,
                       const Map<String>& labels) {
  for (const String& key : keys) {
    const String* value = labels.find(key);
    if (value == nullptr) continue;
    metav1::LabelSelectorRequirement& added = selector.matchExpressions.emplace_back();
    added.key = key;
    added.operator_ = op;
    added.values = {*value};
  }
}

void MergeLabelKeys(corev1::PodAffinityTerm& term, const Map<String>& labels) {
  if (!term.labelSelector || (term.matchLabelKeys.empty() && term.mismatchLabelKeys.empty())) return;
  AddKeysToSelector(*term.labelSelector, term.matchLabelKeys, "In", labels);
  AddKeysToSelector(*term.labelSelector, term.mismatchLabelKeys, "NotIn", labels);
}

template <class Affinity>
void MergeLabelKeys(Optional<Affinity>& affinity, const Map<String>& labels) {
  if (!affinity) return;
  for (auto& weighted : affinity->preferredDuringSchedulingIgnoredDuringExecution.Mutable()) {
    MergeLabelKeys(weighted.podAffinityTerm, labels);
  }
  for (auto& term : affinity->requiredDuringSchedulingIgnoredDuringExecution.Mutable()) MergeLabelKeys(term, labels);
}

// Selectors that name labels only by key get the values that this pod has.
void MergeLabelKeys(corev1::Pod& pod) {
  if (pod.spec.affinity) {
    MergeLabelKeys(pod.spec.affinity->podAffinity, pod.metadata.labels);
    MergeLabelKeys(pod.spec.affinity->podAntiAffinity, pod.metadata.labels);
  }
  for (corev1::TopologySpreadConstraint& constraint : pod.spec.topologySpreadConstraints.Mutable()) {
    if (constraint.matchLabelKeys.empty() || !constraint.labelSelector) continue;
    AddKeysToSelector(*constraint.labelSelector, constraint.matchLabelKeys, "In", pod.metadata.labels);
  }
}

std::optional<corev1::AppArmorProfile> ProfileOfAnnotation(std::string_view annotation) {
  corev1::AppArmorProfile profile;
  if (annotation == "unconfined") {
    profile.type = "Unconfined";
  } else if (annotation == "runtime/default") {
    profile.type = "RuntimeDefault";
  } else if (annotation.starts_with("localhost/")) {
    profile.type = "Localhost";
    profile.localhostProfile = String(annotation.substr(std::string_view("localhost/").size()));
  } else {
    return std::nullopt;
  }
  FieldErrors errors;
  CheckAppArmorProfile(profile, Path(""), errors);
  if (!errors.empty()) return std::nullopt;
  return profile;
}

// Annotations that came before the field become the field.
void TakeAppArmorAnnotations(corev1::Pod& pod, WriteContext& context) {
  if (pod.metadata.annotations.empty() || (pod.spec.os && pod.spec.os->name == "windows")) return;
  const auto of_pod = pod.spec.securityContext.OrDefault().appArmorProfile;
  const auto take = [&](corev1::Container& container) {
    const std::string key = std::string(kAppArmor).append(container.name.view());
    const String* annotation = pod.metadata.annotations.find(key);
    if (annotation == nullptr || container.securityContext.OrDefault().appArmorProfile) return;
    const std::optional<corev1::AppArmorProfile> profile = ProfileOfAnnotation(*annotation);
    bool warn = !profile;
    if (profile && !(of_pod == *profile)) {
      container.securityContext.Ensure().appArmorProfile = *profile;
      warn = true;
    }
    if (!warn) return;
    context.warnings.push_back(fmt::format(
        "metadata.annotations[{}]: deprecated since v1.30; use the \"appArmorProfile\" field instead", key));
  };
  for (corev1::Container& container : pod.spec.initContainers.Mutable()) take(container);
  for (corev1::Container& container : pod.spec.containers.Mutable()) take(container);
}

Result<void> PrepareCreate(corev1::Pod& pod, WriteContext& context) {
  KEELSON_RETURN_IF_ERROR(SetPriority(pod, context));
  AddDefaultTolerations(pod.spec);
  KEELSON_RETURN_IF_ERROR(ApplyRuntimeClass(pod, context));
  pod.status = {};
  pod.status.phase = "Pending";
  pod.status.qosClass = QosClassOf(pod.spec);
  DropDisabledFields(pod.spec, nullptr);
  if (!pod.spec.schedulingGates.empty()) {
    corev1::PodCondition& gated = pod.status.conditions.emplace_back();
    gated.type = "PodScheduled";
    gated.status = "False";
    gated.reason = "SchedulingGated";
    gated.message = "Scheduling is blocked due to non-empty scheduling gates";
    gated.lastTransitionTime = context.now;
  }
  MergeLabelKeys(pod);
  TakeAppArmorAnnotations(pod, context);
  return {};
}

Result<void> PrepareUpdate(corev1::Pod& pod, const corev1::Pod& old, WriteContext&) {
  if (!pod.spec.priority) pod.spec.priority = old.spec.priority;
  if (!pod.spec.preemptionPolicy) pod.spec.preemptionPolicy = old.spec.preemptionPolicy;
  AddDefaultTolerations(pod.spec);
  DropDisabledFields(pod.spec, &old.spec);
  return {};
}

// What a client leaves out of observedGeneration stays as it was.
void KeepObservedGenerations(corev1::PodStatus& status, const corev1::PodStatus& old) {
  if (status.observedGeneration == 0) status.observedGeneration = old.observedGeneration;
  for (size_t i = 0; i < status.conditions.size(); ++i) {
    if (std::as_const(status.conditions)[i].observedGeneration != 0) continue;
    const String type = std::as_const(status.conditions)[i].type;
    // The n-th condition of a type follows the n-th of that type.
    size_t skip = 0;
    for (size_t j = 0; j < i; ++j) skip += std::as_const(status.conditions)[j].type == type ? 1 : 0;
    for (const corev1::PodCondition& before : old.conditions) {
      if (before.type != type || skip-- > 0) continue;
      if (before.observedGeneration != 0) status.conditions[i].observedGeneration = before.observedGeneration;
      break;
    }
  }
}

// podIP is the first of podIPs, whichever of the two a client sends.
void SetPodAddresses(corev1::PodStatus& status) {
  if (!status.podIP.empty() && (status.podIPs.empty() || std::as_const(status.podIPs)[0].ip != status.podIP)) {
    corev1::PodIP only;
    only.ip = status.podIP;
    status.podIPs = {only};
  }
  if (!status.podIPs.empty()) status.podIP = std::as_const(status.podIPs)[0].ip;
}

List<corev1::Container> WithResources(const List<corev1::Container>& now, const List<corev1::Container>& before) {
  List<corev1::Container> merged = before;
  for (size_t i = 0; i < now.size(); ++i) {
    // Left to the checks.
    if (now[i].name != before[i].name) return now;
    merged[i].resources = now[i].resources;
    merged[i].resizePolicy = now[i].resizePolicy;
  }
  return merged;
}

void KeepAllButResources(corev1::Pod& pod, const corev1::Pod& old) {
  if (pod.spec.containers.size() != old.spec.containers.size() ||
      pod.spec.initContainers.size() != old.spec.initContainers.size()) {
    return;
  }
  corev1::PodSpec spec = old.spec;
  spec.resources = pod.spec.resources;
  spec.containers = WithResources(pod.spec.containers, old.spec.containers);
  spec.initContainers = WithResources(pod.spec.initContainers, old.spec.initContainers);
  pod.spec = std::move(spec);
}

Result<void> PrepareSubresource(corev1::Pod& pod, const corev1::Pod& old, WriteContext& context) {
  FieldErrors errors;
  if (context.subresource == "ephemeralcontainers") {
    List<corev1::EphemeralContainer> containers = pod.spec.ephemeralContainers;
    pod.spec = old.spec;
    pod.spec.ephemeralContainers = std::move(containers);
    pod.status = old.status;
    DropDisabledFields(pod.spec, &old.spec);
    CheckEphemeralContainersUpdate(pod, old, errors);
  } else if (context.subresource == "resize") {
    KeepAllButResources(pod, old);
    pod.status = old.status;
    CheckPodResize(pod, old, errors);
  } else {
    pod.metadata.ownerReferences = old.metadata.ownerReferences;
    if (pod.status.qosClass.empty()) pod.status.qosClass = old.status.qosClass;
    SetPodAddresses(pod.status);
    KeepObservedGenerations(pod.status, old.status);
  }
  if (!errors.empty()) return apierrors::Invalid(kPodKind, pod.metadata.name, errors.causes());
  return {};
}

void CheckCreate(const corev1::Pod& pod, FieldErrors& errors) {
  CheckPodBody(pod, errors);
  const Path spec("spec");
  if (!pod.spec.ephemeralContainers.empty()) {
    errors.Forbidden(spec / "ephemeralContainers", "cannot be set on create");
  }
  if (!pod.spec.nodeName.empty() && !pod.spec.schedulingGates.empty()) {
    errors.Forbidden(spec / "nodeName", "cannot be set until all schedulingGates have been cleared");
  }
  CheckProfilesAgree(pod.metadata, pod.spec, spec, errors);
}

void Warn(const corev1::Pod& pod, std::vector<std::string>& warnings) {
  if (!names::IsDns1123Label(pod.metadata.name)) {
    warnings.push_back(
        fmt::format("metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a "
                    "DNS label is recommended: [{}]",
                    fmt::join(names::CheckDns1123Label(pod.metadata.name), " ")));
  }
  WarnOfPodSpec(pod.spec, pod.metadata, "", warnings);
}

void ReadFields(const corev1::Pod& pod, std::vector<std::string>& values) {
  std::string addresses;
  for (const corev1::PodIP& address : pod.status.podIPs) {
    if (!addresses.empty()) addresses += ',';
    addresses += address.ip.view();
  }
  values = {pod.spec.nodeName,
            pod.spec.restartPolicy,
            pod.spec.schedulerName,
            pod.spec.serviceAccountName,
            pod.spec.hostNetwork ? "true" : "false",
            pod.status.phase,
            pod.status.podIPs.empty() ? "" : pod.status.podIPs[0].ip.str(),
            addresses,
            pod.status.nominatedNodeName};
}

std::optional<int64_t> GraceSeconds(const corev1::Pod& pod) {
  // Nobody runs it: gone at once.
  if (pod.spec.nodeName.empty() || pod.status.phase == "Failed" || pod.status.phase == "Succeeded") return 0;
  const int64_t seconds = pod.spec.terminationGracePeriodSeconds.value_or(int64_t{0});
  return seconds < 0 ? 1 : seconds;
}

void SetTemplateDefaults(corev1::PodTemplate& object) { SetPodTemplateDefaults(object.template_); }

Result<void> PrepareTemplateCreate(corev1::PodTemplate& object, WriteContext&) {
  DropDisabledFields(object.template_.spec, nullptr);
  return {};
}

Result<void> PrepareTemplateUpdate(corev1::PodTemplate& object, const corev1::PodTemplate& old, WriteContext&) {
  DropDisabledFields(object.template_.spec, &old.template_.spec);
  return {};
}

void CheckTemplate(const corev1::PodTemplate& object, FieldErrors& errors) {
  CheckPodTemplate(object.template_, Path("template"), errors);
}

void CheckTemplateUpdate(const corev1::PodTemplate& object, const corev1::PodTemplate& old, FieldErrors& errors) {
  CheckPodTemplate(object.template_, Path("template"), errors, &old.template_);
}

void WarnOfTemplate(const corev1::PodTemplate& object, std::vector<std::string>& warnings) {
  WarnOfPodTemplate(object.template_, "template", warnings);
}

bool HasAmount(const corev1::ResourceList& resources, std::string_view name) {
  const Quantity* quantity = resources.find(name);
  return quantity != nullptr && quantity->Sign() > 0;
}

}  // namespace

std::string_view QosClassOf(const corev1::PodSpec& spec) {
  bool any = false;
  bool guaranteed = true;
  Quantity requests[2];
  Quantity limits[2];
  constexpr std::string_view kNames[2] = {"cpu", "memory"};
  const auto count = [&](const corev1::ResourceRequirements& resources, bool limits_needed) {
    for (size_t i = 0; i < 2; ++i) {
      const bool requested = HasAmount(resources.requests, kNames[i]);
      const bool limited = HasAmount(resources.limits, kNames[i]);
      any = any || requested || limited;
      if (requested) requests[i].Add(resources.requests.at(kNames[i]));
      if (limited) limits[i].Add(resources.limits.at(kNames[i]));
      if (!limited && limits_needed) guaranteed = false;
    }
  };
  if (spec.resources) {
    count(*spec.resources, !spec.resources->limits.empty());
  } else {
    for (const corev1::Container& container : spec.containers) count(container.resources, true);
    for (const corev1::Container& container : spec.initContainers) count(container.resources, true);
  }
  if (!any) return "BestEffort";
  for (size_t i = 0; i < 2; ++i) guaranteed = guaranteed && requests[i] == limits[i];
  return guaranteed ? "Guaranteed" : "Burstable";
}

void AddPodRules(RulesTable& table) {
  table.Add<corev1::Pod>({.set_defaults = SetPodDefaults,
                          .prepare_create = PrepareCreate,
                          .prepare_update = PrepareUpdate,
                          .prepare_status = PrepareSubresource,
                          .validate = CheckCreate,
                          .validate_update = CheckPodUpdate,
                          .validate_status = CheckPodStatusUpdate,
                          .warn = Warn,
                          .warn_on_update = false,
                          .selectable_fields = {"spec.nodeName", "spec.restartPolicy", "spec.schedulerName",
                                                "spec.serviceAccountName", "spec.hostNetwork", "status.phase",
                                                "status.podIP", "status.podIPs", "status.nominatedNodeName"},
                          .read_fields = ReadFields,
                          .grace_seconds = GraceSeconds});
  table.Add<corev1::PodTemplate>({.set_defaults = SetTemplateDefaults,
                                  .prepare_create = PrepareTemplateCreate,
                                  .prepare_update = PrepareTemplateUpdate,
                                  .validate = CheckTemplate,
                                  .validate_update = CheckTemplateUpdate,
                                  .warn = WarnOfTemplate});
}

}  // namespace keelson::apiserver
