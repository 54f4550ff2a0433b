#include "keelson/controllers/endpoints_subsets.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "keelson/api/compare.h"
#include "keelson/controllers/endpoint_pods.h"
#include "keelson/controllers/pod_state.h"

namespace keelson::controllers {

namespace {

using corev1::EndpointAddress;
using corev1::EndpointPort;
using corev1::EndpointSubset;

// Values as Go prints them, whose hashes are the order of ports and subsets.

std::string TextOf(const EndpointPort& port) {
  return fmt::format("{{Name:(string){} Port:(int32){} Protocol:(v1.Protocol){} AppProtocol:(*string){}}}",
                     port.name.view(), port.port, port.protocol.view(),
                     port.appProtocol ? port.appProtocol->view() : "<nil>");
}

std::string TextOf(const EndpointAddress& address) {
  std::string reference = "<nil>";
  if (address.targetRef) {
    const corev1::ObjectReference& to = *address.targetRef;
    reference = fmt::format(
        "{{Kind:(string){} Namespace:(string){} Name:(string){} UID:(types.UID){} APIVersion:(string){} "
        "ResourceVersion:(string){} FieldPath:(string){}}}",
        to.kind.view(), to.namespace_.view(), to.name.view(), to.uid.view(), to.apiVersion.view(),
        to.resourceVersion.view(), to.fieldPath.view());
  }
  return fmt::format("{{IP:(string){} Hostname:(string){} NodeName:(*string){} TargetRef:(*v1.ObjectReference){}}}",
                     address.ip.view(), address.hostname.view(), address.nodeName ? address.nodeName->view() : "<nil>",
                     reference);
}

template <class T>
std::string TextOf(const List<T>& list) {
  if (list.empty()) return "<nil>";
  std::string text;
  for (const T& element : list) text += (text.empty() ? "[" : " ") + TextOf(element);
  return text + "]";
}

std::string TextOf(const EndpointSubset& subset) {
  return fmt::format(
      "(v1.EndpointSubset){{Addresses:([]v1.EndpointAddress){} NotReadyAddresses:([]v1.EndpointAddress){} "
      "Ports:([]v1.EndpointPort){}}}",
      TextOf(subset.addresses), TextOf(subset.notReadyAddresses), TextOf(subset.ports));
}

// An address by itself: two pods may share one.
using AddressId = std::pair<std::string, std::string>;
AddressId IdOf(const EndpointAddress& address) {
  return {address.ip.str(), address.targetRef ? address.targetRef->uid.str() : ""};
}

// A port by its hash, which is its place; empty for no port at all.
using PortId = std::string;
PortId IdOf(const EndpointPort& port) { return GoHash("(v1.EndpointPort)" + TextOf(port)); }

size_t CountOf(const List<EndpointSubset>& subsets, List<EndpointAddress> EndpointSubset::* of) {
  size_t count = 0;
  for (const EndpointSubset& subset : subsets) count += (subset.*of).size();
  return count;
}

void Shorten(List<EndpointAddress>& addresses, size_t to) {
  while (addresses.size() > to) addresses.pop_back();
}

}  // namespace

List<EndpointSubset> SubsetsOf(const corev1::Service& service, const std::vector<corev1::Pod>& pods) {
  const bool also_not_ready = service.spec.publishNotReadyAddresses;
  List<EndpointSubset> subsets;
  for (const corev1::Pod& pod : pods) {
    if (!BelongsInEndpoints(pod, also_not_ready)) continue;
    // One family only: what is older than dual stack cannot say more.
    std::vector<std::string> families = FamiliesOf(service);
    if (service.spec.ipFamilies.empty() && families.size() > 1 &&
        pod.status.podIP.view().find(':') != std::string::npos) {
      families = {"IPv6"};
    }
    const std::vector<std::string> addresses = AddressesOf(pod, families.front());
    if (addresses.empty()) continue;
    EndpointAddress address;
    address.ip = addresses.front();
    address.nodeName = pod.spec.nodeName;
    address.targetRef = ReferenceToPod(pod);
    if (HasNameUnder(pod, service)) address.hostname = pod.spec.hostname;

    const auto add = [&](List<EndpointPort> ports) {
      EndpointSubset& subset = subsets.emplace_back();
      (also_not_ready || IsReady(pod) ? subset.addresses : subset.notReadyAddresses).push_back(address);
      subset.ports = std::move(ports);
    };
    if (service.spec.ports.empty() && service.spec.clusterIP == "None") add({});
    for (const corev1::ServicePort& port : service.spec.ports) {
      const std::optional<int32_t> number = PortOf(pod, port);
      if (!number) continue;
      add({EndpointPort{
          .name = port.name, .port = *number, .protocol = port.protocol, .appProtocol = port.appProtocol}});
    }
  }
  return Repacked(subsets);
}

List<EndpointSubset> Repacked(const List<EndpointSubset>& subsets) {
  std::map<AddressId, EndpointAddress> addresses;
  std::map<PortId, EndpointPort> ports;
  std::map<PortId, std::map<AddressId, bool>> ready_at;  // by port; without one: ""
  for (const EndpointSubset& subset : subsets) {
    std::vector<PortId> ids;
    for (const EndpointPort& port : subset.ports) {
      ids.push_back(IdOf(port));
      ports.emplace(ids.back(), port);
    }
    if (ids.empty()) ids.emplace_back();
    for (const PortId& port : ids) {
      const auto add = [&](const EndpointAddress& address, bool ready) {
        const AddressId id = IdOf(address);
        addresses.emplace(id, address);
        const auto [at, fresh] = ready_at[port].emplace(id, ready);
        if (!fresh) at->second = at->second && ready;
      };
      for (const EndpointAddress& address : subset.addresses) add(address, true);
      for (const EndpointAddress& address : subset.notReadyAddresses) add(address, false);
    }
  }

  std::map<std::map<AddressId, bool>, List<EndpointPort>> together;
  for (const auto& [port, served_by] : ready_at) {
    List<EndpointPort>& served = together[served_by];
    if (!port.empty()) served.push_back(ports.at(port));
  }
  std::map<std::string, EndpointSubset> in_order;
  for (const auto& [served_by, served] : together) {
    EndpointSubset subset;
    for (const auto& [id, ready] : served_by) {
      (ready ? subset.addresses : subset.notReadyAddresses).push_back(addresses.at(id));
    }
    subset.ports = served;
    in_order.emplace(GoHash(TextOf(subset)), std::move(subset));
  }
  List<EndpointSubset> repacked;
  for (auto& [hash, subset] : in_order) repacked.push_back(std::move(subset));
  return repacked;
}

bool Truncate(List<EndpointSubset>& subsets) {
  const size_t ready = CountOf(subsets, &EndpointSubset::addresses);
  const size_t not_ready = CountOf(subsets, &EndpointSubset::notReadyAddresses);
  if (ready + not_ready <= kMaxAddresses) return false;
  const bool too_many_ready = ready > kMaxAddresses;
  const size_t room = too_many_ready ? kMaxAddresses : kMaxAddresses - ready;
  const size_t total = too_many_ready ? ready : not_ready;
  size_t left = room;
  for (EndpointSubset& subset : subsets.Mutable()) {
    List<EndpointAddress>& shortened = too_many_ready ? subset.addresses : subset.notReadyAddresses;
    const size_t share = (shortened.size() * room + total - 1) / total;
    Shorten(shortened, std::min(share, left));
    left -= shortened.size();
    if (too_many_ready) subset.notReadyAddresses = {};
  }
  return true;
}

bool SameSubsets(const List<EndpointSubset>& a, const List<EndpointSubset>& b) {
  const auto without_versions = [](List<EndpointSubset> subsets) {
    for (EndpointSubset& subset : subsets.Mutable()) {
      for (List<EndpointAddress>* addresses : {&subset.addresses, &subset.notReadyAddresses}) {
        for (EndpointAddress& address : addresses->Mutable()) {
          if (address.targetRef) address.targetRef->resourceVersion = {};
        }
      }
    }
    return subsets;
  };
  return a == b || without_versions(a) == without_versions(b);
}

}  // namespace keelson::controllers
