// +groupName=appcontroller.k8s.io
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "keelson/api/meta/v1.h"

namespace app_service::v1alpha1 {

// What an AppService is to run.
struct AppServiceSpec {
  // Name of the Deployment that belongs to this AppService. It is created when it is missing, and stays the same for
  // the AppService's life.
  // +kubebuilder:validation:MinLength=1
  // +kubebuilder:validation:MaxLength=63
  // +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
  // +kubebuilder:validation:XValidation:rule="self == oldSelf",message="the Deployment of an AppService cannot be exchanged for another"
  std::string deploymentName;

  // How many Pods the Deployment keeps.
  // +kubebuilder:validation:Minimum=0
  // +kubebuilder:default=1
  std::optional<int32_t> replicas;
};

// What was seen of the Deployment last.
struct AppServiceStatus {
  // Pods that are ready for at least the Deployment's minReadySeconds.
  int32_t availableReplicas = 0;

  // Ready: the Deployment is this AppService's own and has all its Pods available.
  // +optional
  // +listType=map
  // +listMapKey=type
  std::vector<keelson::metav1::Condition> conditions;
};

// +genclient
// +kubebuilder:object:root=true
// +kubebuilder:resource:shortName=aps,categories=all
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.availableReplicas
// +kubebuilder:printcolumn:name="Deployment",type=string,JSONPath=`.spec.deploymentName`
// +kubebuilder:printcolumn:name="Desired",type=integer,JSONPath=`.spec.replicas`
// +kubebuilder:printcolumn:name="Available",type=integer,JSONPath=`.status.availableReplicas`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:metadata:annotations="api-approved.kubernetes.io=unapproved, an example"

// AppService owns a Deployment, keeps its replicas and reports how many are available.
struct AppService {
  keelson::metav1::ObjectMeta metadata;
  AppServiceSpec spec;
  AppServiceStatus status;
};

}  // namespace app_service::v1alpha1
