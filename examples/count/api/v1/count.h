// +k8s:deepcopy-gen=package
// +groupName=demo.mark8s.io
#pragma once

#include <cstdint>
#include <string>

#include "keelson/api/meta/v1.h"

namespace count::v1 {

// What is counted.
struct CountSpec {
  // How many there should be.
  // +kubebuilder:validation:Minimum=0
  int32_t count = 0;

  // What they are called.
  // +kubebuilder:validation:MinLength=1
  std::string name;
};

// What the controller found.
struct CountStatus {
  // Whether the last synchronisation succeeded.
  // +optional
  bool healthy = false;
};

// +genclient
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name="Count",type=integer,JSONPath=`.spec.count`
// +kubebuilder:printcolumn:name="Healthy",type=boolean,JSONPath=`.status.healthy`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`

// Count is a number of things with a name.
struct Count {
  keelson::metav1::ObjectMeta metadata;
  CountSpec spec;
  CountStatus status;
};

}  // namespace count::v1
