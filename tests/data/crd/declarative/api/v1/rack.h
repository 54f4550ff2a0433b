// Package v1 uses the markers of Kubernetes' declarative validation.
// +groupName=racks.example.com

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "keelson/api/meta/v1.h"

namespace declarative::v1 {

// Shape of a rack.
enum class Shape {
  Round,
  Square,
  Tall,
};

// Slot in a rack.
// +kubebuilder:externalDocs:url="https://example.com/slots",description="All about slots"
struct Slot {
  // Position from below.
  int32_t position = 0;
  // Machine in the slot.
  // +optional
  std::string machine;
};

// Slots by position.
// +k8s:listType=map
// +k8s:listMapKey=position
using Slots = std::vector<Slot>;

// RackSpec is checked.
struct RackSpec {
  // +k8s:minimum=1
  // +k8s:maximum=52 # as high as they come
  int32_t height = 0;
  // +k8s:maxItems=4
  // +k8s:listType=set
  // +optional
  std::vector<std::string> labels;
  // +k8s:listType=map
  // +k8s:listMapKey=position
  // +listMapKey=position
  // +optional
  std::vector<Slot> list;
  // Never changes.
  // +k8s:immutable
  // +required
  std::string serial;
  // May be set once.
  // +k8s:immutable
  // +optional
  std::optional<std::string> room;
  // +kubebuilder:externalDocs:url=https://example.com/docs
  // +optional
  std::string documented;
  // +optional
  Shape shape;
  // +optional
  Slots slots;
};

// Rack of machines.
// +kubebuilder:object:root=true
struct Rack {
  keelson::metav1::ObjectMeta metadata;

  RackSpec spec;
};

}  // namespace declarative::v1
