// Package v1alpha1 is how it began.
// +groupName=data.example.com
package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// DatabaseSpec began as this.
type DatabaseSpec struct {
	// Engine that runs it.
	Engine string `json:"engine"`
	// Disk in gigabytes.
	Disk int32 `json:"disk,omitempty"`
}

// Database of the first days.
// +kubebuilder:object:root=true
// +kubebuilder:deprecatedversion
// +kubebuilder:unservedversion
// +kubebuilder:resource:path=databases,shortName=db,categories=data
type Database struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec DatabaseSpec `json:"spec"`
}

// RestoreSpec is not shown any more.
type RestoreSpec struct {
	// Of this backup.
	Of string `json:"of"`
}

// Restore of a backup, of which this version is left out.
// +kubebuilder:object:root=true
// +kubebuilder:skipversion
type Restore struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec RestoreSpec `json:"spec"`
}
