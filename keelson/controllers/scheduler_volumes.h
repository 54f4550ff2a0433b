// What the claims of a pod mean for where it can run.
#pragma once

#include <string>
#include <vector>

#include "keelson/api/core/v1.h"
#include "keelson/client/object_client.h"
#include "keelson/controllers/scheduler_placement.h"
#include "keelson/core/result.h"

namespace keelson::controllers {

inline constexpr std::string_view kSelectedNode = "volume.kubernetes.io/selected-node";

struct PodVolumes {
  VolumeNeeds needs = {};
  // Claims that are bound once a node is chosen (WaitForFirstConsumer).
  std::vector<corev1::PersistentVolumeClaim> waiting = {};
};

bool HasClaims(const corev1::Pod& pod);
// Reads claims, volumes and storage classes. An error is one of reading; what does not fit is in `needs`.
Result<PodVolumes> VolumesOf(const corev1::Pod& pod, const Reader& reader);
// Tells those who make and bind volumes which node the claims are for.
Result<void> SelectNode(const ObjectClient& client, const PodVolumes& volumes, const std::string& node);

}  // namespace keelson::controllers
