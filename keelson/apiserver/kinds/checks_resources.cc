#include "keelson/apiserver/kinds/checks_resources.h"

#include <string>

#include "keelson/apiserver/kinds/checks_common.h"

namespace keelson::apiserver {

namespace {

constexpr std::string_view kHugePagesPrefix = "hugepages-";
constexpr std::string_view kRequestsPrefix = "requests.";

bool IsCounted(std::string_view name) {
  return IsOneOf(name, {"pods", "resourcequotas", "services", "replicationcontrollers", "secrets", "configmaps",
                        "persistentvolumeclaims", "services.nodeports", "services.loadbalancers"});
}

bool IsQuotaHugePagesResource(std::string_view name) {
  return name.starts_with(kHugePagesPrefix) ||
         (name.starts_with(kRequestsPrefix) && name.substr(kRequestsPrefix.size()).starts_with(kHugePagesPrefix));
}

bool IsComputeOrItsQuota(std::string_view name) {
  return IsOneOf(name,
                 {"cpu", "memory", "ephemeral-storage", "requests.cpu", "requests.memory", "requests.ephemeral-storage",
                  "requests.storage", "limits.cpu", "limits.memory", "limits.ephemeral-storage"});
}

}  // namespace

bool IsHugePagesResource(std::string_view name) { return name.starts_with(kHugePagesPrefix); }

bool IsNativeResource(std::string_view name) {
  return name.find('/') == std::string_view::npos || name.find("kubernetes.io/") != std::string_view::npos;
}

bool IsExtendedResource(std::string_view name) {
  if (IsNativeResource(name) || name.starts_with(kRequestsPrefix)) return false;
  // "requests.<name>" must be a name too: the prefix takes room from the domain.
  return names::IsQualifiedName(name) && name.find('/') + kRequestsPrefix.size() <= names::kMaxSubdomainLength;
}

bool IsStandardResource(std::string_view name) {
  return IsComputeOrItsQuota(name) || IsCounted(name) || name == "storage" || IsQuotaHugePagesResource(name);
}

bool IsStandardContainerResource(std::string_view name) {
  return IsOneOf(name, {"cpu", "memory", "ephemeral-storage"}) || IsHugePagesResource(name);
}

bool IsStandardQuotaResource(std::string_view name) {
  return IsComputeOrItsQuota(name) || IsCounted(name) || IsQuotaHugePagesResource(name);
}

bool IsIntegerResource(std::string_view name) { return IsCounted(name) || IsExtendedResource(name); }

void CheckResourceName(std::string_view name, const Path& path, FieldErrors& errors) {
  if (!names::IsQualifiedName(name)) return errors.InvalidForEach(path, name, names::CheckQualifiedName(name));
  if (name.find('/') == std::string_view::npos && !IsStandardResource(name)) {
    errors.Invalid(path, Json(name), "must be a standard resource type or fully qualified");
  }
}

void CheckContainerResourceName(std::string_view name, const Path& path, FieldErrors& errors) {
  CheckResourceName(name, path, errors);
  if (name.find('/') == std::string_view::npos) {
    if (!IsStandardContainerResource(name)) {
      errors.Invalid(path, Json(name), "must be a standard resource for containers");
    }
  } else if (!IsNativeResource(name) && !IsExtendedResource(name)) {
    errors.Invalid(path, Json(name), "doesn't follow extended resource name standard");
  }
}

void CheckQuotaResourceName(std::string_view name, const Path& path, FieldErrors& errors) {
  CheckResourceName(name, path, errors);
  if (name.find('/') == std::string_view::npos && !IsStandardQuotaResource(name)) {
    errors.Invalid(path, Json(name), "must be a standard resource for quota");
  }
}

void CheckResourceQuantity(std::string_view name, const Quantity& amount, const Path& path, FieldErrors& errors) {
  CheckNonNegative(amount, path, errors);
  if (IsIntegerResource(name) && amount.MilliValue() % 1000 != 0) {
    errors.Invalid(path, Shown(amount), kMustBeInteger);
  }
}

}  // namespace keelson::apiserver
