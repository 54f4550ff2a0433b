// +k8s:deepcopy-gen=package,register
// +k8s:protobuf-gen=package
// +k8s:defaulter-gen=TypeMeta
// +k8s:conversion-gen=example.com/internal
// +groupName=mixed.example.com
// +kubebuilder:object:generate=true

package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Colour of a wall.
// +enum
// +kubebuilder:validation:Enum=Blue;Red
//
//transcribe:enumclass
type Colour string

// WallSpec has markers of many tools.
// +protobuf=true
// +k8s:deepcopy-gen=true
// +union
type WallSpec struct {
	// Colour of the wall.
	// +unionDiscriminator
	// +optional
	Colour Colour `json:"colour,omitempty" protobuf:"bytes,1,opt,name=colour"`
	// Doors in the wall.
	// +patchMergeKey=name
	// +patchStrategy=merge
	// +listType=atomic
	// +featureGate=Doors
	Doors []string `json:"doors,omitempty" protobuf:"bytes,2,rep,name=doors"`
	// Windows count.
	// +protobuf.nullable=true
	// +unknown:marker:with=arguments,and=more
	// +unionMember=Windows
	Windows int32 `json:"windows"`
	// +kubebuilder:scaffold:fields
	// +lll

	// Height in metres; a plus in a text: 1 + 1
	// is not a marker.
	Height int32 `json:"height"`
	// +k8s:validateFalse
	// +operator-sdk:csv:customresourcedefinitions:type=spec,displayName="Floor"
	Floor int32 `json:"floor,omitempty"`
}

// +genclient
// +genclient:nonNamespaced
// +genclient:noVerbs
// +genclient:onlyVerbs=get,list
// +genclient:skipVerbs=deleteCollection
// +genclient:method=GetScale,verb=get,subresource=scale,result=k8s.io/api/autoscaling/v1.Scale
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
// +kubebuilder:resource:scope=Cluster
// +kubebuilder:storageversion
// +kubebuilder:object:generate=true

// Wall of a house.
// +k8s:openapi-gen=true
// +operator-sdk:csv:customresourcedefinitions:resources={{Pod,v1,""}}
type Wall struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec WallSpec `json:"spec"`
}

// +kubebuilder:scaffold:kinds
