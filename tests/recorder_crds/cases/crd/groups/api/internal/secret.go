// Package internal is left out.
// +groupName=internal.example.com
// +kubebuilder:skip
package internal

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Ledger that nobody sees.
// +kubebuilder:object:root=true
type Ledger struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
}
