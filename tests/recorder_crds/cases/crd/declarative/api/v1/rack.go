// Package v1 uses the markers of Kubernetes' declarative validation.
// +groupName=racks.example.com
package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Shape of a rack.
// +k8s:enum
//
//transcribe:enumclass=Round;Square;Tall
type Shape string

// Shapes of racks.
const (
	Tall   Shape = "Tall"
	Round  Shape = "Round"
	Square Shape = "Square"
)

// Slot in a rack.
// +kubebuilder:externalDocs:url="https://example.com/slots",description="All about slots"
type Slot struct {
	// Position from below.
	Position int32 `json:"position"`
	// Machine in the slot.
	Machine string `json:"machine,omitempty"`
}

// Slots by position.
// +k8s:listType=map
// +k8s:listMapKey=position
type Slots []Slot

// RackSpec is checked.
type RackSpec struct {
	// +k8s:minimum=1
	// +k8s:maximum=52 # as high as they come
	Height int32 `json:"height"`
	// +k8s:maxItems=4
	// +k8s:listType=set
	Labels []string `json:"labels,omitempty"`
	// +k8s:listType=map
	// +k8s:listMapKey=position
	// +listMapKey=position
	List []Slot `json:"list,omitempty"`
	// Never changes.
	// +k8s:immutable
	// +required
	Serial string `json:"serial"`
	// May be set once.
	// +k8s:immutable
	// +optional
	Room *string `json:"room,omitempty"`
	// +kubebuilder:externalDocs:url=https://example.com/docs
	Documented string `json:"documented,omitempty"`
	Shape      Shape  `json:"shape,omitempty"`
	Slots      Slots  `json:"slots,omitempty"`
}

// Rack of machines.
// +kubebuilder:object:root=true
type Rack struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec RackSpec `json:"spec"`
}
