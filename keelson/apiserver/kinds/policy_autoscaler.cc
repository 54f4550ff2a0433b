// HorizontalPodAutoscaler of autoscaling/v2, which is stored, and of v1, whose rules are those of v2 after conversion.
#include <fmt/format.h>

#include <algorithm>

#include "keelson/api/autoscaling/v1.h"
#include "keelson/api/autoscaling/v2.h"
#include "keelson/apiserver/kinds/checks_common.h"
#include "keelson/apiserver/kinds/checks_resources.h"
#include "keelson/apiserver/kinds/convert_hpa.h"
#include "keelson/apiserver/kinds/kind_groups.h"

namespace keelson::apiserver {

namespace {

struct AutoscalerOptions {
  int32_t least_replicas = 1;
  bool any_target_version = false;
  bool target_without_group = false;
  bool any_object_version = false;
};

autoscalingv2::HPAScalingPolicy MakePolicy(std::string_view type, int32_t value) {
  autoscalingv2::HPAScalingPolicy policy;
  policy.type = type;
  policy.value = value;
  policy.periodSeconds = 15;
  return policy;
}

void SetScalingDefaults(Optional<autoscalingv2::HPAScalingRules>& rules, bool up) {
  autoscalingv2::HPAScalingRules& set = rules.Ensure();
  if (up && !set.stabilizationWindowSeconds) set.stabilizationWindowSeconds = 0;
  if (!set.selectPolicy) set.selectPolicy = "Max";
  if (!set.policies.empty()) return;
  if (up) set.policies.push_back(MakePolicy("Pods", 4));
  set.policies.push_back(MakePolicy("Percent", 100));
}

void SetAutoscalerDefaults(autoscalingv2::HorizontalPodAutoscaler& autoscaler) {
  DropAutoscalerAnnotations(autoscaler.metadata);
  autoscalingv2::HorizontalPodAutoscalerSpec& spec = autoscaler.spec;
  if (!spec.minReplicas) spec.minReplicas = 1;
  if (spec.metrics.empty()) {
    autoscalingv2::MetricSpec& metric = spec.metrics.emplace_back();
    metric.type = "Resource";
    metric.resource.Ensure().name = "cpu";
    metric.resource->target.type = "Utilization";
    metric.resource->target.averageUtilization = 80;
  }
  if (!spec.behavior) return;
  SetScalingDefaults(spec.behavior->scaleUp, true);
  SetScalingDefaults(spec.behavior->scaleDown, false);
}

// Why an apiVersion does not name a group and a version; empty when it does.
std::string WhyNoApiVersion(std::string_view version, bool without_group) {
  const auto slashes = std::count(version.begin(), version.end(), '/');
  if (slashes > 1) return fmt::format("unexpected GroupVersion string: {}", version);
  const bool group = slashes == 1 && version.front() != '/';
  if (!group && !without_group) return "apiVersion must specify API group";
  return {};
}

void CheckReference(const autoscalingv2::CrossVersionObjectReference& reference, bool any_version, bool without_group,
                    const Path& path, FieldErrors& errors) {
  const auto segment = [&](const String& text, const Path& field) {
    if (text.empty()) return errors.Required(field, "");
    errors.InvalidForEach(field, text, CheckPathSegment(text));
  };
  segment(reference.kind, path / "kind");
  segment(reference.name, path / "name");
  if (any_version) return;
  if (const std::string why = WhyNoApiVersion(reference.apiVersion, without_group); !why.empty()) {
    errors.Invalid(path / "apiVersion", Json(reference.apiVersion), why);
  }
}

void CheckTarget(const autoscalingv2::MetricTarget& target, const Path& path, FieldErrors& errors) {
  if (target.type.empty()) errors.Required(path / "type", "must specify a metric target type");
  if (!IsOneOf(target.type, {"Utilization", "Value", "AverageValue"})) {
    errors.Invalid(path / "type", Json(target.type), "must be either Utilization, Value, or AverageValue");
  }
  const auto positive = [&](const Optional<Quantity>& value, const Path& field) {
    if (value && value->Sign() <= 0) errors.Invalid(field, Shown(*value), "must be positive");
  };
  positive(target.value, path / "value");
  positive(target.averageValue, path / "averageValue");
  if (target.averageUtilization) CheckPositive(*target.averageUtilization, path / "averageUtilization", errors);
}

void CheckIdentifier(const autoscalingv2::MetricIdentifier& metric, const Path& path, FieldErrors& errors) {
  if (metric.name.empty()) return errors.Required(path / "name", "must specify a metric name");
  errors.InvalidForEach(path / "name", metric.name, CheckPathSegment(metric.name));
}

void CheckUtilizationOrValue(const autoscalingv2::MetricTarget& target, const Path& path, FieldErrors& errors) {
  CheckTarget(target, path, errors);
  if (!target.averageUtilization && !target.averageValue) {
    errors.Required(path / "averageUtilization", "must set either a target raw value or a target utilization");
  }
  if (target.averageUtilization && target.averageValue) {
    errors.Forbidden(path / "averageValue", "may not set both a target raw value and a target utilization");
  }
}

void CheckObjectSource(const autoscalingv2::ObjectMetricSource& source, const AutoscalerOptions& options,
                       const Path& path, FieldErrors& errors) {
  CheckReference(source.describedObject, options.any_object_version, true, path / "describedObject", errors);
  CheckIdentifier(source.metric, path / "metric", errors);
  const Path target = path / "target";
  CheckTarget(source.target, target, errors);
  if (!source.target.value && !source.target.averageValue) {
    errors.Required(target / "averageValue", "must set either a target value or averageValue");
  }
}

void CheckExternalSource(const autoscalingv2::ExternalMetricSource& source, const Path& path, FieldErrors& errors) {
  CheckIdentifier(source.metric, path / "metric", errors);
  const Path target = path / "target";
  CheckTarget(source.target, target, errors);
  if (!source.target.value && !source.target.averageValue) {
    errors.Required(target / "averageValue", "must set either a target value for metric or a per-pod target");
  }
  if (source.target.value && source.target.averageValue) {
    errors.Forbidden(target / "value", "may not set both a target value for metric and a per-pod target");
  }
}

void CheckPodsSource(const autoscalingv2::PodsMetricSource& source, const Path& path, FieldErrors& errors) {
  CheckIdentifier(source.metric, path / "metric", errors);
  const Path target = path / "target";
  CheckTarget(source.target, target, errors);
  if (!source.target.averageValue) {
    errors.Required(target / "averageValue", "must specify a positive target averageValue");
  }
}

void CheckResourceSource(const autoscalingv2::ResourceMetricSource& source, const Path& path, FieldErrors& errors) {
  if (source.name.empty()) errors.Required(path / "name", "must specify a resource name");
  CheckUtilizationOrValue(source.target, path / "target", errors);
}

void CheckContainerSource(const autoscalingv2::ContainerResourceMetricSource& source, const Path& path,
                          FieldErrors& errors) {
  const Path name = path / "name";
  if (source.name.empty()) {
    errors.Required(name, "must specify a resource name");
  } else {
    CheckContainerResourceName(source.name, name, errors);
  }
  if (source.container.empty()) {
    errors.Required(path / "container", "must specify a container");
  } else {
    CheckDnsLabel(source.container, path / "container", errors);
  }
  CheckUtilizationOrValue(source.target, path / "target", errors);
}

void CheckMetric(const autoscalingv2::MetricSpec& metric, const AutoscalerOptions& options, const Path& path,
                 FieldErrors& errors) {
  const Path type = path / "type";
  if (metric.type.empty()) errors.Required(type, "must specify a metric source type");
  CheckOneOf(metric.type, {"ContainerResource", "External", "Object", "Pods", "Resource"}, type, errors);
  // Only the first source that is there is looked into.
  if (metric.object) {
    CheckObjectSource(*metric.object, options, path / "object", errors);
  } else if (metric.external) {
    CheckExternalSource(*metric.external, path / "external", errors);
  } else if (metric.pods) {
    CheckPodsSource(*metric.pods, path / "pods", errors);
  } else if (metric.resource) {
    CheckResourceSource(*metric.resource, path / "resource", errors);
  } else if (metric.containerResource) {
    CheckContainerSource(*metric.containerResource, path / "containerResource", errors);
  }
  const struct {
    std::string_view type;
    std::string_view field;
    bool present;
  } sources[] = {{"ContainerResource", "containerResource", metric.containerResource.has_value()},
                 {"External", "external", metric.external.has_value()},
                 {"Object", "object", metric.object.has_value()},
                 {"Pods", "pods", metric.pods.has_value()},
                 {"Resource", "resource", metric.resource.has_value()}};
  int present = 0;
  for (const auto& source : sources) {
    present += source.present ? 1 : 0;
    if (metric.type != source.type) continue;
    if (!source.present) {
      errors.Required(path / source.field, "must populate information for the given metric source");
    }
  }
  CheckOneOf(metric.type, {"ContainerResource", "External", "Object", "Pods", "Resource"}, type, errors);  // said twice
  if (present <= 1) return;
  for (const auto& source : sources) {
    if (source.present && metric.type != source.type) {
      errors.Forbidden(path / source.field, "must populate the given metric source only");
    }
  }
}

void CheckScaling(const Optional<autoscalingv2::HPAScalingRules>& rules, const Path& path, FieldErrors& errors) {
  constexpr int32_t kMaxWindow = 3600;
  constexpr int32_t kMaxPeriod = 1800;
  if (!rules) return;
  const Path window = path / "stabilizationWindowSeconds";
  if (rules->stabilizationWindowSeconds) {
    const int32_t seconds = *rules->stabilizationWindowSeconds;
    if (seconds < 0) errors.Invalid(window, Json(seconds), "must be greater than or equal to zero");
    if (seconds > kMaxWindow) {
      errors.Invalid(window, Json(seconds), fmt::format("must be less than or equal to {}", kMaxWindow));
    }
  }
  if (rules->selectPolicy) CheckOneOf(*rules->selectPolicy, {"Disabled", "Max", "Min"}, path / "selectPolicy", errors);
  const Path policies = path / "policies";
  if (rules->policies.empty()) errors.Required(policies, "must specify at least one Policy");
  for (size_t i = 0; i < rules->policies.size(); ++i) {
    const autoscalingv2::HPAScalingPolicy& policy = rules->policies[i];
    const Path here = policies[i];
    CheckOneOf(policy.type, {"Percent", "Pods"}, here / "type", errors);
    if (policy.value <= 0) errors.Invalid(here / "value", Json(policy.value), "must be greater than zero");
    const Path period = here / "periodSeconds";
    if (policy.periodSeconds <= 0) errors.Invalid(period, Json(policy.periodSeconds), "must be greater than zero");
    if (policy.periodSeconds > kMaxPeriod) {
      errors.Invalid(period, Json(policy.periodSeconds), fmt::format("must be less than or equal to {}", kMaxPeriod));
    }
  }
  if (rules->tolerance) CheckNonNegative(*rules->tolerance, path / "tolerance", errors);
}

void CheckAutoscaler(const autoscalingv2::HorizontalPodAutoscalerSpec& spec, const AutoscalerOptions& options,
                     FieldErrors& errors) {
  const Path path("spec");
  if (spec.minReplicas && *spec.minReplicas < options.least_replicas) {
    errors.Invalid(path / "minReplicas", Json(*spec.minReplicas),
                   fmt::format("must be greater than or equal to {}", options.least_replicas));
  }
  const Path most = path / "maxReplicas";
  if (spec.maxReplicas == 0) {
    errors.Required(most, "must be set and greater than 0");
  } else if (spec.maxReplicas < 0) {
    errors.Invalid(most, Json(spec.maxReplicas), "must be greater than or equal to 1");
  }
  if (spec.minReplicas && spec.maxReplicas < *spec.minReplicas) {
    errors.Invalid(most, Json(spec.maxReplicas), "must be greater than or equal to `minReplicas`");
  }
  CheckReference(spec.scaleTargetRef, options.any_target_version, options.target_without_group, path / "scaleTargetRef",
                 errors);
  const Path metrics = path / "metrics";
  bool to_zero = false;
  for (size_t i = 0; i < spec.metrics.size(); ++i) {
    CheckMetric(spec.metrics[i], options, metrics[i], errors);
    to_zero = to_zero || spec.metrics[i].type == "Object" || spec.metrics[i].type == "External";
  }
  if (spec.minReplicas && *spec.minReplicas == 0 && !to_zero) {
    errors.Forbidden(metrics,
                     "must specify at least one Object or External metric to support scaling to zero replicas");
  }
  if (!spec.behavior) return;
  const Path behavior = path / "behavior";
  CheckScaling(spec.behavior->scaleUp, behavior / "scaleUp", errors);
  CheckScaling(spec.behavior->scaleDown, behavior / "scaleDown", errors);
}

void ValidateAutoscaler(const autoscalingv2::HorizontalPodAutoscaler& autoscaler, FieldErrors& errors) {
  CheckAutoscaler(autoscaler.spec,
                  {.target_without_group = autoscaler.spec.scaleTargetRef.kind == "ReplicationController"}, errors);
}

void ValidateAutoscalerUpdate(const autoscalingv2::HorizontalPodAutoscaler& autoscaler,
                              const autoscalingv2::HorizontalPodAutoscaler& old, FieldErrors& errors) {
  AutoscalerOptions options;
  if (old.spec.minReplicas && *old.spec.minReplicas == 0) options.least_replicas = 0;
  const autoscalingv2::CrossVersionObjectReference& target = autoscaler.spec.scaleTargetRef;
  options.any_target_version =
      target.apiVersion == old.spec.scaleTargetRef.apiVersion && target.kind == old.spec.scaleTargetRef.kind;
  options.target_without_group = target.kind == "ReplicationController";
  for (const autoscalingv2::MetricSpec& metric : old.spec.metrics) {
    if (metric.type == "Object" && metric.object &&
        !WhyNoApiVersion(metric.object->describedObject.apiVersion, true).empty()) {
      options.any_object_version = true;
    }
  }
  CheckAutoscaler(autoscaler.spec, options, errors);
}

void ValidateAutoscalerStatus(const autoscalingv2::HorizontalPodAutoscaler& autoscaler,
                              const autoscalingv2::HorizontalPodAutoscaler&, FieldErrors& errors) {
  const Path status("status");
  CheckNonNegative(autoscaler.status.currentReplicas, status / "currentReplicas", errors);
  CheckNonNegative(autoscaler.status.desiredReplicas, status / "desiredReplicas", errors);
}

// --- v1 ---

using V1 = autoscalingv1::HorizontalPodAutoscaler;

// What the way to v2, its defaults and the way back make of it.
void SetV1Defaults(V1& autoscaler) {
  if (!autoscaler.spec.minReplicas) autoscaler.spec.minReplicas = 1;
  autoscalingv2::HorizontalPodAutoscaler stored = ToV2Autoscaler(autoscaler);
  SetAutoscalerDefaults(stored);
  autoscaler = ToV1Autoscaler(stored);
}

void ValidateV1(const V1& autoscaler, FieldErrors& errors) { ValidateAutoscaler(ToV2Autoscaler(autoscaler), errors); }

void ValidateV1Update(const V1& autoscaler, const V1& old, FieldErrors& errors) {
  ValidateAutoscalerUpdate(ToV2Autoscaler(autoscaler), ToV2Autoscaler(old), errors);
}

void ValidateV1Status(const V1& autoscaler, const V1& old, FieldErrors& errors) {
  ValidateAutoscalerStatus(ToV2Autoscaler(autoscaler), ToV2Autoscaler(old), errors);
}

}  // namespace

void AddAutoscalerRules(RulesTable& table) {
  table.Add<autoscalingv2::HorizontalPodAutoscaler>({.set_defaults = SetAutoscalerDefaults,
                                                     .validate = ValidateAutoscaler,
                                                     .validate_update = ValidateAutoscalerUpdate,
                                                     .validate_status = ValidateAutoscalerStatus,
                                                     .generation = false});
  table.Add<V1>({.set_defaults = SetV1Defaults,
                 .validate = ValidateV1,
                 .validate_update = ValidateV1Update,
                 .validate_status = ValidateV1Status,
                 .generation = false});
}

}  // namespace keelson::apiserver
