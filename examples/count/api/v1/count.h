// +k8s:deepcopy-gen=package
// +groupName=demo.mark8s.io
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "keelson/api/meta/v1.h"

namespace count::v1 {

// How many of what.
struct CountSpec {
  // How many Pods there should be.
  // +kubebuilder:validation:Minimum=0
  // +kubebuilder:validation:Maximum=100
  int32_t count = 0;

  // What they are called, with their numbers behind it, and the image that they run: nginx-0, nginx-1 and nginx-2 run
  // nginx.
  // +kubebuilder:validation:MaxLength=50
  // +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
  std::string name;
};

// What the controller found.
struct CountStatus {
  // Whether there are as many as there should be, and all of them are ready.
  bool healthy = false;

  // The same as condition Ready, with the reason.
  // +listType=map
  // +listMapKey=type
  // +optional
  std::vector<keelson::metav1::Condition> conditions = {};
};

// +genclient
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name="Count",type=integer,JSONPath=`.spec.count`
// +kubebuilder:printcolumn:name="Healthy",type=boolean,JSONPath=`.status.healthy`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`,priority=1
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`

// Count is a number of Pods with a name.
struct Count {
  keelson::metav1::ObjectMeta metadata = {};
  CountSpec spec = {};
  CountStatus status = {};
};

}  // namespace count::v1
