// +groupName=data.example.com

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "keelson/api/meta/v1.h"
#include "keelson/api/quantity.h"

namespace versions::v1beta1 {

// DatabaseSpec grew.
struct DatabaseSpec {
  // Engine that runs it.
  // +kubebuilder:validation:Enum=mysql;postgres
  std::string engine;
  // Storage it has.
  std::optional<keelson::Quantity> storage;
  // Replicas that follow.
  std::optional<int32_t> replicas;
};

// Database that almost everybody uses.
// +kubebuilder:object:root=true
// +kubebuilder:deprecatedversion:warning="data.example.com/v1beta1 Database is deprecated; use \"v1\""
// +kubebuilder:resource:path=databases,shortName=db,categories=data
// +kubebuilder:printcolumn:name=Engine,type=string,JSONPath=.spec.engine
// +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas
struct Database {
  keelson::metav1::ObjectMeta metadata;

  DatabaseSpec spec;
};

// BackupSpec is a copy of a database.
struct BackupSpec {
  // Database that is copied.
  std::string database;
};

// Backup of a database.
// +kubebuilder:object:root=true
// +kubebuilder:storageversion
struct Backup {
  keelson::metav1::ObjectMeta metadata;

  // +optional
  BackupSpec spec;
};

}  // namespace versions::v1beta1
