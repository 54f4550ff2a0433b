// Volumes, claims and storage.k8s.io.
#include "keelson/api/storage/v1.h"
#include "keelson/apiserver/tables/cells.h"

namespace keelson::apiserver::tables {
namespace {

std::string AccessModes(const List<corev1::PersistentVolumeAccessMode>& modes) {
  constexpr std::pair<std::string_view, std::string_view> kShort[] = {
      {"ReadWriteOnce", "RWO"}, {"ReadOnlyMany", "ROX"}, {"ReadWriteMany", "RWX"}, {"ReadWriteOncePod", "RWOP"}};
  std::vector<std::string_view> parts;
  for (const auto& [mode, text] : kShort) {
    for (const corev1::PersistentVolumeAccessMode& given : modes) {
      if (given != mode) continue;
      parts.push_back(text);
      break;
    }
  }
  return Join(parts, ",");
}

std::string StorageOf(const corev1::ResourceList& resources) {
  const Quantity* storage = resources.find("storage");
  return storage != nullptr ? storage->ToString() : "0";
}

// The annotation is older than the field and goes first.
std::string_view StorageClassOf(const metav1::ObjectMeta& metadata, std::string_view field) {
  const String* annotation = metadata.annotations.find("volume.beta.kubernetes.io/storage-class");
  return annotation != nullptr ? annotation->view() : field;
}

std::string_view PhaseOf(const metav1::ObjectMeta& metadata, const String& phase) {
  return metadata.deletionTimestamp ? "Terminating" : phase.view();
}

Cells PersistentVolumeCells(const corev1::PersistentVolume& volume, const PrintContext& context) {
  const corev1::PersistentVolumeSpec& spec = volume.spec;
  std::string claim;
  if (spec.claimRef) claim = spec.claimRef->namespace_.str() + "/" + spec.claimRef->name.str();
  return {volume.metadata.name,
          StorageOf(spec.capacity),
          AccessModes(spec.accessModes),
          spec.persistentVolumeReclaimPolicy,
          PhaseOf(volume.metadata, volume.status.phase),
          claim,
          StorageClassOf(volume.metadata, spec.storageClassName),
          Or(spec.volumeAttributesClassName, kUnset),
          volume.status.reason,
          AgeOf(volume.metadata, context),
          Or(spec.volumeMode, kUnset)};
}

Cells PersistentVolumeClaimCells(const corev1::PersistentVolumeClaim& claim, const PrintContext& context) {
  const corev1::PersistentVolumeClaimSpec& spec = claim.spec;
  const bool bound = !spec.volumeName.empty();
  return {claim.metadata.name,
          PhaseOf(claim.metadata, claim.status.phase),
          spec.volumeName,
          bound ? StorageOf(claim.status.capacity) : "",
          bound ? AccessModes(claim.status.accessModes) : "",
          StorageClassOf(claim.metadata, Or(spec.storageClassName, "")),
          Or(spec.volumeAttributesClassName, kUnset),
          AgeOf(claim.metadata, context),
          Or(spec.volumeMode, kUnset)};
}

Cells StorageClassCells(const storagev1::StorageClass& storage_class, const PrintContext& context) {
  std::string name = storage_class.metadata.name.str();
  for (const char* key :
       {"storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class"}) {
    const String* is_default = storage_class.metadata.annotations.find(key);
    if (is_default == nullptr || *is_default != "true") continue;
    name += " (default)";
    break;
  }
  return {name,
          storage_class.provisioner,
          Or(storage_class.reclaimPolicy, "Delete"),
          Or(storage_class.volumeBindingMode, "Immediate"),
          storage_class.allowVolumeExpansion.value_or(false),
          AgeOf(storage_class.metadata, context)};
}

Cells VolumeAttributesClassCells(const storagev1::VolumeAttributesClass& attributes, const PrintContext& context) {
  return {attributes.metadata.name, attributes.driverName, AgeOf(attributes.metadata, context)};
}

Cells VolumeAttachmentCells(const storagev1::VolumeAttachment& attachment, const PrintContext& context) {
  return {attachment.metadata.name, attachment.spec.attacher,   Or(attachment.spec.source.persistentVolumeName, ""),
          attachment.spec.nodeName, attachment.status.attached, AgeOf(attachment.metadata, context)};
}

Cells CSINodeCells(const storagev1::CSINode& node, const PrintContext& context) {
  return {node.metadata.name, static_cast<int64_t>(node.spec.drivers.size()), AgeOf(node.metadata, context)};
}

Cells CSIDriverCells(const storagev1::CSIDriver& driver, const PrintContext& context) {
  const storagev1::CSIDriverSpec& spec = driver.spec;
  std::vector<std::string_view> audiences;
  for (const storagev1::TokenRequest& request : spec.tokenRequests) audiences.push_back(request.audience);
  return {driver.metadata.name,
          spec.attachRequired.value_or(true),
          spec.podInfoOnMount.value_or(false),
          spec.storageCapacity.value_or(false),
          spec.tokenRequests.empty() ? std::string(kUnset) : Join(audiences, ","),
          spec.requiresRepublish.value_or(false),
          spec.volumeLifecycleModes.empty() ? std::string(kNone) : Join(spec.volumeLifecycleModes, ","),
          AgeOf(driver.metadata, context)};
}

}  // namespace

void AddStoragePrinters(Printers& printers) {
  AddPrinter<corev1::PersistentVolume, PersistentVolumeCells>(printers);
  AddPrinter<corev1::PersistentVolumeClaim, PersistentVolumeClaimCells>(printers);
  AddPrinter<storagev1::StorageClass, StorageClassCells>(printers);
  AddPrinter<storagev1::VolumeAttributesClass, VolumeAttributesClassCells>(printers);
  AddPrinter<storagev1::VolumeAttachment, VolumeAttachmentCells>(printers);
  AddPrinter<storagev1::CSINode, CSINodeCells>(printers);
  AddPrinter<storagev1::CSIDriver, CSIDriverCells>(printers);
}

}  // namespace keelson::apiserver::tables
