// Which PersistentVolume a claim gets, and what both say once they belong together.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "keelson/api/core/v1.h"
#include "keelson/api/storage/v1.h"
#include "keelson/core/result.h"

namespace keelson::controllers {

inline constexpr std::string_view kBoundByController = "pv.kubernetes.io/bound-by-controller";
inline constexpr std::string_view kBindCompleted = "pv.kubernetes.io/bind-completed";
inline constexpr std::string_view kProvisionedBy = "pv.kubernetes.io/provisioned-by";

std::string ClassOf(const corev1::PersistentVolumeClaim& claim);
std::string ClassOf(const corev1::PersistentVolume& volume);
bool HasClass(const corev1::PersistentVolumeClaim& claim);
// The newest of those that are marked as the default; null when none is.
const storagev1::StorageClass* DefaultClass(const std::vector<storagev1::StorageClass>& classes);

// The volume names the claim: by uid, or, where somebody wrote it by hand, by name.
bool IsFor(const corev1::PersistentVolume& volume, const corev1::PersistentVolumeClaim& claim);
bool SameMode(const corev1::PersistentVolume& volume, const corev1::PersistentVolumeClaim& claim);

// One that names the claim already, or else, unless the claim waits for a node, the smallest of those with the fewest
// access modes that fit. Null when there is none. An error where the claim's selector is none.
Result<const corev1::PersistentVolume*> BestVolume(const corev1::PersistentVolumeClaim& claim,
                                                   const std::vector<corev1::PersistentVolume>& volumes, bool waits);
// Why the volume that the claim asks for by name cannot be its; empty when it can.
std::string Mismatch(const corev1::PersistentVolume& volume, const corev1::PersistentVolumeClaim& claim);

// Each says whether anything changed.
bool BindVolume(corev1::PersistentVolume& volume, const corev1::PersistentVolumeClaim& claim);
bool BindClaim(corev1::PersistentVolumeClaim& claim, const corev1::PersistentVolume& volume);
// A volume that was found for the claim is free again; one that somebody made for it waits for another of that name.
void UnbindVolume(corev1::PersistentVolume& volume);
// The status of a claim in that phase, with what it has of a volume, or without one.
corev1::PersistentVolumeClaimStatus ClaimStatus(const corev1::PersistentVolumeClaim& claim, std::string_view phase,
                                                const corev1::PersistentVolume* volume);

// What a provisioner makes for the claim; of a selected node it can be reached from there alone.
corev1::PersistentVolume ProvisionedVolume(const corev1::PersistentVolumeClaim& claim,
                                           const storagev1::StorageClass& storage_class, const std::string& node);

}  // namespace keelson::controllers
