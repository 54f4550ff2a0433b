// Which node a pod goes to: the filters and scores of a scheduler, as a function of what is known.
//
//   const Placement placement = PlacePod(pod, nodes, {});
//   if (placement.node.empty()) Report(placement.message);   // "0/3 nodes are
//   available: 3 Insufficient cpu. …"
//
// Filters are those of kube-scheduler, in its order: cordoned nodes, taints, node selector and affinity, host ports,
// resources and number of pods, volumes, topology spread, pod affinity and anti-affinity. The score is how much stays
// free (least allocated), with preferences of affinity and taints weighted as there. Of equals the one with fewer pods
// goes first, then the one whose name does: the same question has the same answer.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "keelson/controllers/scheduler_nodes.h"

namespace keelson::controllers {

// What kept a pod from nodes, so that one knows which changes may help.
enum Hindrance : uint8_t {
  kNoHindrance = 0,
  kByNode = 1,       // what nodes are and say
  kByResources = 2,  // what pods on them take: amounts, ports, their number
  kByOtherPods = 4,  // affinity, anti-affinity, spread
  kByVolumes = 8,
};

// What a pod's volumes ask for.
struct VolumeNeeds {
  // Why no node will do, whatever it is: "pod has unbound immediate PersistentVolumeClaims".
  std::string refusal = {};
  // Of the volumes that it has: all must match.
  std::vector<corev1::NodeSelector> reachable_from = {};
  // Whether those that are not bound yet could be on that node; empty: on any.
  std::function<bool(const corev1::Node&)> possible_on = {};
};

struct Placement {
  std::string node = {};     // empty: none fits
  std::string message = {};  // why none does, in kube-scheduler's words
  uint8_t hindrances = kNoHindrance;
};

struct PlacementOptions {
  VolumeNeeds volumes = {};
  NamespaceLabels namespaces = [](std::string_view) { return Map<String>(); };
};

Placement PlacePod(const corev1::Pod& pod, const NodeStates& nodes, const PlacementOptions& options);

}  // namespace keelson::controllers
