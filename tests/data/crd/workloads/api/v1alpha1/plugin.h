#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "keelson/api/apps/v1.h"
#include "keelson/api/batch/v1.h"
#include "keelson/api/json.h"
#include "keelson/api/meta/v1.h"
#include "keelson/api/networking/v1.h"
#include "keelson/api/raw.h"
#include "keelson/api/rbac/v1.h"

namespace workloads::v1alpha1 {

// Stencil is a template with metadata of its own.
struct Stencil {
  // Metadata that the copies get.
  // +optional
  keelson::metav1::ObjectMeta metadata;
  // Data that the copies get.
  // +optional
  std::map<std::string, std::string> data;
};

// PluginSpec holds what only the plugin understands.
struct PluginSpec {
  // Config is any object.
  // +kubebuilder:pruning:PreserveUnknownFields
  // +optional
  keelson::RawExtension config;
  // Plain has no marker.
  std::optional<keelson::RawExtension> plain;
  // Values is any JSON value.
  // +optional
  keelson::Json values;
  // Settings by name.
  // +optional
  std::map<std::string, keelson::Json> settings;
  // Object is a whole Kubernetes object.
  // +kubebuilder:validation:EmbeddedResource
  // +kubebuilder:pruning:PreserveUnknownFields
  // +optional
  keelson::RawExtension object;
  // Manifests are whole objects.
  // +kubebuilder:validation:items:XEmbeddedResource
  // +kubebuilder:validation:items:XPreserveUnknownFields
  // +optional
  std::vector<keelson::RawExtension> manifests;
  // Other object, marked the other way.
  // +kubebuilder:validation:XEmbeddedResource
  // +kubebuilder:validation:XPreserveUnknownFields
  // +optional
  keelson::RawExtension other;
  // Stencils for objects.
  // +optional
  std::vector<Stencil> stencils;
  // Single stencil.
  std::optional<Stencil> single;
  // Labels of a deployment as metadata.
  // +optional
  keelson::metav1::ObjectMeta meta;
};

// Plugin of the platform.
// +kubebuilder:object:root=true
struct Plugin {
  keelson::metav1::ObjectMeta metadata;

  PluginSpec spec;
};

// AccessSpec says who may do what.
struct AccessSpec {
  // Rules granted.
  std::vector<keelson::rbacv1::PolicyRule> rules;
  // Subjects who get them.
  // +optional
  std::vector<keelson::rbacv1::Subject> subjects;
  // Ingress allowed.
  // +optional
  std::vector<keelson::networkingv1::NetworkPolicyIngressRule> ingress;
  // PolicyTypes of the network policy.
  // +optional
  std::vector<keelson::networkingv1::PolicyType> policyTypes;
  // Strategy of roll-out.
  // +optional
  keelson::appsv1::DeploymentStrategy strategy;
  // Concurrency of jobs.
  // +kubebuilder:default=Forbid
  // +optional
  keelson::batchv1::ConcurrencyPolicy concurrency;
  // Path type of the ingress.
  std::optional<keelson::networkingv1::PathType> pathType;
  // Condition last seen.
  std::optional<keelson::metav1::Condition> condition;
  // Kind granted.
  // +optional
  keelson::metav1::GroupVersionKind kind;
};

// Access to the platform.
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=accesses
struct Access {
  keelson::metav1::ObjectMeta metadata;

  // +optional
  AccessSpec spec;
};

}  // namespace workloads::v1alpha1
