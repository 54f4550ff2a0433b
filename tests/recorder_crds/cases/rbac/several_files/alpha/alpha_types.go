// Package alpha has types.
// +groupName=alpha.example.com
package alpha

// +kubebuilder:rbac:groups=alpha.example.com,resources=alphas,verbs=get;list;watch
// +kubebuilder:object:generate=true

// Alpha is a type.
type Alpha struct {
}

// +kubebuilder:rbac:groups=alpha.example.com,resources=alphas/status,verbs=update
