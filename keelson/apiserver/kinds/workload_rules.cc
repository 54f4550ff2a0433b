// ReplicationController and the kinds of apps: what is set when they are written, and which checks apply when.
#include <fmt/format.h>

#include <charconv>

#include "keelson/api/apps/v1.h"
#include "keelson/apiserver/kinds/builtin_rules.h"
#include "keelson/apiserver/kinds/checks_claim.h"
#include "keelson/apiserver/kinds/checks_common.h"
#include "keelson/apiserver/kinds/internal_form.h"
#include "keelson/apiserver/kinds/pod_checks.h"
#include "keelson/apiserver/kinds/pod_spec.h"
#include "keelson/apiserver/kinds/resource_rounding.h"
#include "keelson/apiserver/kinds/workload_checks.h"
#include "keelson/codec/json_reader.h"
#include "keelson/codec/json_writer.h"

namespace keelson::apiserver {

namespace {

constexpr std::string_view kTemplateGeneration = "deprecated.daemonset.template.generation";
constexpr std::string_view kMoreThanReplicas = "cannot be greater than status.replicas";

template <class T>
void Default(Optional<T>& field, T value) {
  if (!field) field = std::move(value);
}
void Default(String& field, std::string_view value) {
  if (field.empty()) field = value;
}

// Of every kind with spec.template.
template <class T>
Result<void> PrepareCreate(T& object, WriteContext&) {
  DropDisabledFields(object.spec.template_.spec, nullptr);
  return {};
}
template <class T>
Result<void> PrepareUpdate(T& object, const T& old, WriteContext&) {
  DropDisabledFields(object.spec.template_.spec, &old.spec.template_.spec);
  return {};
}
template <class T>
void Warn(const T& object, std::vector<std::string>& warnings) {
  WarnOfPodTemplate(object.spec.template_, "spec.template", warnings);
}

// How much a rollout may change at once, in numbers or in percent.
int32_t AmountOf(const IntOrString& value) {
  if (!value.is_string()) return value.number();
  return PercentOf(value).value_or(0);
}

// ReplicaSet and Deployment: the template that their replicas are made from.
void CheckReplicaTemplate(const Optional<metav1::LabelSelector>& selector, const corev1::PodTemplateSpec& pod_template,
                          const corev1::PodTemplateSpec* old, const Path& spec_path, FieldErrors& errors) {
  if (!IsValidSelector(selector)) {
    return errors.InvalidShown(spec_path / "selector", ShownSelector(selector), "invalid label selector");
  }
  const Path path = spec_path / "template";
  // An absent selector selects nothing; an empty one is everything and needs no match.
  if (!selector || !IsEmptySelector(*selector)) CheckSelectsTemplate(selector, pod_template, path, errors);
  CheckPodTemplate(pod_template, path, errors, old);
  CheckRunsForever(pod_template.spec, "ReplicaSet", path / "spec", errors);
}

// Deployment.

void SetDeploymentDefaults(appsv1::Deployment& object) {
  appsv1::DeploymentSpec& spec = object.spec;
  Default(spec.replicas, 1);
  Default(spec.strategy.type, "RollingUpdate");
  if (spec.strategy.type == "RollingUpdate") {
    appsv1::RollingUpdateDeployment& rolling = spec.strategy.rollingUpdate.Ensure();
    Default(rolling.maxUnavailable, IntOrString("25%"));
    Default(rolling.maxSurge, IntOrString("25%"));
  }
  Default(spec.revisionHistoryLimit, 10);
  Default(spec.progressDeadlineSeconds, 600);
  SetPodTemplateDefaults(spec.template_);
}

void CheckDeploymentStrategy(const appsv1::DeploymentStrategy& strategy, const Path& path, FieldErrors& errors) {
  const Path rolling_path = path / "rollingUpdate";
  if (strategy.type == "Recreate") {
    if (strategy.rollingUpdate) {
      errors.Forbidden(rolling_path, "may not be specified when strategy `type` is 'Recreate'");
    }
  } else if (strategy.type == "RollingUpdate") {
    const IntOrString unavailable = strategy.rollingUpdate.OrDefault().maxUnavailable.value_or(IntOrString());
    const IntOrString surge = strategy.rollingUpdate.OrDefault().maxSurge.value_or(IntOrString());
    const Path unavailable_path = rolling_path / "maxUnavailable";
    CheckNonNegativeIntOrPercent(unavailable, unavailable_path, errors);
    CheckNonNegativeIntOrPercent(surge, rolling_path / "maxSurge", errors);
    if (AmountOf(unavailable) == 0 && AmountOf(surge) == 0) {
      errors.Invalid(unavailable_path, Shown(unavailable), "may not be 0 when `maxSurge` is 0");
    }
    CheckNotMoreThan100Percent(unavailable, unavailable_path, errors);
  } else {
    constexpr std::string_view kTypes[] = {"Recreate", "RollingUpdate"};
    errors.NotSupportedShown(path, InternalForm(strategy), kTypes);
  }
}

void CheckDeploymentSpec(const appsv1::DeploymentSpec& spec, const corev1::PodTemplateSpec* old, FieldErrors& errors) {
  const Path path("spec");
  CheckNonNegative(spec.replicas.value_or(0), path / "replicas", errors);
  CheckRequiredSelector(spec.selector, "deployment", path / "selector", errors);
  CheckReplicaTemplate(spec.selector, spec.template_, old, path, errors);
  CheckDeploymentStrategy(spec.strategy, path / "strategy", errors);
  CheckNonNegative(spec.minReadySeconds, path / "minReadySeconds", errors);
  if (spec.revisionHistoryLimit) CheckNonNegative(*spec.revisionHistoryLimit, path / "revisionHistoryLimit", errors);
  if (spec.progressDeadlineSeconds) {
    const Path deadline = path / "progressDeadlineSeconds";
    CheckNonNegative(*spec.progressDeadlineSeconds, deadline, errors);
    if (*spec.progressDeadlineSeconds <= spec.minReadySeconds) {
      errors.Invalid(deadline, Json(*spec.progressDeadlineSeconds), "must be greater than minReadySeconds");
    }
  }
}

void CheckDeployment(const appsv1::Deployment& object, FieldErrors& errors) {
  CheckDeploymentSpec(object.spec, nullptr, errors);
}

void CheckDeploymentUpdate(const appsv1::Deployment& object, const appsv1::Deployment& old, FieldErrors& errors) {
  CheckDeploymentSpec(object.spec, &old.spec.template_, errors);
  const Path spec("spec");
  CheckSelectorIsSame(object.spec.selector, old.spec.selector, spec / "selector", errors);
}

void CheckDeploymentStatus(const appsv1::Deployment& object, const appsv1::Deployment& old, FieldErrors& errors) {
  const Path path("status");
  const appsv1::DeploymentStatus& status = object.status;
  CheckCounts({{"observedGeneration", status.observedGeneration},
               {"replicas", status.replicas},
               {"updatedReplicas", status.updatedReplicas},
               {"readyReplicas", status.readyReplicas},
               {"availableReplicas", status.availableReplicas},
               {"unavailableReplicas", status.unavailableReplicas},
               {"terminatingReplicas", status.terminatingReplicas.value_or(0)},
               {"collisionCount", status.collisionCount.value_or(0)}},
              path, errors);
  CheckAtMost({{"updatedReplicas", status.updatedReplicas},
               {"readyReplicas", status.readyReplicas},
               {"availableReplicas", status.availableReplicas}},
              status.replicas, kMoreThanReplicas, path, errors);
  CheckAtMost({{"availableReplicas", status.availableReplicas}}, status.readyReplicas,
              "cannot be greater than readyReplicas", path, errors);
  CheckCollisionCount(status.collisionCount, old.status.collisionCount, path, errors);
}

// ReplicaSet.

void SetReplicaSetDefaults(appsv1::ReplicaSet& object) {
  Default(object.spec.replicas, 1);
  SetPodTemplateDefaults(object.spec.template_);
}

void CheckReplicaSetSpec(const appsv1::ReplicaSetSpec& spec, const corev1::PodTemplateSpec* old, FieldErrors& errors) {
  const Path path("spec");
  CheckNonNegative(spec.replicas.value_or(0), path / "replicas", errors);
  CheckNonNegative(spec.minReadySeconds, path / "minReadySeconds", errors);
  CheckRequiredSelector(spec.selector, "deployment", path / "selector", errors);
  CheckReplicaTemplate(spec.selector, spec.template_, old, path, errors);
}

void CheckReplicaSet(const appsv1::ReplicaSet& object, FieldErrors& errors) {
  CheckReplicaSetSpec(object.spec, nullptr, errors);
}

void CheckReplicaSetUpdate(const appsv1::ReplicaSet& object, const appsv1::ReplicaSet& old, FieldErrors& errors) {
  CheckReplicaSetSpec(object.spec, &old.spec.template_, errors);
  const Path spec("spec");
  CheckSelectorIsSame(object.spec.selector, old.spec.selector, spec / "selector", errors);
}

// Of a ReplicaSet or a ReplicationController.
template <class Status>
void CheckReplicaStatus(const Status& status, int32_t terminating, FieldErrors& errors) {
  const Path path("status");
  CheckCounts({{"replicas", status.replicas},
               {"fullyLabeledReplicas", status.fullyLabeledReplicas},
               {"readyReplicas", status.readyReplicas},
               {"availableReplicas", status.availableReplicas},
               {"observedGeneration", status.observedGeneration},
               {"terminatingReplicas", terminating}},
              path, errors);
  CheckAtMost({{"fullyLabeledReplicas", status.fullyLabeledReplicas},
               {"readyReplicas", status.readyReplicas},
               {"availableReplicas", status.availableReplicas}},
              status.replicas, kMoreThanReplicas, path, errors);
  CheckAtMost({{"availableReplicas", status.availableReplicas}}, status.readyReplicas,
              "cannot be greater than readyReplicas", path, errors);
}

void CheckReplicaSetStatus(const appsv1::ReplicaSet& object, const appsv1::ReplicaSet&, FieldErrors& errors) {
  CheckReplicaStatus(object.status, object.status.terminatingReplicas.value_or(0), errors);
}

// ReplicationController.

void SetControllerDefaults(corev1::ReplicationController& object) {
  if (object.spec.template_) {
    const Map<String>& labels = object.spec.template_->metadata.labels;
    if (!labels.empty()) {
      if (object.spec.selector.empty()) object.spec.selector = labels;
      if (object.metadata.labels.empty()) object.metadata.labels = labels;
    }
    SetPodTemplateDefaults(*object.spec.template_);
  }
  Default(object.spec.replicas, 1);
}

Result<void> PrepareControllerCreate(corev1::ReplicationController& object, WriteContext&) {
  if (object.spec.template_) DropDisabledFields(object.spec.template_->spec, nullptr);
  return {};
}

Result<void> PrepareControllerUpdate(corev1::ReplicationController& object, const corev1::ReplicationController& old,
                                     WriteContext&) {
  if (object.spec.template_) {
    DropDisabledFields(object.spec.template_->spec, old.spec.template_ ? &old.spec.template_->spec : nullptr);
  }
  return {};
}

void CheckControllerSpec(const corev1::ReplicationControllerSpec& spec, const corev1::PodTemplateSpec* old,
                         FieldErrors& errors) {
  const Path path("spec");
  CheckNonNegative(spec.minReadySeconds, path / "minReadySeconds", errors);
  if (spec.selector.empty()) errors.Required(path / "selector", "");
  CheckNonNegative(spec.replicas.value_or(0), path / "replicas", errors);
  const Path template_path = path / "template";
  if (!spec.template_) return errors.Required(template_path, "");
  const Map<String>& labels = spec.template_->metadata.labels;
  for (const auto& [key, value] : spec.selector) {
    const String* own = labels.find(key);
    if (own != nullptr && *own == value) continue;
    const Path metadata = template_path / "metadata";
    errors.InvalidShown(metadata / "labels", ShownLabels(labels), "`selector` does not match template `labels`");
    break;
  }
  CheckPodTemplate(*spec.template_, template_path, errors, old);
  CheckRunsForever(spec.template_->spec, "ReplicationController", template_path / "spec", errors);
}

void CheckController(const corev1::ReplicationController& object, FieldErrors& errors) {
  CheckControllerSpec(object.spec, nullptr, errors);
}

void CheckControllerUpdate(const corev1::ReplicationController& object, const corev1::ReplicationController& old,
                           FieldErrors& errors) {
  CheckControllerSpec(object.spec, old.spec.template_ ? &*old.spec.template_ : nullptr, errors);
}

void CheckControllerStatus(const corev1::ReplicationController& object, const corev1::ReplicationController&,
                           FieldErrors& errors) {
  CheckReplicaStatus(object.status, 0, errors);
}

void WarnOfController(const corev1::ReplicationController& object, std::vector<std::string>& warnings) {
  if (object.spec.template_) WarnOfPodTemplate(*object.spec.template_, "spec.template", warnings);
}

void ReadControllerFields(const corev1::ReplicationController& object, std::vector<std::string>& values) {
  values = {std::to_string(object.status.replicas)};
}

// DaemonSet.

void SetDaemonSetDefaults(appsv1::DaemonSet& object) {
  appsv1::DaemonSetUpdateStrategy& strategy = object.spec.updateStrategy;
  Default(strategy.type, "RollingUpdate");
  if (strategy.type == "RollingUpdate") {
    appsv1::RollingUpdateDaemonSet& rolling = strategy.rollingUpdate.Ensure();
    Default(rolling.maxUnavailable, IntOrString(1));
    Default(rolling.maxSurge, IntOrString(0));
  }
  Default(object.spec.revisionHistoryLimit, 10);
  SetPodTemplateDefaults(object.spec.template_);
}

// Counts the templates that a set has had, in an annotation.
void SetTemplateGeneration(appsv1::DaemonSet& object, int64_t generation) {
  object.metadata.annotations.Set(String(kTemplateGeneration), std::to_string(generation));
}

Result<void> PrepareDaemonSetCreate(appsv1::DaemonSet& object, WriteContext&) {
  DropDisabledFields(object.spec.template_.spec, nullptr);
  SetTemplateGeneration(object, 1);
  return {};
}

Result<void> PrepareDaemonSetUpdate(appsv1::DaemonSet& object, const appsv1::DaemonSet& old, WriteContext&) {
  DropDisabledFields(object.spec.template_.spec, &old.spec.template_.spec);
  int64_t generation = 0;
  if (const String* text = old.metadata.annotations.find(kTemplateGeneration)) {
    std::from_chars(text->data(), text->data() + text->size(), generation);
  }
  if (!Equal(object.spec.template_, old.spec.template_)) ++generation;
  SetTemplateGeneration(object, generation);
  return {};
}

void CheckDaemonSetStrategy(const appsv1::DaemonSetUpdateStrategy& strategy, const Path& path, FieldErrors& errors) {
  if (strategy.type == "OnDelete") return;
  if (strategy.type != "RollingUpdate") {
    constexpr std::string_view kTypes[] = {"RollingUpdate", "OnDelete"};
    return errors.NotSupportedShown(path, InternalForm(strategy), kTypes);
  }
  const Path rolling = path / "rollingUpdate";
  if (!strategy.rollingUpdate) return errors.Required(rolling, "");
  const IntOrString unavailable = strategy.rollingUpdate->maxUnavailable.value_or(IntOrString());
  const IntOrString surge = strategy.rollingUpdate->maxSurge.value_or(IntOrString());
  const Path unavailable_path = rolling / "maxUnavailable";
  const Path surge_path = rolling / "maxSurge";
  CheckNonNegativeIntOrPercent(unavailable, unavailable_path, errors);
  CheckNonNegativeIntOrPercent(surge, surge_path, errors);
  CheckNotMoreThan100Percent(unavailable, unavailable_path, errors);
  CheckNotMoreThan100Percent(surge, surge_path, errors);
  const bool has_unavailable = AmountOf(unavailable) != 0;
  const bool has_surge = AmountOf(surge) != 0;
  if (has_unavailable && has_surge) {
    errors.Invalid(surge_path, Shown(surge), "may not be set when maxUnavailable is non-zero");
  } else if (!has_unavailable && !has_surge) {
    errors.Required(unavailable_path, "cannot be 0 when maxSurge is 0");
  }
}

void CheckDaemonSetSpec(const appsv1::DaemonSetSpec& spec, const corev1::PodTemplateSpec* old, FieldErrors& errors) {
  const Path path("spec");
  const Path template_path = path / "template";
  CheckLabelSelector(spec.selector, path / "selector", errors);
  if (IsValidSelector(spec.selector)) CheckSelectsTemplate(spec.selector, spec.template_, template_path, errors);
  if (spec.selector && IsEmptySelector(*spec.selector)) {
    errors.InvalidShown(path / "selector", ShownSelector(spec.selector), "empty selector is invalid for daemonset");
  }
  CheckPodTemplate(spec.template_, template_path, errors, old);
  CheckRunsForever(spec.template_.spec, "DaemonSet", template_path / "spec", errors);
  CheckNonNegative(spec.minReadySeconds, path / "minReadySeconds", errors);
  CheckDaemonSetStrategy(spec.updateStrategy, path / "updateStrategy", errors);
  if (spec.revisionHistoryLimit) CheckNonNegative(*spec.revisionHistoryLimit, path / "revisionHistoryLimit", errors);
}

void CheckDaemonSet(const appsv1::DaemonSet& object, FieldErrors& errors) {
  CheckDaemonSetSpec(object.spec, nullptr, errors);
}

void CheckDaemonSetUpdate(const appsv1::DaemonSet& object, const appsv1::DaemonSet& old, FieldErrors& errors) {
  const Path spec("spec");
  CheckSelectorIsSame(object.spec.selector, old.spec.selector, spec / "selector", errors);
  CheckDaemonSetSpec(object.spec, &old.spec.template_, errors);
}

void CheckDaemonSetStatus(const appsv1::DaemonSet& object, const appsv1::DaemonSet& old, FieldErrors& errors) {
  const Path path("status");
  const appsv1::DaemonSetStatus& status = object.status;
  CheckCounts({{"currentNumberScheduled", status.currentNumberScheduled},
               {"numberMisscheduled", status.numberMisscheduled},
               {"desiredNumberScheduled", status.desiredNumberScheduled},
               {"numberReady", status.numberReady},
               {"observedGeneration", status.observedGeneration},
               {"updatedNumberScheduled", status.updatedNumberScheduled},
               {"numberAvailable", status.numberAvailable},
               {"numberUnavailable", status.numberUnavailable},
               {"collisionCount", status.collisionCount.value_or(0)}},
              path, errors);
  CheckCollisionCount(status.collisionCount, old.status.collisionCount, path, errors);
}

// StatefulSet.

void SetStatefulSetDefaults(appsv1::StatefulSet& object) {
  appsv1::StatefulSetSpec& spec = object.spec;
  Default(spec.podManagementPolicy, "OrderedReady");
  if (spec.updateStrategy.type.empty()) {
    spec.updateStrategy.type = "RollingUpdate";
    if (!spec.updateStrategy.rollingUpdate) spec.updateStrategy.rollingUpdate.emplace();
  }
  if (spec.updateStrategy.type == "RollingUpdate" && spec.updateStrategy.rollingUpdate) {
    Default(spec.updateStrategy.rollingUpdate->partition, 0);
  }
  appsv1::StatefulSetPersistentVolumeClaimRetentionPolicy& retention =
      spec.persistentVolumeClaimRetentionPolicy.Ensure();
  Default(retention.whenDeleted, "Retain");
  Default(retention.whenScaled, "Retain");
  Default(spec.replicas, 1);
  Default(spec.revisionHistoryLimit, 10);
  SetPodTemplateDefaults(spec.template_);
  for (corev1::PersistentVolumeClaim& claim : spec.volumeClaimTemplates.Mutable()) {
    Default(claim.spec.volumeMode, String("Filesystem"));
    Default(claim.status.phase, "Pending");
    RoundUpToMilli(claim.spec.resources.limits);
    RoundUpToMilli(claim.spec.resources.requests);
    // Each is an object of its own, and says so.
    claim.metadata.creationTimestamp = {};
  }
}

bool UsesMaxUnavailable(const appsv1::StatefulSet& object) {
  return object.spec.updateStrategy.rollingUpdate.OrDefault().maxUnavailable.has_value();
}

Result<void> PrepareStatefulSetCreate(appsv1::StatefulSet& object, WriteContext&) {
  DropDisabledFields(object.spec.template_.spec, nullptr);
  if (UsesMaxUnavailable(object)) object.spec.updateStrategy.rollingUpdate->maxUnavailable.reset();
  return {};
}

Result<void> PrepareStatefulSetUpdate(appsv1::StatefulSet& object, const appsv1::StatefulSet& old, WriteContext&) {
  DropDisabledFields(object.spec.template_.spec, &old.spec.template_.spec);
  if (UsesMaxUnavailable(object) && !UsesMaxUnavailable(old)) {
    object.spec.updateStrategy.rollingUpdate->maxUnavailable.reset();
  }
  return {};
}

void CheckStatefulSetStrategy(const appsv1::StatefulSetUpdateStrategy& strategy, const Path& path,
                              FieldErrors& errors) {
  const Path rolling = path / "rollingUpdate";
  if (strategy.type.empty()) {
    errors.Required(path, "");
  } else if (strategy.type == "OnDelete") {
    if (strategy.rollingUpdate) {
      errors.InvalidShown(rolling, InternalForm(*strategy.rollingUpdate),
                          "only allowed for updateStrategy 'RollingUpdate'");
    }
  } else if (strategy.type == "RollingUpdate") {
    if (!strategy.rollingUpdate) return;
    CheckNonNegative(strategy.rollingUpdate->partition.value_or(0), rolling / "partition", errors);
    if (!strategy.rollingUpdate->maxUnavailable) return;
    const Path unavailable = rolling / "maxUnavailable";
    const IntOrString& value = *strategy.rollingUpdate->maxUnavailable;
    CheckNonNegativeIntOrPercent(value, unavailable, errors);
    if (AmountOf(value) == 0) errors.Invalid(unavailable, Shown(value), "cannot be 0");
    CheckNotMoreThan100Percent(value, unavailable, errors);
  } else {
    errors.InvalidShown(path, InternalForm(strategy), "must be 'RollingUpdate' or 'OnDelete'");
  }
}

void CheckRetention(std::string_view policy, const Path& path, FieldErrors& errors) {
  if (!IsOneOf(policy, {"Retain", "Delete"})) errors.NotSupportedAsListed(path, Json(policy), {"Retain", "Delete"});
}

// The template as its pods will have it: claims are volumes, names are the set's own.
corev1::PodTemplateSpec TemplateOf(const appsv1::StatefulSetSpec& spec) {
  corev1::PodTemplateSpec pod_template = spec.template_;
  pod_template.spec.subdomain = {};
  pod_template.spec.hostname = {};
  if (spec.volumeClaimTemplates.empty()) return pod_template;
  List<corev1::Volume> volumes;
  NameSet names;
  for (const corev1::PersistentVolumeClaim& claim : spec.volumeClaimTemplates) {
    if (!names.Insert(claim.metadata.name)) continue;
    corev1::Volume& volume = volumes.emplace_back();
    volume.name = claim.metadata.name;
    volume.persistentVolumeClaim.emplace().claimName = claim.metadata.name;
  }
  for (const corev1::Volume& volume : spec.template_.spec.volumes) {
    if (!names.Has(volume.name)) volumes.push_back(volume);
  }
  pod_template.spec.volumes = std::move(volumes);
  return pod_template;
}

void CheckStatefulSetSpec(const appsv1::StatefulSetSpec& spec, const appsv1::StatefulSetSpec* old,
                          FieldErrors& errors) {
  const Path path("spec");
  const Path management = path / "podManagementPolicy";
  if (spec.podManagementPolicy.empty()) {
    errors.Required(management, "");
  } else if (!IsOneOf(spec.podManagementPolicy, {"OrderedReady", "Parallel"})) {
    errors.Invalid(management, Json(spec.podManagementPolicy), "must be 'OrderedReady' or 'Parallel'");
  }
  CheckStatefulSetStrategy(spec.updateStrategy, path / "updateStrategy", errors);
  if (spec.persistentVolumeClaimRetentionPolicy) {
    const Path retention = path / "persistentVolumeClaimRetentionPolicy";
    CheckRetention(spec.persistentVolumeClaimRetentionPolicy->whenDeleted, retention / "whenDeleted", errors);
    CheckRetention(spec.persistentVolumeClaimRetentionPolicy->whenScaled, retention / "whenScaled", errors);
  }
  if (old == nullptr) {
    const Path claims = path / "volumeClaimTemplates";
    for (size_t i = 0; i < spec.volumeClaimTemplates.size(); ++i) {
      const Path at = claims[i];
      CheckClaimSpec(spec.volumeClaimTemplates[i].spec, at / "spec", errors);
    }
  }
  CheckNonNegative(spec.replicas.value_or(0), path / "replicas", errors);
  CheckNonNegative(spec.minReadySeconds, path / "minReadySeconds", errors);
  if (spec.ordinals) CheckNonNegative(spec.ordinals->start, path / "ordinals.start", errors);
  if (old == nullptr && !spec.serviceName.empty()) CheckDnsLabel(spec.serviceName, path / "serviceName", errors);
  CheckRequiredSelector(spec.selector, "statefulset", path / "selector", errors);
  const Path template_path = path / "template";
  if (!IsValidSelector(spec.selector)) {
    errors.InvalidShown(path / "selector", ShownSelector(spec.selector), "");
  } else {
    const corev1::PodTemplateSpec pod_template = TemplateOf(spec);
    if (!spec.selector || !IsEmptySelector(*spec.selector)) {
      CheckSelectsTemplate(spec.selector, pod_template, template_path, errors);
    }
    const metav1::ObjectMeta& metadata = pod_template.metadata;
    const Path annotations = template_path / "annotations";
    CheckPodTemplate(pod_template, template_path, errors, old == nullptr ? nullptr : &old->template_);
    // Upstream says these twice.
    CheckLabels(metadata.labels, template_path / "labels", errors);
    CheckAnnotationKeys(metadata.annotations, annotations, errors);
    CheckPodAnnotations(metadata.annotations, pod_template.spec, annotations, errors, nullptr);
  }
  CheckRunsForever(spec.template_.spec, "StatefulSet", template_path / "spec", errors);
}

void CheckStatefulSet(const appsv1::StatefulSet& object, FieldErrors& errors) {
  CheckStatefulSetSpec(object.spec, nullptr, errors);
}

void CheckStatefulSetUpdate(const appsv1::StatefulSet& object, const appsv1::StatefulSet& old, FieldErrors& errors) {
  CheckStatefulSetSpec(object.spec, &old.spec, errors);
  appsv1::StatefulSetSpec rest = object.spec;
  rest.replicas = old.spec.replicas;
  rest.template_ = old.spec.template_;
  rest.updateStrategy = old.spec.updateStrategy;
  rest.minReadySeconds = old.spec.minReadySeconds;
  rest.ordinals = old.spec.ordinals;
  rest.revisionHistoryLimit = old.spec.revisionHistoryLimit;
  rest.persistentVolumeClaimRetentionPolicy = old.spec.persistentVolumeClaimRetentionPolicy;
  if (Equal(rest, old.spec)) return;
  errors.Forbidden(Path("spec"),
                   "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', "
                   "'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and "
                   "'minReadySeconds' are forbidden");
}

void CheckStatefulSetStatus(const appsv1::StatefulSet& object, const appsv1::StatefulSet& old, FieldErrors& errors) {
  const Path path("status");
  const appsv1::StatefulSetStatus& status = object.status;
  CheckCounts({{"replicas", status.replicas},
               {"readyReplicas", status.readyReplicas},
               {"currentReplicas", status.currentReplicas},
               {"updatedReplicas", status.updatedReplicas},
               {"availableReplicas", status.availableReplicas},
               {"observedGeneration", status.observedGeneration},
               {"collisionCount", status.collisionCount.value_or(0)}},
              path, errors);
  CheckAtMost({{"readyReplicas", status.readyReplicas},
               {"currentReplicas", status.currentReplicas},
               {"updatedReplicas", status.updatedReplicas},
               {"availableReplicas", status.availableReplicas}},
              status.replicas, kMoreThanReplicas, path, errors);
  CheckAtMost({{"availableReplicas", status.availableReplicas}}, status.readyReplicas,
              "cannot be greater than status.readyReplicas", path, errors);
  CheckCollisionCount(status.collisionCount, old.status.collisionCount, path, errors);
}

// ControllerRevision.

void CheckRevision(const appsv1::ControllerRevision& object, FieldErrors& errors) {
  CheckNonNegative(object.revision, Path("revision"), errors);
  const Path data("data");
  const std::string_view text = ReadString(TypeOf<RawExtension>(), &object.data);
  const Result<Json> tree = text.empty() ? Result<Json>(Json()) : ParseJson(text);
  if (!tree || tree->is_null()) {
    errors.Required(data, "data is mandatory");
  } else if (!tree->is_object()) {
    errors.Required(data, "data must be a valid JSON object");
  }
}

void CheckRevisionUpdate(const appsv1::ControllerRevision& object, const appsv1::ControllerRevision& old,
                         FieldErrors& errors) {
  CheckNonNegative(object.revision, Path("revision"), errors);
  if (!Equal(object.data, old.data)) {
    errors.InvalidShown(Path("data"), ToJson(object.data), kFieldIsImmutable);
  }
}

// Annotations count as a change of what is wanted: a rollback used to be asked for by one.
Result<void> PrepareDeploymentUpdate(appsv1::Deployment& object, const appsv1::Deployment& old, WriteContext& context) {
  KEELSON_RETURN_IF_ERROR(PrepareUpdate<appsv1::Deployment>(object, old, context));
  if (Equal(object.spec, old.spec) && !Equal(object.metadata.annotations, old.metadata.annotations)) {
    ++object.metadata.generation;
  }
  return {};
}

}  // namespace

void AddWorkloadRules(RulesTable& table) {
  table.Add<appsv1::Deployment>({.set_defaults = SetDeploymentDefaults,
                                 .prepare_create = PrepareCreate<appsv1::Deployment>,
                                 .prepare_update = PrepareDeploymentUpdate,
                                 .validate = CheckDeployment,
                                 .validate_update = CheckDeploymentUpdate,
                                 .validate_status = CheckDeploymentStatus,
                                 .warn = Warn<appsv1::Deployment>});
  table.Add<appsv1::ReplicaSet>({.set_defaults = SetReplicaSetDefaults,
                                 .prepare_create = PrepareCreate<appsv1::ReplicaSet>,
                                 .prepare_update = PrepareUpdate<appsv1::ReplicaSet>,
                                 .validate = CheckReplicaSet,
                                 .validate_update = CheckReplicaSetUpdate,
                                 .validate_status = CheckReplicaSetStatus,
                                 .warn = Warn<appsv1::ReplicaSet>});
  table.Add<corev1::ReplicationController>({.set_defaults = SetControllerDefaults,
                                            .prepare_create = PrepareControllerCreate,
                                            .prepare_update = PrepareControllerUpdate,
                                            .validate = CheckController,
                                            .validate_update = CheckControllerUpdate,
                                            .validate_status = CheckControllerStatus,
                                            .warn = WarnOfController,
                                            .selectable_fields = {"status.replicas"},
                                            .read_fields = ReadControllerFields,
                                            .orphan_by_default = true});
  table.Add<appsv1::DaemonSet>({.set_defaults = SetDaemonSetDefaults,
                                .prepare_create = PrepareDaemonSetCreate,
                                .prepare_update = PrepareDaemonSetUpdate,
                                .validate = CheckDaemonSet,
                                .validate_update = CheckDaemonSetUpdate,
                                .validate_status = CheckDaemonSetStatus,
                                .warn = Warn<appsv1::DaemonSet>});
  table.Add<appsv1::StatefulSet>({.set_defaults = SetStatefulSetDefaults,
                                  .prepare_create = PrepareStatefulSetCreate,
                                  .prepare_update = PrepareStatefulSetUpdate,
                                  .validate = CheckStatefulSet,
                                  .validate_update = CheckStatefulSetUpdate,
                                  .validate_status = CheckStatefulSetStatus,
                                  .warn = Warn<appsv1::StatefulSet>,
                                  .name = NameRule::kLabel});
  table.Add<appsv1::ControllerRevision>(
      {.validate = CheckRevision, .validate_update = CheckRevisionUpdate, .generation = false});
}

}  // namespace keelson::apiserver
