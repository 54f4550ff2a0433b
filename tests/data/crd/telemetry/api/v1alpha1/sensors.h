// Package v1alpha1 measures with fractions.
// +groupName=telemetry.example.com

#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "keelson/api/meta/v1.h"

namespace telemetry::v1alpha1 {

// Ratio between nothing and everything.
// +kubebuilder:validation:Minimum=0
// +kubebuilder:validation:Maximum=1.5
using Ratio = double;

// SensorSpec measures.
struct SensorSpec {
  // Offset is added. It may be negative.
  // +kubebuilder:validation:Minimum=-0.5
  // +kubebuilder:validation:Maximum=1e-3
  // +kubebuilder:validation:MultipleOf=0.001
  double offset = 0;
  // Scale is multiplied.
  // +kubebuilder:default=1.5
  std::optional<double> scale;
  // Points of the curve.
  // +kubebuilder:validation:items:Minimum=0.1
  // +kubebuilder:default={0.5,1.25}
  // +optional
  std::vector<double> points;
  // +optional
  Ratio ratio;
  // +optional
  std::map<std::string, double> ratios;
  // Steps allowed.
  // +kubebuilder:validation:Enum=0.5;1;2
  // +optional
  double steps = 0;
  // +kubebuilder:example=3.14
  // +optional
  double pi = 0;
};

// Sensor on a pole.
// +kubebuilder:object:root=true
struct Sensor {
  keelson::metav1::ObjectMeta metadata;

  SensorSpec spec;
};

}  // namespace telemetry::v1alpha1
