// +groupName=vehicles.example.com
package v1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Named things have a name.
// +kubebuilder:validation:XValidation:rule="self.name.size() > 0"
type Named struct {
	// Name of the thing.
	// +kubebuilder:validation:MinLength=1
	Name string `json:"name"`
	// Labels of the thing.
	Labels map[string]string `json:"labels,omitempty"`
}

// Priced things cost something.
type Priced struct {
	// Cents it costs.
	Cents int64 `json:"cents"`
	// Currency it costs them in.
	// +kubebuilder:default=EUR
	Currency string `json:"currency,omitempty"`
}

// Sold things are named and priced.
type Sold struct {
	Named  `json:",inline"`
	Priced `json:",inline"`
	// Seller of the thing.
	Seller string `json:"seller"`
}

// CarSpec inlines what inlines.
// +kubebuilder:validation:XValidation:rule="self.doors > 0"
type CarSpec struct {
	Sold `json:",inline"`
	// Doors of the car.
	Doors int32 `json:"doors"`
}

// Car on a road.
// +kubebuilder:object:root=true
type Car struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec CarSpec `json:"spec"`
}

// BikeSpec inlines by pointer, and holds a struct that is embedded in Go but not in JSON.
type BikeSpec struct {
	*Named `json:",inline"`
	// Price in a struct of its own.
	Priced `json:"price"`
	// Gears of the bike.
	Gears *int32 `json:"gears,omitempty"`
}

// Bike on a path.
// +kubebuilder:object:root=true
type Bike struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec BikeSpec `json:"spec"`
}

// CarrierSpec has types of Kubernetes, as members: they cannot be base classes in C++.
type CarrierSpec struct {
	Papers    corev1.LocalObjectReference `json:"papers"`
	Resources corev1.ResourceRequirements `json:"resources,omitempty"`
	// Load in kilograms.
	Load int64 `json:"load"`
}

// TrainStatus is shared by the fields below.
type TrainStatus struct {
	Named `json:",inline"`
	// Delay in minutes.
	Delay int32 `json:"delay,omitempty"`
}

// Train on rails.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
type Train struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec CarrierSpec `json:"spec"`
	// Status is not called so in Go.
	Status TrainStatus `json:"status,omitempty"`
}
