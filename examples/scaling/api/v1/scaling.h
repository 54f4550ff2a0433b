// +groupName=control.example.com
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "keelson/api/meta/v1.h"

namespace scaling::v1 {

// What is measured of the target's Pods, in percent of what they request.
enum class MetricType {
  cpu,
  memory,
};

// When and how far the target is scaled.
// +kubebuilder:validation:XValidation:rule="self.minReplicas <= self.maxReplicas",message="minReplicas must not be above maxReplicas"
// +kubebuilder:validation:XValidation:rule="self.scaleDown < self.scaleUp",message="scaleDown must be below scaleUp, or the target would never rest"
struct ScalingSpec {
  // Name of the Deployment to scale, in the namespace of the Scaling.
  // +kubebuilder:validation:MinLength=1
  std::string targetDeployment;

  // Fewest replicas that are left.
  // +kubebuilder:validation:Minimum=0
  int32_t minReplicas = 0;

  // Most replicas that are made.
  // +kubebuilder:validation:Minimum=1
  int32_t maxReplicas = 1;

  // The metric that is compared with the thresholds.
  MetricType metricType = MetricType::cpu;

  // Replicas added or removed at a time.
  // +kubebuilder:validation:Minimum=1
  int32_t step = 1;

  // Above this percentage replicas are added.
  // +kubebuilder:validation:Minimum=1
  int32_t scaleUp = 80;

  // Below this percentage replicas are removed.
  // +kubebuilder:validation:Minimum=0
  int32_t scaleDown = 20;

  // Seconds that must pass between two steps.
  // +kubebuilder:validation:Minimum=0
  // +kubebuilder:default=60
  std::optional<int32_t> stabilizationSeconds;
};

// What was measured and done last.
struct ScalingStatus {
  // Replicas that the target was last asked to have.
  // +optional
  int32_t replicas = 0;

  // The metric when it was last read, in percent.
  std::optional<int32_t> currentMetric;

  // When the last step was decided.
  std::optional<keelson::metav1::Time> lastScaleTime;

  // Ready: whether the target is there, measured and within its bounds.
  // +listType=map
  // +listMapKey=type
  // +optional
  std::vector<keelson::metav1::Condition> conditions;
};

// +genclient
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name="Target",type=string,JSONPath=`.spec.targetDeployment`
// +kubebuilder:printcolumn:name="Min",type=integer,JSONPath=`.spec.minReplicas`
// +kubebuilder:printcolumn:name="Max",type=integer,JSONPath=`.spec.maxReplicas`
// +kubebuilder:printcolumn:name="Replicas",type=integer,JSONPath=`.status.replicas`
// +kubebuilder:printcolumn:name="Metric",type=string,JSONPath=`.spec.metricType`
// +kubebuilder:printcolumn:name="Percent",type=integer,JSONPath=`.status.currentMetric`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`

// Scaling changes the replicas of a Deployment when a metric leaves its bounds.
struct Scaling {
  keelson::metav1::ObjectMeta metadata;
  ScalingSpec spec;
  ScalingStatus status;
};

}  // namespace scaling::v1
