// +groupName=samplecrd.k8s.io
#pragma once

#include <string>
#include <vector>

#include "keelson/api/meta/v1.h"

namespace network::v1 {

// The addresses of a network.
// +kubebuilder:validation:XValidation:rule="!isCIDR(self.cidr) || !isIP(self.gateway) || cidr(self.cidr).containsIP(self.gateway)",message="gateway must be an address inside cidr"
struct NetworkSpec {
  // Address range of the network: "192.168.0.0/16".
  // +kubebuilder:validation:MaxLength=43
  // +kubebuilder:validation:XValidation:rule="isCIDR(self)",message="cidr must be an address range such as 192.168.0.0/16"
  std::string cidr;

  // Address of the router inside the range: "192.168.0.1".
  // +kubebuilder:validation:MaxLength=39
  // +kubebuilder:validation:XValidation:rule="isIP(self)",message="gateway must be an address such as 192.168.0.1"
  std::string gateway;
};

// What the controller found.
struct NetworkStatus {
  // Ready: whether the backend provides the network as the spec says.
  // +listType=map
  // +listMapKey=type
  // +optional
  std::vector<keelson::metav1::Condition> conditions = {};
};

// +genclient
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=net
// +kubebuilder:printcolumn:name="CIDR",type=string,JSONPath=`.spec.cidr`
// +kubebuilder:printcolumn:name="Gateway",type=string,JSONPath=`.spec.gateway`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:metadata:annotations="api-approved.kubernetes.io=unapproved, an example"

// Network is an address range that a network backend provides.
struct Network {
  keelson::metav1::ObjectMeta metadata = {};
  NetworkSpec spec = {};
  NetworkStatus status = {};
};

}  // namespace network::v1
