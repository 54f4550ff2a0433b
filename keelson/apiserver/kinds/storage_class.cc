// StorageClass, VolumeAttributesClass and CSIStorageCapacity.
#include <algorithm>
#include <map>
#include <set>

#include "keelson/api/storage/v1.h"
#include "keelson/apiserver/kinds/checks_common.h"
#include "keelson/apiserver/kinds/checks_node_selector.h"
#include "keelson/apiserver/kinds/kind_groups.h"
#include "keelson/apiserver/kinds/storage_checks.h"
#include "keelson/core/ascii.h"

namespace keelson::apiserver {

namespace {

void CheckProvisioner(const String& name, const Path& path, FieldErrors& errors) {
  if (name.empty()) return errors.Required(path, "");
  if (!names::IsQualifiedName(name)) CheckQualifiedName(AsciiLower(name), path, errors);
}

void CheckParameters(const Map<String>& parameters, bool may_be_empty, const Path& path, FieldErrors& errors) {
  constexpr size_t kMaxCount = 512;
  constexpr size_t kMaxBytes = 256 * 1024;
  if (parameters.size() > kMaxCount) return errors.TooLong(path, kMaxCount);
  size_t bytes = 0;
  for (const auto& [key, value] : parameters) {
    if (key.empty()) errors.Invalid(path, Json(key), "field can not be empty.");
    bytes += key.size() + value.size();
  }
  if (bytes > kMaxBytes) errors.TooLong(path, kMaxBytes);
  if (!may_be_empty && parameters.empty()) errors.Required(path, "must contain at least one key/value pair");
}

// --- StorageClass ---

void SetClassDefaults(storagev1::StorageClass& object) {
  if (!object.reclaimPolicy) object.reclaimPolicy = "Delete";
  if (!object.volumeBindingMode) object.volumeBindingMode = "Immediate";
}

using Topology = std::map<std::string_view, std::set<std::string_view>>;

Topology CheckTopology(const corev1::TopologySelectorTerm& term, const Path& path, FieldErrors& errors) {
  Topology topology;
  const Path expressions = path / "matchLabelExpressions";
  for (size_t i = 0; i < term.matchLabelExpressions.size(); ++i) {
    const corev1::TopologySelectorLabelRequirement& one = term.matchLabelExpressions[i];
    const Path here = expressions[i];
    const Path values = here / "values";
    std::set<std::string_view> seen;
    if (one.values.empty()) errors.Required(values, "");
    for (size_t j = 0; j < one.values.size(); ++j) {
      if (!seen.insert(one.values[j].view()).second) errors.Duplicate(values[j], Json(one.values[j]));
    }
    CheckQualifiedName(one.key, here / "key", errors);
    if (topology.contains(one.key)) errors.Duplicate(here / "key", Json(one.key));
    topology[one.key.view()] = std::move(seen);
  }
  return topology;
}

void ValidateClass(const storagev1::StorageClass& object, FieldErrors& errors) {
  CheckProvisioner(object.provisioner, Path("provisioner"), errors);
  CheckParameters(object.parameters, true, Path("parameters"), errors);
  if (object.reclaimPolicy && !object.reclaimPolicy->empty()) {
    CheckOneOf(*object.reclaimPolicy, {"Delete", "Retain"}, Path("reclaimPolicy"), errors);
  }
  const Path mode("volumeBindingMode");
  if (!object.volumeBindingMode) {
    errors.Required(mode, "");
  } else {
    CheckOneOf(*object.volumeBindingMode, {"Immediate", "WaitForFirstConsumer"}, mode, errors);
  }
  const Path topologies("allowedTopologies");
  std::vector<Topology> seen;
  for (size_t i = 0; i < object.allowedTopologies.size(); ++i) {
    const Path here = topologies[i];
    Topology topology = CheckTopology(object.allowedTopologies[i], here, errors);
    for (const Topology& other : seen) {
      if (other == topology) errors.Duplicate(here / "matchLabelExpressions", Json(""));
    }
    seen.push_back(std::move(topology));
  }
}

void ValidateClassUpdate(const storagev1::StorageClass& object, const storagev1::StorageClass& old,
                         FieldErrors& errors) {
  ValidateClass(object, errors);
  CheckImmutable(object.parameters, old.parameters, Path("parameters"), errors);
  CheckImmutable(object.provisioner, old.provisioner, Path("provisioner"), errors);
  CheckImmutable(object.reclaimPolicy, old.reclaimPolicy, Path("reclaimPolicy"), errors);
  CheckImmutable(object.volumeBindingMode, old.volumeBindingMode, Path("volumeBindingMode"), errors);
}

void WarnOfClass(const storagev1::StorageClass& object, std::vector<std::string>& warnings) {
  const Path topologies("allowedTopologies");
  for (size_t i = 0; i < object.allowedTopologies.size(); ++i) {
    const Path term = topologies[i];
    const Path expressions = term / "matchLabelExpressions";
    const auto& list = object.allowedTopologies[i].matchLabelExpressions;
    for (size_t j = 0; j < list.size(); ++j) {
      const Path expression = expressions[j];
      WarnOfNodeLabel(list[j].key, expression / "key", warnings);
    }
  }
}

// --- VolumeAttributesClass ---

void ValidateAttributes(const storagev1::VolumeAttributesClass& object, FieldErrors& errors) {
  CheckProvisioner(object.driverName, Path("driverName"), errors);
  CheckParameters(object.parameters, false, Path("parameters"), errors);
}

void ValidateAttributesUpdate(const storagev1::VolumeAttributesClass& object,
                              const storagev1::VolumeAttributesClass& old, FieldErrors& errors) {
  if (object.driverName != old.driverName) {
    errors.Forbidden(Path("driverName"), "updates to driverName are forbidden.");
  }
  if (!Equal(object.parameters, old.parameters)) {
    errors.Forbidden(Path("parameters"), "updates to parameters are forbidden.");
  }
  ValidateAttributes(object, errors);
}

Result<void> PrepareAttributesCreate(storagev1::VolumeAttributesClass& object, WriteContext&) {
  AddFinalizer(object.metadata, "kubernetes.io/vac-protection");
  return {};
}

// --- CSIStorageCapacity ---

void CheckCapacity(const storagev1::CSIStorageCapacity& object, LabelSelectorOptions options, FieldErrors& errors) {
  CheckLabelSelector(object.nodeTopology, Path("nodeTopology"), errors, options);
  CheckDnsSubdomain(object.storageClassName, Path("storageClassName"), errors);
  if (object.capacity) CheckNonNegative(*object.capacity, Path("capacity"), errors);
}

void ValidateCapacity(const storagev1::CSIStorageCapacity& object, FieldErrors& errors) {
  CheckCapacity(object, {}, errors);
}

void ValidateCapacityUpdate(const storagev1::CSIStorageCapacity& object, const storagev1::CSIStorageCapacity& old,
                            FieldErrors& errors) {
  FieldErrors old_errors;
  CheckLabelSelector(old.nodeTopology, Path("nodeTopology"), old_errors);
  CheckCapacity(object, {.any_value = !old_errors.empty()}, errors);
  CheckImmutable(object.nodeTopology, old.nodeTopology, Path("nodeTopology"), errors);
  CheckImmutable(object.storageClassName, old.storageClassName, Path("storageClassName"), errors);
}

void WarnOfCapacity(const storagev1::CSIStorageCapacity& object, std::vector<std::string>& warnings) {
  if (!object.nodeTopology) return;
  const Path topology("nodeTopology");
  const Path expressions = topology / "matchExpressions";
  const auto& list = object.nodeTopology->matchExpressions;
  for (size_t i = 0; i < list.size(); ++i) {
    const Path expression = expressions[i];
    WarnOfNodeLabel(list[i].key, expression / "key", warnings);
  }
  const Path labels = topology / "matchLabels";
  for (const auto& [key, value] : object.nodeTopology->matchLabels) WarnOfNodeLabel(key, labels / key, warnings);
}

}  // namespace

void AddStorageClassRules(RulesTable& table) {
  table.Add<storagev1::StorageClass>({.set_defaults = SetClassDefaults,
                                      .validate = ValidateClass,
                                      .validate_update = ValidateClassUpdate,
                                      .warn = WarnOfClass,
                                      .generation = false});
  table.Add<storagev1::VolumeAttributesClass>({.prepare_create = PrepareAttributesCreate,
                                               .validate = ValidateAttributes,
                                               .validate_update = ValidateAttributesUpdate,
                                               .generation = false});
  table.Add<storagev1::CSIStorageCapacity>({.validate = ValidateCapacity,
                                            .validate_update = ValidateCapacityUpdate,
                                            .warn = WarnOfCapacity,
                                            .generation = false,
                                            .unconditional_update = false});
}

}  // namespace keelson::apiserver
