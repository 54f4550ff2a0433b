// +groupName=data.example.com
package v1beta1

import (
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// DatabaseSpec grew.
type DatabaseSpec struct {
	// Engine that runs it.
	// +kubebuilder:validation:Enum=mysql;postgres
	Engine string `json:"engine"`
	// Storage it has.
	Storage *resource.Quantity `json:"storage,omitempty"`
	// Replicas that follow.
	Replicas *int32 `json:"replicas,omitempty"`
}

// Database that almost everybody uses.
// +kubebuilder:object:root=true
// +kubebuilder:deprecatedversion:warning="data.example.com/v1beta1 Database is deprecated; use \"v1\""
// +kubebuilder:resource:path=databases,shortName=db,categories=data
// +kubebuilder:printcolumn:name=Engine,type=string,JSONPath=.spec.engine
// +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas
type Database struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec DatabaseSpec `json:"spec"`
}

// BackupSpec is a copy of a database.
type BackupSpec struct {
	// Database that is copied.
	Database string `json:"database"`
}

// Backup of a database.
// +kubebuilder:object:root=true
// +kubebuilder:storageversion
type Backup struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec BackupSpec `json:"spec,omitempty"`
}
