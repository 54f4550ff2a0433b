#include "keelson/apiserver/metadata_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "keelson/api/compare.h"
#include "keelson/api/names.h"
#include "keelson/codec/convert.h"
#include "keelson/codec/json_writer.h"
#include "keelson/core/ascii.h"
#include "keelson/core/random.h"

namespace keelson::apiserver {

namespace {

constexpr size_t kMaxAnnotationBytes = 256 << 10;

// A dash or point at the end of a prefix stands before the characters that will follow.
std::string MaskedPrefix(std::string_view name) {
  std::string masked(name);
  if (masked.size() > 1 && masked.back() == '-') masked.back() = 'a';
  return masked;
}

std::vector<std::string> CheckPathSegment(std::string_view name, bool prefix) {
  std::vector<std::string> reasons;
  if (!prefix && (name == "." || name == "..")) reasons.push_back(fmt::format("may not be '{}'", name));
  for (const char c : {'/', '%'}) {
    if (name.find(c) != std::string_view::npos) reasons.push_back(fmt::format("may not contain '{}'", c));
  }
  return reasons;
}

// Labels and annotations are checked often and are good nearly always: nothing is allocated then.
void ValidateLabels(const Map<String>& labels, const Path& path, FieldErrors& errors) {
  for (const auto& [key, value] : labels) {
    if (!names::IsQualifiedName(key)) errors.InvalidForEach(path, key, names::CheckQualifiedName(key));
    if (!names::IsLabelValue(value)) errors.InvalidForEach(path, value, names::CheckLabelValue(value));
  }
}

void ValidateAnnotations(const Map<String>& annotations, const Path& path, FieldErrors& errors) {
  size_t bytes = 0;
  for (const auto& [key, value] : annotations) {
    bytes += key.size() + value.size();
    if (names::IsQualifiedName(key)) continue;
    const std::string lower = AsciiLower(key);
    errors.InvalidForEach(path, key, names::CheckQualifiedName(lower));
  }
  if (bytes > kMaxAnnotationBytes) errors.TooLong(path, kMaxAnnotationBytes);
}

void ValidateOwners(const List<metav1::OwnerReference>& owners, const Path& path, FieldErrors& errors) {
  const metav1::OwnerReference* controller = nullptr;
  for (const metav1::OwnerReference& owner : owners) {
    const Path api_version = path / "apiVersion";
    const Path kind = path / "kind";
    const Path name = path / "name";
    const Path uid = path / "uid";
    const Result<GroupVersion> parsed = GroupVersion::Parse(owner.apiVersion);
    if (!parsed || parsed->version.empty()) {
      errors.Invalid(api_version, Json(owner.apiVersion), "version must not be empty");
    }
    if (owner.kind.empty()) errors.Invalid(kind, Json(owner.kind), "must not be empty");
    if (owner.name.empty()) errors.Invalid(name, Json(owner.name), "must not be empty");
    if (owner.uid.empty()) errors.Invalid(uid, Json(owner.uid), "must not be empty");
    if (owner.apiVersion == "v1" && owner.kind == "Event") {
      errors.InvalidShown(path, ToJson(owner), "/v1, Kind=Event is disallowed from being an owner");
    }
    if (!owner.controller || !*owner.controller) continue;
    if (controller != nullptr) {
      errors.InvalidShown(
          path, ToJson(owners),
          fmt::format("Only one reference can have Controller set to true. Found \"true\" in references for "
                      "{}/{} and {}/{}",
                      controller->kind.view(), controller->name.view(), owner.kind.view(), owner.name.view()));
      return;
    }
    controller = &owner;
  }
}

bool IsStandardFinalizer(std::string_view name) {
  return name == "kubernetes" || name == kOrphanFinalizer || name == kForegroundFinalizer;
}

void ValidateFinalizers(const List<String>& finalizers, const Path& path, FieldErrors& errors) {
  bool orphan = false;
  bool foreground = false;
  for (const String& finalizer : finalizers) {
    if (!names::IsQualifiedName(finalizer)) {
      errors.InvalidForEach(path, finalizer, names::CheckQualifiedName(finalizer));
    }
    orphan |= finalizer == kOrphanFinalizer;
    foreground |= finalizer == kForegroundFinalizer;
  }
  if (orphan && foreground) {
    errors.Invalid(path, ToJsonValue(finalizers), "finalizer orphan and foregroundDeletion cannot be both set");
  }
}

// The older groups know a list of names without a domain; the newer ones and custom kinds leave that to a warning.
void ValidateFinalizerDomains(const Resource& resource, const List<String>& finalizers, const Path& path,
                              FieldErrors& errors) {
  if (resource.custom != nullptr) return;
  for (const std::string_view group :
       {"coordination.k8s.io", "admissionregistration.k8s.io", "apiextensions.k8s.io", "apiregistration.k8s.io"}) {
    if (resource.group == group) return;
  }
  for (size_t i = 0; i < finalizers.size(); ++i) {
    const Path at = path[i];
    if (finalizers[i].view().find('/') == std::string_view::npos && !IsStandardFinalizer(finalizers[i])) {
      errors.Invalid(at, Json(finalizers[i]), "name is neither a standard finalizer name nor is it fully qualified");
    }
  }
}

// What else they must be was seen to when they were read.
void ValidateManagers(const List<metav1::ManagedFieldsEntry>& managers, const Path& path, FieldErrors& errors) {
  constexpr size_t kLongestSubresource = 256;
  for (size_t i = 0; i < managers.size(); ++i) {
    const Path at = path[i];
    const Path manager = at / "manager";
    const Path subresource = at / "subresource";
    ValidateFieldManager(managers[i].manager, manager, errors);
    if (managers[i].subresource.size() > kLongestSubresource) errors.TooLong(subresource, kLongestSubresource);
  }
}

// What does not depend on the kind.
void ValidateSharedMembers(const metav1::ObjectMeta& meta, const Path& root, FieldErrors& errors) {
  const Path generation = root / "generation";
  const Path labels = root / "labels";
  const Path annotations = root / "annotations";
  const Path owners = root / "ownerReferences";
  const Path finalizers = root / "finalizers";
  if (meta.generation < 0) errors.Invalid(generation, Json(meta.generation), "must be greater than or equal to 0");
  ValidateLabels(meta.labels, labels, errors);
  ValidateAnnotations(meta.annotations, annotations, errors);
  ValidateOwners(meta.ownerReferences, owners, errors);
  ValidateFinalizers(meta.finalizers, finalizers, errors);
}

template <class T>
void CheckImmutable(const Path& path, const T& now, const T& old, FieldErrors& errors) {
  if (!Equal(now, old)) errors.Invalid(path, ToJsonValue(now), "field is immutable");
}

}  // namespace

std::vector<std::string> CheckName(const ErasedRules& rules, std::string_view name, bool prefix) {
  if (rules.check_name != nullptr) return rules.check_name(name, prefix);
  const std::string masked = prefix ? MaskedPrefix(name) : std::string();
  const std::string_view checked = prefix ? std::string_view(masked) : name;
  switch (rules.name) {
    case NameRule::kSubdomain:
      return names::IsDns1123Subdomain(checked) ? std::vector<std::string>() : names::CheckDns1123Subdomain(checked);
    case NameRule::kLabel:
      return names::IsDns1123Label(checked) ? std::vector<std::string>() : names::CheckDns1123Label(checked);
    case NameRule::kLabel1035:
      return names::IsDns1035Label(checked) ? std::vector<std::string>() : names::CheckDns1035Label(checked);
    case NameRule::kPathSegment: return CheckPathSegment(name, prefix);
  }
  return {};
}

void ValidateFieldManager(std::string_view manager, const Path& path, FieldErrors& errors) {
  constexpr size_t kLongest = 128;
  if (manager.size() > kLongest) errors.TooLong(path, kLongest);
  for (size_t i = 0; i < manager.size(); ++i) {
    const auto character = static_cast<unsigned char>(manager[i]);
    if (character >= 0x20 && character != 0x7f) continue;
    errors.Invalid(path, Json(manager), fmt::format("invalid character U+{:04X} (at position {})", character, i));
  }
}

void ValidateMetadata(const Resource& resource, const metav1::ObjectMeta& meta, FieldErrors& errors) {
  const Path root("metadata");
  const Path name = root / "name";
  const Path generate_name = root / "generateName";
  const Path namespace_ = root / "namespace";
  const Path finalizers = root / "finalizers";
  const Path managers = root / "managedFields";

  if (!meta.generateName.empty()) {
    errors.InvalidForEach(generate_name, meta.generateName, CheckName(*resource.stored_rules, meta.generateName, true));
  }
  if (meta.name.empty()) {
    errors.Required(name, "name or generateName is required");
  } else {
    errors.InvalidForEach(name, meta.name, CheckName(*resource.stored_rules, meta.name, false));
  }
  if (resource.namespaced) {
    if (meta.namespace_.empty()) {
      errors.Required(namespace_, "");
    } else if (!names::IsDns1123Label(meta.namespace_)) {
      errors.InvalidForEach(namespace_, meta.namespace_, names::CheckDns1123Label(meta.namespace_));
    }
  } else if (!meta.namespace_.empty()) {
    errors.Forbidden(namespace_, "not allowed on this type");
  }
  ValidateSharedMembers(meta, root, errors);
  ValidateFinalizerDomains(resource, meta.finalizers, finalizers, errors);
  ValidateManagers(meta.managedFields, managers, errors);
}

void ValidateEmbeddedMetadata(const metav1::ObjectMeta& meta, const Path& root, FieldErrors& errors) {
  const Path name = root / "name";
  const Path generate_name = root / "generateName";
  const Path namespace_ = root / "namespace";
  errors.InvalidForEach(generate_name, meta.generateName, CheckPathSegment(meta.generateName, true));
  errors.InvalidForEach(name, meta.name, CheckPathSegment(meta.name, false));
  if (!meta.namespace_.empty()) {
    errors.InvalidForEach(namespace_, meta.namespace_, names::CheckDns1123Label(meta.namespace_));
  }
  ValidateSharedMembers(meta, root, errors);
}

void CarryOverMetadata(metav1::ObjectMeta& meta, const metav1::ObjectMeta& old) {
  meta.generation = old.generation;
  meta.selfLink = {};
  if (meta.uid.empty()) meta.uid = old.uid;
  meta.creationTimestamp = old.creationTimestamp;
  if (!meta.deletionTimestamp) meta.deletionTimestamp = old.deletionTimestamp;
  if (!meta.deletionGracePeriodSeconds) meta.deletionGracePeriodSeconds = old.deletionGracePeriodSeconds;
}

void ValidateMetadataUpdate(const metav1::ObjectMeta& meta, const metav1::ObjectMeta& old, FieldErrors& errors) {
  const Path root("metadata");
  const Path finalizers = root / "finalizers";
  if (old.deletionTimestamp) {
    std::string added;
    for (const String& finalizer : meta.finalizers) {
      if (std::find(old.finalizers.begin(), old.finalizers.end(), finalizer) != old.finalizers.end()) continue;
      added.append(added.empty() ? "\"" : ", \"").append(finalizer.view()).append("\"");
    }
    if (!added.empty()) {
      errors.Forbidden(
          finalizers,
          fmt::format(
              "no new finalizers can be added if the object is being deleted, found new finalizers []string{{{}}}",
              added));
    }
  }
  const Path name = root / "name";
  const Path namespace_ = root / "namespace";
  const Path uid = root / "uid";
  const Path deletion = root / "deletionTimestamp";
  const Path grace = root / "deletionGracePeriodSeconds";
  CheckImmutable(name, meta.name, old.name, errors);
  CheckImmutable(namespace_, meta.namespace_, old.namespace_, errors);
  CheckImmutable(uid, meta.uid, old.uid, errors);
  CheckImmutable(deletion, meta.deletionTimestamp, old.deletionTimestamp, errors);
  CheckImmutable(grace, meta.deletionGracePeriodSeconds, old.deletionGracePeriodSeconds, errors);
}

std::string NewUid() {
  std::array<std::byte, 16> bytes;
  SecureRandom::Fill(bytes);
  bytes[6] = (bytes[6] & std::byte{0x0f}) | std::byte{0x40};
  bytes[8] = (bytes[8] & std::byte{0x3f}) | std::byte{0x80};
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  text.reserve(36);
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += kDigits[std::to_integer<int>(bytes[i] >> 4)];
    text += kDigits[std::to_integer<int>(bytes[i] & std::byte{0x0f})];
  }
  return text;
}

std::string GenerateName(std::string_view prefix) {
  constexpr size_t kLongestPrefix = 58;
  return std::string(prefix.substr(0, kLongestPrefix)) + Random::FromEntropy().Suffix(5);
}

}  // namespace keelson::apiserver
