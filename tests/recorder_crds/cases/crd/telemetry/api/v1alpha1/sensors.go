// Package v1alpha1 measures with fractions.
// +groupName=telemetry.example.com
package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Ratio between nothing and everything.
// +kubebuilder:validation:Minimum=0
// +kubebuilder:validation:Maximum=1.5
type Ratio float64

// SensorSpec measures.
type SensorSpec struct {
	// Offset is added. It may be negative.
	// +kubebuilder:validation:Minimum=-0.5
	// +kubebuilder:validation:Maximum=1e-3
	// +kubebuilder:validation:MultipleOf=0.001
	Offset float64 `json:"offset"`
	// Scale is multiplied.
	// +kubebuilder:default=1.5
	Scale *float64 `json:"scale,omitempty"`
	// Points of the curve.
	// +kubebuilder:validation:items:Minimum=0.1
	// +kubebuilder:default={0.5,1.25}
	Points []float64          `json:"points,omitempty"`
	Ratio  Ratio              `json:"ratio,omitempty"`
	Ratios map[string]float64 `json:"ratios,omitempty"`
	// Steps allowed.
	// +kubebuilder:validation:Enum=0.5;1;2
	Steps float64 `json:"steps,omitempty"`
	// +kubebuilder:example=3.14
	Pi float64 `json:"pi,omitempty"`
}

// Sensor on a pole.
// +kubebuilder:object:root=true
type Sensor struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec SensorSpec `json:"spec"`
}
