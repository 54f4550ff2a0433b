package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Span of numbers.
// +kubebuilder:validation:XValidation:rule="self.low <= self.high",message="low must not be above high"
type Span struct {
	Low  int32 `json:"low"`
	High int32 `json:"high"`
}

// ElevatorSpec has rules.
// +kubebuilder:validation:XValidation:rule="self.floor in self.floors",message="the floor must be one of the floors",reason="FieldValueInvalid",fieldPath=".floor"
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.serial) || has(self.serial)",messageExpression="'serial was ' + oldSelf.serial",reason=FieldValueForbidden
// +kubebuilder:validation:XValidation:rule=`oldSelf.hasValue() || self.floor == 0`,optionalOldSelf=true
// +kubebuilder:validation:XValidation:rule="self.motto != \"none\"",message=`say "something", please; or not`
type ElevatorSpec struct {
	Floor  int32   `json:"floor"`
	Floors []int32 `json:"floors"`
	// Serial number, which never changes.
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="serial is immutable",reason=FieldValueDuplicate,optionalOldSelf=false
	Serial string `json:"serial,omitempty"`
	// Motto in the cabin.
	// +kubebuilder:validation:XValidation:rule="self.size() > 0",reason=FieldValueRequired
	Motto string `json:"motto,omitempty"`
	// Range of floors: the rules of the field come before those of the type.
	// +kubebuilder:validation:XValidation:rule="self.high < 100"
	// +kubebuilder:validation:XValidation:rule="self.low > -10",message="too deep"
	Range *Span `json:"range,omitempty"`
	// Plain range.
	Plain Span `json:"plain,omitempty"`
	// Ranges of other elevators.
	// +kubebuilder:validation:MaxItems=10
	// +kubebuilder:validation:XValidation:rule="self.all(x, x.low != 3)"
	Ranges []Span `json:"ranges,omitempty"`
}

// Elevator in a house.
// +kubebuilder:object:root=true
// +kubebuilder:validation:XValidation:rule="self.metadata.name.startsWith('e-')",message="names start with e-"
type Elevator struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec ElevatorSpec `json:"spec"`
}

// SourceSpec is a choice.
// +kubebuilder:validation:ExactlyOneOf=git;image;archive
// +kubebuilder:validation:AtMostOneOf=tag;branch
// +kubebuilder:validation:AtMostOneOf=user;robot
// +kubebuilder:validation:AtLeastOneOf=mail;phone
// +kubebuilder:validation:XValidation:rule="true",message="always"
type SourceSpec struct {
	Git     *string `json:"git,omitempty"`
	Image   *string `json:"image,omitempty"`
	Archive *string `json:"archive,omitempty"`
	Tag     string  `json:"tag,omitempty"`
	Branch  string  `json:"branch,omitempty"`
	// +optional
	User string `json:"user"`
	// +optional
	Robot *string `json:"robot,omitempty"`
	Mail  *string `json:"mail,omitempty"`
	Phone *string `json:"phone,omitempty"`
}

// Source of a build.
// +kubebuilder:object:root=true
type Source struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// The choice.
	Spec SourceSpec `json:"spec"`
}
