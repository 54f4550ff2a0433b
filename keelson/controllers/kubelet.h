// Simulated kubelets: Nodes, and pods on them that start, get ready, restart, fail and end, without running anything.
//
//   KEELSON_RETURN_IF_ERROR(AddKubelet(manager, {.nodes = 3}));                        // node-1, node-2, node-3
//   KEELSON_RETURN_IF_ERROR(AddKubelet(manager, {.names = {"big"}, .capacity = {{"cpu", "64"}, {"pods", "500"}}}));
//   KEELSON_RETURN_IF_ERROR(AddKubelet(manager, {.nodes = 200, .pace = {.start_delay = 0s}, .events = false}));
//
// Each node has a Ready Node object, a Lease in kube-node-lease that is renewed every ten seconds, and a range of pod
// addresses. Who deletes a Node gets rid of it until the process starts anew, as with a real kubelet; what others write
// into it (labels, taints, allocatable) stays. What pods do is said by their annotations (pod_script.h) and, where they
// say nothing, by `pace`: containers start after a moment and run until they are deleted; those of a Job's pods end
// well after a second. All of it goes by the clock of the seam, on a few threads, however many pods there are.
#pragma once

#include <string>
#include <vector>

#include "keelson/api/core/v1.h"
#include "keelson/controllers/pod_life.h"
#include "keelson/core/result.h"
#include "keelson/runtime/manager.h"

namespace keelson::controllers {

struct KubeletOptions {
  int nodes = 1;                        // "node-1" to "node-<nodes>"
  std::vector<std::string> names = {};  // or these instead
  corev1::ResourceList capacity = {{"cpu", "16"}, {"memory", "64Gi"}, {"ephemeral-storage", "256Gi"}, {"pods", "110"}};
  Map<String> labels = {};  // beside those that every node has
  PodPace pace = {};
  bool events = true;  // of pods: Pulled, Created, Started, …
  // Do for the nodes what kube-controller-manager does: taint those that are cordoned and untaint new ones, say when
  // one is registered, and write the annotation of its TTL controller. Off where there is one.
  bool node_upkeep = true;
  int workers = 2;
};

// Once for each manager. kInvalidArgument for names that no node can have, or more than 60,000 nodes.
Result<void> AddKubelet(Manager& manager, KubeletOptions options = {});

}  // namespace keelson::controllers
