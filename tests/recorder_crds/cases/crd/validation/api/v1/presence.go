package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Part of something.
type Part struct {
	// Name of the part.
	Name string `json:"name"`
}

// Matter is looked at by nobody.
type Matter struct {
	// Hidden from the schema.
	Hidden string `json:"hidden"`
}

// ParcelSpec says what must be there.
type ParcelSpec struct {
	Required         string  `json:"required"`
	Omitted          string  `json:"omitted,omitempty"`
	Zero             Part    `json:"zero,omitzero"`
	Pointer          *string `json:"pointer,omitempty"`
	RequiredPointer  *string `json:"requiredPointer"`
	RequiredStruct   Part    `json:"requiredStruct"`
	RequiredOptional *Part   `json:"requiredOptional"`

	// +optional
	A string `json:"a"`
	// +required
	B string `json:"b,omitempty"`
	// +kubebuilder:validation:Optional
	C string `json:"c"`
	// +kubebuilder:validation:Required
	D *string `json:"d,omitempty"`
	// +k8s:optional
	E string `json:"e"`
	// +k8s:required
	F string `json:"f,omitempty"`
	// Lists that are required have an item.
	// +k8s:required
	G []string `json:"g,omitempty"`
	// +k8s:required
	H map[string]string `json:"h,omitempty"`
	// +k8s:required
	I *Part `json:"i,omitempty"`
	// +k8s:required
	J *int32 `json:"j,omitempty"`
	// +k8s:required
	// +kubebuilder:validation:MinLength=3
	K string `json:"k"`
	// +required
	// +kubebuilder:validation:Optional
	L string `json:"l"`
	// +optional
	// +kubebuilder:validation:Required
	M string `json:"m"`

	// +nullable
	Null *string `json:"null,omitempty"`
	// +nullable
	// +optional
	NullList []string `json:"nullList"`
	// May be null.
	// +nullable
	NullPart *Part `json:"nullPart,omitempty"`

	// Schemaless values are not looked at.
	// +kubebuilder:validation:Schemaless
	Schemaless Matter `json:"schemaless,omitempty"`
	// Described by markers alone.
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=object
	// +kubebuilder:pruning:PreserveUnknownFields
	Described Matter `json:"described,omitempty"`
	// Open to other fields.
	// +kubebuilder:pruning:PreserveUnknownFields
	Open *Part `json:"open,omitempty"`
	// Typed otherwise.
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MinLength=4
	Typed int32 `json:"typed,omitempty"`

	// +optional
	// +kubebuilder:validation:MaxLength=9

	// Apart has its markers in the block above.
	Apart string `json:"apart"`

	// A text that is nobody's documentation.

	// Near has only this documentation.
	Near string `json:"near,omitempty"`
}

// Parcel to be sent.
// +kubebuilder:object:root=true
type Parcel struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// +optional
	Spec *ParcelSpec `json:"spec,omitempty"`
}
