// Package legacy has a version that its folder is not called by.
// +groupName=data.example.com
// +versionName=v0
package legacy

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// BackupSpec was a path.
type BackupSpec struct {
	// Path of the copy.
	Path string `json:"path"`
}

// Backup of old.
// +kubebuilder:object:root=true
// +kubebuilder:deprecatedversion:warning=`use v1`
type Backup struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec BackupSpec `json:"spec"`
}
