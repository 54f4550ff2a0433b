// Kinds whose clients differ: what clientset_test.cc tries.
// +groupName=clients.example.com
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "keelson/api/meta/v1.h"

namespace clients::v1 {

struct WorkerSpec {
  std::optional<int32_t> replicas;
};

struct WorkerStatus {
  // +optional
  int32_t replicas = 0;
};

// +genclient
// +genclient:method=GetScale,verb=get,subresource=scale,result=k8s.io/api/autoscaling/v1.Scale
// +genclient:method=UpdateScale,verb=update,subresource=scale,input=k8s.io/api/autoscaling/v1.Scale,result=k8s.io/api/autoscaling/v1.Scale
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas
struct Worker {
  keelson::metav1::ObjectMeta metadata;
  WorkerSpec spec;
  WorkerStatus status;
};

// +genclient
// +genclient:nonNamespaced
// +genclient:onlyVerbs=get,list
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Cluster
struct Policy {
  keelson::metav1::ObjectMeta metadata;
  // +optional
  std::string text;
};

// +genclient
// +genclient:noStatus
// +genclient:skipVerbs=deleteCollection
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
struct Box {
  keelson::metav1::ObjectMeta metadata;
};

// +kubebuilder:object:root=true
struct Hidden {
  keelson::metav1::ObjectMeta metadata;
};

}  // namespace clients::v1
