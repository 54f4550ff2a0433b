//transcribe:style=/**

package v1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// LoanSpec is a promise to bring a book back.
//
// The period starts when the loan is made:
//
//   - 28 days for books,
//   - 7 days for films.
type LoanSpec struct {
	// Book that is lent.
	Book corev1.LocalObjectReference `json:"book"`
	// Reader who has it.
	Reader corev1.LocalObjectReference `json:"reader"`
	// Period until it is due.
	// +kubebuilder:default="672h"
	Period *metav1.Duration `json:"period,omitempty"`
	// Renewals so far.
	//+kubebuilder:validation:Maximum=3
	//+kubebuilder:validation:ExclusiveMaximum=false
	Renewals int32 `json:"renewals,omitempty"`
	// Edition lent, if it matters.
	Edition *Edition `json:"edition,omitempty"`
}

// LoanStatus is where the loan stands.
type LoanStatus struct {
	// Phase of the loan.
	// +kubebuilder:validation:Enum={Open,Overdue,Closed}
	Phase string `json:"phase,omitempty"`
	// Due is when the book must be back.
	Due metav1.Time `json:"due,omitempty"`
	// Seen is the exact time of the last scan.
	Seen *metav1.MicroTime `json:"seen,omitempty"`
}

// Loan of a book to a reader.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=ln
// +kubebuilder:printcolumn:JSONPath=".status.phase",name=Phase,type=string
// +kubebuilder:validation:XValidation:rule="self.spec.renewals <= 3",message="no more than three renewals"
type Loan struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec of the loan.
	// +optional
	Spec LoanSpec `json:"spec,omitempty"`
	// Status of the loan.
	// +optional
	Status *LoanStatus `json:"status,omitempty"`
}

// ShelfSpec holds places.
type ShelfSpec struct {
	// Rows of the shelf, each a list of places.
	Rows [][]string `json:"rows"`
	// Sections maps a section to its editions.
	Sections map[string][]Edition `json:"sections,omitempty"`
	// Owners maps a room to people by role.
	Owners map[string]map[string]string `json:"owners,omitempty"`
	// Label printed on the shelf, a small picture.
	Label []byte `json:"label,omitempty"`
}

// +kubebuilder:object:root=true
// +kubebuilder:resource:path=shelves
// Shelf in a room.
type Shelf struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec ShelfSpec `json:"spec"`
}
