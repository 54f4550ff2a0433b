#include <fmt/format.h>

#include <algorithm>

#include "keelson/api/access.h"
#include "keelson/apiserver/kinds/checks_claim.h"
#include "keelson/apiserver/kinds/checks_common.h"
#include "keelson/apiserver/kinds/pod_checks.h"
#include "keelson/core/ascii.h"

namespace keelson::apiserver {

namespace {

constexpr std::string_view kFileMode = "must be a number between 0 and 0777 (octal), both inclusive";
constexpr std::string_view kPartition = "must be between 1 and 255, inclusive";

void Require(const String& value, const Path& path, FieldErrors& errors) {
  if (value.empty()) errors.Required(path, "");
}

void RequireSecretName(const Optional<corev1::LocalObjectReference>& secret, const Path& path, FieldErrors& errors) {
  if (!secret || !secret->name.empty()) return;
  const Path reference = path / "secretRef";
  errors.Required(reference / "name", "");
}

void CheckMode(const Optional<int32_t>& mode, const Path& path, FieldErrors& errors) {
  if (mode && (*mode > 0777 || *mode < 0)) errors.Invalid(path, Json(*mode), kFileMode);
}

// A path below a volume: relative, without "..", and not the start of one that the node itself uses.
void CheckLocalPath(std::string_view text, const Path& path, FieldErrors& errors) {
  CheckDescendingPath(text, path, errors);
  if (text.starts_with("..") && !text.starts_with("../")) {
    errors.Invalid(path, Json(text), "must not start with '..'");
  }
}

void CheckItem(const corev1::KeyToPath& item, const Path& path, FieldErrors& errors) {
  const Path file = path / "path";
  Require(item.key, path / "key", errors);
  Require(item.path, file, errors);
  CheckLocalPath(item.path, file, errors);
  CheckMode(item.mode, path / "mode", errors);
}

void CheckItems(const List<corev1::KeyToPath>& items, const Path& path, FieldErrors& errors) {
  const Path list = path / "items";
  for (size_t i = 0; i < items.size(); ++i) CheckItem(items[i], list[i], errors);
}

void CheckDownwardFile(const corev1::DownwardAPIVolumeFile& file, const Path& path, FieldErrors& errors) {
  const Path name = path / "path";
  Require(file.path, name, errors);
  CheckLocalPath(file.path, name, errors);
  if (file.fieldRef) {
    CheckFieldRef(*file.fieldRef, FieldRefPlace::kVolume, path / "fieldRef", errors);
    if (file.resourceFieldRef) {
      errors.Invalid(path, Json("resource"), "fieldRef and resourceFieldRef can not be specified simultaneously");
    }
  } else if (file.resourceFieldRef) {
    CheckResourceFieldRef(*file.resourceFieldRef, FieldRefPlace::kVolume, path / "resourceFieldRef", errors);
  } else {
    errors.Required(path, "one of fieldRef and resourceFieldRef is required");
  }
  CheckMode(file.mode, path / "mode", errors);
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsAlphanumeric(char c) { return IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// iqn.2015-06.com.example:target
bool IsIqn(std::string_view text) {
  const auto digits = [&text](size_t start, size_t count) {
    return start + count <= text.size() &&
           std::all_of(text.begin() + static_cast<std::ptrdiff_t>(start),
                       text.begin() + static_cast<std::ptrdiff_t>(start + count), IsDigit);
  };
  if (!text.starts_with("iqn.") || !digits(4, 4) || !digits(9, 2) || text[8] != '-') return false;
  text.remove_prefix(11);
  if (!text.starts_with('.')) return false;
  text.remove_prefix(1);
  const size_t colon = text.find(':');
  if (colon == 0 || colon == std::string_view::npos || colon + 1 == text.size()) return false;
  const std::string_view authority = text.substr(0, colon);
  const std::string_view target = text.substr(colon + 1);
  return std::all_of(authority.begin(), authority.end(),
                     [](char c) { return IsAlphanumeric(c) || c == '-' || c == '.'; }) &&
         target.find_first_of(",;*&$| \t\n\f\r") == std::string_view::npos;
}

// "eui." or "naa." with so many letters and digits; upstream's pattern takes any character for the point.
bool IsNumberedName(std::string_view text, size_t length) {
  return text.size() == 4 + length && std::all_of(text.begin() + 4, text.end(), IsAlphanumeric);
}

void CheckIscsiName(std::string_view name, const Path& path, FieldErrors& errors) {
  const bool iqn = name.starts_with("iqn");
  const bool eui = name.starts_with("eui");
  const bool naa = name.starts_with("naa");
  if (!iqn && !eui && !naa) {
    errors.Invalid(path, Json(name), "must be valid format starting with iqn, eui, or naa");
  } else if ((iqn && !IsIqn(name)) || (eui && !IsNumberedName(name, 16)) || (naa && !IsNumberedName(name, 32))) {
    errors.Invalid(path, Json(name), "must be valid format");
  }
}

void Check(const corev1::HostPathVolumeSource& source, const Path& path, FieldErrors& errors) {
  const Path host_path = path / "path";
  if (source.path.empty()) return errors.Required(host_path, "");
  CheckNoBackstep(source.path, host_path, errors);
  if (source.type && !IsOneOf(*source.type, {"", "DirectoryOrCreate", "Directory", "FileOrCreate", "File", "Socket",
                                             "CharDevice", "BlockDevice"})) {
    errors.NotSupported(
        path / "type", Json(*source.type),
        {"", "DirectoryOrCreate", "Directory", "FileOrCreate", "File", "Socket", "CharDevice", "BlockDevice"});
  }
}

void Check(const corev1::GitRepoVolumeSource& source, const Path& path, FieldErrors& errors) {
  Require(source.repository, path / "repository", errors);
  CheckDescendingPath(source.directory, path / "directory", errors);
}

void Check(const corev1::GCEPersistentDiskVolumeSource& source, const Path& path, FieldErrors& errors) {
  Require(source.pdName, path / "pdName", errors);
  if (source.partition < 0 || source.partition > 255) {
    errors.Invalid(path / "partition", Json(source.partition), kPartition);
  }
}

void Check(const corev1::AWSElasticBlockStoreVolumeSource& source, const Path& path, FieldErrors& errors) {
  Require(source.volumeID, path / "volumeID", errors);
  if (source.partition < 0 || source.partition > 255) {
    errors.Invalid(path / "partition", Json(source.partition), kPartition);
  }
}

void Check(const corev1::SecretVolumeSource& source, const Path& path, FieldErrors& errors) {
  Require(source.secretName, path / "secretName", errors);
  CheckMode(source.defaultMode, path / "defaultMode", errors);
  CheckItems(source.items, path, errors);
}

void Check(const corev1::ConfigMapVolumeSource& source, const Path& path, FieldErrors& errors) {
  Require(source.name, path / "name", errors);
  CheckMode(source.defaultMode, path / "defaultMode", errors);
  CheckItems(source.items, path, errors);
}

void Check(const corev1::NFSVolumeSource& source, const Path& path, FieldErrors& errors) {
  const Path exported = path / "path";
  Require(source.server, path / "server", errors);
  Require(source.path, exported, errors);
  if (!source.path.view().starts_with('/')) errors.Invalid(exported, Json(source.path), "must be an absolute path");
}

void Check(const corev1::ISCSIVolumeSource& source, const Path& path, FieldErrors& errors) {
  Require(source.targetPortal, path / "targetPortal", errors);
  if (source.iqn.empty()) {
    errors.Required(path / "iqn", "");
  } else {
    CheckIscsiName(source.iqn, path / "iqn", errors);
  }
  CheckInRange(source.lun, 0, 255, path / "lun", errors);
  if ((source.chapAuthDiscovery || source.chapAuthSession) && !source.secretRef) {
    errors.Required(path / "secretRef", "");
  }
  if (source.initiatorName) CheckIscsiName(*source.initiatorName, path / "initiatorname", errors);
}

void Check(const corev1::GlusterfsVolumeSource& source, const Path& path, FieldErrors& errors) {
  Require(source.endpoints, path / "endpoints", errors);
  Require(source.path, path / "path", errors);
}

void Check(const corev1::FlockerVolumeSource& source, const Path& path, FieldErrors& errors) {
  if (source.datasetName.empty() && source.datasetUUID.empty()) {
    errors.Required(path, "one of datasetName and datasetUUID is required");
  }
  if (!source.datasetName.empty() && !source.datasetUUID.empty()) {
    errors.Invalid(path, Json("resource"), "datasetName and datasetUUID can not be specified simultaneously");
  }
  if (source.datasetName.view().find('/') != std::string_view::npos) {
    errors.Invalid(path / "datasetName", Json(source.datasetName), "must not contain '/'");
  }
}

void Check(const corev1::PersistentVolumeClaimVolumeSource& source, const Path& path, FieldErrors& errors) {
  Require(source.claimName, path / "claimName", errors);
}

void Check(const corev1::RBDVolumeSource& source, const Path& path, FieldErrors& errors) {
  if (source.monitors.empty()) errors.Required(path / "monitors", "");
  Require(source.image, path / "image", errors);
}

void Check(const corev1::CinderVolumeSource& source, const Path& path, FieldErrors& errors) {
  Require(source.volumeID, path / "volumeID", errors);
  RequireSecretName(source.secretRef, path, errors);
}

void Check(const corev1::CephFSVolumeSource& source, const Path& path, FieldErrors& errors) {
  if (source.monitors.empty()) errors.Required(path / "monitors", "");
}

// "host:port" as Go splits it: one colon, or the host in brackets.
bool IsHostPort(std::string_view text) {
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return false;
  const std::string_view host = text.substr(0, colon);
  if (host.starts_with('[')) return host.find(']') == host.size() - 1;
  return host.find_first_of(":[]") == std::string_view::npos;
}

void Check(const corev1::QuobyteVolumeSource& source, const Path& path, FieldErrors& errors) {
  constexpr std::string_view kPairs = "must be a host:port pair or multiple pairs separated by commas";
  if (source.registry.empty()) {
    errors.Required(path / "registry", kPairs);
  } else if (source.tenant.size() >= 65) {
    errors.Required(path / "tenant", "must be a UUID and may not exceed a length of 64 characters");
  } else {
    std::string_view rest = source.registry;
    while (true) {
      const size_t comma = rest.find(',');
      if (!IsHostPort(rest.substr(0, comma))) errors.Invalid(path / "registry", Json(source.registry), kPairs);
      if (comma == std::string_view::npos) break;
      rest.remove_prefix(comma + 1);
    }
  }
  Require(source.volume, path / "volume", errors);
}

void Check(const corev1::DownwardAPIVolumeSource& source, const Path& path, FieldErrors& errors) {
  CheckMode(source.defaultMode, path / "defaultMode", errors);
  for (const corev1::DownwardAPIVolumeFile& file : source.items) CheckDownwardFile(file, path, errors);
}

void Check(const corev1::FCVolumeSource& source, const Path& path, FieldErrors& errors) {
  const Path names = path / "targetWWNs";
  const Path lun = path / "lun";
  if (source.targetWWNs.empty() && source.wwids.empty()) {
    errors.Required(names, "must specify either targetWWNs or wwids, but not both");
  }
  if (!source.targetWWNs.empty() && !source.wwids.empty()) {
    errors.Invalid(names, Shown(source.targetWWNs), "targetWWNs and wwids can not be specified simultaneously");
  }
  if (source.targetWWNs.empty()) return;
  if (!source.lun) {
    errors.Required(lun, "lun is required if targetWWNs is specified");
  } else {
    CheckInRange(*source.lun, 0, 255, lun, errors);
  }
}

void Check(const corev1::FlexVolumeSource& source, const Path& path, FieldErrors& errors) {
  Require(source.driver, path / "driver", errors);
  const Path options = path / "options";
  for (const auto& [key, value] : source.options) {
    const std::string domain = "." + AsciiLower(key.view().substr(0, key.view().find('/')));
    if (domain.ends_with(".kubernetes.io") || domain.ends_with(".k8s.io")) {
      errors.Invalid(options.Key(key), Json(key), "kubernetes.io and k8s.io namespaces are reserved");
    }
  }
}

void Check(const corev1::AzureFileVolumeSource& source, const Path& path, FieldErrors& errors) {
  Require(source.secretName, path / "secretName", errors);
  Require(source.shareName, path / "shareName", errors);
}

void Check(const corev1::VsphereVirtualDiskVolumeSource& source, const Path& path, FieldErrors& errors) {
  Require(source.volumePath, path / "volumePath", errors);
}

void Check(const corev1::PhotonPersistentDiskVolumeSource& source, const Path& path, FieldErrors& errors) {
  Require(source.pdID, path / "pdID", errors);
}

void Check(const corev1::PortworxVolumeSource& source, const Path& path, FieldErrors& errors) {
  Require(source.volumeID, path / "volumeID", errors);
}

void Check(const corev1::AzureDiskVolumeSource& source, const Path& path, FieldErrors& errors) {
  const Path uri = path / "diskURI";
  Require(source.diskName, path / "diskName", errors);
  Require(source.diskURI, uri, errors);
  if (source.cachingMode) {
    CheckOneOf(*source.cachingMode, {"None", "ReadOnly", "ReadWrite"}, path / "cachingMode", errors);
  }
  if (!source.kind) return;
  CheckOneOf(*source.kind, {"Dedicated", "Managed", "Shared"}, path / "kind", errors);
  if (*source.kind == "Managed" && !source.diskURI.view().starts_with("/subscriptions/")) {
    errors.NotSupported(
        uri, Json(source.diskURI),
        {"/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}"});
  }
  if (*source.kind != "Managed" && !source.diskURI.view().starts_with("https://")) {
    errors.NotSupported(uri, Json(source.diskURI),
                        {"https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd"});
  }
}

void Check(const corev1::StorageOSVolumeSource& source, const Path& path, FieldErrors& errors) {
  const Path name = path / "volumeName";
  if (source.volumeName.empty()) {
    errors.Required(name, "");
  } else {
    CheckDnsLabel(source.volumeName, name, errors);
  }
  if (!source.volumeNamespace.empty()) CheckDnsLabel(source.volumeNamespace, path / "volumeNamespace", errors);
  RequireSecretName(source.secretRef, path, errors);
}

void Check(const corev1::ScaleIOVolumeSource& source, const Path& path, FieldErrors& errors) {
  Require(source.gateway, path / "gateway", errors);
  Require(source.system, path / "system", errors);
  Require(source.volumeName, path / "volumeName", errors);
}

void Check(const corev1::CSIVolumeSource& source, const Path& path, FieldErrors& errors) {
  const Path driver = path / "driver";
  if (source.driver.empty()) {
    errors.Required(driver, "");
  } else {
    if (source.driver.size() > 63) errors.TooLong(driver, 63);
    const std::string lower = AsciiLower(source.driver);
    if (!names::IsDns1123Subdomain(lower)) {
      errors.InvalidForEach(driver, source.driver, names::CheckDns1123Subdomain(lower));
    }
  }
  if (!source.nodePublishSecretRef) return;
  const Path secret = path / "nodePublishSecretRef";
  if (source.nodePublishSecretRef->name.empty()) {
    errors.Required(secret / "name", "");
  } else {
    CheckDnsSubdomain(source.nodePublishSecretRef->name, path / "name", errors);
  }
}

// Only labels and annotations of the claim's metadata count; nothing else may be set.
void CheckClaimMetadata(const metav1::ObjectMeta& metadata, const Path& path, FieldErrors& errors) {
  CheckAnnotationKeys(metadata.annotations, path / "annotations", errors);
  CheckLabels(metadata.labels, path / "labels", errors);
  for (const Field& field : TypeOf<metav1::ObjectMeta>().fields) {
    if (field.name == "labels" || field.name == "annotations") continue;
    if (!IsZero(*field.type, ReadField(field, &metadata))) errors.Forbidden(path / field.name, "cannot be set");
  }
}

void Check(const corev1::EphemeralVolumeSource& source, const Path& path, FieldErrors& errors) {
  const Path claim = path / "volumeClaimTemplate";
  if (!source.volumeClaimTemplate) return errors.Required(claim, "");
  CheckClaimMetadata(source.volumeClaimTemplate->metadata, claim / "metadata", errors);
  CheckClaimSpec(source.volumeClaimTemplate->spec, claim / "spec", errors);
}

class ProjectedCheck {
 public:
  ProjectedCheck(const Path& path, FieldErrors& errors) : path_(path), errors_(errors) {}

  void Run(const corev1::ProjectedVolumeSource& projected, bool any_token_path) {
    CheckMode(projected.defaultMode, path_ / "defaultMode", errors_);
    const Path sources = path_ / "sources";
    for (size_t i = 0; i < projected.sources.size(); ++i) Source(projected.sources[i], sources[i], any_token_path);
  }

 private:
  void Source(const corev1::VolumeProjection& source, const Path& path, bool any_token_path) {
    int count = 0;
    if (source.secret) {
      ++count;
      KeysOf(*source.secret, path / "secret");
    }
    if (source.configMap) {
      ++count;
      KeysOf(*source.configMap, path / "configMap");
    }
    if (source.downwardAPI) {
      ++count;
      const Path at = path / "downwardAPI";
      for (const corev1::DownwardAPIVolumeFile& file : source.downwardAPI->items) {
        CheckDownwardFile(file, at, errors_);
        if (!file.path.empty()) Claim(file.path, file.path);
      }
    }
    if (source.serviceAccountToken) {
      ++count;
      Token(*source.serviceAccountToken, path / "serviceAccountToken", any_token_path);
    }
    if (count > 1) errors_.Forbidden(path, "may not specify more than 1 volume type per source");
  }

  // A SecretProjection or a ConfigMapProjection.
  template <class Projection>
  void KeysOf(const Projection& projection, const Path& path) {
    Require(projection.name, path / "name", errors_);
    const Path items = path / "items";
    for (size_t i = 0; i < projection.items.size(); ++i) {
      const corev1::KeyToPath& item = projection.items[i];
      CheckItem(item, items[i], errors_);
      if (!item.path.empty()) Claim(item.path, projection.name);
    }
  }

  void Token(const corev1::ServiceAccountTokenProjection& token, const Path& path, bool any_path) {
    const Path expiry = path / "expirationSeconds";
    const int64_t seconds = token.expirationSeconds.value_or(int64_t{0});
    if (seconds < 600) errors_.Invalid(expiry, Json(seconds), "may not specify a duration less than 10 minutes");
    if (seconds > int64_t{1} << 32) {
      errors_.Invalid(expiry, Json(seconds), "may not specify a duration larger than 2^32 seconds");
    }
    // Upstream names the path of the volume here.
    if (token.path.empty()) {
      errors_.Required(path_ / "path", "");
    } else if (!any_path) {
      CheckLocalPath(token.path, path_ / "path", errors_);
    }
  }

  void Claim(std::string_view file, std::string_view shown) {
    if (!files_.Insert(file)) errors_.Invalid(path_, Json(shown), "conflicting duplicate paths");
  }

  const Path& path_;
  FieldErrors& errors_;
  NameSet files_;
};

bool HasNonLocalTokenPath(const corev1::PodSpec* spec) {
  if (spec == nullptr) return false;
  for (const corev1::Volume& volume : spec->volumes) {
    if (!volume.projected) continue;
    for (const corev1::VolumeProjection& source : volume.projected->sources) {
      if (!source.serviceAccountToken) continue;
      const std::string_view path = source.serviceAccountToken->path;
      if (path.starts_with('/') || path.starts_with("..") || HasBackstep(path)) return true;
    }
  }
  return false;
}

// Exactly one source of a volume, in the order in which upstream looks at them.
class SourceCheck {
 public:
  SourceCheck(const Path& path, FieldErrors& errors) : path_(path), errors_(errors) {}

  template <class Source, class Visit>
  bool OneBy(const Optional<Source>& source, std::string_view name, Visit visit) {
    if (!source) return false;
    if (++count_ > 1) {
      errors_.Forbidden(path_ / name, "may not specify more than 1 volume type");
      return false;
    }
    visit(*source);
    return true;
  }
  // `checked_as`: the name under which upstream reports what is wrong inside.
  template <class Source>
  bool One(const Optional<Source>& source, std::string_view name, std::string_view checked_as = {}) {
    return OneBy(source, name,
                 [&](const Source& value) { Check(value, path_ / (checked_as.empty() ? name : checked_as), errors_); });
  }
  bool none() const { return count_ == 0; }

 private:
  const Path& path_;
  FieldErrors& errors_;
  int count_ = 0;
};

void CheckSource(const corev1::Volume& volume, const Path& path, FieldErrors& errors, const PodCheckOptions& options) {
  SourceCheck check(path, errors);
  check.OneBy(volume.emptyDir, "emptyDir", [&](const corev1::EmptyDirVolumeSource& source) {
    if (!source.sizeLimit || source.sizeLimit->Sign() >= 0) return;
    const Path empty_dir = path / "emptyDir";
    errors.Forbidden(empty_dir / "sizeLimit", "SizeLimit field must be a valid resource quantity");
  });
  check.One(volume.hostPath, "hostPath");
  check.One(volume.gitRepo, "gitRepo");
  check.One(volume.gcePersistentDisk, "gcePersistentDisk", "persistentDisk");
  check.One(volume.awsElasticBlockStore, "awsElasticBlockStore");
  check.One(volume.secret, "secret");
  check.One(volume.nfs, "nfs");
  check.One(volume.iscsi, "iscsi");
  if (volume.iscsi && volume.iscsi->initiatorName && volume.name.size() + 1 + volume.iscsi->targetPortal.size() > 64) {
    errors.Invalid(path / "name", Json(volume.name),
                   "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if "
                   "iscsi.initiatorName is specified.");
  }
  check.One(volume.glusterfs, "glusterfs");
  check.One(volume.flocker, "flocker");
  check.One(volume.persistentVolumeClaim, "persistentVolumeClaim");
  check.One(volume.rbd, "rbd");
  check.One(volume.cinder, "cinder");
  check.One(volume.cephfs, "cephFS", "cephfs");
  check.One(volume.quobyte, "quobyte");
  check.One(volume.downwardAPI, "downwarAPI", "downwardAPI");
  check.One(volume.fc, "fc");
  check.One(volume.flexVolume, "flexVolume");
  check.One(volume.configMap, "configMap");
  check.One(volume.azureFile, "azureFile");
  check.One(volume.vsphereVolume, "vsphereVolume");
  check.One(volume.photonPersistentDisk, "photonPersistentDisk");
  check.One(volume.portworxVolume, "portworxVolume");
  check.One(volume.azureDisk, "azureDisk");
  check.One(volume.storageos, "storageos");
  check.OneBy(volume.projected, "projected", [&](const corev1::ProjectedVolumeSource& source) {
    ProjectedCheck(path / "projected", errors).Run(source, HasNonLocalTokenPath(options.old));
  });
  check.One(volume.scaleIO, "scaleIO");
  check.One(volume.csi, "csi");
  if (check.One(volume.ephemeral, "ephemeral") && options.pod != nullptr && !options.pod->name.empty() &&
      !volume.name.empty()) {
    const std::string claim = options.pod->name + ("-" + volume.name.str());
    for (const std::string& reason : names::CheckDns1123Subdomain(claim)) {
      errors.Invalid(path / "name", Json(volume.name), fmt::format("PVC name \"{}\": {}", claim, reason));
    }
  }
  check.OneBy(volume.image, "image", [&](const corev1::ImageVolumeSource& source) {
    const Path image = path / "image";
    if (options.pod != nullptr && source.reference.empty()) errors.Required(image / "reference", "");
    CheckPullPolicy(source.pullPolicy, image / "pullPolicy", errors);
  });
  if (check.none()) errors.Required(path, "must specify a volume type");
}

// Whether the pod makes a claim of that name for one of its ephemeral volumes.
bool MakesClaim(const corev1::PodSpec& spec, std::string_view pod_name, std::string_view claim) {
  if (!claim.starts_with(pod_name) || !claim.substr(pod_name.size()).starts_with('-')) return false;
  claim.remove_prefix(pod_name.size() + 1);
  return std::any_of(spec.volumes.begin(), spec.volumes.end(),
                     [claim](const corev1::Volume& volume) { return volume.ephemeral && volume.name == claim; });
}

}  // namespace

bool HasBackstep(std::string_view text) {
  while (true) {
    const size_t slash = text.find('/');
    if (text.substr(0, slash) == "..") return true;
    if (slash == std::string_view::npos) return false;
    text.remove_prefix(slash + 1);
  }
}

void CheckNoBackstep(std::string_view text, const Path& path, FieldErrors& errors) {
  if (HasBackstep(text)) errors.Invalid(path, Json(text), "must not contain '..'");
}

void CheckDescendingPath(std::string_view text, const Path& path, FieldErrors& errors) {
  if (text.starts_with('/')) errors.Invalid(path, Json(text), "must be a relative path");
  CheckNoBackstep(text, path, errors);
}

void CheckPullPolicy(std::string_view policy, const Path& path, FieldErrors& errors) {
  if (policy.empty()) return errors.Required(path, "");
  CheckOneOf(policy, {"Always", "IfNotPresent", "Never"}, path, errors);
}

void CheckVolumes(const corev1::PodSpec& spec, const Path& path, FieldErrors& errors, const PodCheckOptions& options,
                  VolumeIndex& index) {
  NameSet names;
  for (size_t i = 0; i < spec.volumes.size(); ++i) {
    const corev1::Volume& volume = spec.volumes[i];
    const Path at = path[i];
    const Path name = at / "name";
    const size_t before = errors.size();
    CheckSource(volume, at, errors, options);
    if (volume.name.empty()) {
      errors.Required(name, "");
    } else {
      CheckDnsLabel(volume.name, name, errors);
    }
    if (names.Has(volume.name)) errors.Duplicate(name, Json(volume.name));
    if (errors.size() == before) {
      names.Insert(volume.name);
      index.Insert(volume);
    }
    if (volume.persistentVolumeClaim && options.pod != nullptr && !options.pod->name.empty() &&
        MakesClaim(spec, options.pod->name, volume.persistentVolumeClaim->claimName)) {
      const Path claim = at / "persistentVolumeClaim";
      errors.Invalid(claim / "claimName", Json(volume.persistentVolumeClaim->claimName),
                     "must not reference a PVC that gets created for an ephemeral volume");
    }
  }
}

}  // namespace keelson::apiserver
