// CustomResourceDefinition.
#include <fmt/format.h>

#include <algorithm>

#include "keelson/apiserver/kinds/builtin_rules.h"
#include "keelson/apiserver/kinds/checks_common.h"
#include "keelson/apiserver/kinds/crd_approval.h"
#include "keelson/apiserver/kinds/crd_checks.h"
#include "keelson/apiserver/kinds/name_set.h"
#include "keelson/core/ascii.h"

namespace keelson::apiserver {

namespace {

using apiextensionsv1::CustomResourceDefinition;
using apiextensionsv1::CustomResourceDefinitionSpec;
using apiextensionsv1::CustomResourceDefinitionVersion;

const CustomResourceDefinitionVersion* StorageVersion(const CustomResourceDefinition& crd) {
  for (const CustomResourceDefinitionVersion& version : crd.spec.versions) {
    if (version.storage) return &version;
  }
  return nullptr;
}

void SetDefaults(CustomResourceDefinition& crd) {
  apiextensionsv1::CustomResourceDefinitionNames& names = crd.spec.names;
  if (names.singular.empty()) names.singular = AsciiLower(names.kind);
  if (names.listKind.empty() && !names.kind.empty()) names.listKind = std::string(names.kind) + "List";
  if (!crd.spec.conversion) crd.spec.conversion = apiextensionsv1::CustomResourceConversion{.strategy = "None"};
  auto& webhook = crd.spec.conversion->webhook;
  // One that says nothing is lost on its way through upstream's internal form.
  if (webhook && !webhook->clientConfig && webhook->conversionReviewVersions.empty()) webhook.reset();
  if (webhook && webhook->clientConfig && webhook->clientConfig->service && !webhook->clientConfig->service->port) {
    webhook->clientConfig->service->port = 443;
  }
  const CustomResourceDefinitionVersion* storage = StorageVersion(crd);
  if (crd.status.storedVersions.empty() && storage != nullptr) crd.status.storedVersions = {storage->name};
}

// Objects may be stored in that version from now on.
void NoteStorageVersion(CustomResourceDefinition& crd) {
  const CustomResourceDefinitionVersion* storage = StorageVersion(crd);
  if (storage == nullptr) return;
  const List<String>& stored = crd.status.storedVersions;
  if (std::find(stored.begin(), stored.end(), storage->name) == stored.end()) {
    crd.status.storedVersions.push_back(storage->name);
  }
}

std::string FormatWarning(std::string_view format) { return fmt::format("unrecognized format \"{}\"", format); }

void WarnOfFormats(const CustomResourceDefinition& crd, std::vector<std::string>& warnings) {
  for (const std::string& format : UnrecognizedFormats(crd.spec)) warnings.push_back(FormatWarning(format));
}

Result<void> PrepareCreate(CustomResourceDefinition& crd, WriteContext&) {
  NoteStorageVersion(crd);
  return {};
}

Result<void> PrepareUpdate(CustomResourceDefinition& crd, const CustomResourceDefinition& old, WriteContext& context) {
  NoteStorageVersion(crd);
  const std::vector<std::string> known = UnrecognizedFormats(old.spec);
  for (const std::string& format : UnrecognizedFormats(crd.spec)) {
    if (std::find(known.begin(), known.end(), format) == known.end()) context.warnings.push_back(FormatWarning(format));
  }
  return {};
}

void CheckDefinitionName(const CustomResourceDefinition& crd, FieldErrors& errors) {
  const std::string name = fmt::format("{}.{}", crd.spec.names.plural.view(), crd.spec.group.view());
  const Path metadata("metadata");
  constexpr std::string_view kReason = "must be spec.names.plural+\".\"+spec.group";
  const String& prefix = crd.metadata.generateName;
  if (!prefix.empty() && prefix != name) errors.Invalid(metadata / "generateName", Json(prefix), kReason);
  if (!crd.metadata.name.empty() && crd.metadata.name != name) {
    errors.Invalid(metadata / "name", Json(crd.metadata.name), kReason);
  }
}

void CheckStoredVersions(const CustomResourceDefinition& crd, FieldErrors& errors) {
  const Path status("status");
  const Path path = status / "storedVersions";
  const List<String>& stored = crd.status.storedVersions;
  if (stored.empty()) return errors.InvalidShown(path, "null", "must have at least one stored version");
  NameSet seen;
  for (const CustomResourceDefinitionVersion& version : crd.spec.versions) {
    // A second version of that name does not find it any more.
    const bool found =
        std::find(stored.begin(), stored.end(), version.name) != stored.end() && seen.Insert(version.name);
    if (version.storage && !found) {
      errors.Invalid(path, Shown(stored), fmt::format("must have the storage version {}", version.name.view()));
    }
  }
  for (size_t i = 0; i < stored.size(); ++i) {
    const String& name = stored[i];
    if (std::any_of(crd.spec.versions.begin(), crd.spec.versions.end(),
                    [&](const CustomResourceDefinitionVersion& version) { return version.name == name; })) {
      continue;
    }
    errors.Invalid(path[i], Json(name),
                   fmt::format("missing from spec.versions; {0} was previously a storage version, and must remain in "
                               "spec.versions until a storage migration ensures no data remains persisted in {0} and "
                               "removes {0} from status.storedVersions",
                               name.view()));
  }
}

void CheckApproval(const CustomResourceDefinition& crd, const CustomResourceDefinition* old, FieldErrors& errors) {
  if (!NeedsApproval(crd)) return;
  const Approval approval = ApprovalOf(crd);
  if (old != nullptr && ApprovalOf(*old).kind == approval.kind) return;
  const Path metadata("metadata");
  const Path annotations = metadata / "annotations";
  const Path path = annotations.Key(kApprovalAnnotation);
  if (approval.kind == Approval::Kind::kInvalid) {
    errors.Invalid(path, Json(crd.metadata.annotations.at(kApprovalAnnotation)), approval.text);
  } else if (approval.kind == Approval::Kind::kMissing) {
    errors.Required(path, approval.text);
  }
}

void CheckPreserveUnknown(const CustomResourceDefinition& crd, FieldErrors& errors) {
  if (!crd.spec.preserveUnknownFields) return;
  const Path spec("spec");
  errors.Invalid(
      spec / "preserveUnknownFields", Json(true),
      "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead");
}

void ValidateStatusNames(const CustomResourceDefinition& crd, FieldErrors& errors) {
  const Path status("status");
  CheckDefinitionNames(crd.status.acceptedNames, status / "acceptedNames", errors);
}

void Validate(const CustomResourceDefinition& crd, FieldErrors& errors) {
  CheckDefinitionName(crd, errors);
  CheckDefinitionSpec(InternalSpec(crd.spec), {}, Path("spec"), errors);
  ValidateStatusNames(crd, errors);
  CheckStoredVersions(crd, errors);
  CheckApproval(crd, nullptr, errors);
  CheckPreserveUnknown(crd, errors);
}

void ValidateUpdate(const CustomResourceDefinition& crd, const CustomResourceDefinition& old, FieldErrors& errors) {
  const DefinitionOptions options = OptionsForUpdate(crd, old);
  const Path spec("spec");
  CheckDefinitionSpec(InternalSpec(crd.spec), options, spec, errors);
  const Path names = spec / "names";
  if (options.immutable_names) {
    CheckImmutable(crd.spec.scope, old.spec.scope, spec / "scope", errors);
    CheckImmutable(crd.spec.names.kind, old.spec.names.kind, names / "kind", errors);
  }
  CheckImmutable(crd.spec.group, old.spec.group, spec / "group", errors);
  CheckImmutable(crd.spec.names.plural, old.spec.names.plural, names / "plural", errors);
  ValidateStatusNames(crd, errors);
  CheckStoredVersions(crd, errors);
  CheckApproval(crd, &old, errors);
  if (!old.spec.preserveUnknownFields) CheckPreserveUnknown(crd, errors);
}

void ValidateStatus(const CustomResourceDefinition& crd, const CustomResourceDefinition&, FieldErrors& errors) {
  ValidateStatusNames(crd, errors);
}

}  // namespace

void AddDefinitionRules(RulesTable& table) {
  table.Add<CustomResourceDefinition>({.set_defaults = SetDefaults,
                                       .prepare_create = PrepareCreate,
                                       .prepare_update = PrepareUpdate,
                                       .validate = Validate,
                                       .validate_update = ValidateUpdate,
                                       .validate_status = ValidateStatus,
                                       .warn = WarnOfFormats,
                                       .warn_on_update = false,
                                       .unconditional_update = false});
}

}  // namespace keelson::apiserver
