// ResourceClaim, ResourceClaimTemplate, ResourceSlice and DeviceClass of resource.k8s.io. Expressions of selectors are
// not compiled here, and the inner parts of devices are taken as they come.
#include <fmt/format.h>

#include "keelson/api/resource/v1.h"
#include "keelson/apiserver/kinds/checks_common.h"
#include "keelson/apiserver/kinds/checks_node_selector.h"
#include "keelson/apiserver/kinds/checks_resources.h"
#include "keelson/apiserver/kinds/kind_groups.h"
#include "keelson/apiserver/kinds/name_set.h"
#include "keelson/apiserver/kinds/storage_checks.h"

namespace keelson::apiserver {

namespace {

namespace v1 = resourcev1;

constexpr size_t kMaxRequests = 32;
constexpr size_t kMaxSelectors = 32;

template <class Request>
void SetRequestDefaults(Request& request) {
  if (request.allocationMode.empty()) request.allocationMode = "ExactCount";
  if (request.allocationMode == "ExactCount" && request.count == 0) request.count = 1;
}

void SetClaimDefaults(v1::DeviceClaim& claim) {
  if (claim.requests.empty()) return;
  for (v1::DeviceRequest& request : claim.requests.Mutable()) {
    if (request.exactly) SetRequestDefaults(*request.exactly);
    if (request.firstAvailable.empty()) continue;
    for (v1::DeviceSubRequest& one : request.firstAvailable.Mutable()) SetRequestDefaults(one);
  }
}

void CheckSelectors(const List<v1::DeviceSelector>& selectors, const Path& path, FieldErrors& errors) {
  if (selectors.size() > kMaxSelectors) errors.TooMany(path, selectors.size(), kMaxSelectors);
  for (size_t i = 0; i < selectors.size(); ++i) {
    const Path here = path[i];
    if (!selectors[i].cel) errors.Required(here / "cel", "");
  }
}

template <class Request>
void CheckOneRequest(const Request& request, const Path& path, FieldErrors& errors) {
  if (request.deviceClassName.empty()) {
    errors.Required(path / "deviceClassName", "");
  } else {
    CheckDnsSubdomain(request.deviceClassName, path / "deviceClassName", errors);
  }
  CheckSelectors(request.selectors, path / "selectors", errors);
  const Path count = path / "count";
  if (request.allocationMode == "All") {
    if (request.count != 0) {
      errors.Invalid(count, Json(request.count), "must not be specified when allocationMode is 'All'");
    }
  } else if (request.allocationMode == "ExactCount") {
    if (request.count <= 0) errors.Invalid(count, Json(request.count), "must be greater than zero");
  } else {
    errors.NotSupported(path / "allocationMode", Json(request.allocationMode), {"All", "ExactCount"});
  }
}

void CheckDeviceClaim(const v1::DeviceClaim& claim, const Path& path, FieldErrors& errors) {
  constexpr size_t kMaxSubRequests = 8;
  const Path requests = path / "requests";
  if (claim.requests.size() > kMaxRequests) errors.TooMany(requests, claim.requests.size(), kMaxRequests);
  NameSet request_names;
  for (size_t i = 0; i < claim.requests.size(); ++i) {
    const v1::DeviceRequest& request = claim.requests[i];
    const Path here = requests[i];
    CheckDnsLabel(request.name, here / "name", errors);
    if (!request.exactly && request.firstAvailable.empty()) {
      errors.Required(here, "exactly one of `exactly` or `firstAvailable` is required");
    } else if (request.exactly && !request.firstAvailable.empty()) {
      errors.InvalidShown(here, "null",
                          "exactly one of `exactly` or `firstAvailable` is required, but multiple fields are set");
    } else if (request.exactly) {
      CheckOneRequest(*request.exactly, here / "exactly", errors);
    } else {
      const Path first = here / "firstAvailable";
      if (request.firstAvailable.size() > kMaxSubRequests) {
        errors.TooMany(first, request.firstAvailable.size(), kMaxSubRequests);
      }
      NameSet sub_names;
      for (size_t j = 0; j < request.firstAvailable.size(); ++j) {
        const Path sub = first[j];
        CheckDnsLabel(request.firstAvailable[j].name, sub / "name", errors);
        CheckOneRequest(request.firstAvailable[j], sub, errors);
        if (!sub_names.Insert(request.firstAvailable[j].name)) {
          errors.Duplicate(sub, Json(request.firstAvailable[j].name));
        }
      }
    }
    if (!request_names.Insert(request.name)) errors.Duplicate(here, Json(request.name));
  }
}

// --- ResourceClaim ---

void SetResourceClaimDefaults(v1::ResourceClaim& claim) { SetClaimDefaults(claim.spec.devices); }

void ValidateResourceClaim(const v1::ResourceClaim& claim, FieldErrors& errors) {
  const Path spec("spec");
  CheckDeviceClaim(claim.spec.devices, spec / "devices", errors);
}

void ValidateResourceClaimUpdate(const v1::ResourceClaim& claim, const v1::ResourceClaim& old, FieldErrors& errors) {
  CheckImmutable(claim.spec, old.spec, Path("spec"), errors);
}

void SetTemplateDefaults(v1::ResourceClaimTemplate& object) { SetClaimDefaults(object.spec.spec.devices); }

void ValidateTemplate(const v1::ResourceClaimTemplate& object, FieldErrors& errors) {
  const Path spec("spec");
  const Path inner = spec / "spec";
  CheckDeviceClaim(object.spec.spec.devices, inner / "devices", errors);
}

void ValidateTemplateUpdate(const v1::ResourceClaimTemplate& object, const v1::ResourceClaimTemplate& old,
                            FieldErrors& errors) {
  CheckImmutable(object.spec, old.spec, Path("spec"), errors);
}

// --- DeviceClass ---

void ValidateDeviceClass(const v1::DeviceClass& object, FieldErrors& errors) {
  const Path spec("spec");
  CheckSelectors(object.spec.selectors, spec / "selectors", errors);
  const Optional<String>& name = object.spec.extendedResourceName;
  if (name && !IsExtendedResource(*name)) {
    errors.Invalid(spec / "extendedResourceName", Json(*name), "must be a valid extended resource name");
  }
}

void ValidateDeviceClassUpdate(const v1::DeviceClass& object, const v1::DeviceClass&, FieldErrors& errors) {
  ValidateDeviceClass(object, errors);
}

// --- ResourceSlice ---

void SetSliceDefaults(v1::ResourceSlice& slice) {
  const v1::ResourceSliceSpec& read = slice.spec;
  for (size_t i = 0; i < read.devices.size(); ++i) {
    for (const auto& [name, mapping] :
         Map<v1::NodeAllocatableResourceMapping>(read.devices[i].nodeAllocatableResourceMappings)) {
      if (mapping.allocationMultiplier) continue;
      slice.spec.devices[i].nodeAllocatableResourceMappings[name].allocationMultiplier = Quantity::FromInt(1);
    }
  }
}

// Taints that do not say since when they are there are there from now on.
void StampTaints(v1::ResourceSlice& slice, metav1::Time now) {
  const v1::ResourceSliceSpec& read = slice.spec;
  for (size_t i = 0; i < read.devices.size(); ++i) {
    for (size_t j = 0; j < read.devices[i].taints.size(); ++j) {
      if (!read.devices[i].taints[j].timeAdded) slice.spec.devices[i].taints[j].timeAdded = now;
    }
  }
}

Result<void> PrepareSliceCreate(v1::ResourceSlice& slice, WriteContext& context) {
  StampTaints(slice, context.now);
  return {};
}

Result<void> PrepareSliceUpdate(v1::ResourceSlice& slice, const v1::ResourceSlice&, WriteContext& context) {
  StampTaints(slice, context.now);
  return {};
}

void CheckPool(const v1::ResourcePool& pool, const Path& path, FieldErrors& errors) {
  constexpr size_t kMaxPoolName = 253;
  const Path name = path / "name";
  if (pool.name.empty()) {
    errors.Required(name, "");
  } else {
    if (pool.name.size() > kMaxPoolName) errors.TooLong(name, kMaxPoolName);
    for (std::string_view left = pool.name;;) {
      const size_t slash = left.find('/');
      CheckDnsSubdomain(left.substr(0, slash), name, errors);
      if (slash == std::string_view::npos) break;
      left.remove_prefix(slash + 1);
    }
  }
  if (pool.resourceSliceCount <= 0) {
    errors.Invalid(path / "resourceSliceCount", Json(pool.resourceSliceCount), "must be greater than zero");
  }
  if (pool.generation < 0) {
    errors.Invalid(path / "generation", Json(pool.generation), "must be greater than or equal to zero");
  }
}

void CheckSlice(const v1::ResourceSlice& slice, const v1::ResourceSlice* old, FieldErrors& errors) {
  constexpr size_t kMaxDevices = 128;
  const v1::ResourceSliceSpec& spec = slice.spec;
  const Path path("spec");
  CheckCsiDriverName(spec.driver, path / "driver", errors);
  const Path pool = path / "pool";
  CheckPool(spec.pool, pool, errors);
  if (old != nullptr) {
    CheckImmutable(spec.pool.name, old->spec.pool.name, pool / "name", errors);
    CheckImmutable(spec.driver, old->spec.driver, path / "driver", errors);
    CheckImmutable(spec.nodeName, old->spec.nodeName, path / "nodeName", errors);
  }
  std::vector<std::string_view> set;
  if (spec.nodeName) {
    if (spec.nodeName->empty()) {
      errors.Invalid(path / "nodeName", Json(""), "must be either unset or set to a non-empty string");
    } else {
      set.emplace_back("`nodeName`");
      CheckDnsSubdomain(*spec.nodeName, path / "nodeName", errors);
    }
  }
  if (spec.nodeSelector) {
    set.emplace_back("`nodeSelector`");
    const Path selector = path / "nodeSelector";
    CheckNodeSelector(*spec.nodeSelector, false, selector, errors);
    if (spec.nodeSelector->nodeSelectorTerms.size() != 1) {
      errors.InvalidShown(selector / "nodeSelectorTerms", InternalForm(spec.nodeSelector->nodeSelectorTerms),
                          "must have exactly one node selector term");
    }
  }
  const auto flag = [&](const Optional<bool>& value, std::string_view name, std::string_view quoted) {
    if (!value) return;
    if (*value) {
      set.push_back(quoted);
    } else {
      errors.Invalid(path / name, Json(false), "must be either unset or set to true");
    }
  };
  flag(spec.allNodes, "allNodes", "`allNodes`");
  flag(spec.perDeviceNodeSelection, "perDeviceNodeSelection", "`perDeviceNodeSelection`");
  constexpr std::string_view kExactlyOne =
      "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required";
  if (set.empty()) {
    errors.Required(path, kExactlyOne);
  } else if (set.size() > 1) {
    errors.Invalid(path, Json(fmt::format("{{{}}}", fmt::join(set, ", "))),
                   fmt::format("{}, but multiple fields are set", kExactlyOne));
  }
  const Path devices = path / "devices";
  if (spec.devices.size() > kMaxDevices) errors.TooMany(devices, spec.devices.size(), kMaxDevices);
  NameSet seen;
  for (size_t i = 0; i < spec.devices.size(); ++i) {
    const Path here = devices[i];
    CheckDnsLabel(spec.devices[i].name, here / "name", errors);
    if (!seen.Insert(spec.devices[i].name)) errors.Duplicate(here, Json(spec.devices[i].name));
  }
}

void ValidateSlice(const v1::ResourceSlice& slice, FieldErrors& errors) { CheckSlice(slice, nullptr, errors); }

void ValidateSliceUpdate(const v1::ResourceSlice& slice, const v1::ResourceSlice& old, FieldErrors& errors) {
  CheckSlice(slice, &old, errors);
}

}  // namespace

void AddDeviceRules(RulesTable& table) {
  table.Add<v1::ResourceClaim>({.set_defaults = SetResourceClaimDefaults,
                                .validate = ValidateResourceClaim,
                                .validate_update = ValidateResourceClaimUpdate,
                                .generation = false});
  table.Add<v1::ResourceClaimTemplate>({.set_defaults = SetTemplateDefaults,
                                        .validate = ValidateTemplate,
                                        .validate_update = ValidateTemplateUpdate,
                                        .generation = false});
  table.Add<v1::DeviceClass>({.validate = ValidateDeviceClass, .validate_update = ValidateDeviceClassUpdate});
  table.Add<v1::ResourceSlice>({.set_defaults = SetSliceDefaults,
                                .prepare_create = PrepareSliceCreate,
                                .prepare_update = PrepareSliceUpdate,
                                .validate = ValidateSlice,
                                .validate_update = ValidateSliceUpdate,
                                .selectable_fields = {"spec.nodeName", "spec.driver"},
                                .read_fields = [](const v1::ResourceSlice& slice, std::vector<std::string>& values) {
                                  values.push_back(slice.spec.nodeName.OrDefault());
                                  values.push_back(slice.spec.driver);
                                }});
}

}  // namespace keelson::apiserver
