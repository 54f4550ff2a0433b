// Package v1 has fields that are optional unless they say otherwise.
// +groupName=camping.example.com
// +kubebuilder:validation:Optional

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "keelson/api/meta/v1.h"

namespace optional_package::v1 {

// Pole of a tent.
struct Pole {
  // Length in centimetres.
  int32_t length = 0;
  // Colour of the pole.
  // +required
  std::string colour;
};

// TentSpec is a tent.
struct TentSpec {
  // Beds inside.
  int32_t beds = 0;
  // Name of the tent.
  // +kubebuilder:validation:Required
  std::string name;
  // Poles that hold it.
  std::vector<Pole> poles;
  // Owner of the tent.
  // +k8s:required
  std::optional<std::string> owner;
};

// Tent on a field.
// +kubebuilder:object:root=true
// +kubebuilder:unservedversion
struct Tent {
  keelson::metav1::ObjectMeta metadata;

  TentSpec spec;
};

}  // namespace optional_package::v1
