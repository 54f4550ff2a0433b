#include "keelson/apiserver/kinds/checks_resources.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "keelson/apiserver/kinds/checks_common.h"

namespace keelson::apiserver {

namespace {

constexpr std::string_view kHugePages = "hugepages-";

bool IsCountedResource(std::string_view name) {
  return IsOneOf(name, {"pods", "resourcequotas", "services", "replicationcontrollers", "secrets", "configmaps",
                        "persistentvolumeclaims", "services.nodeports", "services.loadbalancers"});
}

bool HasDomain(std::string_view name) { return name.find('/') != std::string_view::npos; }

void CheckPodResourceName(std::string_view name, const Path& path, FieldErrors& errors) {
  const size_t before = errors.size();
  CheckResourceName(name, path, errors);
  if (errors.size() == before && !IsPodLevelResource(name)) {
    errors.NotSupported(path, Json(name), {"cpu", "memory", kHugePages});
  }
}

// A multiple of the page size that the name gives.
void CheckHugePages(std::string_view name, const Quantity& quantity, const Path& path, FieldErrors& errors) {
  const Result<Quantity> page = Quantity::Parse(name.substr(kHugePages.size()));
  if (page && page->Sign() > 0 && page->MilliValue() % 1000 == 0 && quantity.Value() % page->Value() == 0) return;
  const std::string text = quantity.ToString();
  errors.Invalid(path, Json(text), fmt::format("{} is not positive integer multiple of {}", text, name));
}

struct Seen {
  bool cpu_or_memory = false;
  bool huge_pages = false;
};

void CheckAmount(std::string_view name, const Quantity& quantity, ResourceOwner owner, const Path& path, Seen& seen,
                 FieldErrors& errors) {
  if (owner == ResourceOwner::kContainer) {
    CheckContainerResourceName(name, path, errors);
  } else {
    CheckPodResourceName(name, path, errors);
  }
  CheckResourceQuantity(name, quantity, path, errors);
  if (name == "cpu" || name == "memory") seen.cpu_or_memory = true;
}

void CheckClaims(const List<corev1::ResourceClaim>& claims, const NameSet& names,
                 const List<corev1::PodResourceClaim>& pod_claims, const Path& path, FieldErrors& errors) {
  // Keys are the claim, or the claim and a request of it.
  std::vector<std::string> seen;
  const auto has = [&seen](std::string_view key) { return std::find(seen.begin(), seen.end(), key) != seen.end(); };
  for (size_t i = 0; i < claims.size(); ++i) {
    const corev1::ResourceClaim& claim = claims[i];
    const Path at = path[i];
    if (claim.name.empty()) {
      errors.Required(at, "");
      continue;
    }
    if (has(claim.name)) {
      errors.Duplicate(at, Json(claim.name));
    } else {
      std::string key = claim.name.str();
      if (!claim.request.empty()) {
        CheckDnsLabel(claim.request, at / "request", errors);
        key.append("/").append(claim.request.view());
      }
      if (has(key)) {
        errors.Duplicate(at, Json(key));
      } else if (claim.request.empty()) {
        for (const std::string& other : seen) {
          if (other.starts_with(key + "/")) errors.Duplicate(at, Json(claim.name));
        }
      }
      if (!has(key)) seen.push_back(std::move(key));
    }
    if (names.Has(claim.name)) continue;
    std::string detail = "must be one of the names in pod.spec.resourceClaims";
    if (names.empty()) {
      detail += " which is empty";
    } else {
      std::vector<std::string_view> sorted;
      for (const corev1::PodResourceClaim& one : pod_claims) {
        if (!one.name.empty()) sorted.push_back(one.name);
      }
      std::sort(sorted.begin(), sorted.end());
      sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
      detail += fmt::format(": {}", fmt::join(sorted, ", "));
    }
    errors.NotFound(at, Json(claim.name), detail);
  }
}

void AddTo(corev1::ResourceList& sum, const corev1::ResourceList& more) {
  for (const auto& [name, quantity] : more) sum[name].Add(quantity);
}

void RaiseTo(corev1::ResourceList& highest, const corev1::ResourceList& other) {
  for (const auto& [name, quantity] : other) {
    const Quantity* now = highest.find(name);
    if (now == nullptr || *now < quantity) highest.Set(name, quantity);
  }
}

corev1::ResourceList Sum(const corev1::PodSpec& spec, corev1::ResourceList corev1::ResourceRequirements::* part) {
  corev1::ResourceList sum;
  for (const corev1::Container& container : spec.containers) AddTo(sum, container.resources.*part);
  corev1::ResourceList sidecars;
  corev1::ResourceList highest;
  for (const corev1::Container& container : spec.initContainers) {
    corev1::ResourceList needed = container.resources.*part;
    if (container.restartPolicy == String("Always")) {
      AddTo(sum, needed);
      AddTo(sidecars, needed);
      needed = sidecars;
    } else {
      AddTo(needed, sidecars);
    }
    RaiseTo(highest, needed);
  }
  RaiseTo(sum, highest);
  return sum;
}

}  // namespace

void CheckContainerResourceName(std::string_view name, const Path& path, FieldErrors& errors) {
  CheckResourceName(name, path, errors);
  if (!HasDomain(name)) {
    if (!IsOneOf(name, {"cpu", "memory", "ephemeral-storage"}) && !IsHugePageResource(name)) {
      errors.Invalid(path, Json(name), "must be a standard resource for containers");
    }
  } else if (!IsNativeResource(name) && !IsExtendedResource(name)) {
    errors.Invalid(path, Json(name), "doesn't follow extended resource name standard");
  }
}

bool IsHugePageResource(std::string_view name) { return name.starts_with(kHugePages); }

bool IsNativeResource(std::string_view name) {
  return !HasDomain(name) || name.find("kubernetes.io/") != std::string_view::npos;
}

bool IsExtendedResource(std::string_view name) {
  if (IsNativeResource(name) || name.starts_with("requests.")) return false;
  return names::IsQualifiedName("requests." + std::string(name));
}

bool IsOvercommitAllowed(std::string_view name) { return IsNativeResource(name) && !IsHugePageResource(name); }

bool IsIntegerResource(std::string_view name) { return IsCountedResource(name) || IsExtendedResource(name); }

bool IsStandardResource(std::string_view name) {
  return IsOneOf(name,
                 {"cpu", "memory", "ephemeral-storage", "requests.cpu", "requests.memory", "requests.ephemeral-storage",
                  "limits.cpu", "limits.memory", "limits.ephemeral-storage", "storage", "requests.storage"}) ||
         IsCountedResource(name) || IsHugePageResource(name) || name.starts_with("requests.hugepages-");
}

bool IsPodLevelResource(std::string_view name) { return name == "cpu" || name == "memory" || IsHugePageResource(name); }

void CheckResourceName(std::string_view name, const Path& path, FieldErrors& errors) {
  if (!names::IsQualifiedName(name)) {
    errors.InvalidForEach(path, name, names::CheckQualifiedName(name));
  } else if (!HasDomain(name) && !IsStandardResource(name)) {
    errors.Invalid(path, Json(name), "must be a standard resource type or fully qualified");
  }
}

void CheckResourceQuantity(std::string_view name, const Quantity& quantity, const Path& path, FieldErrors& errors) {
  CheckNonNegative(quantity, path, errors);
  if (IsIntegerResource(name) && quantity.MilliValue() % 1000 != 0) {
    errors.Invalid(path, Shown(quantity), kMustBeInteger);
  }
}

void CheckResourceRequirements(const corev1::ResourceRequirements& requirements, ResourceOwner owner,
                               const NameSet& claims, const List<corev1::PodResourceClaim>& pod_claims,
                               const Path& path, FieldErrors& errors) {
  const Path limits = path / "limits";
  const Path requests = path / "requests";
  Seen seen;
  for (const auto& [name, quantity] : requirements.limits) {
    const Path at = limits.Key(name);
    CheckAmount(name, quantity, owner, at, seen, errors);
    if (IsHugePageResource(name)) {
      seen.huge_pages = true;
      CheckHugePages(name, quantity, at, errors);
    }
  }
  for (const auto& [name, quantity] : requirements.requests) {
    const Path at = requests.Key(name);
    CheckAmount(name, quantity, owner, at, seen, errors);
    if (const Quantity* limit = requirements.limits.find(name)) {
      if (quantity != *limit && !IsOvercommitAllowed(name)) {
        errors.Invalid(requests, Shown(quantity),
                       fmt::format("must be equal to {} limit of {}", name.view(), limit->ToString()));
      } else if (quantity > *limit) {
        errors.Invalid(requests, Shown(quantity),
                       fmt::format("must be less than or equal to {} limit of {}", name.view(), limit->ToString()));
      }
    } else if (!IsOvercommitAllowed(name)) {
      errors.Required(limits, "Limit must be set for non overcommitable resources");
    }
    if (IsHugePageResource(name)) {
      seen.huge_pages = true;
      CheckHugePages(name, quantity, at, errors);
    }
  }
  if (seen.huge_pages && !seen.cpu_or_memory) errors.Forbidden(path, "HugePages require cpu or memory");
  if (!requirements.claims.empty()) CheckClaims(requirements.claims, claims, pod_claims, path / "claims", errors);
}

void CheckOverhead(const corev1::ResourceList& overhead, const Path& path, FieldErrors& errors) {
  if (overhead.empty()) return;
  corev1::ResourceRequirements requirements;
  requirements.limits = overhead;
  CheckResourceRequirements(requirements, ResourceOwner::kContainer, {}, {}, path, errors);
}

corev1::ResourceList SumOfRequests(const corev1::PodSpec& spec) {
  return Sum(spec, &corev1::ResourceRequirements::requests);
}

corev1::ResourceList SumOfLimits(const corev1::PodSpec& spec) {
  return Sum(spec, &corev1::ResourceRequirements::limits);
}

}  // namespace keelson::apiserver
