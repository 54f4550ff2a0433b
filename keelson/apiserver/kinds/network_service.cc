// Service: its defaults, and what a write carries over or fills in.
#include "keelson/apiserver/kinds/network_service.h"

#include <algorithm>

#include "keelson/api/status_error.h"
#include "keelson/apiserver/kinds/checks_address.h"
#include "keelson/apiserver/kinds/checks_common.h"
#include "keelson/apiserver/kinds/kind_groups.h"
#include "keelson/apiserver/kinds/network_service_checks.h"

namespace keelson::apiserver {

bool NeedsClusterIp(const corev1::Service& service) { return service.spec.type != "ExternalName"; }

bool NeedsNodePort(const corev1::Service& service) {
  return service.spec.type == "NodePort" || service.spec.type == "LoadBalancer";
}

bool NeedsHealthCheckNodePort(const corev1::Service& service) {
  return service.spec.type == "LoadBalancer" && service.spec.externalTrafficPolicy == "Local";
}

bool IsHeadless(const corev1::Service& service) {
  return service.spec.clusterIPs.size() == 1 && service.spec.clusterIPs[0] == "None";
}

bool IsExternallyAccessible(const corev1::Service& service) {
  return NeedsNodePort(service) || (service.spec.type == "ClusterIP" && !service.spec.externalIPs.empty());
}

namespace {

constexpr int32_t kDefaultAffinitySeconds = 10800;

void SetServiceDefaults(corev1::Service& service) {
  corev1::ServiceSpec& spec = service.spec;
  if (spec.sessionAffinity.empty()) spec.sessionAffinity = "None";
  if (spec.sessionAffinity == "None") {
    spec.sessionAffinityConfig.reset();
  } else if (spec.sessionAffinity == "ClientIP") {
    const auto& config = std::as_const(spec).sessionAffinityConfig;
    if (!config || !config->clientIP || !config->clientIP->timeoutSeconds) {
      corev1::SessionAffinityConfig made;
      made.clientIP.Ensure().timeoutSeconds = kDefaultAffinitySeconds;
      spec.sessionAffinityConfig = made;
    }
  }
  if (spec.type.empty()) spec.type = "ClusterIP";
  for (size_t i = 0; i < spec.ports.size(); ++i) {
    const corev1::ServicePort& port = std::as_const(spec).ports[i];
    if (port.protocol.empty()) spec.ports[i].protocol = "TCP";
    const IntOrString& target = std::as_const(spec).ports[i].targetPort;
    if (target.is_string() ? target.text().empty() : target.number() == 0) {
      spec.ports[i].targetPort = IntOrString(std::as_const(spec).ports[i].port);
    }
  }
  if (IsExternallyAccessible(service) && spec.externalTrafficPolicy.empty()) spec.externalTrafficPolicy = "Cluster";
  if (!spec.internalTrafficPolicy && (spec.type == "ClusterIP" || NeedsNodePort(service))) {
    spec.internalTrafficPolicy = "Cluster";
  }
  if (spec.type != "LoadBalancer") return;
  if (!spec.allocateLoadBalancerNodePorts) spec.allocateLoadBalancerNodePorts = true;
  corev1::LoadBalancerStatus& balancer = service.status.loadBalancer;
  for (size_t i = 0; i < balancer.ingress.size(); ++i) {
    const corev1::LoadBalancerIngress& ingress = std::as_const(balancer).ingress[i];
    if (!ingress.ip.empty() && !ingress.ipMode) balancer.ingress[i].ipMode = "VIP";
  }
}

bool SameClusterIps(const corev1::Service& a, const corev1::Service& b) {
  return a.spec.clusterIP == b.spec.clusterIP && Equal(a.spec.clusterIPs, b.spec.clusterIPs);
}

// clusterIP and the first of clusterIPs are one; whichever of them a client changed leads.
void JoinClusterIps(corev1::Service& service, const corev1::Service* old) {
  corev1::ServiceSpec& spec = service.spec;
  if (old == nullptr) {
    if (!spec.clusterIP.empty() && spec.clusterIPs.empty()) spec.clusterIPs = {spec.clusterIP};
    return;
  }
  const corev1::ServiceSpec& before = old->spec;
  if (!before.clusterIPs.empty() && spec.clusterIPs.empty() && before.clusterIP == spec.clusterIP) {
    spec.clusterIPs = before.clusterIPs;
  }
  if (before.clusterIP == spec.clusterIP || !Equal(before.clusterIPs, spec.clusterIPs)) return;
  if (!before.clusterIP.empty() && spec.clusterIP.empty()) {
    spec.clusterIPs.clear();
  } else {
    spec.clusterIPs = {spec.clusterIP};
  }
}

// What was allocated stays when a client does not mention it.
void KeepAllocated(corev1::Service& service, const corev1::Service& old) {
  corev1::ServiceSpec& spec = service.spec;
  if (NeedsClusterIp(old) && NeedsClusterIp(service)) {
    if (spec.clusterIP.empty()) spec.clusterIP = old.spec.clusterIP;
    if (spec.clusterIPs.empty()) spec.clusterIPs = old.spec.clusterIPs;
  }
  if (NeedsNodePort(old) && NeedsNodePort(service)) {
    const auto uses = [](const corev1::Service& one, int32_t port) {
      return std::any_of(one.spec.ports.begin(), one.spec.ports.end(),
                         [&](const corev1::ServicePort& other) { return other.nodePort == port; });
    };
    const corev1::Service given = service;
    for (size_t i = 0; i < spec.ports.size(); ++i) {
      const corev1::ServicePort& port = given.spec.ports[i];
      if (port.nodePort != 0) continue;
      int32_t before = 0;
      for (const corev1::ServicePort& other : old.spec.ports) {
        if (other.name == port.name) before = other.nodePort;
      }
      if (before != 0 && !uses(given, before)) spec.ports[i].nodePort = before;
    }
  }
  if (NeedsHealthCheckNodePort(old) && NeedsHealthCheckNodePort(service) && spec.healthCheckNodePort == 0) {
    spec.healthCheckNodePort = old.spec.healthCheckNodePort;
  }
}

// What only the former type had goes, unless the client set it anew.
void DropFieldsOfFormerType(corev1::Service& service, const corev1::Service& old) {
  corev1::ServiceSpec& spec = service.spec;
  const corev1::ServiceSpec& before = old.spec;
  if (NeedsClusterIp(old) && !NeedsClusterIp(service)) {
    if (SameClusterIps(service, old)) {
      spec.clusterIP.clear();
      spec.clusterIPs.clear();
    }
    if (Equal(spec.ipFamilies, before.ipFamilies)) spec.ipFamilies.clear();
    if (spec.ipFamilyPolicy.OrDefault() == before.ipFamilyPolicy.OrDefault()) spec.ipFamilyPolicy.reset();
  }
  if (NeedsNodePort(old) && !NeedsNodePort(service)) {
    const corev1::ServiceSpec given = spec;
    const bool all_known = std::all_of(given.ports.begin(), given.ports.end(), [&](const corev1::ServicePort& port) {
      return port.nodePort == 0 ||
             std::any_of(before.ports.begin(), before.ports.end(),
                         [&](const corev1::ServicePort& other) { return other.nodePort == port.nodePort; });
    });
    for (size_t i = 0; all_known && i < given.ports.size(); ++i) {
      if (given.ports[i].nodePort != 0) spec.ports[i].nodePort = 0;
    }
  }
  if (NeedsHealthCheckNodePort(old) && !NeedsHealthCheckNodePort(service) &&
      spec.healthCheckNodePort == before.healthCheckNodePort) {
    spec.healthCheckNodePort = 0;
  }
  if (before.type == "LoadBalancer" && spec.type != "LoadBalancer") {
    if (spec.allocateLoadBalancerNodePorts && before.allocateLoadBalancerNodePorts &&
        *std::as_const(spec).allocateLoadBalancerNodePorts == *before.allocateLoadBalancerNodePorts) {
      spec.allocateLoadBalancerNodePorts.reset();
    }
    if (Equal(spec.loadBalancerClass, before.loadBalancerClass)) spec.loadBalancerClass.reset();
  }
  if (IsExternallyAccessible(old) && !IsExternallyAccessible(service) &&
      spec.externalTrafficPolicy == before.externalTrafficPolicy) {
    spec.externalTrafficPolicy.clear();
  }
  if (spec.type != "LoadBalancer") service.status.loadBalancer = {};
}

Error InvalidService(const corev1::Service& service, const FieldErrors& errors) {
  return apierrors::Invalid({"", "Service"}, service.metadata.name, errors.causes());
}

Json ShownPolicy(const corev1::Service& service) {
  return service.spec.ipFamilyPolicy ? Json(*service.spec.ipFamilyPolicy) : Json();
}

Result<void> PrepareServiceCreate(corev1::Service& service, WriteContext&) {
  JoinClusterIps(service, nullptr);
  return FillIpFamilies(service, nullptr);
}

Result<void> PrepareServiceUpdate(corev1::Service& service, const corev1::Service& old, WriteContext&) {
  KeepAllocated(service, old);
  JoinClusterIps(service, &old);
  KEELSON_RETURN_IF_ERROR(FillIpFamilies(service, &old));
  DropFieldsOfFormerType(service, old);
  return {};
}

void WarnOfService(const corev1::Service& service, std::vector<std::string>& warnings) {
  const corev1::ServiceSpec& spec = service.spec;
  if (service.metadata.annotations.contains("service.kubernetes.io/topology-aware-hints")) {
    warnings.emplace_back(
        "annotation service.kubernetes.io/topology-aware-hints is deprecated, please use "
        "service.kubernetes.io/topology-mode instead");
  }
  const Path path("spec");
  if (!spec.clusterIP.empty() && spec.clusterIP != "None") {
    const Path ips = path / "clusterIPs";
    for (size_t i = 0; i < spec.clusterIPs.size(); ++i) WarnOfIp(spec.clusterIPs[i], ips[i], warnings);
  }
  const bool headless = spec.type == "ClusterIP" && spec.clusterIP == "None";
  if (headless) {
    if (!spec.loadBalancerIP.empty()) warnings.emplace_back("spec.loadBalancerIP is ignored for headless services");
    if (!spec.externalIPs.empty()) warnings.emplace_back("spec.externalIPs is ignored for headless services");
    if (spec.sessionAffinity != "None") warnings.emplace_back("spec.SessionAffinity is ignored for headless services");
  }
  const Path external = path / "externalIPs";
  for (size_t i = 0; i < spec.externalIPs.size(); ++i) WarnOfIp(spec.externalIPs[i], external[i], warnings);
  if (!spec.externalIPs.empty() && !headless && spec.type != "ExternalName") {
    warnings.emplace_back("spec.externalIPs is deprecated and may no longer be implemented in some clusters");
  }
  if (!spec.loadBalancerIP.empty()) WarnOfIp(spec.loadBalancerIP, path / "loadBalancerIP", warnings);
  const Path ranges = path / "loadBalancerSourceRanges";
  for (size_t i = 0; i < spec.loadBalancerSourceRanges.size(); ++i) {
    WarnOfCidr(spec.loadBalancerSourceRanges[i], ranges[i], warnings);
  }
  if (spec.type == "ExternalName" && !spec.externalIPs.empty()) {
    warnings.emplace_back("spec.externalIPs is ignored when spec.type is \"ExternalName\"");
  }
  if (spec.type != "ExternalName" && !spec.externalName.empty()) {
    warnings.emplace_back("spec.externalName is ignored when spec.type is not \"ExternalName\"");
  }
  if (spec.trafficDistribution && *spec.trafficDistribution == "PreferClose") {
    warnings.emplace_back("spec.trafficDistribution: \"PreferClose\" is deprecated; use \"PreferSameZone\"");
  }
}

// Nothing but what was asked changed about the addresses of a service that prefers two families.
bool KeepsPreferredFamilies(const corev1::Service& service, const corev1::Service* old) {
  constexpr std::string_view kPrefer = "PreferDualStack";
  return old != nullptr && service.spec.ipFamilyPolicy && *service.spec.ipFamilyPolicy == kPrefer &&
         old->spec.type == service.spec.type && (!old->spec.ipFamilyPolicy || *old->spec.ipFamilyPolicy == kPrefer) &&
         SameClusterIps(service, *old) && Equal(service.spec.ipFamilies, old->spec.ipFamilies);
}

}  // namespace

Result<void> FillIpFamilies(corev1::Service& service, const corev1::Service* old) {
  corev1::ServiceSpec& spec = service.spec;
  const corev1::ServiceSpec& read = service.spec;
  if (!NeedsClusterIp(service) || KeepsPreferredFamilies(service, old)) return {};
  const bool headless_without_selector = spec.clusterIP == "None" && spec.selector.empty();
  if (!spec.ipFamilyPolicy) {
    if (old != nullptr && old->spec.ipFamilyPolicy) {
      spec.ipFamilyPolicy = old->spec.ipFamilyPolicy;
    } else {
      spec.ipFamilyPolicy = headless_without_selector ? "RequireDualStack" : "SingleStack";
    }
  }
  FieldErrors errors;
  CheckClusterIpFields(service, old, errors);
  if (!errors.empty()) return InvalidService(service, errors);

  const Path path("spec");
  const Path policy = path / "ipFamilyPolicy";
  const bool single = *read.ipFamilyPolicy == "SingleStack";
  if (old != nullptr && single) {
    if (SameClusterIps(service, *old) && spec.clusterIPs.size() > 1) spec.clusterIPs = {read.clusterIPs[0]};
    if (Equal(read.ipFamilies, old->spec.ipFamilies) && spec.ipFamilies.size() > 1) {
      spec.ipFamilies = {read.ipFamilies[0]};
    }
  } else if (old != nullptr) {
    if (!spec.clusterIPs.empty() && spec.clusterIPs.size() < old->spec.clusterIPs.size()) {
      errors.Invalid(policy, ShownPolicy(service), "must be 'SingleStack' to release the secondary cluster IP");
    }
    if (!spec.ipFamilies.empty() && spec.ipFamilies.size() < old->spec.ipFamilies.size()) {
      errors.Invalid(policy, ShownPolicy(service), "must be 'SingleStack' to release the secondary IP family");
    }
  }
  if (single && spec.clusterIPs.size() == 2) {
    errors.Invalid(policy, ShownPolicy(service),
                   "must be 'RequireDualStack' or 'PreferDualStack' when multiple cluster IPs are specified");
  }
  if (single && spec.ipFamilies.size() == 2) {
    errors.Invalid(policy, ShownPolicy(service),
                   "must be 'RequireDualStack' or 'PreferDualStack' when multiple IP families are specified");
  }
  const Path ips = path / "clusterIPs";
  for (size_t i = 0; i < read.clusterIPs.size() && read.clusterIPs[i] != "None"; ++i) {
    if (i < spec.ipFamilies.size()) continue;
    const std::optional<IpAddress> ip = ParseIp(read.clusterIPs[i]);
    if (ip && ip->is_v4() && !ip->written_as_v6) {
      spec.ipFamilies.push_back("IPv4");
    } else {
      errors.Invalid(ips[i], Shown(read.clusterIPs), "IPv6 is not configured on this cluster");
    }
  }
  if (!errors.empty()) return InvalidService(service, errors);
  if (headless_without_selector) {
    if (spec.ipFamilies.empty()) spec.ipFamilies = {"IPv4"};
    if (spec.ipFamilies.size() < 2 && !single)
      spec.ipFamilies.push_back(read.ipFamilies[0] == "IPv4" ? "IPv6" : "IPv4");
    return {};
  }
  if (*read.ipFamilyPolicy == "RequireDualStack") {
    errors.Invalid(policy, ShownPolicy(service), "this cluster is not configured for dual-stack services");
  }
  const Path families = path / "ipFamilies";
  for (size_t i = 0; i < read.ipFamilies.size(); ++i) {
    if (read.ipFamilies[i] != "IPv4") {
      errors.Invalid(families[i], Json(read.ipFamilies[i]), "not configured on this cluster");
    }
  }
  if (!errors.empty()) return InvalidService(service, errors);
  if (spec.ipFamilies.empty()) spec.ipFamilies = {"IPv4"};
  return {};
}

void AddServiceRules(RulesTable& table) {
  table.Add<corev1::Service>({.set_defaults = SetServiceDefaults,
                              .prepare_create = PrepareServiceCreate,
                              .prepare_update = PrepareServiceUpdate,
                              .validate = ValidateService,
                              .validate_update = ValidateServiceUpdate,
                              .validate_status = ValidateServiceStatus,
                              .warn = WarnOfService,
                              .selectable_fields = {"spec.clusterIP", "spec.type"},
                              .read_fields =
                                  [](const corev1::Service& service, std::vector<std::string>& values) {
                                    values.push_back(service.spec.clusterIP);
                                    values.push_back(service.spec.type);
                                  },
                              .name = NameRule::kLabel,
                              .generation = false,
                              .create_on_update = true});
}

}  // namespace keelson::apiserver
