//transcribe:style=/**

// +groupName=data.example.com
package v1

import (
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Engine by name and release.
type Engine struct {
	// Name of the engine.
	// +kubebuilder:validation:Enum=mysql;postgres
	Name string `json:"name"`
	// Release of the engine.
	Release string `json:"release,omitempty"`
}

// DatabaseSpec is how it stays.
type DatabaseSpec struct {
	// Engine that runs it, now with a release.
	Engine Engine `json:"engine"`
	// Storage it has.
	// +required
	Storage *resource.Quantity `json:"storage,omitempty"`
}

// DatabaseStatus tells how it goes.
type DatabaseStatus struct {
	// Ready to be used.
	Ready bool `json:"ready"`
}

// Database for everybody.
// +kubebuilder:object:root=true
// +kubebuilder:storageversion
// +kubebuilder:subresource:status
// +kubebuilder:resource:path=databases,shortName=db,categories=data
// +kubebuilder:printcolumn:name=Engine,type=string,JSONPath=.spec.engine.name
// +kubebuilder:printcolumn:name=Ready,type=boolean,JSONPath=.status.ready
// +kubebuilder:selectablefield:JSONPath=.spec.engine.name
type Database struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   DatabaseSpec   `json:"spec"`
	Status DatabaseStatus `json:"status,omitempty"`
}

// BackupSpec is a copy of a database, at a time.
type BackupSpec struct {
	// Database that is copied.
	Database string `json:"database"`
	// At this time.
	At *metav1.Time `json:"at,omitempty"`
}

// Backup of a database.
// +kubebuilder:object:root=true
type Backup struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec BackupSpec `json:"spec"`
}

// RestoreSpec brings a backup back.
type RestoreSpec struct {
	// Backup that is brought back.
	Backup string `json:"backup"`
	// Into this database.
	Into Engine `json:"into"`
}

// Restore of a backup.
// +kubebuilder:object:root=true
type Restore struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec RestoreSpec `json:"spec"`
}
