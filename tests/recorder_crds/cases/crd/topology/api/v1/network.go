//transcribe:types=keelson

// +groupName=topology.example.com

package v1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Wire between two ends.
type Wire struct {
	// From this end.
	From string `json:"from"`
	// To that end.
	To string `json:"to"`
	// Speed in megabits.
	// +kubebuilder:default=1000
	Speed int32 `json:"speed,omitempty"`
}

// Spot on the map.
// +structType=atomic
type Spot struct {
	X int32 `json:"x"`
	Y int32 `json:"y"`
}

// Place on the map, part by part.
// +structType=granular
type Place struct {
	Spot *Spot  `json:"spot,omitempty"`
	Name string `json:"name,omitempty"`
}

// SwitchSpec has every kind of list and map.
type SwitchSpec struct {
	// +listType=atomic
	Atomic []string `json:"atomic,omitempty"`
	// +listType=set
	Set []string `json:"set,omitempty"`
	// +listType=map
	// +listMapKey=from
	// +listMapKey=to
	Wires []Wire `json:"wires,omitempty"`
	// +listMapKey=name
	// +listType="map"
	Named []corev1.EnvVar `json:"named,omitempty"`
	// +listType=map
	// +listMapKey=containerPort
	// +listMapKey=protocol
	// +patchMergeKey=containerPort
	// +patchStrategy=merge
	Ports []corev1.ContainerPort `json:"ports,omitempty"`
	// +mapType=granular
	Granular map[string]string `json:"granular,omitempty"`
	// +mapType=atomic
	Whole map[string]Wire `json:"whole,omitempty"`
	// +structType=atomic
	Wire Wire `json:"wire,omitempty"`
	// +structType=granular
	Other *Wire  `json:"other,omitempty"`
	Spot  Spot   `json:"spot,omitempty"`
	Place *Place `json:"place,omitempty"`
	// Overridden by the field.
	// +structType=granular
	Loose *Spot `json:"loose,omitempty"`
	// +listType=set
	// +kubebuilder:validation:MaxItems=4
	Vlans []int32 `json:"vlans,omitempty"`
	// +mapType=atomic
	Selector map[string]string `json:"selector,omitempty"`
	// A selector of Kubernetes.
	Nodes *metav1.LabelSelector    `json:"nodes,omitempty"`
	Refs  []corev1.ObjectReference `json:"refs,omitempty"`
}

// Switch in a rack.
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=switches,singular=switch
type Switch struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec SwitchSpec `json:"spec"`
}
