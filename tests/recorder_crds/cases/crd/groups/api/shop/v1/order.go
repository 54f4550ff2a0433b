// +groupName=shop.example.com
package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	billing "keelson.test/recorder_crds/cases/crd/groups/api/billing/v1"
	"keelson.test/recorder_crds/cases/crd/groups/api/shared"
)

// OrderSpec is to be sent.
type OrderSpec struct {
	// Positions ordered.
	Positions []billing.Position `json:"positions"`
	Budget    *shared.Money      `json:"budget,omitempty"`
	// Note to the shop.
	Note shared.Lines `json:"note,omitempty"`
}

// Order in a shop.
// +kubebuilder:object:root=true
type Order struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec OrderSpec `json:"spec"`
}

// Invoice has the name of a kind in another group.
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=shopinvoices
type Invoice struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Number of the invoice.
	Number string `json:"number"`
}
