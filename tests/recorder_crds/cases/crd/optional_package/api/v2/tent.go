// Package v2 has fields that are required, which is the rule.
// +groupName=camping.example.com
// +kubebuilder:validation:Required
package v2

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "keelson.test/recorder_crds/cases/crd/optional_package/api/v1"
)

// TentSpec is a tent, with the poles of before.
type TentSpec struct {
	// Beds inside.
	Beds int32 `json:"beds"`
	// Name of the tent.
	// +optional
	Name string `json:"name"`
	// Poles that hold it.
	Poles []v1.Pole `json:"poles,omitempty"`
}

// Tent on a field, or in a wood.
// +kubebuilder:object:root=true
// +kubebuilder:storageversion
type Tent struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec TentSpec `json:"spec"`
}
