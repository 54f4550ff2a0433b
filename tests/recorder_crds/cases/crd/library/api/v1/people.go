//transcribe:style=///

package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Address where mail is sent to.
type Address struct {
	// Street and number.
	Street string `json:"street"`
	// +optional
	Street2 string `json:"street2,omitempty"`
	// City or town.
	City string `json:"city"`
	// PostalCode in the country's own form.
	PostalCode string `json:"postal_code"`
	// Country as two letters.
	// +kubebuilder:default=DE
	Country string `json:"country,omitempty"`
}

// AuthorSpec says who wrote.
type AuthorSpec struct {
	// Name in full.
	Name string `json:"name"`
	// PenNames the author used.
	// +listType=set
	PenNames []string `json:"penNames,omitempty"`
	// Born on this day.
	// +kubebuilder:validation:Format=date
	Born string `json:"born,omitempty"`
	// Homepage of the author.
	// +kubebuilder:validation:Format=uri
	// +nullable
	Homepage *string `json:"homepage"`
	// Estate gets the royalties.
	Estate *Address `json:"estate,omitempty"`
}

// Author of books; lives outside of namespaces.
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Cluster
// +kubebuilder:metadata:annotations="library.example.com/owner=catalogue team";"library.example.com/page=a=b",labels=tier=reference
// +kubebuilder:metadata:labels={"app=library","stage=beta"}
type Author struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec AuthorSpec `json:"spec"`
}

// ReaderSpec describes a card holder.
type ReaderSpec struct {
	// Name on the card.
	Name string `json:"name"`
	// Home is where reminders go. This text replaces that of the type.
	Home Address  `json:"home"`
	Work *Address `json:"work,omitempty"`
	// Phones by kind: mobile, work.
	Phones map[string]string `json:"phones,omitempty"`
	// Secret number of the card, kept out of the API.
	Secret string `json:"-"`
}

// ReaderStatus counts.
type ReaderStatus struct {
	// Fines in cents.
	Fines int64 `json:"fines"`
	// Loans that are open.
	Loans int32 `json:"loans"`
}

// +genclient
// +genclient:noStatus

// Reader has a library card.
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
// +kubebuilder:resource:path=library-readers,singular=library-reader,shortName={rd}
// +kubebuilder:subresource:status
type Reader struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   ReaderSpec   `json:"spec"`
	Status ReaderStatus `json:"status,omitempty"`
}
