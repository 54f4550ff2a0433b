// Package v1 holds what a town library keeps in its cluster.
// +groupName=library.example.com
// +kubebuilder:object:generate=true
// +k8s:deepcopy-gen=package
// +k8s:openapi-gen=true
package v1
