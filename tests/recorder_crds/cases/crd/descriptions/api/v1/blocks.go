package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

/*
PostcardSpec is written in a block.

It has two paragraphs
and an indented line.
*/
type PostcardSpec struct {
	/* One line in a block. */
	One string `json:"one"`

	/*
		Several lines
		in a block.

		TODO: left out
		With a paragraph.
	*/
	Several string `json:"several"`

	// A line
	/* and a block */
	Both string `json:"both"`
}

// Postcard to somebody.
// +kubebuilder:object:root=true
type Postcard struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec PostcardSpec `json:"spec"`
}
