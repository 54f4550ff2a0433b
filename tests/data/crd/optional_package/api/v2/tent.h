// Package v2 has fields that are required, which is the rule.
// +groupName=camping.example.com
// +kubebuilder:validation:Required

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "../v1/tent.h"
#include "keelson/api/meta/v1.h"

namespace optional_package::v2 {

// TentSpec is a tent, with the poles of before.
struct TentSpec {
  // Beds inside.
  int32_t beds = 0;
  // Name of the tent.
  // +optional
  std::string name;
  // Poles that hold it.
  // +optional
  std::vector<optional_package::v1::Pole> poles;
};

// Tent on a field, or in a wood.
// +kubebuilder:object:root=true
// +kubebuilder:storageversion
struct Tent {
  keelson::metav1::ObjectMeta metadata;

  TentSpec spec;
};

}  // namespace optional_package::v2
