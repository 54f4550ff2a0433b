// +groupName=topology.example.com

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "keelson/api/core/v1.h"
#include "keelson/api/meta/v1.h"

namespace topology::v1 {

// Wire between two ends.
struct Wire {
  // From this end.
  std::string from;
  // To that end.
  std::string to;
  // Speed in megabits.
  // +kubebuilder:default=1000
  // +optional
  int32_t speed = 0;
};

// Spot on the map.
// +structType=atomic
struct Spot {
  int32_t x = 0;
  int32_t y = 0;
};

// Place on the map, part by part.
// +structType=granular
struct Place {
  std::optional<Spot> spot;
  // +optional
  std::string name;
};

// SwitchSpec has every kind of list and map.
struct SwitchSpec {
  // +listType=atomic
  // +optional
  std::vector<std::string> atomic;
  // +listType=set
  // +optional
  std::vector<std::string> set;
  // +listType=map
  // +listMapKey=from
  // +listMapKey=to
  // +optional
  std::vector<Wire> wires;
  // +listMapKey=name
  // +listType="map"
  // +optional
  std::vector<keelson::corev1::EnvVar> named;
  // +listType=map
  // +listMapKey=containerPort
  // +listMapKey=protocol
  // +patchMergeKey=containerPort
  // +patchStrategy=merge
  // +optional
  std::vector<keelson::corev1::ContainerPort> ports;
  // +mapType=granular
  // +optional
  std::map<std::string, std::string> granular;
  // +mapType=atomic
  // +optional
  std::map<std::string, Wire> whole;
  // +structType=atomic
  // +optional
  Wire wire;
  // +structType=granular
  std::optional<Wire> other;
  // +optional
  Spot spot;
  std::optional<Place> place;
  // Overridden by the field.
  // +structType=granular
  std::optional<Spot> loose;
  // +listType=set
  // +kubebuilder:validation:MaxItems=4
  // +optional
  std::vector<int32_t> vlans;
  // +mapType=atomic
  // +optional
  std::map<std::string, std::string> selector;
  // A selector of Kubernetes.
  std::optional<keelson::metav1::LabelSelector> nodes;
  // +optional
  std::vector<keelson::corev1::ObjectReference> refs;
};

// Switch in a rack.
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=switches,singular=switch
struct Switch {
  keelson::metav1::ObjectMeta metadata;

  SwitchSpec spec;
};

}  // namespace topology::v1
