// +groupName=billing.example.com
package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"keelson.test/recorder_crds/cases/crd/groups/api/shared"
)

// Position on an invoice.
type Position struct {
	// Text of the position.
	Text string `json:"text"`
	// Price of the position.
	Price shared.Money `json:"price"`
}

// InvoiceSpec is to be paid.
type InvoiceSpec struct {
	// Positions on the invoice.
	Positions []Position `json:"positions"`
	// Total to be paid.
	Total *shared.Money `json:"total,omitempty"`
	// Rate of the tax.
	Rate shared.Rate `json:"rate,omitempty"`
	// Address of the customer.
	Address shared.Lines `json:"address,omitempty"`
	// Taxes by name.
	Taxes map[string]shared.Rate `json:"taxes,omitempty"`
}

// Invoice to a customer.
// +kubebuilder:object:root=true
type Invoice struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec InvoiceSpec `json:"spec"`
}

// Policy is a kind without a spec.
// +kubebuilder:object:root=true
type Policy struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Days until it must be paid.
	// +kubebuilder:default=30
	Days int32 `json:"days,omitempty"`
	// Currencies accepted.
	Currencies []string `json:"currencies"`
}
