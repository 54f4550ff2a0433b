package alpha

// +kubebuilder:webhook:path=/z,mutating=false,failurePolicy=fail,sideEffects=None,groups=example.com,resources=alphas,verbs=create,versions=v1,name=z.alpha.example.com,admissionReviewVersions=v1

// Hook runs.
func Hook() {
}
