// +groupName=hello.example.com
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "keelson/api/meta/v1.h"

namespace hello::v1 {

// What a Greeting is to say.
struct GreetingSpec {
  // Who is greeted.
  // +kubebuilder:validation:MinLength=1
  std::string who;

  // How often it is said.
  // +kubebuilder:validation:Minimum=1
  // +kubebuilder:validation:Maximum=5
  // +kubebuilder:default=1
  // +optional
  int32_t times = 1;
};

// What the controller did last.
struct GreetingStatus {
  // The text that was said.
  // +optional
  std::string text;

  // Whether the ConfigMap says what the spec asks for.
  // +listType=map
  // +listMapKey=type
  // +optional
  std::vector<keelson::metav1::Condition> conditions;
};

// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name="Who",type=string,JSONPath=`.spec.who`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`

// Greeting is a few words for somebody, kept in a ConfigMap of the same name.
struct Greeting {
  keelson::metav1::ObjectMeta metadata = {};
  GreetingSpec spec = {};
  GreetingStatus status = {};
};

}  // namespace hello::v1
