// +kubebuilder:webhook:path=/a,mutating=true,failurePolicy=fail,sideEffects=None,groups=example.com,resources=books,verbs=create,versions=v1,name=a.example.com,admissionReviewVersions=v1,patch=`{"namespaceSelector":{"matchLabels":{"books":"yes"}},"timeoutSeconds":25}`
// +kubebuilder:webhook:path=/b,mutating=false,failurePolicy=fail,sideEffects=None,groups=example.com,resources=books,verbs=create,versions=v1,name=b.example.com,admissionReviewVersions=v1,timeoutSeconds=7,patch=`{"objectSelector":{"matchExpressions":[{"key":"tier","operator":"In","values":["front","back"]}]},"timeoutSeconds":null,"matchConditions":[{"name":"not-leases","expression":"request.resource.group != \"coordination.k8s.io\""}]}`

// Patched hooks.
void Patched() {}
