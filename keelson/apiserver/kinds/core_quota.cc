// LimitRange and ResourceQuota.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "keelson/api/core/v1.h"
#include "keelson/apiserver/kinds/checks_common.h"
#include "keelson/apiserver/kinds/checks_resources.h"
#include "keelson/apiserver/kinds/kind_groups.h"
#include "keelson/apiserver/kinds/resource_rounding.h"

namespace keelson::apiserver {

namespace {

bool HasDomain(std::string_view name) { return name.find('/') != std::string_view::npos; }

// --- LimitRange ---

void SetLimitRangeDefaults(corev1::LimitRange& range) {
  if (range.spec.limits.empty()) return;
  for (corev1::LimitRangeItem& item : range.spec.limits.Mutable()) {
    const auto fill = [](corev1::ResourceList& to, const corev1::ResourceList& from) {
      for (const auto& [name, amount] : from) {
        if (!to.contains(name)) to.Set(name, amount);
      }
    };
    if (item.type == "Container") {
      fill(item.default_, item.max);
      fill(item.defaultRequest, item.default_);
      fill(item.defaultRequest, item.min);
    }
    for (corev1::ResourceList* list :
         {&item.max, &item.min, &item.default_, &item.defaultRequest, &item.maxLimitRequestRatio}) {
      RoundUpToMilli(*list);
    }
  }
}

void CheckLimitType(std::string_view type, const Path& path, FieldErrors& errors) {
  if (!names::IsQualifiedName(type)) return errors.InvalidForEach(path, type, names::CheckQualifiedName(type));
  if (type.find('/') == std::string_view::npos && !IsOneOf(type, {"Pod", "Container", "PersistentVolumeClaim"})) {
    errors.Invalid(path, Json(type), "must be a standard limit type or fully qualified");
  }
}

void CheckLimitNames(std::string_view type, const corev1::ResourceList& list, const Path& path, FieldErrors& errors) {
  for (const auto& [name, amount] : list) {
    if (type == "Pod" || type == "Container") {
      CheckContainerResourceName(name, path.Key(name), errors);
    } else {
      CheckResourceName(name, path.Key(name), errors);
    }
  }
}

// How the bounds of one resource stand to each other.
void CheckLimitsOf(std::string_view name, const corev1::LimitRangeItem& item, const Path& path, FieldErrors& errors) {
  const bool pod = item.type == "Pod";
  const Quantity* min = item.min.find(name);
  const Quantity* max = item.max.find(name);
  const Quantity* limit = pod ? nullptr : item.default_.find(name);
  const Quantity* request = pod ? nullptr : item.defaultRequest.find(name);
  const Quantity* ratio = item.maxLimitRequestRatio.find(name);
  const auto above = [&](const Quantity* a, std::string_view a_name, const Quantity* b, std::string_view b_name,
                         std::string_view field, const Quantity* shown) {
    if (a == nullptr || b == nullptr || a->Cmp(*b) <= 0) return;
    const Path list = path / field;
    errors.Invalid(
        list.Key(name), Shown(*shown),
        fmt::format("{} value {} is greater than {} value {}", a_name, a->ToString(), b_name, b->ToString()));
  };
  above(min, "min", max, "max", "min", min);
  above(min, "min", request, "default request", "defaultRequest", request);
  above(request, "default request", max, "max", "defaultRequest", request);
  above(request, "default request", limit, "default limit", "defaultRequest", request);
  above(min, "min", limit, "default", "default", min);
  above(limit, "default", max, "max", "default", max);
  const Path ratios = path / "maxLimitRequestRatio";
  if (ratio != nullptr && ratio->Cmp(Quantity::FromInt(1)) < 0) {
    errors.Invalid(ratios.Key(name), Shown(*ratio), fmt::format("ratio {} is less than 1", ratio->ToString()));
  }
  if (ratio != nullptr && min != nullptr && max != nullptr) {
    constexpr int64_t kMaxMilli = INT64_MAX / 1000;
    double wanted = static_cast<double>(ratio->Value());
    double low = static_cast<double>(min->Value());
    double high = static_cast<double>(max->Value());
    if (ratio->Value() < kMaxMilli && min->Value() < kMaxMilli && max->Value() < kMaxMilli) {
      wanted = static_cast<double>(ratio->MilliValue()) / 1000;
      low = static_cast<double>(min->MilliValue());
      high = static_cast<double>(max->MilliValue());
    }
    if (wanted > high / low) {
      errors.Invalid(ratios.Key(name), Shown(*ratio),
                     fmt::format("ratio {} is greater than max/min = {:f}", ratio->ToString(), high / low));
    }
  }
  if (!IsOvercommitAllowed(name) && limit != nullptr && request != nullptr && limit->Cmp(*request) != 0) {
    const Path requests = path / "defaultRequest";
    errors.Invalid(requests.Key(name), Shown(*request),
                   fmt::format("default value {} must equal to defaultRequest value {} in {}", limit->ToString(),
                               request->ToString(), name));
  }
}

void ValidateLimitRange(const corev1::LimitRange& range, FieldErrors& errors) {
  const Path spec("spec");
  const Path limits = spec / "limits";
  for (size_t i = 0; i < range.spec.limits.size(); ++i) {
    const corev1::LimitRangeItem& item = range.spec.limits[i];
    const Path here = limits[i];
    CheckLimitType(item.type, here / "type", errors);
    for (size_t j = 0; j < i; ++j) {
      if (range.spec.limits[j].type != item.type) continue;
      errors.Duplicate(here / "type", Json(item.type));
      break;
    }
    CheckLimitNames(item.type, item.max, here / "max", errors);
    CheckLimitNames(item.type, item.min, here / "min", errors);
    if (item.type == "Pod") {
      if (!item.default_.empty()) errors.Forbidden(here / "default", "may not be specified when `type` is 'Pod'");
      if (!item.defaultRequest.empty()) {
        errors.Forbidden(here / "defaultRequest", "may not be specified when `type` is 'Pod'");
      }
    } else {
      CheckLimitNames(item.type, item.default_, here / "default", errors);
      CheckLimitNames(item.type, item.defaultRequest, here / "defaultRequest", errors);
    }
    if (item.type == "PersistentVolumeClaim" && !item.min.contains("storage") && !item.max.contains("storage")) {
      errors.Required(here / "limits", "either minimum or maximum storage value is required, but neither was provided");
    }
    CheckLimitNames(item.type, item.maxLimitRequestRatio, here / "maxLimitRequestRatio", errors);
    std::set<std::string_view> resources;
    for (const corev1::ResourceList* list :
         {&item.max, &item.min, &item.default_, &item.defaultRequest, &item.maxLimitRequestRatio}) {
      for (const auto& [name, amount] : *list) resources.insert(name.view());
    }
    for (const std::string_view name : resources) CheckLimitsOf(name, item, here, errors);
  }
}

void ValidateLimitRangeUpdate(const corev1::LimitRange& range, const corev1::LimitRange&, FieldErrors& errors) {
  ValidateLimitRange(range, errors);
}

// --- ResourceQuota ---

// All that has no domain, but for "storage", which only claims have.
bool IsStandardQuotaResource(std::string_view name) { return name != "storage" && IsStandardResource(name); }

void CheckQuotaResourceName(std::string_view name, const Path& path, FieldErrors& errors) {
  CheckResourceName(name, path, errors);
  if (!HasDomain(name) && !IsStandardQuotaResource(name)) {
    errors.Invalid(path, Json(name), "must be a standard resource for quota");
  }
}

bool IsStandardScope(std::string_view scope) {
  return IsOneOf(scope, {"Terminating", "NotTerminating", "BestEffort", "NotBestEffort", "PriorityClass",
                         "VolumeAttributesClass", "CrossNamespacePodAffinity"});
}

bool ScopeFits(std::string_view scope, std::string_view resource) {
  if (scope == "BestEffort") return resource == "pods";
  if (scope == "VolumeAttributesClass") return resource == "persistentvolumeclaims" || resource == "requests.storage";
  if (!IsStandardScope(scope)) return true;
  return IsOneOf(resource, {"pods", "cpu", "memory", "limits.cpu", "limits.memory", "requests.cpu", "requests.memory"});
}

void CheckHard(const corev1::ResourceList& list, const Path& path, FieldErrors& errors) {
  for (const auto& [name, amount] : list) {
    const Path here = path.Key(name);
    CheckQuotaResourceName(name, here, errors);
    CheckResourceQuantity(name, amount, here, errors);
  }
}

bool Conflicting(const std::vector<std::string_view>& scopes, std::string_view a, std::string_view b) {
  return std::find(scopes.begin(), scopes.end(), a) != scopes.end() &&
         std::find(scopes.begin(), scopes.end(), b) != scopes.end();
}

void CheckScopes(const corev1::ResourceQuotaSpec& spec, const Path& path, FieldErrors& errors) {
  std::vector<std::string_view> seen;
  for (const String& scope : spec.scopes) {
    if (!IsStandardScope(scope)) errors.InvalidShown(path, InternalForm(spec.scopes), "unsupported scope");
    for (const auto& [name, amount] : spec.hard) {
      if (IsStandardQuotaResource(name) && !ScopeFits(scope, name)) {
        errors.InvalidShown(path, InternalForm(spec.scopes), "unsupported scope applied to resource");
      }
    }
    seen.push_back(scope);
  }
  if (Conflicting(seen, "BestEffort", "NotBestEffort"))
    errors.InvalidShown(path, InternalForm(spec.scopes), "conflicting scopes");
  if (Conflicting(seen, "Terminating", "NotTerminating")) {
    errors.InvalidShown(path, InternalForm(spec.scopes), "conflicting scopes");
  }
}

void CheckScopeSelector(const corev1::ResourceQuotaSpec& spec, const Path& path, FieldErrors& errors) {
  std::vector<std::string_view> seen;
  for (const corev1::ScopedResourceSelectorRequirement& one : spec.scopeSelector->matchExpressions) {
    if (!IsStandardScope(one.scopeName)) errors.Invalid(path / "scopeName", Json(one.scopeName), "unsupported scope");
    for (const auto& [name, amount] : spec.hard) {
      if (IsStandardQuotaResource(name) && !ScopeFits(one.scopeName, name)) {
        errors.InvalidShown(path, InternalForm(*spec.scopeSelector), "unsupported scope applied to resource");
      }
    }
    if (IsOneOf(one.scopeName,
                {"BestEffort", "NotBestEffort", "Terminating", "NotTerminating", "CrossNamespacePodAffinity"}) &&
        one.operator_ != "Exists") {
      errors.Invalid(path / "operator", Json(one.operator_),
                     "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, "
                     "ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort "
                     "or ResourceQuotaScopeCrossNamespacePodAffinity");
    }
    if (one.operator_ == "In" || one.operator_ == "NotIn") {
      if (one.values.empty()) {
        errors.Required(path / "values",
                        "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector");
      }
    } else if (one.operator_ == "Exists" || one.operator_ == "DoesNotExist") {
      if (!one.values.empty()) {
        errors.Invalid(path / "values", Shown(one.values),
                       "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector");
      }
    } else {
      errors.Invalid(path / "operator", Json(one.operator_), "not a valid selector operator");
    }
    seen.push_back(one.scopeName);
  }
  if (Conflicting(seen, "BestEffort", "NotBestEffort"))
    errors.InvalidShown(path, InternalForm(spec.scopes), "conflicting scopes");
  if (Conflicting(seen, "Terminating", "NotTerminating")) {
    errors.InvalidShown(path, InternalForm(spec.scopes), "conflicting scopes");
  }
}

void SetQuotaDefaults(corev1::ResourceQuota& quota) {
  RoundUpToMilli(quota.spec.hard);
  RoundUpToMilli(quota.status.hard);
  RoundUpToMilli(quota.status.used);
}

void ValidateQuota(const corev1::ResourceQuota& quota, FieldErrors& errors) {
  const Path spec("spec");
  CheckHard(quota.spec.hard, spec / "hard", errors);
  CheckScopes(quota.spec, spec / "scopes", errors);
  if (quota.spec.scopeSelector) {
    const Path selector = spec / "scopeSelector";
    CheckScopeSelector(quota.spec, selector / "matchExpressions", errors);
  }
}

void ValidateQuotaUpdate(const corev1::ResourceQuota& quota, const corev1::ResourceQuota& old, FieldErrors& errors) {
  ValidateQuota(quota, errors);
  if (Equal(quota.spec.scopes, old.spec.scopes)) return;
  const auto as_set = [](const List<String>& list) { return std::set<String>(list.begin(), list.end()); };
  if (as_set(quota.spec.scopes) == as_set(old.spec.scopes)) return;
  const Path spec("spec");
  errors.Invalid(spec / "scopes", Shown(quota.spec.scopes), kFieldIsImmutable);
}

void ValidateQuotaStatus(const corev1::ResourceQuota& quota, const corev1::ResourceQuota&, FieldErrors& errors) {
  const Path status("status");
  CheckHard(quota.status.hard, status / "hard", errors);
  CheckHard(quota.status.used, status / "used", errors);
}

void WarnOfQuota(const corev1::ResourceQuota& quota, std::vector<std::string>& warnings) {
  for (const std::string_view name : {"cpu", "memory", "storage", "ephemeral-storage"}) {
    std::string request_name = fmt::format("requests.{}", name);
    const Quantity* request = quota.spec.hard.find(request_name);
    if (request == nullptr && (name == "cpu" || name == "memory")) {
      request_name = name;
      request = quota.spec.hard.find(name);
    }
    const std::string limit_name = fmt::format("limits.{}", name);
    const Quantity* limit = quota.spec.hard.find(limit_name);
    if (request != nullptr && limit != nullptr && request->Cmp(*limit) > 0) {
      warnings.push_back(fmt::format("ResourceQuota {} ({}) should be less than {} ({})", request_name,
                                     request->ToString(), limit_name, limit->ToString()));
    }
  }
}

}  // namespace

void AddQuotaRules(RulesTable& table) {
  table.Add<corev1::LimitRange>({.set_defaults = SetLimitRangeDefaults,
                                 .validate = ValidateLimitRange,
                                 .validate_update = ValidateLimitRangeUpdate,
                                 .generation = false,
                                 .create_on_update = true});
  table.Add<corev1::ResourceQuota>({.set_defaults = SetQuotaDefaults,
                                    .validate = ValidateQuota,
                                    .validate_update = ValidateQuotaUpdate,
                                    .validate_status = ValidateQuotaStatus,
                                    .warn = WarnOfQuota,
                                    .generation = false});
}

}  // namespace keelson::apiserver
