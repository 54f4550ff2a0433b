// PersistentVolume.
#include <fmt/format.h>

#include <algorithm>

#include "keelson/api/core/v1.h"
#include "keelson/apiserver/kinds/checks_common.h"
#include "keelson/apiserver/kinds/checks_node_selector.h"
#include "keelson/apiserver/kinds/kind_groups.h"
#include "keelson/apiserver/kinds/resource_rounding.h"
#include "keelson/apiserver/kinds/storage_checks.h"

namespace keelson::apiserver {

namespace {

using Volume = corev1::PersistentVolume;

constexpr std::string_view kMountOptions = "volume.beta.kubernetes.io/mount-options";

void SetVolumeDefaults(Volume& volume) {
  if (volume.status.phase.empty()) volume.status.phase = "Pending";
  corev1::PersistentVolumeSpec& spec = volume.spec;
  if (spec.persistentVolumeReclaimPolicy.empty()) spec.persistentVolumeReclaimPolicy = "Retain";
  if (!spec.volumeMode) spec.volumeMode = "Filesystem";
  RoundUpToMilli(spec.capacity);
  if (spec.hostPath && !std::as_const(spec).hostPath->type) spec.hostPath->type = String();
  if (spec.rbd) {
    if (spec.rbd->pool.empty()) spec.rbd->pool = "rbd";
    if (spec.rbd->user.empty()) spec.rbd->user = "admin";
    if (spec.rbd->keyring.empty()) spec.rbd->keyring = "/etc/ceph/keyring";
  }
  if (spec.iscsi && spec.iscsi->iscsiInterface.empty()) spec.iscsi->iscsiInterface = "default";
  if (spec.azureDisk) {
    if (!spec.azureDisk->cachingMode) spec.azureDisk->cachingMode = "ReadWrite";
    if (!spec.azureDisk->fsType) spec.azureDisk->fsType = String("ext4");
    if (!spec.azureDisk->readOnly) spec.azureDisk->readOnly = false;
    if (!spec.azureDisk->kind) spec.azureDisk->kind = "Shared";
  }
  if (spec.scaleIO) {
    if (spec.scaleIO->storageMode.empty()) spec.scaleIO->storageMode = "ThinProvisioned";
    if (spec.scaleIO->fsType.empty()) spec.scaleIO->fsType = "xfs";
  }
}

Result<void> PrepareVolumeCreate(Volume& volume, WriteContext& context) {
  volume.status = {};
  volume.status.phase = "Pending";
  volume.status.lastPhaseTransitionTime = context.now;
  AddFinalizer(volume.metadata, "kubernetes.io/pv-protection");
  return {};
}

Result<void> PrepareVolumeStatus(Volume& volume, const Volume& old, WriteContext& context) {
  Optional<metav1::Time>& changed = volume.status.lastPhaseTransitionTime;
  if (volume.status.phase == old.status.phase) {
    if (!changed) changed = old.status.lastPhaseTransitionTime;
  } else if (!changed || Equal(changed, old.status.lastPhaseTransitionTime)) {
    changed = context.now;
  }
  return {};
}

bool IsMountable(const corev1::PersistentVolumeSpec& spec) {
  return spec.gcePersistentDisk || spec.awsElasticBlockStore || spec.glusterfs || spec.nfs || spec.rbd ||
         spec.quobyte || spec.iscsi || spec.cinder || spec.cephfs || spec.azureFile || spec.vsphereVolume ||
         spec.azureDisk || spec.photonPersistentDisk;
}

void ValidateVolumeWith(const Volume& volume, VolumeSpecOptions options, FieldErrors& errors) {
  CheckVolumeSpec(volume.spec, volume.metadata.name, Path("spec"), options, errors);
}

void CheckMountOptions(const Volume& volume, FieldErrors& errors) {
  if (IsMountable(volume.spec) || !volume.metadata.annotations.contains(kMountOptions)) return;
  const Path metadata("metadata");
  const Path annotations = metadata / "annotations";
  errors.Forbidden(annotations / kMountOptions, "may not specify mount options for this volume type");
}

void ValidateVolume(const Volume& volume, FieldErrors& errors) {
  ValidateVolumeWith(volume, {}, errors);
  CheckMountOptions(volume, errors);
}

corev1::PersistentVolumeSource SourceOf(const Volume& volume) {
  Result<corev1::PersistentVolumeSource> source =
      FromJsonValue<corev1::PersistentVolumeSource>(ToJsonValue(volume.spec));
  return source ? *std::move(source) : corev1::PersistentVolumeSource();
}

void ValidateVolumeUpdate(const Volume& volume, const Volume& old, FieldErrors& errors) {
  VolumeSpecOptions options;
  if (old.spec.nodeAffinity && old.spec.nodeAffinity->required) {
    options.any_label_value = !HasOnlyLabelValues(*old.spec.nodeAffinity->required);
  }
  ValidateVolumeWith(volume, options, errors);
  CheckMountOptions(volume, errors);
  ValidateVolumeWith(volume, options, errors);  // upstream says it all twice
  const Path spec("spec");
  corev1::PersistentVolumeSource source = SourceOf(volume);
  const corev1::PersistentVolumeSource old_source = SourceOf(old);
  if (old_source.csi && !old_source.csi->controllerExpandSecretRef && source.csi) {
    source.csi->controllerExpandSecretRef.reset();  // may be added
  }
  if (!Equal(source, old_source)) {
    errors.Forbidden(spec / "persistentvolumesource",
                     "spec.persistentvolumesource is immutable after creation\n" + InternalDiff(old_source, source));
  }
  CheckImmutable(volume.spec.volumeMode, old.spec.volumeMode, Path("volumeMode"), errors);
  if (old.spec.nodeAffinity) {
    CheckImmutable(volume.spec.nodeAffinity, old.spec.nodeAffinity, Path("nodeAffinity"), errors,
                   "field is immutable, except for updating from beta label to GA");
  }
  if (old.spec.volumeAttributesClassName && !volume.spec.volumeAttributesClassName) {
    errors.Forbidden(spec / "volumeAttributesClassName", "update from non-nil value to nil is forbidden");
  }
}

void WarnOfVolume(const Volume& volume, std::vector<std::string>& warnings) {
  const corev1::PersistentVolumeSpec& spec = volume.spec;
  if (volume.metadata.annotations.contains("volume.beta.kubernetes.io/storage-class")) {
    warnings.emplace_back(
        "metadata.annotations[volume.beta.kubernetes.io/storage-class]: deprecated since v1.8; use "
        "\"storageClassName\" attribute instead");
  }
  if (volume.metadata.annotations.contains(kMountOptions)) {
    warnings.push_back(fmt::format(
        "metadata.annotations[{}]: deprecated since v1.31; use \"mountOptions\" attribute instead", kMountOptions));
  }
  if (spec.persistentVolumeReclaimPolicy == "Recycle") {
    warnings.emplace_back(
        "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended "
        "approach is to use dynamic provisioning.");
  }
  if (spec.nodeAffinity && spec.nodeAffinity->required) {
    const Path terms("spec.nodeAffinity.required.nodeSelectorTerms");
    const List<corev1::NodeSelectorTerm>& list = spec.nodeAffinity->required->nodeSelectorTerms;
    for (size_t i = 0; i < list.size(); ++i) {
      const Path term = terms[i];
      const Path expressions = term / "matchExpressions";
      for (size_t j = 0; j < list[i].matchExpressions.size(); ++j) {
        const Path expression = expressions[j];
        WarnOfNodeLabel(list[i].matchExpressions[j].key, expression / "key", warnings);
      }
    }
  }
  if (spec.cephfs) warnings.emplace_back("spec.cephfs: deprecated in v1.28, non-functional in v1.31+");
  if (spec.photonPersistentDisk) {
    warnings.emplace_back("spec.photonPersistentDisk: deprecated in v1.11, non-functional in v1.16+");
  }
  if (spec.scaleIO) warnings.emplace_back("spec.scaleIO: deprecated in v1.16, non-functional in v1.22+");
  if (spec.storageos) warnings.emplace_back("spec.storageOS: deprecated in v1.22, non-functional in v1.25+");
  if (spec.glusterfs) warnings.emplace_back("spec.glusterfs: deprecated in v1.25, non-functional in v1.26+");
  if (spec.rbd) warnings.emplace_back("spec.rbd: deprecated in v1.28, non-functional in v1.31+");
}

}  // namespace

void AddFinalizer(metav1::ObjectMeta& metadata, std::string_view finalizer) {
  const List<String>& list = metadata.finalizers;
  if (std::find(list.begin(), list.end(), finalizer) == list.end()) metadata.finalizers.push_back(finalizer);
}

void AddVolumeRules(RulesTable& table) {
  table.Add<Volume>({.set_defaults = SetVolumeDefaults,
                     .prepare_create = PrepareVolumeCreate,
                     .prepare_status = PrepareVolumeStatus,
                     .validate = ValidateVolume,
                     .validate_update = ValidateVolumeUpdate,
                     .warn = WarnOfVolume,
                     .generation = false});
}

}  // namespace keelson::apiserver
