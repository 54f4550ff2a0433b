#include <fmt/format.h>

#include "keelson/apiserver/kinds/checks_common.h"
#include "keelson/apiserver/kinds/checks_node_selector.h"
#include "keelson/apiserver/kinds/storage_checks.h"
#include "keelson/core/ascii.h"

namespace keelson::apiserver {

namespace {

constexpr std::string_view kInline = "may not be specified in the context of inline volumes";

void RequireText(const String& text, const Path& path, FieldErrors& errors) {
  if (text.empty()) errors.Required(path, "");
}

void CheckNoBacksteps(std::string_view text, const Path& path, FieldErrors& errors) {
  for (std::string_view rest = text;;) {
    const size_t slash = rest.find('/');
    if (rest.substr(0, slash) == "..") return errors.Invalid(path, Json(text), "must not contain '..'");
    if (slash == std::string_view::npos) return;
    rest.remove_prefix(slash + 1);
  }
}

void CheckSecret(const Optional<corev1::SecretReference>& secret, const Path& path, FieldErrors& errors) {
  if (!secret) return;
  if (secret->name.empty()) {
    errors.Required(path / "name", "");
  } else {
    CheckDnsSubdomain(secret->name, path / "name", errors);
  }
  if (secret->namespace_.empty()) {
    errors.Required(path / "namespace", "");
  } else {
    CheckDnsLabel(secret->namespace_, path / "namespace", errors);
  }
}

void CheckHostPath(const corev1::HostPathVolumeSource& source, const Path& path, FieldErrors& errors) {
  if (source.path.empty()) return errors.Required(path / "path", "");
  CheckNoBacksteps(source.path, path / "path", errors);
  if (source.type) {
    CheckOneOf(*source.type,
               {"", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"},
               path / "type", errors);
  }
}

void CheckNfs(const corev1::NFSVolumeSource& source, const Path& path, FieldErrors& errors) {
  RequireText(source.server, path / "server", errors);
  RequireText(source.path, path / "path", errors);
  if (!source.path.view().starts_with('/')) {
    errors.Invalid(path / "path", Json(source.path), "must be an absolute path");
  }
}

void CheckIscsi(const corev1::ISCSIPersistentVolumeSource& source, std::string_view name, const Path& path,
                FieldErrors& errors) {
  RequireText(source.targetPortal, path / "targetPortal", errors);
  if (source.initiatorName && name.size() + 1 + source.targetPortal.size() > 64) {
    errors.Invalid(path / "targetportal", Json(source.targetPortal),
                   "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if "
                   "iscsi.initiatorName is specified.");
  }
  const std::string_view iqn = source.iqn;
  if (iqn.empty()) {
    errors.Required(path / "iqn", "");
  } else if (!iqn.starts_with("iqn") && !iqn.starts_with("eui") && !iqn.starts_with("naa")) {
    errors.Invalid(path / "iqn", Json(iqn), "must be valid format");
  }
  CheckInRange(source.lun, 0, 255, path / "lun", errors);
  const Path secret = path / "secretRef";
  if ((source.chapAuthDiscovery || source.chapAuthSession) && !source.secretRef) errors.Required(secret, "");
  if (source.secretRef) RequireText(source.secretRef->name, secret / "name", errors);
}

void CheckFc(const corev1::FCVolumeSource& source, const Path& path, FieldErrors& errors) {
  const Path targets = path / "targetWWNs";
  if (source.targetWWNs.empty() && source.wwids.empty()) {
    errors.Required(targets, "must specify either targetWWNs or wwids, but not both");
  }
  if (!source.targetWWNs.empty() && !source.wwids.empty()) {
    errors.Invalid(targets, Shown(source.targetWWNs), "targetWWNs and wwids can not be specified simultaneously");
  }
  if (source.targetWWNs.empty()) return;
  if (!source.lun) {
    errors.Required(path / "lun", "lun is required if targetWWNs is specified");
  } else {
    CheckInRange(*source.lun, 0, 255, path / "lun", errors);
  }
}

void CheckFlex(const corev1::FlexPersistentVolumeSource& source, const Path& path, FieldErrors& errors) {
  RequireText(source.driver, path / "driver", errors);
  const Path options = path / "options";
  for (const auto& [key, value] : source.options) {
    const std::string domain = "." + AsciiLower(key.view().substr(0, key.view().find('/')));
    if (domain.ends_with(".kubernetes.io") || domain.ends_with(".k8s.io")) {
      errors.Invalid(options.Key(key), Json(key), "kubernetes.io and k8s.io namespaces are reserved");
    }
  }
}

void CheckCsi(const corev1::CSIPersistentVolumeSource& source, const Path& path, FieldErrors& errors) {
  CheckCsiDriverName(source.driver, path / "driver", errors);
  RequireText(source.volumeHandle, path / "volumeHandle", errors);
  CheckSecret(source.controllerPublishSecretRef, path / "controllerPublishSecretRef", errors);
  CheckSecret(source.controllerExpandSecretRef, path / "controllerExpandSecretRef", errors);
  CheckSecret(source.nodePublishSecretRef, path / "nodePublishSecretRef", errors);
  CheckSecret(source.nodeExpandSecretRef, path / "nodeExpandSecretRef", errors);
}

// Exactly one source; the others are named, the first is looked into.
class Sources {
 public:
  Sources(const Path& path, FieldErrors& errors) : path_(path), errors_(errors) {}

  template <class T, class Check>
  void One(const Optional<T>& source, std::string_view name, Check check) {
    if (!source) return;
    const Path here = path_ / name;
    if (found_) return errors_.Forbidden(here, "may not specify more than 1 volume type");
    found_ = true;
    check(*source, here);
  }
  bool found() const { return found_; }

 private:
  const Path& path_;
  FieldErrors& errors_;
  bool found_ = false;
};

// Whether there was one.
bool CheckSources(const corev1::PersistentVolumeSpec& spec, std::string_view name, const Path& path,
                  FieldErrors& errors) {
  Sources sources(path, errors);
  const auto with = [&](auto check) {
    return [check, &errors](const auto& source, const Path& here) { check(source, here, errors); };
  };
  sources.One(spec.hostPath, "hostPath", with(CheckHostPath));
  sources.One(spec.gcePersistentDisk, "gcePersistentDisk", [&](const auto& source, const Path&) {
    const Path disk = path / "persistentDisk";
    RequireText(source.pdName, disk / "pdName", errors);
    CheckInRange(source.partition, 0, 255, disk / "partition", errors);
  });
  sources.One(spec.awsElasticBlockStore, "awsElasticBlockStore", [&](const auto& source, const Path& here) {
    RequireText(source.volumeID, here / "volumeID", errors);
    CheckInRange(source.partition, 0, 255, here / "partition", errors);
  });
  sources.One(spec.glusterfs, "glusterfs", [&](const auto& source, const Path& here) {
    RequireText(source.endpoints, here / "endpoints", errors);
    RequireText(source.path, here / "path", errors);
  });
  sources.One(spec.flocker, "flocker", [&](const auto& source, const Path& here) {
    if (source.datasetName.empty() && source.datasetUUID.empty()) {
      errors.Required(here, "one of datasetName and datasetUUID is required");
    }
  });
  sources.One(spec.nfs, "nfs", with(CheckNfs));
  sources.One(spec.rbd, "rbd", [&](const auto& source, const Path& here) {
    if (source.monitors.empty()) errors.Required(here / "monitors", "");
    RequireText(source.image, here / "image", errors);
  });
  sources.One(spec.quobyte, "quobyte", [&](const auto& source, const Path& here) {
    if (source.registry.empty()) {
      errors.Required(here / "registry", "must be a host:port pair or multiple pairs separated by commas");
    }
    RequireText(source.volume, here / "volume", errors);
  });
  sources.One(spec.cephfs, "cephfs", [&](const auto& source, const Path& here) {
    if (source.monitors.empty()) errors.Required(here / "monitors", "");
  });
  sources.One(spec.iscsi, "iscsi",
              [&](const auto& source, const Path& here) { CheckIscsi(source, name, here, errors); });
  sources.One(spec.cinder, "cinder",
              [&](const auto& source, const Path& here) { RequireText(source.volumeID, here / "volumeID", errors); });
  sources.One(spec.fc, "fc", with(CheckFc));
  sources.One(spec.flexVolume, "flexVolume", with(CheckFlex));
  sources.One(spec.azureFile, "azureFile", [&](const auto& source, const Path& here) {
    RequireText(source.secretName, here / "secretName", errors);
    RequireText(source.shareName, here / "shareName", errors);
    if (source.secretNamespace) RequireText(*source.secretNamespace, here / "secretNamespace", errors);
  });
  sources.One(spec.vsphereVolume, "vsphereVolume", [&](const auto& source, const Path& here) {
    RequireText(source.volumePath, here / "volumePath", errors);
  });
  sources.One(spec.photonPersistentDisk, "photonPersistentDisk",
              [&](const auto& source, const Path& here) { RequireText(source.pdID, here / "pdID", errors); });
  sources.One(spec.portworxVolume, "portworxVolume",
              [&](const auto& source, const Path& here) { RequireText(source.volumeID, here / "volumeID", errors); });
  sources.One(spec.azureDisk, "azureDisk", [&](const auto& source, const Path& here) {
    RequireText(source.diskName, here / "diskName", errors);
    RequireText(source.diskURI, here / "diskURI", errors);
  });
  sources.One(spec.scaleIO, "scaleIO", [&](const auto& source, const Path& here) {
    RequireText(source.gateway, here / "gateway", errors);
    RequireText(source.system, here / "system", errors);
    RequireText(source.volumeName, here / "volumeName", errors);
  });
  sources.One(spec.local, "local", [&](const auto& source, const Path& here) {
    if (source.path.empty()) {
      errors.Required(here / "path", "");
    } else {
      CheckNoBacksteps(source.path, here / "path", errors);
    }
    if (!spec.nodeAffinity) errors.Required(path / "nodeAffinity", "Local volume requires node affinity");
  });
  sources.One(spec.storageos, "storageos", [&](const auto& source, const Path& here) {
    RequireText(source.volumeName, here / "volumeName", errors);
  });
  sources.One(spec.csi, "csi", with(CheckCsi));
  return sources.found();
}

void CheckModes(const List<String>& modes, const Path& path, FieldErrors& errors) {
  bool pod = false;
  bool other = false;
  if (modes.empty()) errors.Required(path, "");
  for (const String& mode : modes) {
    CheckOneOf(mode, {"ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"}, path, errors);
    if (mode == "ReadWriteOncePod") {
      pod = true;
    } else if (IsOneOf(mode, {"ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce"})) {
      other = true;
    }
  }
  if (pod && other) errors.Forbidden(path, "may not use ReadWriteOncePod with other access modes");
}

void CheckCapacity(const corev1::ResourceList& capacity, const Path& path, FieldErrors& errors) {
  if (capacity.empty()) errors.Required(path, "");
  if (!capacity.contains("storage") || capacity.size() > 1) {
    constexpr std::string_view kSupported[] = {"storage"};
    errors.NotSupportedShown(path, InternalForm(capacity), kSupported);
  }
  for (const auto& [name, amount] : capacity) {
    if (amount.Value() < 0) errors.Invalid(path.Key(name), Json(amount.Value()), "must be a valid resource quantity");
    if (amount.Sign() <= 0) errors.Invalid(path.Key(name), Shown(amount), "must be greater than zero");
  }
}

bool IsRoot(std::string_view path) {
  return !path.empty() && path.front() == '/' && path.find_first_not_of("/.") == std::string_view::npos &&
         path.find("...") == std::string_view::npos;
}

}  // namespace

void CheckCsiDriverName(std::string_view name, const Path& path, FieldErrors& errors) {
  constexpr size_t kMaxName = 63;
  if (name.empty()) return errors.Required(path, "");
  if (name.size() > kMaxName) errors.TooLong(path, kMaxName);
  if (names::IsDns1123Subdomain(name)) return;
  errors.InvalidForEach(path, name, names::CheckDns1123Subdomain(AsciiLower(name)));
}

void CheckVolumeSpec(const corev1::PersistentVolumeSpec& spec, std::string_view name, const Path& path,
                     VolumeSpecOptions options, FieldErrors& errors) {
  const bool in_line = options.is_inline;
  if (in_line) {
    if (spec.claimRef) errors.Forbidden(path / "claimRef", kInline);
    if (!spec.capacity.empty()) errors.Forbidden(path / "capacity", kInline);
    if (!spec.csi) errors.Required(path / "csi", "has to be specified in the context of inline volumes");
  }
  CheckModes(spec.accessModes, path / "accessModes", errors);
  if (!in_line) CheckCapacity(spec.capacity, path / "capacity", errors);
  const Path reclaim = path / "persistentVolumeReclaimPolicy";
  if (!spec.persistentVolumeReclaimPolicy.empty()) {
    if (!in_line) {
      CheckOneOf(spec.persistentVolumeReclaimPolicy, {"Delete", "Recycle", "Retain"}, reclaim, errors);
    } else if (spec.persistentVolumeReclaimPolicy != "Retain") {
      errors.Forbidden(reclaim, "may only be Retain in the context of inline volumes");
    }
  }
  if (spec.nodeAffinity) {
    const Path affinity = path / "nodeAffinity";
    if (in_line) {
      errors.Forbidden(affinity, kInline);
    } else if (!spec.nodeAffinity->required) {
      errors.Required(affinity / "required", "must specify required node constraints");
    } else {
      CheckNodeSelector(*spec.nodeAffinity->required, options.any_label_value, affinity / "required", errors);
    }
  }
  if (!CheckSources(spec, name, path, errors)) errors.Required(path, "must specify a volume type");
  if (spec.hostPath && IsRoot(spec.hostPath->path) && spec.persistentVolumeReclaimPolicy == "Recycle") {
    errors.Forbidden(reclaim, "may not be 'recycle' for a hostPath mount of '/'");
  }
  if (!spec.storageClassName.empty()) {
    if (in_line) {
      errors.Forbidden(path / "storageClassName", kInline);
    } else {
      CheckDnsSubdomain(spec.storageClassName, path / "storageClassName", errors);
    }
  }
  if (spec.volumeMode) {
    if (!in_line) {
      CheckOneOf(*spec.volumeMode, {"Block", "Filesystem"}, path / "volumeMode", errors);
    } else if (*spec.volumeMode != "Filesystem") {
      errors.Forbidden(path / "volumeMode",
                       "may not specify volumeMode other than Filesystem in the context of inline volumes");
    }
  }
  if (!spec.volumeAttributesClassName || in_line) return;
  const Path attributes = path / "volumeAttributesClassName";
  if (spec.volumeAttributesClassName->empty()) {
    errors.Required(attributes, "an empty string is disallowed");
  } else {
    CheckDnsSubdomain(*spec.volumeAttributesClassName, attributes, errors);
  }
  if (!spec.csi) errors.Required(path / "csi", "has to be specified when using volumeAttributesClassName");
}

}  // namespace keelson::apiserver
