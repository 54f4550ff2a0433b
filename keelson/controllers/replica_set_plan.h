// What a ReplicaSet decides, without doing it: the pods that go first, the pods it makes, its status.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "keelson/api/apps/v1.h"
#include "keelson/api/core/v1.h"
#include "keelson/api/owner_references.h"
#include "keelson/core/error.h"
#include "keelson/core/time.h"

namespace keelson::controllers {

// How many active pods of the ReplicaSet's family (the ReplicaSets of its Deployment) each node has.
std::map<std::string, int> ActiveOnNodes(const std::vector<corev1::Pod>& family);

// Brings those to the front that are missed least. In this order: without a node; pending before unknown before
// running; not ready; a lower annotation controller.kubernetes.io/pod-deletion-cost; on a node with more of the family;
// ready for a shorter time; with more restarts; younger. Times count by the power of two of their age, and pods whose
// times are alike in that sense go by uid.
void SortForDeletion(std::vector<corev1::Pod>& pods, const std::map<std::string, int>& on_nodes, WallTime now);

// A pod as the template says, controlled by `owner`, which is the ReplicaSet or who is seen as one; the server makes
// its name.
Result<corev1::Pod> PodFromTemplate(const appsv1::ReplicaSet& set, const Owner& owner);

struct ReplicaSetPods {
  std::vector<corev1::Pod> active = {};
  int32_t terminating = 0;
};
// `failure`, when given, is why pods could not be created or deleted.
appsv1::ReplicaSetStatus StatusOf(const appsv1::ReplicaSet& set, const ReplicaSetPods& pods,
                                  const std::optional<Error>& failure, WallTime now);

// When the next of the pods becomes available; nothing when no ready pod waits for that.
std::optional<Duration> NextAvailable(const std::vector<corev1::Pod>& pods, int32_t min_ready_seconds, WallTime now);

}  // namespace keelson::controllers
