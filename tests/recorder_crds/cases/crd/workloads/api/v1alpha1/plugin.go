package v1alpha1

import (
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Stencil is a template with metadata of its own.
type Stencil struct {
	// Metadata that the copies get.
	metav1.ObjectMeta `json:"metadata,omitempty"`
	// Data that the copies get.
	Data map[string]string `json:"data,omitempty"`
}

// PluginSpec holds what only the plugin understands.
type PluginSpec struct {
	// Config is any object.
	// +kubebuilder:pruning:PreserveUnknownFields
	Config runtime.RawExtension `json:"config,omitempty"`
	// Plain has no marker.
	Plain *runtime.RawExtension `json:"plain,omitempty"`
	// Values is any JSON value.
	Values apiextensionsv1.JSON `json:"values,omitempty"`
	// Settings by name.
	Settings map[string]apiextensionsv1.JSON `json:"settings,omitempty"`
	// Object is a whole Kubernetes object.
	// +kubebuilder:validation:EmbeddedResource
	// +kubebuilder:pruning:PreserveUnknownFields
	Object runtime.RawExtension `json:"object,omitempty"`
	// Manifests are whole objects.
	// +kubebuilder:validation:items:XEmbeddedResource
	// +kubebuilder:validation:items:XPreserveUnknownFields
	Manifests []runtime.RawExtension `json:"manifests,omitempty"`
	// Other object, marked the other way.
	// +kubebuilder:validation:XEmbeddedResource
	// +kubebuilder:validation:XPreserveUnknownFields
	Other runtime.RawExtension `json:"other,omitempty"`
	// Stencils for objects.
	Stencils []Stencil `json:"stencils,omitempty"`
	// Single stencil.
	Single *Stencil `json:"single,omitempty"`
	// Labels of a deployment as metadata.
	Meta metav1.ObjectMeta `json:"meta,omitempty"`
}

// Plugin of the platform.
// +kubebuilder:object:root=true
type Plugin struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec PluginSpec `json:"spec"`
}

// AccessSpec says who may do what.
type AccessSpec struct {
	// Rules granted.
	Rules []rbacv1.PolicyRule `json:"rules"`
	// Subjects who get them.
	Subjects []rbacv1.Subject `json:"subjects,omitempty"`
	// Ingress allowed.
	Ingress []networkingv1.NetworkPolicyIngressRule `json:"ingress,omitempty"`
	// PolicyTypes of the network policy.
	PolicyTypes []networkingv1.PolicyType `json:"policyTypes,omitempty"`
	// Strategy of roll-out.
	Strategy appsv1.DeploymentStrategy `json:"strategy,omitempty"`
	// Concurrency of jobs.
	// +kubebuilder:default=Forbid
	Concurrency batchv1.ConcurrencyPolicy `json:"concurrency,omitempty"`
	// Path type of the ingress.
	PathType *networkingv1.PathType `json:"pathType,omitempty"`
	// Condition last seen.
	Condition *metav1.Condition `json:"condition,omitempty"`
	// Kind granted.
	Kind metav1.GroupVersionKind `json:"kind,omitempty"`
}

// Access to the platform.
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=accesses
type Access struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec AccessSpec `json:"spec,omitempty"`
}
