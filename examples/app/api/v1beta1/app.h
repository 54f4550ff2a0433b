// +groupName=ingress.example.com
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "keelson/api/meta/v1.h"

namespace app::v1beta1 {

// What an App is made of.
struct AppSpec {
  // Image of its container.
  // +kubebuilder:validation:MinLength=1
  std::string image;

  // Number of its Pods.
  // +kubebuilder:validation:Minimum=0
  int32_t replicas = 1;

  // Whether it is reachable from outside. Needs the Service.
  // +keelson:json=enable_ingress
  // +kubebuilder:default=false
  // +optional
  bool enable_ingress = false;

  // Whether it has a Service.
  // +keelson:json=enable_service
  bool enable_service = false;
};

// What was seen last.
struct AppStatus {
  // Pods that are ready.
  // +optional
  int32_t readyReplicas = 0;

  // Whether the App's parts are as its switches say.
  // +listType=map
  // +listMapKey=type
  // +optional
  std::vector<keelson::metav1::Condition> conditions;
};

// +genclient
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name="Image",type=string,JSONPath=`.spec.image`
// +kubebuilder:printcolumn:name="Desired",type=integer,JSONPath=`.spec.replicas`
// +kubebuilder:printcolumn:name="Current",type=integer,JSONPath=`.status.readyReplicas`
// +kubebuilder:printcolumn:name="Service",type=boolean,JSONPath=`.spec.enable_service`
// +kubebuilder:printcolumn:name="Ingress",type=boolean,JSONPath=`.spec.enable_ingress`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`,priority=1
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`

// App is a Deployment with, as its switches say, a Service and an Ingress.
struct App {
  keelson::metav1::ObjectMeta metadata;
  AppSpec spec;
  AppStatus status;
};

}  // namespace app::v1beta1
