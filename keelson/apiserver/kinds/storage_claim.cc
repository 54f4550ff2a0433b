// PersistentVolumeClaim.
#include <fmt/format.h>

#include "keelson/api/core/v1.h"
#include "keelson/api/status_error.h"
#include "keelson/api/storage/v1.h"
#include "keelson/apiserver/kinds/checks_claim.h"
#include "keelson/apiserver/kinds/checks_common.h"
#include "keelson/apiserver/kinds/checks_resources.h"
#include "keelson/apiserver/kinds/kind_groups.h"
#include "keelson/apiserver/kinds/resource_rounding.h"
#include "keelson/apiserver/kinds/storage_checks.h"

namespace keelson::apiserver {

namespace {

using Claim = corev1::PersistentVolumeClaim;

constexpr std::string_view kClassAnnotation = "volume.beta.kubernetes.io/storage-class";

void SetClaimDefaults(Claim& claim) {
  if (claim.status.phase.empty()) claim.status.phase = "Pending";
  if (!claim.spec.volumeMode) claim.spec.volumeMode = "Filesystem";
  RoundUpToMilli(claim.spec.resources.limits);
  RoundUpToMilli(claim.spec.resources.requests);
  RoundUpToMilli(claim.status.capacity);
  RoundUpToMilli(claim.status.allocatedResources);
}

bool IsClaimOrSnapshot(const corev1::TypedLocalObjectReference& source) {
  const String& group = source.apiGroup.OrDefault();
  return (source.kind == "PersistentVolumeClaim" && group.empty()) ||
         (source.kind == "VolumeSnapshot" && group == "snapshot.storage.k8s.io");
}

// The two fields for the source of data say the same; sources of other kinds need the newer one.
void JoinDataSources(corev1::PersistentVolumeClaimSpec& spec, const corev1::PersistentVolumeClaimSpec* old) {
  const corev1::PersistentVolumeClaimSpec& read = spec;
  if (read.dataSourceRef && !read.dataSourceRef->namespace_.OrDefault().empty() &&
      (old == nullptr || !old->dataSourceRef)) {
    spec.dataSourceRef.reset();  // sources in other namespaces are off unless a server is told otherwise
  }
  const bool used_before = old != nullptr && (old->dataSource || old->dataSourceRef);
  if (!used_before && !read.dataSourceRef && read.dataSource && !IsClaimOrSnapshot(*read.dataSource)) {
    spec.dataSource.reset();
  }
  if (read.dataSource && !read.dataSourceRef) {
    corev1::TypedObjectReference reference;
    reference.apiGroup = read.dataSource->apiGroup;
    reference.kind = read.dataSource->kind;
    reference.name = read.dataSource->name;
    spec.dataSourceRef = reference;
  } else if (read.dataSourceRef && !read.dataSource && read.dataSourceRef->namespace_.OrDefault().empty()) {
    corev1::TypedLocalObjectReference source;
    source.apiGroup = read.dataSourceRef->apiGroup;
    source.kind = read.dataSourceRef->kind;
    source.name = read.dataSourceRef->name;
    spec.dataSource = source;
  }
}

bool IsDefaultClass(const storagev1::StorageClass& one) {
  for (const std::string_view key :
       {"storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class"}) {
    const String* mark = one.metadata.annotations.find(key);
    if (mark != nullptr && *mark == "true") return true;
  }
  return false;
}

// The newest class that is marked as the default one, as the admission plugin DefaultStorageClass chooses.
void SetDefaultClass(Claim& claim, const WriteContext& context) {
  if (claim.spec.storageClassName || claim.metadata.annotations.contains(kClassAnnotation)) return;
  std::optional<storagev1::StorageClass> chosen;
  const auto born = [](const storagev1::StorageClass& of) { return of.metadata.creationTimestamp.unix_seconds(); };
  for (storagev1::StorageClass& one : context.lookup.FindAll<storagev1::StorageClass>("")) {
    if (!IsDefaultClass(one)) continue;
    if (!chosen || born(one) > born(*chosen) ||
        (born(one) == born(*chosen) && one.metadata.name < chosen->metadata.name)) {
      chosen = std::move(one);
    }
  }
  if (chosen) claim.spec.storageClassName = chosen->metadata.name;
}

Result<void> PrepareClaimCreate(Claim& claim, WriteContext& context) {
  claim.status = {};
  claim.status.phase = "Pending";
  JoinDataSources(claim.spec, nullptr);
  SetDefaultClass(claim, context);
  AddFinalizer(claim.metadata, "kubernetes.io/pvc-protection");
  return {};
}

const Quantity& StorageOf(const corev1::ResourceList& list) {
  static const Quantity kNone;
  const Quantity* amount = list.find("storage");
  return amount == nullptr ? kNone : *amount;
}

std::string ClassOf(const Claim& claim) {
  if (const String* annotation = claim.metadata.annotations.find(kClassAnnotation)) return *annotation;
  return claim.spec.storageClassName.OrDefault();
}

// The admission plugin PersistentVolumeClaimResize: a bound claim grows where its class lets it.
Result<void> CheckGrowth(const Claim& claim, const Claim& old, const WriteContext& context) {
  if (StorageOf(claim.spec.resources.requests) <= StorageOf(old.spec.resources.requests)) return {};
  if (old.status.phase != "Bound") return {};  // refused by the checks of an update
  const std::string name = ClassOf(claim);
  if (!name.empty() && name == ClassOf(old)) {
    const std::optional<storagev1::StorageClass> found =
        context.lookup.Find<storagev1::StorageClass>(ObjectKey{.namespace_ = "", .name = name});
    if (found && found->allowVolumeExpansion.value_or(false)) return {};
  }
  return apierrors::Forbidden({"", "persistentvolumeclaims"}, claim.metadata.name,
                              "only dynamically provisioned pvc can be resized and the storageclass that provisions "
                              "the pvc must support resize");
}

Result<void> PrepareClaimUpdate(Claim& claim, const Claim& old, WriteContext& context) {
  JoinDataSources(claim.spec, &old.spec);
  return CheckGrowth(claim, old, context);
}

void ValidateClaim(const Claim& claim, FieldErrors& errors) { CheckClaimSpec(claim.spec, Path("spec"), errors); }

bool MovesClassFromAnnotation(const Claim& claim, const Claim& old) {
  const String* before = old.metadata.annotations.find(kClassAnnotation);
  const String* now = claim.metadata.annotations.find(kClassAnnotation);
  return before != nullptr && !old.spec.storageClassName && claim.spec.storageClassName &&
         *claim.spec.storageClassName == *before && (now == nullptr || *now == *before);
}

void ValidateClaimUpdate(const Claim& claim, const Claim& old, FieldErrors& errors) {
  ValidateClaim(claim, errors);
  // What may change is made equal before the two are compared.
  corev1::PersistentVolumeClaimSpec now = claim.spec;
  corev1::PersistentVolumeClaimSpec before = old.spec;
  JoinDataSources(before, &old.spec);
  if (before.volumeName.empty()) before.volumeName = now.volumeName;
  const String* old_class = old.metadata.annotations.find(kClassAnnotation);
  if (MovesClassFromAnnotation(claim, old)) {
    now.storageClassName.reset();
  } else {
    const String* new_class = claim.metadata.annotations.find(kClassAnnotation);
    const String none;
    if ((new_class == nullptr ? none : *new_class) != (old_class == nullptr ? none : *old_class)) {
      const Path metadata("metadata");
      const Path annotations = metadata / "annotations";
      errors.Invalid(annotations / kClassAnnotation, Json(new_class == nullptr ? none : *new_class), kFieldIsImmutable);
    }
    if (claim.spec.storageClassName && !old.spec.storageClassName &&
        (old_class == nullptr || *claim.spec.storageClassName == *old_class)) {
      now.storageClassName = before.storageClassName;
    }
  }
  if (claim.status.phase == "Bound") {
    if (!now.resources.requests.empty()) {
      now.resources.requests.Set("storage", StorageOf(old.spec.resources.requests));
    }
    now.volumeAttributesClassName = before.volumeAttributesClassName;
  }
  const Path spec("spec");
  if (!Equal(now, before)) {
    errors.Forbidden(spec,
                     "spec is immutable after creation except resources.requests and volumeAttributesClassName for "
                     "bound claims\n" +
                         InternalDiff(before, now));
  }
  const Quantity& size = StorageOf(claim.spec.resources.requests);
  if (size < StorageOf(old.spec.resources.requests) && size <= StorageOf(old.status.capacity)) {
    const Path resources = spec / "resources";
    const Path requests = resources / "requests";
    errors.Forbidden(requests / "storage", "field can not be less than status.capacity");
  }
  CheckImmutable(claim.spec.volumeMode, old.spec.volumeMode, Path("volumeMode"), errors);
  const Optional<String>& attributes = claim.spec.volumeAttributesClassName;
  if (!Equal(attributes, old.spec.volumeAttributesClassName) && old.status.currentVolumeAttributesClassName) {
    const Path path = spec / "volumeAttributesClassName";
    if (!attributes) {
      errors.Forbidden(path, "update to nil is forbidden when status.currentVolumeAttributesClassName is not nil");
    } else if (attributes->empty()) {
      errors.Forbidden(path,
                       "update to empty string is forbidden when status.currentVolumeAttributesClassName is not nil");
    }
  }
}

// Whether the name is one that a claim can hold.
bool CheckClaimResource(std::string_view name, const Path& path, FieldErrors& errors) {
  if (!names::IsQualifiedName(name)) return errors.InvalidForEach(path, name, names::CheckQualifiedName(name)), false;
  if (IsNativeResource(name) && name != "storage") return errors.NotSupported(path, Json(name), {"storage"}), false;
  return true;
}

void ValidateClaimStatus(const Claim& claim, const Claim&, FieldErrors& errors) {
  if (claim.spec.accessModes.empty()) errors.Required(Path("Spec.accessModes"), "");
  const Path status("status");
  const Path capacity = status / "capacity";
  const auto not_negative = [&](const Quantity& amount, const Path& path) {
    if (amount.Value() >= 0) return true;
    errors.Invalid(path, Json(amount.Value()), "must be a valid resource quantity");
    return false;
  };
  for (const auto& [name, amount] : claim.status.capacity) not_negative(amount, capacity.Key(name));
  const Path resizes = status / "allocatedResourceStatuses";
  for (const auto& [name, state] : claim.status.allocatedResourceStatuses) {
    CheckClaimResource(name, resizes, errors);
    if (!IsOneOf(state, {"ControllerResizeInProgress", "ControllerResizeInfeasible", "NodeResizePending",
                         "NodeResizeInProgress", "NodeResizeInfeasible"})) {
      errors.NotSupported(resizes, Json(name),
                          {"ControllerResizeInProgress", "ControllerResizeInfeasible", "NodeResizePending",
                           "NodeResizeInProgress", "NodeResizeInfeasible"});
    }
  }
  const Path allocated = status / "allocatedResources";
  for (const auto& [name, amount] : claim.status.allocatedResources) {
    if (!CheckClaimResource(name, allocated, errors)) continue;
    const Path here = allocated.Key(name);
    if (not_negative(amount, here)) CheckResourceQuantity("storage", amount, here, errors);
  }
}

void WarnOfClaim(const Claim& claim, std::vector<std::string>& warnings) {
  if (claim.metadata.annotations.contains(kClassAnnotation)) {
    warnings.push_back(
        fmt::format("metadata.annotations[{}]: deprecated since v1.8; use \"storageClassName\" attribute instead",
                    kClassAnnotation));
  }
  const auto whole = [&](const corev1::ResourceList& list, std::string_view name) {
    const Quantity* amount = list.find("storage");
    if (amount == nullptr || amount->MilliValue() % 1000 == 0) return;
    warnings.push_back(
        fmt::format("spec.resources.{}[storage]: fractional byte value \"{}\" is invalid, must be an integer", name,
                    amount->ToString()));
  };
  whole(claim.spec.resources.requests, "requests");
  whole(claim.spec.resources.limits, "limits");
}

}  // namespace

void AddClaimRules(RulesTable& table) {
  table.Add<Claim>({.set_defaults = SetClaimDefaults,
                    .prepare_create = PrepareClaimCreate,
                    .prepare_update = PrepareClaimUpdate,
                    .validate = ValidateClaim,
                    .validate_update = ValidateClaimUpdate,
                    .validate_status = ValidateClaimStatus,
                    .warn = WarnOfClaim,
                    .generation = false});
}

}  // namespace keelson::apiserver
