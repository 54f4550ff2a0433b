// Package legacy has a version that its folder is not called by.
// +groupName=data.example.com
// +versionName=v0

#pragma once

#include <string>

#include "keelson/api/meta/v1.h"

namespace versions::legacy {

// BackupSpec was a path.
struct BackupSpec {
  // Path of the copy.
  std::string path;
};

// Backup of old.
// +kubebuilder:object:root=true
// +kubebuilder:deprecatedversion:warning=`use v1`
struct Backup {
  keelson::metav1::ObjectMeta metadata;

  BackupSpec spec;
};

}  // namespace versions::legacy
