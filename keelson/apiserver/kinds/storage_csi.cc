// CSIDriver, CSINode and VolumeAttachment.
#include <fmt/format.h>

#include "keelson/api/storage/v1.h"
#include "keelson/apiserver/kinds/checks_common.h"
#include "keelson/apiserver/kinds/kind_groups.h"
#include "keelson/apiserver/kinds/name_set.h"
#include "keelson/apiserver/kinds/storage_checks.h"

namespace keelson::apiserver {

namespace {

constexpr std::string_view kTokensInSecrets =
    "spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible "
    "logging of tokens in volume attributes";

// --- CSIDriver ---

void SetDriverDefaults(storagev1::CSIDriver& driver) {
  storagev1::CSIDriverSpec& spec = driver.spec;
  if (!spec.attachRequired) spec.attachRequired = true;
  if (!spec.podInfoOnMount) spec.podInfoOnMount = false;
  if (!spec.storageCapacity) spec.storageCapacity = false;
  if (!spec.fsGroupPolicy) spec.fsGroupPolicy = "ReadWriteOnceWithFSType";
  if (spec.volumeLifecycleModes.empty()) spec.volumeLifecycleModes.push_back("Persistent");
  if (!spec.requiresRepublish) spec.requiresRepublish = false;
  if (!spec.seLinuxMount) spec.seLinuxMount = false;
}

Result<void> PrepareDriverCreate(storagev1::CSIDriver& driver, WriteContext& context) {
  driver.spec.preventPodSchedulingIfMissing.reset();
  if (!driver.spec.tokenRequests.empty() && !driver.spec.serviceAccountTokenInSecrets) {
    context.warnings.emplace_back(kTokensInSecrets);
  }
  return {};
}

Result<void> PrepareDriverUpdate(storagev1::CSIDriver& driver, const storagev1::CSIDriver& old, WriteContext& context) {
  if (!Equal(driver.spec, old.spec)) ++driver.metadata.generation;
  if (!old.spec.preventPodSchedulingIfMissing) driver.spec.preventPodSchedulingIfMissing.reset();
  if (!driver.spec.tokenRequests.empty() && !driver.spec.serviceAccountTokenInSecrets &&
      !Equal(driver.spec.tokenRequests, old.spec.tokenRequests)) {
    context.warnings.emplace_back(kTokensInSecrets);
  }
  return {};
}

void ValidateDriver(const storagev1::CSIDriver& driver, FieldErrors& errors) {
  constexpr int64_t kLeastSeconds = 600;
  constexpr int64_t kMostSeconds = int64_t{1} << 32;
  const storagev1::CSIDriverSpec& spec = driver.spec;
  const Path path("spec");
  if (spec.fsGroupPolicy) {
    CheckOneOf(*spec.fsGroupPolicy, {"File", "None", "ReadWriteOnceWithFSType"}, path / "fsGroupPolicy", errors);
  }
  const Path tokens = path / "tokenRequests";
  NameSet audiences;
  for (size_t i = 0; i < spec.tokenRequests.size(); ++i) {
    const storagev1::TokenRequest& request = spec.tokenRequests[i];
    const Path here = tokens[i];
    if (!audiences.Insert(request.audience)) {
      errors.Duplicate(here / "audience", Json(request.audience));
      continue;
    }
    if (!request.expirationSeconds) continue;
    const Path expiration = here / "expirationSeconds";
    if (*request.expirationSeconds < kLeastSeconds) {
      errors.Invalid(expiration, Json(*request.expirationSeconds), "may not specify a duration less than 10 minutes");
    }
    if (*request.expirationSeconds > kMostSeconds) {
      errors.Invalid(expiration, Json(*request.expirationSeconds),
                     "may not specify a duration larger than 2^32 seconds");
    }
  }
  for (const String& mode : spec.volumeLifecycleModes) {
    if (!IsOneOf(mode, {"Persistent", "Ephemeral"})) {
      errors.NotSupportedAsListed(path / "volumeLifecycleModes", Json(mode), {"Persistent", "Ephemeral"});
    }
  }
  if (spec.nodeAllocatableUpdatePeriodSeconds && *spec.nodeAllocatableUpdatePeriodSeconds < 10) {
    errors.Invalid(path / "nodeAllocatableUpdatePeriodSeconds", Json(*spec.nodeAllocatableUpdatePeriodSeconds),
                   "must be greater than or equal to 10 seconds");
  }
  if (spec.serviceAccountTokenInSecrets && spec.tokenRequests.empty()) {
    errors.Invalid(path / "serviceAccountTokenInSecrets", Json(*spec.serviceAccountTokenInSecrets),
                   "serviceAccountTokenInSecrets is set but no tokenRequests are specified");
  }
}

void ValidateDriverUpdate(const storagev1::CSIDriver& driver, const storagev1::CSIDriver& old, FieldErrors& errors) {
  ValidateDriver(driver, errors);
  const Path path("spec");
  CheckImmutable(driver.spec.attachRequired, old.spec.attachRequired, path / "attachedRequired", errors);
  CheckImmutable(driver.spec.volumeLifecycleModes, old.spec.volumeLifecycleModes, path / "volumeLifecycleModes",
                 errors);
}

// --- CSINode ---

void ValidateNode(const storagev1::CSINode& node, FieldErrors& errors) {
  constexpr size_t kMaxNodeId = 256;
  const Path spec("spec");
  const Path drivers = spec / "drivers";
  NameSet names;
  for (size_t i = 0; i < node.spec.drivers.size(); ++i) {
    const storagev1::CSINodeDriver& driver = node.spec.drivers[i];
    const Path here = drivers[i];
    CheckCsiDriverName(driver.name, here / "name", errors);
    if (driver.nodeID.empty()) errors.Required(here / "nodeID", "");
    if (driver.nodeID.size() > kMaxNodeId) {
      errors.Invalid(here / "nodeID", Json(driver.nodeID), fmt::format("must be {} characters or less", kMaxNodeId));
    }
    if (driver.allocatable && driver.allocatable->count) {
      const Path allocatable = here / "allocatable";
      CheckNonNegative(*driver.allocatable->count, allocatable / "count", errors);
    }
    if (!names.Insert(driver.name)) errors.Duplicate(here / "name", Json(driver.name));
    NameSet keys;
    for (const String& key : driver.topologyKeys) {
      if (key.empty()) errors.Required(here, "");
      if (!keys.Insert(key)) errors.Duplicate(here, Json(key));
      CheckQualifiedName(key, here, errors);
    }
  }
}

void ValidateNodeUpdate(const storagev1::CSINode& node, const storagev1::CSINode& old, FieldErrors& errors) {
  ValidateNode(node, errors);
  const Path spec("spec");
  for (const storagev1::CSINodeDriver& before : old.spec.drivers) {
    for (const storagev1::CSINodeDriver& driver : node.spec.drivers) {
      if (before.name != driver.name) continue;
      storagev1::CSINodeDriver fixed_now = driver;
      storagev1::CSINodeDriver fixed_before = before;
      fixed_now.allocatable.reset();
      fixed_before.allocatable.reset();
      CheckImmutable(fixed_now, fixed_before, spec / "drivers", errors);
    }
  }
}

// --- VolumeAttachment ---

void CheckError(const Optional<storagev1::VolumeError>& error, const Path& path, FieldErrors& errors) {
  constexpr size_t kMaxMessage = 1024;
  constexpr size_t kMaxMessageSaid = 256 * 1024;  // what upstream tells
  if (!error) return;
  if (error->message.size() > kMaxMessage) errors.TooLong(path / "message", kMaxMessageSaid);
  if (error->errorCode) CheckInRange(*error->errorCode, 0, INT32_MAX, path / "errorCode", errors);
}

void ValidateAttachment(const storagev1::VolumeAttachment& attachment, FieldErrors& errors) {
  constexpr size_t kMaxMetadata = 256 * 1024;
  const Path spec("spec");
  CheckCsiDriverName(attachment.spec.attacher, spec / "attacher", errors);
  const storagev1::VolumeAttachmentSource& source = attachment.spec.source;
  const Path path = spec / "source";
  constexpr std::string_view kExactlyOne = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";
  if (!source.inlineVolumeSpec && !source.persistentVolumeName) {
    errors.Required(path, kExactlyOne);
  } else if (source.inlineVolumeSpec && source.persistentVolumeName) {
    errors.Forbidden(path, kExactlyOne);
  } else if (source.inlineVolumeSpec) {
    CheckVolumeSpec(*source.inlineVolumeSpec, "", path / "inlineVolumeSpec", {.is_inline = true}, errors);
  } else if (source.persistentVolumeName->empty()) {
    errors.Required(path / "persistentVolumeName", "must specify non empty persistentVolumeName");
  }
  CheckDnsSubdomain(attachment.spec.nodeName, spec / "nodeName", errors);
  const Path status("status");
  size_t bytes = 0;
  for (const auto& [key, value] : attachment.status.attachmentMetadata) bytes += key.size() + value.size();
  if (bytes > kMaxMetadata) errors.TooLong(status / "attachmentMetadata", kMaxMetadata);
  CheckError(attachment.status.attachError, status / "attachError", errors);
  CheckError(attachment.status.detachError, status / "detachError", errors);
  if (source.persistentVolumeName) {
    CheckDnsSubdomain(*source.persistentVolumeName, Path("spec.source.persistentVolumeName"), errors);
  }
}

void ValidateAttachmentUpdate(const storagev1::VolumeAttachment& attachment, const storagev1::VolumeAttachment& old,
                              FieldErrors& errors) {
  ValidateAttachment(attachment, errors);
  CheckImmutable(attachment.spec, old.spec, Path("spec"), errors);
}

}  // namespace

void AddCsiRules(RulesTable& table) {
  table.Add<storagev1::CSIDriver>({.set_defaults = SetDriverDefaults,
                                   .prepare_create = PrepareDriverCreate,
                                   .prepare_update = PrepareDriverUpdate,
                                   .validate = ValidateDriver,
                                   .validate_update = ValidateDriverUpdate,
                                   .generation = false,
                                   .unconditional_update = false});
  table.Add<storagev1::CSINode>({.validate = ValidateNode,
                                 .validate_update = ValidateNodeUpdate,
                                 .generation = false,
                                 .unconditional_update = false});
  table.Add<storagev1::VolumeAttachment>({.validate = ValidateAttachment,
                                          .validate_update = ValidateAttachmentUpdate,
                                          .validate_status = ValidateAttachmentUpdate,
                                          .generation = false,
                                          .unconditional_update = false});
}

}  // namespace keelson::apiserver
