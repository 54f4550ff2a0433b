// Endpoints and EndpointSlice.
#include <fmt/format.h>

#include "keelson/api/core/v1.h"
#include "keelson/api/discovery/v1.h"
#include "keelson/apiserver/kinds/checks_address.h"
#include "keelson/apiserver/kinds/checks_common.h"
#include "keelson/apiserver/kinds/kind_groups.h"
#include "keelson/apiserver/kinds/name_set.h"
#include "keelson/apiserver/kinds/network_service_checks.h"

namespace keelson::apiserver {

namespace {

// --- Endpoints ---

void SetEndpointsDefaults(corev1::Endpoints& endpoints) {
  for (size_t i = 0; i < endpoints.subsets.size(); ++i) {
    for (size_t j = 0; j < std::as_const(endpoints).subsets[i].ports.size(); ++j) {
      if (std::as_const(endpoints).subsets[i].ports[j].protocol.empty()) {
        endpoints.subsets[i].ports[j].protocol = "TCP";
      }
    }
  }
}

void CheckAddress(const corev1::EndpointAddress& address, const Path& path, FieldErrors& errors) {
  CheckLegacyIp(address.ip, path / "ip", errors);
  if (!address.hostname.empty()) CheckDnsLabel(address.hostname, path / "hostname", errors);
  if (address.nodeName) CheckDnsSubdomain(*address.nodeName, path / "nodeName", errors);
  CheckEndpointIp(address.ip, path / "ip", errors);
}

void CheckEndpointPort(const corev1::EndpointPort& port, bool needs_name, const Path& path, FieldErrors& errors) {
  if (!port.name.empty()) {
    CheckDnsLabel(port.name, path / "name", errors);
  } else if (needs_name) {
    errors.Required(path / "name", "");
  }
  CheckPort(port.port, path / "port", errors);
  if (port.protocol.empty()) {
    errors.Required(path / "protocol", "");
  } else {
    CheckOneOf(port.protocol, {"SCTP", "TCP", "UDP"}, path / "protocol", errors);
  }
  if (port.appProtocol) CheckQualifiedName(*port.appProtocol, path / "appProtocol", errors);
}

void ValidateEndpoints(const corev1::Endpoints& endpoints, FieldErrors& errors) {
  const Path subsets("subsets");
  for (size_t i = 0; i < endpoints.subsets.size(); ++i) {
    const corev1::EndpointSubset& subset = endpoints.subsets[i];
    const Path here = subsets[i];
    if (subset.addresses.empty() && subset.notReadyAddresses.empty()) {
      errors.Required(here, "must specify `addresses` or `notReadyAddresses`");
    }
    const Path ready = here / "addresses";
    for (size_t j = 0; j < subset.addresses.size(); ++j) CheckAddress(subset.addresses[j], ready[j], errors);
    const Path not_ready = here / "notReadyAddresses";
    for (size_t j = 0; j < subset.notReadyAddresses.size(); ++j) {
      CheckAddress(subset.notReadyAddresses[j], not_ready[j], errors);
    }
    const Path ports = here / "ports";
    for (size_t j = 0; j < subset.ports.size(); ++j) {
      CheckEndpointPort(subset.ports[j], subset.ports.size() > 1, ports[j], errors);
    }
  }
}

void ValidateEndpointsUpdate(const corev1::Endpoints& endpoints, const corev1::Endpoints& old, FieldErrors& errors) {
  if (!Equal(endpoints.subsets, old.subsets)) ValidateEndpoints(endpoints, errors);
}

void WarnOfEndpoints(const corev1::Endpoints& endpoints, std::vector<std::string>& warnings) {
  const String* manager = endpoints.metadata.labels.find("endpoints.kubernetes.io/managed-by");
  if (manager != nullptr && *manager == "endpoint-controller") return;
  const Path subsets("subsets");
  for (size_t i = 0; i < endpoints.subsets.size(); ++i) {
    const corev1::EndpointSubset& subset = endpoints.subsets[i];
    const Path here = subsets[i];
    const auto warn = [&](const List<corev1::EndpointAddress>& addresses, std::string_view name) {
      const Path list = here / name;
      for (size_t j = 0; j < addresses.size(); ++j) {
        const Path one = list[j];
        WarnOfIp(addresses[j].ip, one / "ip", warnings);
      }
    };
    warn(subset.addresses, "addresses");
    warn(subset.notReadyAddresses, "notReadyAddresses");
  }
}

// --- EndpointSlice ---

void SetSliceDefaults(discoveryv1::EndpointSlice& slice) {
  for (size_t i = 0; i < slice.ports.size(); ++i) {
    const discoveryv1::EndpointPort& port = std::as_const(slice).ports[i];
    if (port.name && port.protocol) continue;
    discoveryv1::EndpointPort& changed = slice.ports[i];
    if (!changed.name) changed.name = String();
    if (!changed.protocol) changed.protocol = "TCP";
  }
}

// Topology labels are of older versions only.
void DropTopology(discoveryv1::EndpointSlice& slice) {
  for (size_t i = 0; i < slice.endpoints.size(); ++i) {
    if (!std::as_const(slice).endpoints[i].deprecatedTopology.empty()) slice.endpoints[i].deprecatedTopology.clear();
  }
}

Result<void> PrepareSliceCreate(discoveryv1::EndpointSlice& slice, WriteContext& context) {
  DropTopology(slice);
  if (slice.addressType == "FQDN") {
    context.warnings.emplace_back("spec.addressType: FQDN endpoints are deprecated");
  }
  return {};
}

Result<void> PrepareSliceUpdate(discoveryv1::EndpointSlice& slice, const discoveryv1::EndpointSlice& old,
                                WriteContext&) {
  if (!Equal(slice.endpoints, old.endpoints)) DropTopology(slice);
  // Labels count as part of what it says; a change of anything else counts by itself.
  const bool same =
      slice.addressType == old.addressType && Equal(slice.endpoints, old.endpoints) && Equal(slice.ports, old.ports);
  if (same && slice.metadata.labels != old.metadata.labels) ++slice.metadata.generation;
  return {};
}

void CheckDomainName(std::string_view given, const Path& path, FieldErrors& errors) {
  if (given.empty()) return errors.Required(path, "");
  std::string_view name = given;
  if (name.ends_with('.')) name.remove_suffix(1);
  if (!names::IsDns1123Subdomain(name)) {
    return errors.Invalid(path, Json(name), fmt::format("{}", fmt::join(names::CheckDns1123Subdomain(name), ",")));
  }
  if (name.find('.') == std::string_view::npos) {
    return errors.Invalid(path, Json(name), "should be a domain with at least two segments separated by dots");
  }
  while (!name.empty()) {
    const size_t point = name.find('.');
    const std::string_view label = name.substr(0, point);
    if (!names::IsDns1123Label(label)) {
      return errors.Invalid(path, Json(label), fmt::format("{}", fmt::join(names::CheckDns1123Label(label), ",")));
    }
    if (point == std::string_view::npos) return;
    name.remove_prefix(point + 1);
  }
}

void CheckSliceAddress(std::string_view address, std::string_view type, const Path& list, const Path& path,
                       FieldErrors& errors) {
  if (type == "FQDN") return CheckDomainName(address, path, errors);
  const bool v4 = type == "IPv4";
  if (!v4 && type != "IPv6") return;
  const size_t before = errors.size();
  if (v4) {
    CheckLegacyIp(address, path, errors);
  } else {
    CheckIp(address, path, errors);
  }
  if (errors.size() != before) return;
  if (ParseIp(address)->is_v4() != v4) {
    errors.Invalid(list, Json(address), fmt::format("must be an {} address", type));
  }
  CheckEndpointIp(address, path, errors);
}

void CheckHints(const discoveryv1::EndpointHints& hints, const Path& path, FieldErrors& errors) {
  constexpr size_t kMaxHints = 8;
  const Path zones = path / "forZones";
  if (hints.forZones.size() > kMaxHints) return errors.TooMany(zones, hints.forZones.size(), kMaxHints);
  NameSet zone_names;
  for (size_t i = 0; i < hints.forZones.size(); ++i) {
    const Path zone = zones[i];
    const Path name = zone / "name";
    const String& text = hints.forZones[i].name;
    if (!zone_names.Insert(text)) errors.Duplicate(name, Json(text));
    if (!names::IsLabelValue(text)) errors.InvalidForEach(name, text, names::CheckLabelValue(text));
  }
  const Path nodes = path / "forNodes";
  if (hints.forNodes.size() > kMaxHints) return errors.TooMany(nodes, hints.forNodes.size(), kMaxHints);
  NameSet node_names;
  for (size_t i = 0; i < hints.forNodes.size(); ++i) {
    const Path node = nodes[i];
    const Path name = node / "name";
    if (!node_names.Insert(hints.forNodes[i].name)) errors.Duplicate(name, Json(hints.forNodes[i].name));
    CheckDnsSubdomain(hints.forNodes[i].name, name, errors);
  }
}

void CheckSliceEndpoints(const discoveryv1::EndpointSlice& slice, FieldErrors& errors) {
  constexpr size_t kMaxEndpoints = 1000;
  constexpr size_t kMaxAddresses = 100;
  const Path endpoints("endpoints");
  if (slice.endpoints.size() > kMaxEndpoints) return errors.TooMany(endpoints, slice.endpoints.size(), kMaxEndpoints);
  for (size_t i = 0; i < slice.endpoints.size(); ++i) {
    const discoveryv1::Endpoint& endpoint = slice.endpoints[i];
    const Path here = endpoints[i];
    const Path addresses = here / "addresses";
    if (endpoint.addresses.empty()) {
      errors.Required(addresses, "must contain at least 1 address");
    } else if (endpoint.addresses.size() > kMaxAddresses) {
      errors.TooMany(addresses, endpoint.addresses.size(), kMaxAddresses);
    }
    for (size_t j = 0; j < endpoint.addresses.size(); ++j) {
      CheckSliceAddress(endpoint.addresses[j], slice.addressType, addresses, addresses[j], errors);
    }
    if (endpoint.nodeName) CheckDnsSubdomain(*endpoint.nodeName, here / "nodeName", errors);
    if (endpoint.hostname) CheckDnsLabel(*endpoint.hostname, here / "hostname", errors);
    if (endpoint.hints) CheckHints(*endpoint.hints, here / "hints", errors);
  }
}

void CheckSlicePorts(const discoveryv1::EndpointSlice& slice, FieldErrors& errors) {
  constexpr size_t kMaxPorts = 20000;
  const Path ports("ports");
  if (slice.ports.size() > kMaxPorts) return errors.TooMany(ports, slice.ports.size(), kMaxPorts);
  NameSet seen;
  for (size_t i = 0; i < slice.ports.size(); ++i) {
    const discoveryv1::EndpointPort& port = slice.ports[i];
    const Path here = ports[i];
    const String& name = port.name.OrDefault();
    if (!name.empty()) CheckDnsLabel(name, here / "name", errors);
    if (!seen.Insert(name)) errors.Duplicate(here / "name", Json(name));
    if (!port.protocol) {
      errors.Required(here / "protocol", "");
    } else {
      CheckOneOf(*port.protocol, {"SCTP", "TCP", "UDP"}, here / "protocol", errors);
    }
    if (port.appProtocol) CheckQualifiedName(*port.appProtocol, here / "appProtocol", errors);
  }
}

void CheckSlice(const discoveryv1::EndpointSlice& slice, const discoveryv1::EndpointSlice* old, FieldErrors& errors) {
  const Path type("addressType");
  if (slice.addressType.empty()) {
    errors.Required(type, "");
  } else {
    CheckOneOf(slice.addressType, {"FQDN", "IPv4", "IPv6"}, type, errors);
  }
  CheckSlicePorts(slice, errors);
  if (old == nullptr || !Equal(slice.endpoints, old->endpoints)) CheckSliceEndpoints(slice, errors);
  if (old != nullptr) CheckImmutable(slice.addressType, old->addressType, type, errors);
}

void ValidateSlice(const discoveryv1::EndpointSlice& slice, FieldErrors& errors) { CheckSlice(slice, nullptr, errors); }

void ValidateSliceUpdate(const discoveryv1::EndpointSlice& slice, const discoveryv1::EndpointSlice& old,
                         FieldErrors& errors) {
  CheckSlice(slice, &old, errors);
}

void WarnOfSlice(const discoveryv1::EndpointSlice& slice, std::vector<std::string>& warnings) {
  const String* manager = slice.metadata.labels.find("endpointslice.kubernetes.io/managed-by");
  if (manager != nullptr &&
      IsOneOf(*manager, {"endpointslice-controller.k8s.io", "endpointslicemirroring-controller.k8s.io"})) {
    return;
  }
  const Path endpoints("endpoints");
  for (size_t i = 0; i < slice.endpoints.size(); ++i) {
    const Path here = endpoints[i];
    const Path addresses = here / "addresses";
    const List<String>& listed = slice.endpoints[i].addresses;
    for (size_t j = 0; j < listed.size(); ++j) WarnOfIp(listed[j], addresses[j], warnings);
  }
}

}  // namespace

void AddEndpointRules(RulesTable& table) {
  table.Add<corev1::Endpoints>({.set_defaults = SetEndpointsDefaults,
                                .validate = ValidateEndpoints,
                                .validate_update = ValidateEndpointsUpdate,
                                .warn = WarnOfEndpoints,
                                .generation = false,
                                .create_on_update = true});
  table.Add<discoveryv1::EndpointSlice>({.set_defaults = SetSliceDefaults,
                                         .prepare_create = PrepareSliceCreate,
                                         .prepare_update = PrepareSliceUpdate,
                                         .validate = ValidateSlice,
                                         .validate_update = ValidateSliceUpdate,
                                         .warn = WarnOfSlice});
}

}  // namespace keelson::apiserver
