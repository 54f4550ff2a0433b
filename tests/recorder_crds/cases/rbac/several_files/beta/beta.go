package beta

// +kubebuilder:rbac:groups=beta.example.com,resources=betas,verbs=get;list;watch
// +kubebuilder:rbac:groups=alpha.example.com,resources=alphas,verbs=patch

// Beta runs.
func Beta() {
}
