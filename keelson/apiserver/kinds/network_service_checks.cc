#include "keelson/apiserver/kinds/network_service_checks.h"

#include <fmt/format.h>

#include <algorithm>

#include "keelson/apiserver/kinds/checks_address.h"
#include "keelson/apiserver/kinds/checks_common.h"
#include "keelson/apiserver/kinds/name_set.h"
#include "keelson/apiserver/kinds/network_service.h"
#include "keelson/core/ascii.h"

namespace keelson::apiserver {

namespace {

constexpr std::string_view kOnlyForBalancers = "may only be used when `type` is 'LoadBalancer'";
constexpr std::string_view kMayNotChange = "may not change once set";

bool Contains(const List<String>& list, std::string_view text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

void CheckPorts(const corev1::ServiceSpec& spec, const Path& path, FieldErrors& errors) {
  NameSet names;
  for (size_t i = 0; i < spec.ports.size(); ++i) {
    const corev1::ServicePort& port = spec.ports[i];
    const Path here = path[i];
    if (port.name.empty()) {
      if (spec.ports.size() > 1) errors.Required(here / "name", "");
    } else {
      CheckDnsLabel(port.name, here / "name", errors);
      if (!names.Insert(port.name)) errors.Duplicate(here / "name", Json(port.name));
    }
    CheckPort(port.port, here / "port", errors);
    if (port.protocol.empty()) {
      errors.Required(here / "protocol", "");
    } else {
      CheckOneOf(port.protocol, {"SCTP", "TCP", "UDP"}, here / "protocol", errors);
    }
    CheckPortNumberOrName(port.targetPort, here / "targetPort", errors);
    if (port.appProtocol) CheckQualifiedName(*port.appProtocol, here / "appProtocol", errors);
  }
}

// Ports that are told apart by protocol and number, and node ports likewise.
void CheckPortsDiffer(const corev1::ServiceSpec& spec, const Path& path, FieldErrors& errors) {
  if (spec.type == "ClusterIP") {
    for (size_t i = 0; i < spec.ports.size(); ++i) {
      const Path here = path[i];
      if (spec.ports[i].nodePort != 0) {
        errors.Forbidden(here / "nodePort", "may not be used when `type` is 'ClusterIP'");
      }
    }
  }
  for (size_t i = 0; i < spec.ports.size(); ++i) {
    if (spec.ports[i].nodePort == 0) continue;
    for (size_t j = 0; j < i; ++j) {
      if (spec.ports[j].nodePort != spec.ports[i].nodePort || spec.ports[j].protocol != spec.ports[i].protocol)
        continue;
      const Path here = path[i];
      errors.Duplicate(here / "nodePort", Json(spec.ports[i].nodePort));
      break;
    }
  }
  for (size_t i = 0; i < spec.ports.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (spec.ports[j].port != spec.ports[i].port || spec.ports[j].protocol != spec.ports[i].protocol) continue;
      corev1::ServicePort shown;
      shown.protocol = spec.ports[i].protocol;
      shown.port = spec.ports[i].port;
      errors.DuplicateShown(path[i], InternalForm(shown));
      break;
    }
  }
}

void CheckAffinity(const corev1::ServiceSpec& spec, const Path& path, FieldErrors& errors) {
  if (spec.sessionAffinity.empty()) {
    errors.Required(path / "sessionAffinity", "");
  } else {
    CheckOneOf(spec.sessionAffinity, {"ClientIP", "None"}, path / "sessionAffinity", errors);
  }
  const Path config = path / "sessionAffinityConfig";
  if (spec.sessionAffinity == "None" && spec.sessionAffinityConfig) {
    errors.Forbidden(config, "must not be set when session affinity is None");
  }
  if (spec.sessionAffinity != "ClientIP") return;
  constexpr std::string_view kWhenClientIp = "when session affinity type is ClientIP";
  if (!spec.sessionAffinityConfig) return errors.Required(config, kWhenClientIp);
  const Path client = config / "clientIP";
  if (!spec.sessionAffinityConfig->clientIP) return errors.Required(client, kWhenClientIp);
  const Path timeout = client / "timeoutSeconds";
  const Optional<int32_t>& seconds = spec.sessionAffinityConfig->clientIP->timeoutSeconds;
  if (!seconds) return errors.Required(timeout, kWhenClientIp);
  if (*seconds <= 0 || *seconds > 86400) {
    errors.Invalid(timeout, Json(*seconds), "must be greater than 0 and less than 86400");
  }
}

void CheckSourceRanges(const corev1::Service& service, const corev1::Service* old, const Path& spec_path,
                       FieldErrors& errors) {
  constexpr std::string_view kAnnotation = "service.beta.kubernetes.io/load-balancer-source-ranges";
  const corev1::ServiceSpec& spec = service.spec;
  const bool balancer = spec.type == "LoadBalancer";
  if (!spec.loadBalancerSourceRanges.empty()) {
    const Path path = spec_path / "LoadBalancerSourceRanges";
    if (!balancer) errors.Forbidden(path, kOnlyForBalancers);
    for (size_t i = 0; i < spec.loadBalancerSourceRanges.size(); ++i) {
      const std::string_view range = Trim(spec.loadBalancerSourceRanges[i]);
      const bool known = old != nullptr && std::any_of(old->spec.loadBalancerSourceRanges.begin(),
                                                       old->spec.loadBalancerSourceRanges.end(),
                                                       [&](const String& one) { return Trim(one) == range; });
      if (!known) CheckLegacyCidr(range, path[i], errors);
    }
    return;
  }
  const String* annotation = service.metadata.annotations.find(kAnnotation);
  if (annotation == nullptr) return;
  const Path metadata("metadata");
  const Path annotations = metadata / "annotations";
  const Path path = annotations.Key(kAnnotation);
  if (!balancer) errors.Forbidden(path, kOnlyForBalancers);
  const String* before = old == nullptr ? nullptr : old->metadata.annotations.find(kAnnotation);
  if (before != nullptr && *before == *annotation) return;
  std::string_view rest = Trim(*annotation);
  while (!rest.empty()) {
    const size_t comma = rest.find(',');
    CheckLegacyCidr(Trim(rest.substr(0, comma)), path, errors);
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
}

void CheckTrafficPolicies(const corev1::Service& service, const Path& path, FieldErrors& errors) {
  const corev1::ServiceSpec& spec = service.spec;
  const Path external = path / "externalTrafficPolicy";
  if (!IsExternallyAccessible(service)) {
    if (!spec.externalTrafficPolicy.empty()) {
      errors.Invalid(external, Json(spec.externalTrafficPolicy), "may only be set for externally-accessible services");
    }
  } else if (spec.externalTrafficPolicy.empty()) {
    errors.Required(external, "");
  } else {
    CheckOneOf(spec.externalTrafficPolicy, {"Cluster", "Local"}, external, errors);
  }
  const Path health = path / "healthCheckNodePort";
  if (!NeedsHealthCheckNodePort(service)) {
    if (spec.healthCheckNodePort != 0) {
      errors.Invalid(health, Json(spec.healthCheckNodePort),
                     "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'");
    }
  } else if (spec.healthCheckNodePort != 0) {  // 0: to be allocated
    CheckPort(spec.healthCheckNodePort, health, errors);
  }
  const Path internal = path / "internalTrafficPolicy";
  if (spec.internalTrafficPolicy) {
    CheckOneOf(*spec.internalTrafficPolicy, {"Cluster", "Local"}, internal, errors);
  } else if (IsOneOf(spec.type, {"ClusterIP", "NodePort", "LoadBalancer"})) {
    errors.Required(internal, "");
  }
  if (spec.trafficDistribution &&
      !IsOneOf(*spec.trafficDistribution, {"PreferClose", "PreferSameZone", "PreferSameNode"})) {
    errors.NotSupportedAsListed(path / "trafficDistribution", Json(*spec.trafficDistribution),
                                {"PreferClose", "PreferSameZone", "PreferSameNode"});
  }
}

void CheckType(const corev1::Service& service, const Path& path, FieldErrors& errors) {
  const corev1::ServiceSpec& spec = service.spec;
  const Path ips = path / "clusterIPs";
  if (IsHeadless(service) && (spec.type == "LoadBalancer" || spec.type == "NodePort")) {
    errors.Invalid(ips[0], Json("None"), fmt::format("may not be set to 'None' for {} services", spec.type.view()));
  }
  if (spec.type != "ExternalName") return;
  constexpr std::string_view kNotSet = "may not be set for ExternalName services";
  if (!spec.clusterIPs.empty()) errors.Forbidden(ips, kNotSet);
  if (!spec.ipFamilies.empty()) errors.Forbidden(path / "ipFamilies", kNotSet);
  if (spec.ipFamilyPolicy) errors.Forbidden(path / "ipFamilyPolicy", kNotSet);
  std::string_view name = spec.externalName;
  if (name.ends_with('.')) name.remove_suffix(1);
  if (name.empty()) {
    errors.Required(path / "externalName", "");
  } else {
    CheckDnsSubdomain(name, path / "externalName", errors);
  }
}

void CheckBalancerClass(const corev1::ServiceSpec& spec, const Path& path, FieldErrors& errors) {
  if (!spec.loadBalancerClass) return;
  if (spec.type == "LoadBalancer") {
    CheckQualifiedName(*spec.loadBalancerClass, path, errors);
  } else {
    errors.Forbidden(path, kOnlyForBalancers);
  }
}

void CheckService(const corev1::Service& service, const corev1::Service* old, FieldErrors& errors) {
  const corev1::ServiceSpec& spec = service.spec;
  const String* hints = service.metadata.annotations.find("service.kubernetes.io/topology-aware-hints");
  const String* mode = service.metadata.annotations.find("service.kubernetes.io/topology-mode");
  if (hints != nullptr && mode != nullptr && *hints != *mode) {
    const Path metadata("metadata");
    const Path annotations = metadata / "annotations";
    errors.Invalid(annotations.Key("service.kubernetes.io/topology-mode"), Json(*mode),
                   "must match annotations[service.kubernetes.io/topology-aware-hints] when both are specified");
  }
  const Path path("spec");
  const Path ports = path / "ports";
  if (spec.ports.empty() && !IsHeadless(service) && spec.type != "ExternalName") errors.Required(ports, "");
  CheckType(service, path, errors);
  CheckPorts(spec, ports, errors);
  CheckLabels(spec.selector, path / "selector", errors);
  CheckAffinity(spec, path, errors);
  CheckClusterIpFields(service, old, errors);
  const Path external = path / "externalIPs";
  for (size_t i = 0; i < spec.externalIPs.size(); ++i) {
    const size_t before = errors.size();
    if (old == nullptr || !Contains(old->spec.externalIPs, spec.externalIPs[i])) {
      CheckLegacyIp(spec.externalIPs[i], external[i], errors);
    }
    if (errors.size() == before) CheckEndpointIp(spec.externalIPs[i], external[i], errors);
  }
  if (spec.type.empty()) {
    errors.Required(path / "type", "");
  } else {
    CheckOneOf(spec.type, {"ClusterIP", "ExternalName", "LoadBalancer", "NodePort"}, path / "type", errors);
  }
  CheckPortsDiffer(spec, ports, errors);
  CheckSourceRanges(service, old, path, errors);
  if (spec.allocateLoadBalancerNodePorts && spec.type != "LoadBalancer") {
    errors.Forbidden(path / "allocateLoadBalancerNodePorts", kOnlyForBalancers);
  }
  if (spec.type == "LoadBalancer" && !spec.allocateLoadBalancerNodePorts) {
    errors.Required(Path("allocateLoadBalancerNodePorts"), "");
  }
  CheckBalancerClass(spec, path / "loadBalancerClass", errors);
  CheckTrafficPolicies(service, path, errors);
}

// A second address or family may be added and removed; the first stays, unless the name leads elsewhere.
void CheckClusterIpsChange(const corev1::Service& service, const corev1::Service& old, FieldErrors& errors) {
  if (IsHeadless(service) && IsHeadless(old)) return;
  const List<String>& now = service.spec.clusterIPs;
  const List<String>& before = old.spec.clusterIPs;
  const Path path("spec");
  const Path ips = path / "clusterIPs";
  if (before.size() == now.size()) {
    for (size_t i = 0; i < before.size(); ++i) {
      if (before[i] != now[i]) errors.Invalid(ips[i], Shown(now), kMayNotChange);
    }
    return;
  }
  if (before.size() > now.size() && now.empty()) {
    errors.InvalidShown(ips[0], InternalForm(now), "primary clusterIP can not be unset");
  }
  if (!before.empty() && !now.empty() && now[0] != before[0]) errors.Invalid(ips[0], Shown(now), kMayNotChange);
  if (before.size() > now.size() && now.size() == 1 && service.spec.ipFamilyPolicy.OrDefault() != "SingleStack") {
    errors.InvalidShown(path / "ipFamilyPolicy", InternalForm(service.spec.ipFamilyPolicy),
                        "must be set to 'SingleStack' when releasing the secondary clusterIP");
  }
}

void CheckFamiliesChange(const corev1::Service& service, const corev1::Service& old, FieldErrors& errors) {
  if (IsHeadless(service) || IsHeadless(old)) return;
  const List<corev1::IPFamily>& now = service.spec.ipFamilies;
  const List<corev1::IPFamily>& before = old.spec.ipFamilies;
  const Path path("spec");
  const Path families = path / "ipFamilies";
  if (before.size() == now.size()) {
    for (size_t i = 0; i < before.size(); ++i) {
      if (before[i] != now[i]) errors.Invalid(families[0], Shown(now), kMayNotChange);
    }
    return;
  }
  if (before.size() > now.size() && service.spec.clusterIPs.empty()) {
    errors.InvalidShown(families[0], InternalForm(now), "primary ipFamily can not be unset");
  }
  if (!before.empty() && !now.empty() && now[0] != before[0]) {
    errors.Invalid(families[0], Shown(service.spec.clusterIPs), kMayNotChange);
  }
  if (before.size() > now.size() && now.size() == 1 && service.spec.ipFamilyPolicy.OrDefault() != "SingleStack") {
    errors.InvalidShown(path / "ipFamilyPolicy", InternalForm(service.spec.ipFamilyPolicy),
                        "must be set to 'SingleStack' when releasing the secondary ipFamily");
  }
}

}  // namespace

void CheckEndpointIp(std::string_view text, const Path& path, FieldErrors& errors) {
  const std::optional<IpAddress> ip = ParseIp(text);
  if (!ip) return errors.Invalid(path, Json(text), "must be a valid IP address");
  if (ip->IsUnspecified()) errors.Invalid(path, Json(text), fmt::format("may not be unspecified ({})", text));
  if (ip->IsLoopback()) {
    errors.Invalid(path, Json(text), "may not be in the loopback range (127.0.0.0/8, ::1/128)");
  }
  if (ip->IsLinkLocalUnicast()) {
    errors.Invalid(path, Json(text), "may not be in the link-local range (169.254.0.0/16, fe80::/10)");
  }
  if (ip->IsLinkLocalMulticast()) {
    errors.Invalid(path, Json(text), "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)");
  }
}

void CheckClusterIpFields(const corev1::Service& service, const corev1::Service* old, FieldErrors& errors) {
  const corev1::ServiceSpec& spec = service.spec;
  if (spec.type == "ExternalName") return;
  const Path path("spec");
  const Path ips = path / "clusterIPs";
  const Path families = path / "ipFamilies";
  if (spec.clusterIP.empty()) {
    if (!spec.clusterIPs.empty()) {
      errors.Invalid(ips, Shown(spec.clusterIPs), "must be empty when `clusterIP` is not specified");
    }
  } else if (spec.clusterIPs.empty()) {
    errors.Required(ips, "");
  } else if (spec.clusterIPs[0] != spec.clusterIP) {
    errors.Invalid(ips, Shown(spec.clusterIPs), "first value must match `clusterIP`");
  }
  for (size_t i = 0; i < spec.ipFamilies.size(); ++i) {
    CheckOneOf(spec.ipFamilies[i], {"IPv4", "IPv6"}, families[i], errors);
    for (size_t j = 0; j < i; ++j) {
      if (spec.ipFamilies[j] != spec.ipFamilies[i]) continue;
      errors.Duplicate(families[i], Json(spec.ipFamilies[i]));
      break;
    }
  }
  if (spec.ipFamilyPolicy) {
    CheckOneOf(*spec.ipFamilyPolicy, {"PreferDualStack", "RequireDualStack", "SingleStack"}, path / "ipFamilyPolicy",
               errors);
  }
  bool all_valid = true;
  for (size_t i = 0; i < spec.clusterIPs.size(); ++i) {
    if (i == 0 && spec.clusterIPs[0] == "None") {
      if (spec.clusterIPs.size() > 1) {
        all_valid = false;
        errors.Invalid(ips, Shown(spec.clusterIPs), "'None' must be the first and only value");
      }
      continue;
    }
    if (old != nullptr && Contains(old->spec.clusterIPs, spec.clusterIPs[i])) continue;
    const size_t before = errors.size();
    CheckLegacyIp(spec.clusterIPs[i], ips[i], errors);
    if (errors.size() != before) all_valid = false;
  }
  if (spec.clusterIPs.size() > 2) errors.Invalid(ips, Shown(spec.clusterIPs), "may only hold up to 2 values");
  if (!all_valid) return;
  const auto is_v6 = [](std::string_view text) {
    const std::optional<IpAddress> ip = ParseIp(text);
    return ip && ip->written_as_v6 && !ip->is_v4();
  };
  if (spec.clusterIPs.size() > 1) {
    size_t v6 = 0;
    for (const String& ip : spec.clusterIPs) v6 += is_v6(ip) ? 1 : 0;
    if (v6 == 0 || v6 == spec.clusterIPs.size()) {
      errors.Invalid(ips, Shown(spec.clusterIPs), "may specify no more than one IP for each IP family");
    }
  }
  if (IsHeadless(service)) return;
  for (size_t i = 0; i < spec.clusterIPs.size() && i < spec.ipFamilies.size(); ++i) {
    const String& family = spec.ipFamilies[i];
    if ((family == "IPv4" && is_v6(spec.clusterIPs[i])) || (family == "IPv6" && !is_v6(spec.clusterIPs[i]))) {
      errors.Invalid(ips[i], Json(spec.clusterIPs[i]),
                     fmt::format("expected an {} value as indicated by `ipFamilies[{}]`", family.view(), i));
    }
  }
}

void ValidateService(const corev1::Service& service, FieldErrors& errors) { CheckService(service, nullptr, errors); }

void ValidateServiceUpdate(const corev1::Service& service, const corev1::Service& old, FieldErrors& errors) {
  const Path path("spec");
  if (service.spec.type != "ExternalName" && old.spec.type != "ExternalName") {
    CheckClusterIpsChange(service, old, errors);
    CheckFamiliesChange(service, old, errors);
  }
  const Path balancer_class = path / "loadBalancerClass";
  if (service.spec.type == "LoadBalancer" && old.spec.type == "LoadBalancer" &&
      !Equal(service.spec.loadBalancerClass, old.spec.loadBalancerClass)) {
    errors.InvalidShown(balancer_class, InternalForm(service.spec.loadBalancerClass), kMayNotChange);
  }
  CheckBalancerClass(service.spec, balancer_class, errors);
  if (NeedsHealthCheckNodePort(service) && NeedsHealthCheckNodePort(old) &&
      service.spec.healthCheckNodePort != old.spec.healthCheckNodePort) {
    errors.Forbidden(path / "healthCheckNodePort", kFieldIsImmutable);
  }
  CheckService(service, &old, errors);
}

void ValidateServiceStatus(const corev1::Service& service, const corev1::Service& old, FieldErrors& errors) {
  const Path status("status");
  const Path balancer = status / "loadBalancer";
  const Path path = balancer / "ingress";
  const List<corev1::LoadBalancerIngress>& ingress = service.status.loadBalancer.ingress;
  if (service.spec.type != "LoadBalancer" && !ingress.empty()) {
    return errors.Forbidden(path, "may only be used when `spec.type` is 'LoadBalancer'");
  }
  for (size_t i = 0; i < ingress.size(); ++i) {
    const corev1::LoadBalancerIngress& one = ingress[i];
    const Path here = path[i];
    const List<corev1::LoadBalancerIngress>& before = old.status.loadBalancer.ingress;
    const bool known = std::any_of(before.begin(), before.end(),
                                   [&](const corev1::LoadBalancerIngress& other) { return other.ip == one.ip; });
    if (!one.ip.empty() && !known) CheckLegacyIp(one.ip, here / "ip", errors);
    if (!one.ipMode) {
      if (!one.ip.empty()) errors.Required(here / "ipMode", "must be specified when `ip` is set");
    } else if (one.ip.empty()) {
      errors.Forbidden(here / "ipMode", "may not be specified when `ip` is not set");
    } else {
      CheckOneOf(*one.ipMode, {"Proxy", "VIP"}, here / "ipMode", errors);
    }
    if (!one.hostname.empty()) {
      CheckDnsSubdomain(one.hostname, here / "hostname", errors);
      if (ParseIp(one.hostname)) {
        errors.Invalid(here / "hostname", Json(one.hostname), "must be a DNS name, not an IP address");
      }
    }
  }
}

}  // namespace keelson::apiserver
