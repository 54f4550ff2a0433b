#include "keelson/controllers/persistent_volumes_match.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "keelson/api/compare.h"
#include "keelson/api/finalizers.h"
#include "keelson/api/label_selector_struct.h"

namespace keelson::controllers {

namespace {

using corev1::PersistentVolume;
using corev1::PersistentVolumeClaim;

constexpr std::string_view kClassAnnotation = "volume.beta.kubernetes.io/storage-class";

Quantity StorageOf(const corev1::ResourceList& list) {
  const Quantity* amount = list.find("storage");
  return amount == nullptr ? Quantity() : *amount;
}

std::string ModeOf(const Optional<corev1::PersistentVolumeMode>& mode) { return mode ? mode->str() : "Filesystem"; }

bool SameAttributes(const PersistentVolume& volume, const PersistentVolumeClaim& claim) {
  const auto text = [](const Optional<String>& name) { return name ? name->str() : std::string(); };
  return text(volume.spec.volumeAttributesClassName) == text(claim.spec.volumeAttributesClassName);
}

std::set<std::string> ModesOf(const List<corev1::PersistentVolumeAccessMode>& modes) {
  std::set<std::string> set;
  for (const corev1::PersistentVolumeAccessMode& mode : modes) set.insert(mode.str());
  return set;
}

bool HasModes(const PersistentVolume& volume, const PersistentVolumeClaim& claim) {
  const std::set<std::string> has = ModesOf(volume.spec.accessModes);
  const std::set<std::string> wants = ModesOf(claim.spec.accessModes);
  return std::includes(has.begin(), has.end(), wants.begin(), wants.end());
}

bool IsDefault(const storagev1::StorageClass& one) {
  for (const std::string_view key :
       {"storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class"}) {
    const String* mark = one.metadata.annotations.find(key);
    if (mark != nullptr && *mark == "true") return true;
  }
  return false;
}

}  // namespace

std::string ClassOf(const PersistentVolumeClaim& claim) {
  if (const String* annotation = claim.metadata.annotations.find(kClassAnnotation)) return annotation->str();
  return claim.spec.storageClassName ? claim.spec.storageClassName->str() : "";
}

std::string ClassOf(const PersistentVolume& volume) {
  if (const String* annotation = volume.metadata.annotations.find(kClassAnnotation)) return annotation->str();
  return volume.spec.storageClassName.str();
}

bool HasClass(const PersistentVolumeClaim& claim) {
  return claim.metadata.annotations.contains(kClassAnnotation) || claim.spec.storageClassName;
}

const storagev1::StorageClass* DefaultClass(const std::vector<storagev1::StorageClass>& classes) {
  const storagev1::StorageClass* chosen = nullptr;
  for (const storagev1::StorageClass& one : classes) {
    if (!IsDefault(one)) continue;
    if (chosen == nullptr || one.metadata.creationTimestamp > chosen->metadata.creationTimestamp ||
        (one.metadata.creationTimestamp == chosen->metadata.creationTimestamp &&
         one.metadata.name.view() < chosen->metadata.name.view())) {
      chosen = &one;
    }
  }
  return chosen;
}

bool IsFor(const PersistentVolume& volume, const PersistentVolumeClaim& claim) {
  if (!volume.spec.claimRef) return false;
  const corev1::ObjectReference& to = *volume.spec.claimRef;
  if (to.name != claim.metadata.name || to.namespace_ != claim.metadata.namespace_) return false;
  return to.uid.empty() || to.uid == claim.metadata.uid;
}

bool SameMode(const PersistentVolume& volume, const PersistentVolumeClaim& claim) {
  return ModeOf(volume.spec.volumeMode) == ModeOf(claim.spec.volumeMode);
}

Result<const PersistentVolume*> BestVolume(const PersistentVolumeClaim& claim,
                                           const std::vector<PersistentVolume>& volumes, bool waits) {
  std::optional<labels::Selector> selector;
  if (claim.spec.selector) {
    KEELSON_TRY(parsed, labels::FromStruct(*claim.spec.selector));
    selector = std::move(parsed);
  }
  const Quantity wanted = StorageOf(claim.spec.resources.requests);
  const PersistentVolume* best = nullptr;
  for (const PersistentVolume& volume : volumes) {
    if (IsBeingDeleted(volume) || !HasModes(volume, claim) || !SameMode(volume, claim) ||
        !SameAttributes(volume, claim) || StorageOf(volume.spec.capacity) < wanted) {
      continue;
    }
    if (IsFor(volume, claim)) return &volume;
    if (volume.spec.claimRef || waits || volume.status.phase != "Available") continue;
    if (selector && !selector->Matches(volume.metadata.labels)) continue;
    if (ClassOf(volume) != ClassOf(claim)) continue;
    const auto rank = [](const PersistentVolume& of) {
      return std::pair(ModesOf(of.spec.accessModes).size(), StorageOf(of.spec.capacity));
    };
    if (best == nullptr || rank(volume) < rank(*best)) best = &volume;
  }
  return best;
}

std::string Mismatch(const PersistentVolume& volume, const PersistentVolumeClaim& claim) {
  if (IsBeingDeleted(volume))
    return fmt::format("the volume is marked for deletion \"{}\"", volume.metadata.name.view());
  if (StorageOf(volume.spec.capacity) < StorageOf(claim.spec.resources.requests)) return "requested PV is too small";
  if (ClassOf(volume) != ClassOf(claim)) return "storageClassName does not match";
  if (!SameAttributes(volume, claim)) return "volumeAttributesClassName does not match";
  if (!SameMode(volume, claim)) return "incompatible volumeMode";
  if (!HasModes(volume, claim)) return "incompatible accessMode";
  return {};
}

bool BindVolume(PersistentVolume& volume, const PersistentVolumeClaim& claim) {
  const bool was_for = IsFor(volume, claim);
  bool changed = false;
  if (!was_for || volume.spec.claimRef->uid != claim.metadata.uid) {
    volume.spec.claimRef = corev1::ObjectReference{.kind = "PersistentVolumeClaim",
                                                   .namespace_ = claim.metadata.namespace_,
                                                   .name = claim.metadata.name,
                                                   .uid = claim.metadata.uid,
                                                   .apiVersion = "v1",
                                                   .resourceVersion = claim.metadata.resourceVersion};
    changed = true;
  }
  if (!was_for && !volume.metadata.annotations.contains(kBoundByController)) {
    volume.metadata.annotations.Set(String(kBoundByController), "yes");
    changed = true;
  }
  return changed;
}

bool BindClaim(PersistentVolumeClaim& claim, const PersistentVolume& volume) {
  bool changed = false;
  if (claim.spec.volumeName != volume.metadata.name) {
    claim.spec.volumeName = volume.metadata.name;
    claim.metadata.annotations.Set(String(kBoundByController), "yes");
    changed = true;
  }
  if (!claim.metadata.annotations.contains(kBindCompleted)) {
    claim.metadata.annotations.Set(String(kBindCompleted), "yes");
    changed = true;
  }
  return changed;
}

void UnbindVolume(PersistentVolume& volume) {
  if (volume.metadata.annotations.erase(kBoundByController)) {
    volume.spec.claimRef = {};
  } else if (volume.spec.claimRef) {
    volume.spec.claimRef->uid = {};
  }
}

corev1::PersistentVolumeClaimStatus ClaimStatus(const PersistentVolumeClaim& claim, std::string_view phase,
                                                const PersistentVolume* volume) {
  corev1::PersistentVolumeClaimStatus status = claim.status;
  const bool enters = status.phase != phase;
  status.phase = String(phase);
  if (volume == nullptr) {
    status.accessModes = {};
    status.capacity = {};
    status.currentVolumeAttributesClassName = {};
    return status;
  }
  status.accessModes = volume->spec.accessModes;
  // Later sizes are told by those who resize.
  if (enters) {
    status.capacity = volume->spec.capacity;
    status.currentVolumeAttributesClassName = volume->spec.volumeAttributesClassName;
  }
  return status;
}

PersistentVolume ProvisionedVolume(const PersistentVolumeClaim& claim, const storagev1::StorageClass& storage_class,
                                   const std::string& node) {
  PersistentVolume volume;
  volume.metadata.name = "pvc-" + claim.metadata.uid.str();
  volume.metadata.annotations = {{String(kProvisionedBy), storage_class.provisioner}};
  volume.spec.capacity = {{"storage", StorageOf(claim.spec.resources.requests)}};
  volume.spec.accessModes = claim.spec.accessModes;
  volume.spec.storageClassName = ClassOf(claim);
  volume.spec.persistentVolumeReclaimPolicy =
      storage_class.reclaimPolicy ? *storage_class.reclaimPolicy : corev1::PersistentVolumeReclaimPolicy("Delete");
  volume.spec.mountOptions = storage_class.mountOptions;
  volume.spec.volumeMode = claim.spec.volumeMode;
  volume.spec.volumeAttributesClassName = claim.spec.volumeAttributesClassName;
  volume.spec.hostPath = corev1::HostPathVolumeSource{
      .path = "/var/lib/simulated-volumes/" + volume.metadata.name.str(), .type = String("DirectoryOrCreate")};
  (void)BindVolume(volume, claim);
  volume.metadata.annotations.erase(kBoundByController);
  if (!node.empty()) {
    corev1::NodeSelectorTerm term;
    term.matchExpressions = {
        corev1::NodeSelectorRequirement{.key = "kubernetes.io/hostname", .operator_ = "In", .values = {String(node)}}};
    volume.spec.nodeAffinity =
        corev1::VolumeNodeAffinity{.required = corev1::NodeSelector{.nodeSelectorTerms = {term}}};
  }
  return volume;
}

}  // namespace keelson::controllers
