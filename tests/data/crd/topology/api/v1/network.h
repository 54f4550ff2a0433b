// +groupName=topology.example.com

#pragma once

#include <cstdint>

#include "keelson/api/core/v1.h"
#include "keelson/api/list.h"
#include "keelson/api/map.h"
#include "keelson/api/meta/v1.h"
#include "keelson/api/optional.h"
#include "keelson/api/string.h"

namespace topology::v1 {

// Wire between two ends.
struct Wire {
  // From this end.
  keelson::String from;
  // To that end.
  keelson::String to;
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
  keelson::Optional<Spot> spot;
  // +optional
  keelson::String name;
};

// SwitchSpec has every kind of list and map.
struct SwitchSpec {
  // +listType=atomic
  // +optional
  keelson::List<keelson::String> atomic;
  // +listType=set
  // +optional
  keelson::List<keelson::String> set;
  // +listType=map
  // +listMapKey=from
  // +listMapKey=to
  // +optional
  keelson::List<Wire> wires;
  // +listMapKey=name
  // +listType="map"
  // +optional
  keelson::List<keelson::corev1::EnvVar> named;
  // +listType=map
  // +listMapKey=containerPort
  // +listMapKey=protocol
  // +patchMergeKey=containerPort
  // +patchStrategy=merge
  // +optional
  keelson::List<keelson::corev1::ContainerPort> ports;
  // +mapType=granular
  // +optional
  keelson::Map<keelson::String> granular;
  // +mapType=atomic
  // +optional
  keelson::Map<Wire> whole;
  // +structType=atomic
  // +optional
  Wire wire;
  // +structType=granular
  keelson::Optional<Wire> other;
  // +optional
  Spot spot;
  keelson::Optional<Place> place;
  // Overridden by the field.
  // +structType=granular
  keelson::Optional<Spot> loose;
  // +listType=set
  // +kubebuilder:validation:MaxItems=4
  // +optional
  keelson::List<int32_t> vlans;
  // +mapType=atomic
  // +optional
  keelson::Map<keelson::String> selector;
  // A selector of Kubernetes.
  keelson::Optional<keelson::metav1::LabelSelector> nodes;
  // +optional
  keelson::List<keelson::corev1::ObjectReference> refs;
};

// Switch in a rack.
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=switches,singular=switch
struct Switch {
  keelson::metav1::ObjectMeta metadata;

  SwitchSpec spec;
};

}  // namespace topology::v1
