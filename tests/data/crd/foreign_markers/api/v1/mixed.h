// +k8s:deepcopy-gen=package,register
// +k8s:protobuf-gen=package
// +k8s:defaulter-gen=TypeMeta
// +k8s:conversion-gen=example.com/internal
// +groupName=mixed.example.com
// +kubebuilder:object:generate=true

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "keelson/api/meta/v1.h"

namespace foreign_markers::v1 {

// Colour of a wall.
// +enum
enum class Colour {
  Blue,
  Red,
};

// WallSpec has markers of many tools.
// +protobuf=true
// +k8s:deepcopy-gen=true
// +union
struct WallSpec {
  // Colour of the wall.
  // +unionDiscriminator
  // +optional
  Colour colour;
  // Doors in the wall.
  // +patchMergeKey=name
  // +patchStrategy=merge
  // +listType=atomic
  // +featureGate=Doors
  // +optional
  std::vector<std::string> doors;
  // Windows count.
  // +protobuf.nullable=true
  // +unknown:marker:with=arguments,and=more
  // +unionMember=Windows
  int32_t windows = 0;

  // +kubebuilder:scaffold:fields
  // +lll

  // Height in metres; a plus in a text: 1 + 1
  // is not a marker.
  int32_t height = 0;
  // +k8s:validateFalse
  // +operator-sdk:csv:customresourcedefinitions:type=spec,displayName="Floor"
  // +optional
  int32_t floor = 0;
};

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
struct Wall {
  keelson::metav1::ObjectMeta metadata;

  WallSpec spec;
};

// +kubebuilder:scaffold:kinds

}  // namespace foreign_markers::v1
