// Package v1alpha1 uses the types of Kubernetes inside its own.
//
// +groupName=workloads.example.com
// +versionName=v1alpha1

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "keelson/api/core/v1.h"
#include "keelson/api/int_or_string.h"
#include "keelson/api/meta/v1.h"
#include "keelson/api/quantity.h"

namespace workloads::v1alpha1 {

// WebServiceSpec is a set of pods behind an address.
struct WebServiceSpec {
  // Replicas wanted.
  // +kubebuilder:default=1
  // +kubebuilder:validation:Minimum=0
  std::optional<int32_t> replicas;
  // Selector finds the pods.
  // +required
  std::optional<keelson::metav1::LabelSelector> selector;
  // Template of the pods.
  keelson::corev1::PodTemplateSpec template_;
  // Port is a number or a name.
  keelson::IntOrString port;
  // MaxSurge is a number or a percentage.
  // +kubebuilder:validation:XIntOrString
  // +kubebuilder:validation:Pattern=`^((100|[0-9]{1,2})%|[0-9]+)$`
  // +kubebuilder:default="25%"
  std::optional<keelson::IntOrString> maxSurge;
};

// WebServiceStatus is what runs.
struct WebServiceStatus {
  // Replicas running.
  int32_t replicas = 0;
  // Selector in its text form.
  // +optional
  std::string selector;
  // +listType=map
  // +listMapKey=type
  // +optional
  std::vector<keelson::metav1::Condition> conditions;
};

// WebService runs pods.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas,selectorpath=.status.selector
// +kubebuilder:resource:shortName=ws
struct WebService {
  keelson::metav1::ObjectMeta metadata;

  WebServiceSpec spec;
  WebServiceStatus status;
};

// CacheSpec is memory with an address.
struct CacheSpec {
  // Size of the cache.
  keelson::Quantity size;
  // Limit that it may grow to.
  // +kubebuilder:default="2Gi"
  std::optional<keelson::Quantity> limit;
  // Sizes by tenant.
  // +optional
  std::map<std::string, keelson::Quantity> sizes;
  // Steps of growth.
  // +listType=atomic
  // +optional
  std::vector<keelson::Quantity> steps;
  // Resources of each pod.
  // +optional
  keelson::corev1::ResourceRequirements resources;
  // Requests alone.
  // +kubebuilder:validation:MinProperties=1
  // +optional
  keelson::corev1::ResourceList requests;
  // Env of each pod.
  // +optional
  std::vector<keelson::corev1::EnvVar> env;
  // Volumes claimed.
  std::optional<keelson::corev1::PersistentVolumeClaimSpec> claim;
  // Tolerations of each pod.
  // +listType=atomic
  // +optional
  std::vector<keelson::corev1::Toleration> tolerations;
  // +optional
  keelson::corev1::PullPolicy pullPolicy;
  // Protocol spoken.
  // +kubebuilder:validation:Enum=TCP;UDP
  // +optional
  keelson::corev1::Protocol protocol;
  // Owner is any object.
  std::optional<keelson::corev1::ObjectReference> owner;
  // Secret with the password.
  std::optional<keelson::corev1::SecretKeySelector> secret;
  // Peers that may connect, by label.
  // +optional
  std::vector<keelson::metav1::LabelSelector> peers;
  // Idle connections are cut after this.
  // +optional
  keelson::metav1::Duration idle;
  // Windows when restarts are fine.
  // +optional
  std::vector<keelson::metav1::Time> windows;
};

// Cache keeps things in memory.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:scale:specpath=.spec.shards,statuspath=.status.shards
struct Cache {
  keelson::metav1::ObjectMeta metadata;

  CacheSpec spec;
};

}  // namespace workloads::v1alpha1
