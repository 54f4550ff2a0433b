// Namespace, Node and ServiceAccount.
#include <fmt/format.h>

#include <algorithm>

#include "keelson/api/core/v1.h"
#include "keelson/apiserver/kinds/checks_address.h"
#include "keelson/apiserver/kinds/checks_common.h"
#include "keelson/apiserver/kinds/checks_resources.h"
#include "keelson/apiserver/kinds/kind_groups.h"
#include "keelson/apiserver/kinds/resource_rounding.h"

namespace keelson::apiserver {

namespace {

constexpr std::string_view kKubernetesFinalizer = "kubernetes";

// --- Namespace ---

void SetNamespaceDefaults(corev1::Namespace& object) {
  if (object.status.phase.empty()) object.status.phase = "Active";
  if (object.metadata.name.empty()) return;
  const String* label = object.metadata.labels.find("kubernetes.io/metadata.name");
  if (label == nullptr || *label != object.metadata.name) {
    object.metadata.labels.Set("kubernetes.io/metadata.name", object.metadata.name);
  }
}

Result<void> PrepareNamespaceCreate(corev1::Namespace& object, WriteContext&) {
  object.status = {};
  SetNamespaceDefaults(object);
  const auto& finalizers = object.spec.finalizers;
  if (std::find(finalizers.begin(), finalizers.end(), kKubernetesFinalizer) == finalizers.end()) {
    object.spec.finalizers.push_back(kKubernetesFinalizer);
  }
  return {};
}

Result<void> PrepareNamespaceUpdate(corev1::Namespace& object, const corev1::Namespace& old, WriteContext&) {
  object.spec.finalizers = old.spec.finalizers;
  return {};
}

void CheckFinalizer(std::string_view name, const Path& path, FieldErrors& errors) {
  CheckQualifiedName(name, path, errors);
  if (name.find('/') == std::string_view::npos &&
      !IsOneOf(name, {kKubernetesFinalizer, "orphan", "foregroundDeletion"})) {
    errors.Invalid(path, Json(name), "name is neither a standard finalizer name nor is it fully qualified");
  }
}

void ValidateNamespace(const corev1::Namespace& object, FieldErrors& errors) {
  const Path spec("spec");
  for (const String& name : object.spec.finalizers) CheckFinalizer(name, spec / "finalizers", errors);
}

void ValidateNamespaceUpdate(const corev1::Namespace& object, const corev1::Namespace&, FieldErrors& errors) {
  ValidateNamespace(object, errors);
}

// Of /status and of /finalize, which changes the finalizers of the spec.
void ValidateNamespaceStatus(const corev1::Namespace& object, const corev1::Namespace&, FieldErrors& errors) {
  const Path spec("spec");
  const Path finalizers = spec / "finalizers";
  for (size_t i = 0; i < object.spec.finalizers.size(); ++i) {
    CheckFinalizer(object.spec.finalizers[i], finalizers[i], errors);
  }
  const Path status("status");
  const bool deleting = object.metadata.deletionTimestamp.has_value();
  if (object.status.phase == (deleting ? "Terminating" : "Active")) return;
  errors.Invalid(status / "Phase", Json(object.status.phase),
                 deleting ? "may only be 'Terminating' if `deletionTimestamp` is not empty"
                          : "may only be 'Active' if `deletionTimestamp` is empty");
}

// --- Node ---

void SetNodeDefaults(corev1::Node& node) {
  if (node.status.allocatable.empty()) node.status.allocatable = node.status.capacity;
  RoundUpToMilli(node.status.capacity);
  RoundUpToMilli(node.status.allocatable);
  // The older single CIDR and the first of the list are one.
  corev1::NodeSpec& spec = node.spec;
  if (!spec.podCIDR.empty() && (spec.podCIDRs.empty() || std::as_const(spec).podCIDRs[0] != spec.podCIDR)) {
    spec.podCIDRs = {spec.podCIDR};
  } else if (!spec.podCIDRs.empty()) {
    spec.podCIDR = std::as_const(spec).podCIDRs[0];
  }
}

Result<void> PrepareNodeCreate(corev1::Node& node, WriteContext&) {
  node.spec.configSource.reset();
  node.status.config.reset();
  // What the admission plugin TaintNodesByCondition does: a new node takes no pods before it is known to be ready.
  constexpr std::string_view kNotReady = "node.kubernetes.io/not-ready";
  for (const corev1::Taint& taint : std::as_const(node).spec.taints) {
    if (taint.key == kNotReady && taint.effect == "NoSchedule") return {};
  }
  corev1::Taint& taint = node.spec.taints.emplace_back();
  taint.key = kNotReady;
  taint.effect = "NoSchedule";
  return {};
}

Result<void> PrepareNodeUpdate(corev1::Node& node, const corev1::Node& old, WriteContext&) {
  if (!old.spec.configSource) node.spec.configSource.reset();
  return {};
}

Result<void> PrepareNodeStatus(corev1::Node& node, const corev1::Node& old, WriteContext&) {
  if (!old.status.config) node.status.config.reset();
  return {};
}

void CheckTaints(const List<corev1::Taint>& taints, const Path& path, FieldErrors& errors) {
  for (size_t i = 0; i < taints.size(); ++i) {
    const corev1::Taint& taint = taints[i];
    const Path here = path[i];
    CheckQualifiedName(taint.key, here / "key", errors);
    if (!names::IsLabelValue(taint.value)) {
      errors.Invalid(here / "value", Json(taint.value),
                     fmt::format("{}", fmt::join(names::CheckLabelValue(taint.value), ";")));
    }
    if (taint.effect.empty()) {
      errors.Required(here / "effect", "");
    } else if (!IsOneOf(taint.effect, {"NoSchedule", "PreferNoSchedule", "NoExecute"})) {
      errors.NotSupportedAsListed(here / "effect", Json(taint.effect), {"NoSchedule", "PreferNoSchedule", "NoExecute"});
    }
    for (size_t j = 0; j < i; ++j) {
      if (taints[j].key != taint.key || taints[j].effect != taint.effect) continue;
      errors.DuplicateShown(here, InternalForm(taint), "taints must be unique by key and effect pair");
      break;
    }
  }
}

void CheckNodeResources(const corev1::Node& node, FieldErrors& errors) {
  const Path status("status");
  const Path capacity = status / "capacity";
  for (const auto& [name, amount] : node.status.capacity) {
    CheckResourceQuantity(name, amount, capacity / name, errors);
  }
  const Path allocatable = status / "allocatable";
  for (const auto& [name, amount] : node.status.allocatable) {
    CheckResourceQuantity(name, amount, allocatable / name, errors);
  }
}

// "MyFeature" or "MyFeature/subFeature".
bool IsFeatureName(std::string_view name) {
  if (name.empty() || name.front() < 'A' || name.front() > 'Z' || name.back() == '/') return false;
  return name.find("//") == std::string_view::npos && std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '/';
         });
}

void CheckDeclaredFeatures(const List<String>& features, FieldErrors& errors) {
  const Path status("status");
  const Path path = status / "declaredFeatures";
  for (size_t i = 0; i < features.size(); ++i) {
    const String& feature = features[i];
    if (feature.size() > names::kMaxSubdomainLength) {
      errors.Invalid(path[i], Json(feature),
                     fmt::format("invalid feature name \"{}\": must be no more than {} characters", feature.view(),
                                 names::kMaxSubdomainLength));
    } else if (!IsFeatureName(feature)) {
      errors.Invalid(path[i], Json(feature),
                     fmt::format("invalid feature name \"{}\": must start with an UpperCamelCase segment, with "
                                 "subsequent segments separated by '/' (e.g., MyFeature or MyFeature/mySubFeature), "
                                 "and contain only alphanumeric characters and slashes",
                                 feature.view()));
    }
    if (i + 1 == features.size()) break;
    const String& next = features[i + 1];
    if (feature == next) {
      errors.Duplicate(path[i + 1], Json(next));
    } else if (feature > next) {
      errors.Invalid(path[i + 1], Json(next), "list must be sorted alphabetically");
    }
  }
}

void ValidateNode(const corev1::Node& node, FieldErrors& errors) {
  const Path metadata("metadata");  // upstream reports taints there
  CheckTaints(node.spec.taints, metadata / "taints", errors);
  CheckNodeResources(node, errors);
  if (node.status.nodeInfo.swap && node.status.nodeInfo.swap->capacity) {
    const Path swap = metadata / "nodeSwapStatus";
    CheckPositive(*node.status.nodeInfo.swap->capacity, swap / "capacity", errors);
  }
  CheckDeclaredFeatures(node.status.declaredFeatures, errors);
  const Path spec("spec");
  const Path cidrs = spec / "podCIDRs";
  int v4 = 0;
  int v6 = 0;
  for (size_t i = 0; i < node.spec.podCIDRs.size(); ++i) {
    CheckLegacyCidr(node.spec.podCIDRs[i], cidrs[i], errors);
    const std::optional<Cidr> cidr = ParseCidr(node.spec.podCIDRs[i]);
    if (!cidr && node.spec.podCIDRs.size() > 1) {
      errors.Internal(cidrs, fmt::format("invalid PodCIDRs. failed to check with dual stack with error:invalid CIDR "
                                         "address: {}",
                                         node.spec.podCIDRs[i].view()));
    }
    if (cidr) ++(cidr->is_v4() ? v4 : v6);
  }
  if (node.spec.podCIDRs.size() > 1 && (v4 != 1 || v6 != 1)) {
    errors.Invalid(cidrs, Shown(node.spec.podCIDRs), "may specify no more than one CIDR for each IP family");
  }
}

void ValidateNodeChange(const corev1::Node& node, const corev1::Node& old, FieldErrors& errors) {
  CheckNodeResources(node, errors);
  CheckDeclaredFeatures(node.status.declaredFeatures, errors);
  const Path status("status");
  const Path addresses = status / "addresses";
  const List<corev1::NodeAddress>& listed = node.status.addresses;
  for (size_t i = 0; i < listed.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (listed[i].type != listed[j].type || listed[i].address != listed[j].address) continue;
      errors.DuplicateShown(addresses[i], InternalForm(listed[i]));
      break;
    }
  }
  const Path spec("spec");
  constexpr std::string_view kCidrsFixed = "node updates may not change podCIDR except from \"\" to valid";
  if (!old.spec.podCIDRs.empty()) {
    if (old.spec.podCIDRs.size() != node.spec.podCIDRs.size()) {
      errors.Forbidden(spec / "podCIDRs", kCidrsFixed);
    } else {
      for (size_t i = 0; i < old.spec.podCIDRs.size(); ++i) {
        if (old.spec.podCIDRs[i] != node.spec.podCIDRs[i]) errors.Forbidden(spec / "podCIDRs", kCidrsFixed);
      }
    }
  }
  if (!old.spec.providerID.empty() && old.spec.providerID != node.spec.providerID) {
    errors.Forbidden(spec / "providerID", "node updates may not change providerID except from \"\" to valid");
  }
  const Path metadata("metadata");
  CheckTaints(node.spec.taints, metadata / "taints", errors);
  if (node.spec.externalID != old.spec.externalID) errors.Forbidden(spec / "externalID", "may not be updated");
}

void ValidateNodeUpdate(const corev1::Node& node, const corev1::Node& old, FieldErrors& errors) {
  ValidateNode(node, errors);
  ValidateNodeChange(node, old, errors);
}

void WarnOfNode(const corev1::Node& node, std::vector<std::string>& warnings) {
  if (node.spec.configSource) warnings.emplace_back("spec.configSource: the feature is removed");
  if (!node.spec.externalID.empty()) {
    warnings.emplace_back("spec.externalID: this field is deprecated, and is unused by Kubernetes");
  }
}

// --- ServiceAccount ---

// Only the names of secrets are kept.
void KeepSecretNames(corev1::ServiceAccount& account) {
  if (account.secrets.empty()) return;
  for (corev1::ObjectReference& secret : account.secrets.Mutable()) {
    corev1::ObjectReference kept;
    kept.name = secret.name;
    secret = kept;
  }
}

void WarnOfServiceAccount(const corev1::ServiceAccount& account, std::vector<std::string>& warnings) {
  if (!account.metadata.annotations.contains("kubernetes.io/enforce-mountable-secrets")) return;
  warnings.emplace_back(
      "metadata.annotations[kubernetes.io/enforce-mountable-secrets]: deprecated in v1.32+; prefer separate namespaces "
      "to isolate access to mounted secrets");
}

}  // namespace

void AddClusterRules(RulesTable& table) {
  table.Add<corev1::Namespace>(
      {.set_defaults = SetNamespaceDefaults,
       .prepare_create = PrepareNamespaceCreate,
       .prepare_update = PrepareNamespaceUpdate,
       .validate = ValidateNamespace,
       .validate_update = ValidateNamespaceUpdate,
       .validate_status = ValidateNamespaceStatus,
       .selectable_fields = {"status.phase"},
       .read_fields = [](const corev1::Namespace& object,
                         std::vector<std::string>& values) { values.push_back(object.status.phase); },
       .name = NameRule::kLabel,
       .generation = false});
  table.Add<corev1::Node>({.set_defaults = SetNodeDefaults,
                           .prepare_create = PrepareNodeCreate,
                           .prepare_update = PrepareNodeUpdate,
                           .prepare_status = PrepareNodeStatus,
                           .validate = ValidateNode,
                           .validate_update = ValidateNodeUpdate,
                           .validate_status = ValidateNodeChange,
                           .warn = WarnOfNode,
                           .selectable_fields = {"spec.unschedulable"},
                           .read_fields =
                               [](const corev1::Node& node, std::vector<std::string>& values) {
                                 values.emplace_back(node.spec.unschedulable ? "true" : "false");
                               },
                           .generation = false,
                           .status_on_create = true});
  table.Add<corev1::ServiceAccount>(
      {.set_defaults = KeepSecretNames, .warn = WarnOfServiceAccount, .generation = false});
}

}  // namespace keelson::apiserver
