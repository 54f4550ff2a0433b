// Package shared has types that several groups use, and no kinds.
package shared

// Money is an amount in a currency.
// +kubebuilder:validation:XValidation:rule="self.cents >= 0 || self.currency == 'EUR'"
type Money struct {
	// Cents of the currency.
	Cents int64 `json:"cents"`
	// Currency by its three letters.
	// +kubebuilder:validation:Pattern=`^[A-Z]{3}$`
	Currency string `json:"currency"`
}

// Rate of a tax in percent.
// +kubebuilder:validation:Minimum=0
// +kubebuilder:validation:Maximum=100
type Rate int32

// Lines of a text.
// +listType=atomic
// +kubebuilder:validation:MaxItems=4
type Lines []string
