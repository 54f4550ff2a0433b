// What the claims of a pod mean for where it can run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "keelson/api/core/v1.h"
#include "keelson/api/storage/v1.h"
#include "keelson/client/object_client.h"
#include "keelson/controllers/scheduler_placement.h"
#include "keelson/core/result.h"

namespace keelson::controllers {

inline constexpr std::string_view kSelectedNode = "volume.kubernetes.io/selected-node";

// A claim that is bound once a node is chosen (WaitForFirstConsumer).
struct WaitingClaim {
  corev1::PersistentVolumeClaim claim = {};
  storagev1::StorageClass storage_class = {};
};

struct PodVolumes {
  VolumeNeeds needs = {};
  std::vector<WaitingClaim> waiting = {};               // those that ask for least first
  std::vector<corev1::PersistentVolume> existing = {};  // by name; only where claims wait
};

bool HasClaims(const corev1::Pod& pod);
// Reads claims, volumes and storage classes. An error is one of reading; what does not fit is in `needs`.
Result<PodVolumes> VolumesOf(const corev1::Pod& pod, const Reader& reader);
// A volume for each waiting claim that can be reached from the node, null for one that is still to be made there.
// Nothing when a claim can have neither.
std::optional<std::vector<const corev1::PersistentVolume*>> ChooseVolumes(const PodVolumes& volumes,
                                                                          const corev1::Node& node);
// Reserves the chosen volumes for their claims, and tells those who make volumes which node the other claims are for.
Result<void> SelectNode(const ObjectClient& client, const PodVolumes& volumes, const corev1::Node& node);

}  // namespace keelson::controllers
