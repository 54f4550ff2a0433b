// +groupName=tests.example.com
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "keelson/api/meta/v1.h"

namespace mirror::v1 {

struct MirrorSpec {
  // What every copy says.
  std::string text;

  // How many ConfigMaps there should be.
  // +kubebuilder:validation:Minimum=0
  // +kubebuilder:validation:Maximum=5
  // +kubebuilder:default=1
  // +optional
  int32_t copies = 1;
};

struct MirrorStatus {
  // How many there are, as of observedGeneration.
  // +optional
  int32_t copies = 0;
  // +optional
  int64_t observedGeneration = 0;
  // +listType=map
  // +listMapKey=type
  // +optional
  std::vector<keelson::metav1::Condition> conditions;
};

// Mirror is a text of which ConfigMaps hold copies.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name="Copies",type=integer,JSONPath=`.status.copies`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
struct Mirror {
  keelson::metav1::ObjectMeta metadata;
  MirrorSpec spec;
  MirrorStatus status;
};

}  // namespace mirror::v1
