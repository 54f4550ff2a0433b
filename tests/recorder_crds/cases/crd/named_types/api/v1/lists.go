package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Lengths of hoses.
// +kubebuilder:validation:items:Minimum=1
// +kubebuilder:validation:items:ExclusiveMinimum=true
// +kubebuilder:validation:items:Maximum=99
// +kubebuilder:validation:items:ExclusiveMaximum=true
// +kubebuilder:validation:items:MultipleOf=3
type Lengths []int32

// Labels on hoses.
// +kubebuilder:validation:items:MinLength=1
// +kubebuilder:validation:items:MaxLength=9
// +kubebuilder:validation:items:Pattern=`^[a-z]+$`
// +kubebuilder:validation:items:Format=hostname
// +kubebuilder:validation:items:XValidation:rule="self != 'x'",message="not x"
type Labels []string

// Rows of hoses.
// +kubebuilder:validation:items:MinItems=1
// +kubebuilder:validation:items:MaxItems=5
// +kubebuilder:validation:items:UniqueItems=false
type Rows [][]string

// Tables of hoses.
// +kubebuilder:validation:items:MinProperties=1
// +kubebuilder:validation:items:MaxProperties=5
// +kubebuilder:validation:items:XPreserveUnknownFields
// +kubebuilder:validation:items:XEmbeddedResource
type Tables []map[string]string

// Values of hoses.
// +kubebuilder:validation:items:Type=integer
type Values []string

// Ends of hoses.
// +kubebuilder:validation:items:XIntOrString
type Ends []string

// HoseSpec has a field of every list.
type HoseSpec struct {
	Lengths Lengths `json:"lengths"`
	Labels  Labels  `json:"labels"`
	Rows    Rows    `json:"rows"`
	Tables  Tables  `json:"tables"`
	Values  Values  `json:"values"`
	Ends    Ends    `json:"ends"`
	// Nested lists of a named type.
	Nested []Labels `json:"nested,omitempty"`
	// Bounded by the field as well.
	// +kubebuilder:validation:MinItems=2
	// +listType=set
	Bounded Labels `json:"bounded,omitempty"`
}

// Hose in a garden.
// +kubebuilder:object:root=true
type Hose struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec HoseSpec `json:"spec"`
}
