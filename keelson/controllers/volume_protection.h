// Claims and volumes that are in use stay until they are not: the finalizers kubernetes.io/pvc-protection, of claims
// that a pod on a node has, kubernetes.io/pv-protection, of volumes that are bound to a claim, and
// kubernetes.io/vac-protection, of VolumeAttributesClasses that a claim or a volume names.
//
//   KEELSON_RETURN_IF_ERROR(AddClaimProtectionController(manager));
//   KEELSON_RETURN_IF_ERROR(AddVolumeProtectionController(manager));
//   KEELSON_RETURN_IF_ERROR(AddAttributesClassProtectionController(manager));
//
// Servers add the finalizers at creation; here they are taken away when the object is being deleted and nobody uses it,
// and added to objects that are older than that. As kube-controller-manager has it, a pod that has run to its end still
// counts for as long as it is there.
#pragma once

#include <string_view>

#include "keelson/api/core/v1.h"
#include "keelson/core/result.h"
#include "keelson/runtime/manager.h"

namespace keelson::controllers {

inline constexpr std::string_view kClaimProtectionFinalizer = "kubernetes.io/pvc-protection";
inline constexpr std::string_view kVolumeProtectionFinalizer = "kubernetes.io/pv-protection";
inline constexpr std::string_view kAttributesClassProtectionFinalizer = "kubernetes.io/vac-protection";

struct VolumeProtectionOptions {
  int workers = 1;
};

Result<void> AddClaimProtectionController(Manager& manager, VolumeProtectionOptions options = {});
Result<void> AddVolumeProtectionController(Manager& manager, VolumeProtectionOptions options = {});
Result<void> AddAttributesClassProtectionController(Manager& manager, VolumeProtectionOptions options = {});

// Whether the pod, which is on a node, has the claim: by name, or as one that was made for it.
bool UsesClaim(const corev1::Pod& pod, const corev1::PersistentVolumeClaim& claim);

}  // namespace keelson::controllers
