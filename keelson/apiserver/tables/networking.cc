// Service and what stands around it.
#include <fmt/format.h>

#include "keelson/api/discovery/v1.h"
#include "keelson/api/networking/v1.h"
#include "keelson/apiserver/tables/cells.h"
#include "keelson/core/ascii.h"

namespace keelson::apiserver::tables {
namespace {

constexpr size_t kShown = 3;  // addresses, ports or hosts in one cell

std::string ExternalAddresses(const corev1::Service& service) {
  const corev1::ServiceSpec& spec = service.spec;
  if (spec.type == "ClusterIP" || spec.type == "NodePort") {
    return spec.externalIPs.empty() ? std::string(kNone) : Join(spec.externalIPs, ",");
  }
  if (spec.type == "LoadBalancer") {
    std::string addresses = LoadBalancerCell(service.status.loadBalancer.ingress);
    if (!spec.externalIPs.empty()) {
      if (!addresses.empty()) addresses += ',';
      addresses += Join(spec.externalIPs, ",");
    }
    return addresses.empty() ? "<pending>" : addresses;
  }
  if (spec.type == "ExternalName") return spec.externalName.str();
  return std::string(kUnknown);
}

std::string ServicePorts(const corev1::Service& service) {
  std::string text;
  for (const corev1::ServicePort& port : service.spec.ports) {
    if (!text.empty()) text += ',';
    text += std::to_string(port.port);
    if (port.nodePort > 0) text += fmt::format(":{}", port.nodePort);
    text += "/" + port.protocol.str();
  }
  return text.empty() ? std::string(kNone) : text;
}

Cells ServiceCells(const corev1::Service& service, const PrintContext& context) {
  return {service.metadata.name,
          service.spec.type,
          service.spec.clusterIPs.empty() ? kNone : service.spec.clusterIPs.front().view(),
          ExternalAddresses(service),
          ServicePorts(service),
          AgeOf(service.metadata, context),
          LabelsCell(service.spec.selector)};
}

std::string HostPort(const String& ip, int32_t port) {
  return ip.view().find(':') == std::string_view::npos ? fmt::format("{}:{}", ip.view(), port)
                                                       : fmt::format("[{}]:{}", ip.view(), port);
}

Cells EndpointsCells(const corev1::Endpoints& endpoints, const PrintContext& context) {
  ShortList list(kShown);
  for (const corev1::EndpointSubset& subset : endpoints.subsets) {
    if (subset.ports.empty()) {
      for (const corev1::EndpointAddress& address : subset.addresses) list.Add(address.ip);
    }
    for (const corev1::EndpointPort& port : subset.ports) {
      for (const corev1::EndpointAddress& address : subset.addresses) list.Add(HostPort(address.ip, port.port));
    }
  }
  return {endpoints.metadata.name, list.Text(endpoints.subsets.empty() ? kNone : ""),
          AgeOf(endpoints.metadata, context)};
}

Cells EndpointSliceCells(const discoveryv1::EndpointSlice& slice, const PrintContext& context) {
  ShortList ports(kShown);
  for (const discoveryv1::EndpointPort& port : slice.ports) {
    ports.Add(port.port ? std::to_string(*port.port) : std::string(Or(port.name, "*")));
  }
  ShortList addresses(kShown);
  for (const discoveryv1::Endpoint& endpoint : slice.endpoints) {
    for (const String& address : endpoint.addresses) addresses.Add(address);
  }
  return {slice.metadata.name, slice.addressType, ports.Text(kUnset), addresses.Text(kUnset),
          AgeOf(slice.metadata, context)};
}

// How many more there are is counted by rules, those without a host among them; but only rules behind the third host
// shown make it more.
std::string IngressHosts(const List<networkingv1::IngressRule>& rules) {
  std::vector<std::string_view> hosts;
  bool more = false;
  for (const networkingv1::IngressRule& rule : rules) {
    if (hosts.size() == kShown) {
      more = true;
      break;
    }
    if (!rule.host.empty()) hosts.push_back(rule.host);
  }
  if (hosts.empty()) return "*";
  std::string text = Join(hosts, ",");
  if (more) text += fmt::format(" + {} more...", rules.size() - kShown);
  return text;
}

Cells IngressCells(const networkingv1::Ingress& ingress, const PrintContext& context) {
  return {ingress.metadata.name,
          Or(ingress.spec.ingressClassName, kNone),
          IngressHosts(ingress.spec.rules),
          LoadBalancerCell(ingress.status.loadBalancer.ingress),
          ingress.spec.tls.empty() ? "80" : "80, 443",
          AgeOf(ingress.metadata, context)};
}

Cells IngressClassCells(const networkingv1::IngressClass& ingress_class, const PrintContext& context) {
  std::string name = ingress_class.metadata.name.str();
  const String* is_default = ingress_class.metadata.annotations.find("ingressclass.kubernetes.io/is-default-class");
  if (is_default != nullptr && *is_default == "true") name += " (default)";
  std::string parameters(kNone);
  if (const auto& reference = ingress_class.spec.parameters) {
    parameters = reference->kind.str();
    if (reference->apiGroup) parameters += "." + reference->apiGroup->str();
    parameters += "/" + reference->name.str();
  }
  return {name, ingress_class.spec.controller, parameters, AgeOf(ingress_class.metadata, context)};
}

Cells NetworkPolicyCells(const networkingv1::NetworkPolicy& policy, const PrintContext& context) {
  return {policy.metadata.name, SelectorCell(policy.spec.podSelector), AgeOf(policy.metadata, context)};
}

Cells ServiceCIDRCells(const networkingv1::ServiceCIDR& cidr, const PrintContext& context) {
  return {cidr.metadata.name, Join(cidr.spec.cidrs, ","), AgeOf(cidr.metadata, context)};
}

// A row has one cell more than there are columns: so it is upstream.
Cells IPAddressCells(const networkingv1::IPAddress& address, const PrintContext& context) {
  std::string parent(kNone);
  if (const auto& reference = address.spec.parentRef) {
    parent = reference->resource.str();
    if (!reference->group.empty()) parent += "." + reference->group.str();
    parent = AsciiLower(parent);
    if (!reference->namespace_.empty()) parent += "/" + reference->namespace_.str();
    parent += "/" + reference->name.str();
  }
  return {address.metadata.name, parent, AgeOf(address.metadata, context)};
}

}  // namespace

void AddNetworkPrinters(Printers& printers) {
  AddPrinter<corev1::Service, ServiceCells>(printers);
  AddPrinter<corev1::Endpoints, EndpointsCells>(printers);
  AddPrinter<discoveryv1::EndpointSlice, EndpointSliceCells>(printers);
  AddPrinter<networkingv1::Ingress, IngressCells>(printers);
  AddPrinter<networkingv1::IngressClass, IngressClassCells>(printers);
  AddPrinter<networkingv1::NetworkPolicy, NetworkPolicyCells>(printers);
  AddPrinter<networkingv1::ServiceCIDR, ServiceCIDRCells>(printers);
  AddPrinter<networkingv1::IPAddress, IPAddressCells>(printers);
}

}  // namespace keelson::apiserver::tables
