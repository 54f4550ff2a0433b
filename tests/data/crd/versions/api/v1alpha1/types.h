// Package v1alpha1 is how it began.
// +groupName=data.example.com

#pragma once

#include <cstdint>
#include <string>

#include "keelson/api/meta/v1.h"

namespace versions::v1alpha1 {

// DatabaseSpec began as this.
struct DatabaseSpec {
  // Engine that runs it.
  std::string engine;
  // Disk in gigabytes.
  // +optional
  int32_t disk = 0;
};

// Database of the first days.
// +kubebuilder:object:root=true
// +kubebuilder:deprecatedversion
// +kubebuilder:unservedversion
// +kubebuilder:resource:path=databases,shortName=db,categories=data
struct Database {
  keelson::metav1::ObjectMeta metadata;

  DatabaseSpec spec;
};

// RestoreSpec is not shown any more.
struct RestoreSpec {
  // Of this backup.
  std::string of;
};

// Restore of a backup, of which this version is left out.
// +kubebuilder:object:root=true
// +kubebuilder:skipversion
struct Restore {
  keelson::metav1::ObjectMeta metadata;

  RestoreSpec spec;
};

}  // namespace versions::v1alpha1
