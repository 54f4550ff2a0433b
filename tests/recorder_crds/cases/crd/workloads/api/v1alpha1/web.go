// Package v1alpha1 uses the types of Kubernetes inside its own.
//
// +groupName=workloads.example.com
// +versionName=v1alpha1
package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// WebServiceSpec is a set of pods behind an address.
type WebServiceSpec struct {
	// Replicas wanted.
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=0
	Replicas *int32 `json:"replicas,omitempty"`
	// Selector finds the pods.
	Selector *metav1.LabelSelector `json:"selector"`
	// Template of the pods.
	Template corev1.PodTemplateSpec `json:"template"`
	// Port is a number or a name.
	Port intstr.IntOrString `json:"port"`
	// MaxSurge is a number or a percentage.
	// +kubebuilder:validation:XIntOrString
	// +kubebuilder:validation:Pattern=`^((100|[0-9]{1,2})%|[0-9]+)$`
	// +kubebuilder:default="25%"
	MaxSurge *intstr.IntOrString `json:"maxSurge,omitempty"`
}

// WebServiceStatus is what runs.
type WebServiceStatus struct {
	// Replicas running.
	Replicas int32 `json:"replicas"`
	// Selector in its text form.
	Selector string `json:"selector,omitempty"`
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// WebService runs pods.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas,selectorpath=.status.selector
// +kubebuilder:resource:shortName=ws
type WebService struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   WebServiceSpec   `json:"spec"`
	Status WebServiceStatus `json:"status,omitempty"`
}

// CacheSpec is memory with an address.
type CacheSpec struct {
	// Size of the cache.
	Size resource.Quantity `json:"size"`
	// Limit that it may grow to.
	// +kubebuilder:default="2Gi"
	Limit *resource.Quantity `json:"limit,omitempty"`
	// Sizes by tenant.
	Sizes map[string]resource.Quantity `json:"sizes,omitempty"`
	// Steps of growth.
	// +listType=atomic
	Steps []resource.Quantity `json:"steps,omitempty"`
	// Resources of each pod.
	Resources corev1.ResourceRequirements `json:"resources,omitempty"`
	// Requests alone.
	// +kubebuilder:validation:MinProperties=1
	Requests corev1.ResourceList `json:"requests,omitempty"`
	// Env of each pod.
	Env []corev1.EnvVar `json:"env,omitempty"`
	// Volumes claimed.
	Claim *corev1.PersistentVolumeClaimSpec `json:"claim,omitempty"`
	// Tolerations of each pod.
	// +listType=atomic
	Tolerations []corev1.Toleration `json:"tolerations,omitempty"`
	PullPolicy  corev1.PullPolicy   `json:"pullPolicy,omitempty"`
	// Protocol spoken.
	// +kubebuilder:validation:Enum=TCP;UDP
	Protocol corev1.Protocol `json:"protocol,omitempty"`
	// Owner is any object.
	Owner *corev1.ObjectReference `json:"owner,omitempty"`
	// Secret with the password.
	Secret *corev1.SecretKeySelector `json:"secret,omitempty"`
	// Peers that may connect, by label.
	Peers []metav1.LabelSelector `json:"peers,omitempty"`
	// Idle connections are cut after this.
	Idle metav1.Duration `json:"idle,omitempty"`
	// Windows when restarts are fine.
	Windows []metav1.Time `json:"windows,omitempty"`
}

// Cache keeps things in memory.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:scale:specpath=.spec.shards,statuspath=.status.shards
type Cache struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec CacheSpec `json:"spec"`
}
