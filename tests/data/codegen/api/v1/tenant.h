// A kind of the cluster, whose list is written by hand.
#pragma once

#include <string>
#include <vector>

#include "keelson/api/meta/v1.h"

namespace shop::v1 {

struct TenantSpec {
  std::string owner;
};

// +kubebuilder:object:root=true
// +kubebuilder:storageversion
// +kubebuilder:resource:path=tenantry,singular=inhabitant,scope=Cluster
// +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas
struct Tenant {
  keelson::metav1::ObjectMeta metadata;
  TenantSpec spec;
};

struct TenantList {
  keelson::metav1::ListMeta metadata;
  std::vector<Tenant> items;
};

}  // namespace shop::v1
