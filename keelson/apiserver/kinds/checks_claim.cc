#include "keelson/apiserver/kinds/checks_claim.h"

#include "keelson/apiserver/kinds/checks_common.h"

namespace keelson::apiserver {

namespace {

// A TypedLocalObjectReference or a TypedObjectReference.
template <class Reference>
void CheckSource(const Reference& source, const Path& path, FieldErrors& errors) {
  if (source.name.empty()) errors.Required(path / "name", "");
  if (source.kind.empty()) errors.Required(path / "kind", "");
  const String& group = source.apiGroup.OrDefault();
  if (group.empty() && source.kind != "PersistentVolumeClaim") {
    errors.Invalid(path, Json(source.kind), "must be 'PersistentVolumeClaim' when referencing the default apiGroup");
  }
  if (!group.empty()) CheckDnsSubdomain(group, path / "apiGroup", errors);
}

bool IsSameSource(const corev1::TypedLocalObjectReference& source, const corev1::TypedObjectReference& reference) {
  return source.apiGroup.OrDefault() == reference.apiGroup.OrDefault() &&
         source.apiGroup.has_value() == reference.apiGroup.has_value() && source.kind == reference.kind &&
         source.name == reference.name;
}

void CheckAccessModes(const List<String>& modes, const Path& path, FieldErrors& errors) {
  bool once_pod = false;
  bool others = false;
  for (const String& mode : modes) {
    const bool known = IsOneOf(mode, {"ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"});
    if (!known) {
      errors.NotSupported(path, Json(mode), {"ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"});
    } else if (mode == "ReadWriteOncePod") {
      once_pod = true;
    } else {
      others = true;
    }
  }
  if (once_pod && others) errors.Forbidden(path, "may not use ReadWriteOncePod with other access modes");
}

}  // namespace

void CheckClaimSpec(const corev1::PersistentVolumeClaimSpec& spec, const Path& path, FieldErrors& errors) {
  const Path modes = path / "accessModes";
  if (spec.accessModes.empty()) errors.Required(modes, "at least 1 access mode is required");
  CheckLabelSelector(spec.selector, path / "selector", errors);
  CheckAccessModes(spec.accessModes, modes, errors);

  const Path resources = path / "resources";
  const Path storage = resources.Key("storage");
  if (const Quantity* asked = spec.resources.requests.find("storage")) {
    if (asked->Sign() <= 0) errors.Invalid(storage, Shown(*asked), "must be greater than zero");
  } else {
    errors.Required(storage, "");
  }
  if (const String& name = spec.storageClassName.OrDefault(); !name.empty()) {
    CheckDnsSubdomain(name, path / "storageClassName", errors);
  }
  if (spec.volumeMode && *spec.volumeMode != "Block" && *spec.volumeMode != "Filesystem") {
    errors.NotSupported(path / "volumeMode", Json(*spec.volumeMode), {"Block", "Filesystem"});
  }

  if (spec.dataSource) CheckSource(*spec.dataSource, path / "dataSource", errors);
  const Path reference = path / "dataSourceRef";
  const String* space = nullptr;
  if (spec.dataSourceRef) {
    CheckSource(*spec.dataSourceRef, reference, errors);
    if (const String& name = spec.dataSourceRef->namespace_.OrDefault(); !name.empty()) {
      space = &name;
      CheckDnsLabel(name, reference / "namespace", errors);
    }
  }
  // Upstream shows the path in place of the value.
  if (space != nullptr && spec.dataSource) {
    errors.Invalid(path, Json::Object(), "may not be specified when dataSourceRef.namespace is specified");
  } else if (spec.dataSource && spec.dataSourceRef && !IsSameSource(*spec.dataSource, *spec.dataSourceRef)) {
    errors.Invalid(path, Json::Object(), "must match dataSourceRef");
  }
  if (const String& name = spec.volumeAttributesClassName.OrDefault(); !name.empty()) {
    CheckDnsSubdomain(name, path / "volumeAttributesClassName", errors);
  }
}

}  // namespace keelson::apiserver
