// +kubebuilder:webhookconfiguration:mutating=false,name=all-checks
// +kubebuilder:webhook:path=/a,mutating=false,failurePolicy=fail,sideEffects=None,groups=example.com,resources=betas,verbs=create,versions=v1,name=a.beta.example.com,admissionReviewVersions=v1

// Hook runs.
void Hook() {}
