// Package v1 has fields that are optional unless they say otherwise.
// +groupName=camping.example.com
// +kubebuilder:validation:Optional
package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Pole of a tent.
type Pole struct {
	// Length in centimetres.
	Length int32 `json:"length"`
	// Colour of the pole.
	// +required
	Colour string `json:"colour"`
}

// TentSpec is a tent.
type TentSpec struct {
	// Beds inside.
	Beds int32 `json:"beds"`
	// Name of the tent.
	// +kubebuilder:validation:Required
	Name string `json:"name"`
	// Poles that hold it.
	Poles []Pole `json:"poles"`
	// Owner of the tent.
	// +k8s:required
	Owner *string `json:"owner,omitempty"`
}

// Tent on a field.
// +kubebuilder:object:root=true
// +kubebuilder:unservedversion
type Tent struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec TentSpec `json:"spec"`
}
