#include "keelson/controllers/endpoint_slices_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "keelson/api/finalizers.h"
#include "keelson/api/owner_references.h"
#include "keelson/controllers/endpoint_pods.h"
#include "keelson/controllers/pod_state.h"

namespace keelson::controllers {

namespace {

using corev1::Service;
using discoveryv1::Endpoint;
using discoveryv1::EndpointPort;
using discoveryv1::EndpointSlice;

// What tells one endpoint from another; the rest may change.
using EndpointId = std::tuple<std::vector<std::string>, std::string, std::string, std::string>;

EndpointId IdOf(const Endpoint& endpoint) {
  std::vector<std::string> addresses;
  for (const String& address : endpoint.addresses) addresses.push_back(address.str());
  std::sort(addresses.begin(), addresses.end());
  return {std::move(addresses), endpoint.hostname ? endpoint.hostname->str() : "",
          endpoint.targetRef ? endpoint.targetRef->namespace_.str() : "",
          endpoint.targetRef ? endpoint.targetRef->name.str() : ""};
}

bool SameReference(const Optional<corev1::ObjectReference>& a, const Optional<corev1::ObjectReference>& b) {
  if (!a || !b) return !a && !b;
  return a->kind == b->kind && a->namespace_ == b->namespace_ && a->name == b->name && a->uid == b->uid &&
         a->apiVersion == b->apiVersion && a->fieldPath == b->fieldPath;
}

// Of endpoints with one id. Hints are looked at elsewhere.
bool Same(const Endpoint& a, const Endpoint& b) {
  return a.nodeName == b.nodeName && a.zone == b.zone && a.conditions.ready == b.conditions.ready &&
         a.conditions.serving == b.conditions.serving && a.conditions.terminating == b.conditions.terminating &&
         SameReference(a.targetRef, b.targetRef);
}

std::string TextOf(const EndpointPort& port) {
  return fmt::format(
      "(v1.EndpointPort){{Name:(*string){} Protocol:(*v1.Protocol){} Port:(*int32){} AppProtocol:(*string){}}}",
      port.name ? port.name->view() : "<nil>", port.protocol ? port.protocol->view() : "<nil>",
      port.port ? std::to_string(*port.port) : "<nil>", port.appProtocol ? port.appProtocol->view() : "<nil>");
}

// The same for the same ports in whatever order.
std::vector<std::string> PortsId(const List<EndpointPort>& ports) {
  std::vector<std::string> texts;
  for (const EndpointPort& port : ports) texts.push_back(TextOf(port));
  std::sort(texts.begin(), texts.end());
  return texts;
}

Map<String> WithoutReserved(Map<String> labels) {
  for (const std::string_view label : {kServiceName, kSliceManagedBy, kHeadless}) labels.erase(label);
  return labels;
}

bool IsOf(const EndpointSlice& slice, const Service& service) {
  for (const metav1::OwnerReference& owner : slice.metadata.ownerReferences) {
    if (owner.uid == service.metadata.uid && owner.kind == "Service" && owner.apiVersion == "v1") return true;
  }
  return false;
}

EndpointSlice NewSlice(const Service& service, const List<EndpointPort>& ports, std::string_view family) {
  EndpointSlice slice;
  const std::string name = service.metadata.name.str();
  // Room for the server's five characters is made by the server; a name of full length has none for the dash.
  slice.metadata.generateName = name.size() < 253 ? name + "-" : name;
  slice.metadata.namespace_ = service.metadata.namespace_;
  slice.metadata.labels = SliceLabels(service);
  slice.metadata.ownerReferences = {metav1::OwnerReference{.apiVersion = "v1",
                                                           .kind = "Service",
                                                           .name = service.metadata.name,
                                                           .uid = service.metadata.uid,
                                                           .controller = true,
                                                           .blockOwnerDeletion = true}};
  slice.ports = ports;
  slice.addressType = String(family);
  return slice;
}

// The slices of one address family and one set of ports.
class Packing {
 public:
  Packing(const Service& service, std::string_view family, List<EndpointPort> ports, size_t max_endpoints)
      : service_(service), family_(family), ports_(std::move(ports)), max_endpoints_(max_endpoints) {}

  void Want(Endpoint endpoint) { wanted_.insert_or_assign(IdOf(endpoint), std::move(endpoint)); }

  // All go to one of the plan's lists, or stay as they are.
  void Plan(const std::vector<const EndpointSlice*>& existing, SlicePlan& plan) {
    for (const EndpointSlice* slice : existing) Keep(*slice);
    FillChanged();
    while (!wanted_.empty()) {
      if (!FillUnchanged()) {
        Fill(plan.create.emplace_back(NewSlice(service_, ports_, family_)));
      }
    }
    std::move(changed_.begin(), changed_.end(), std::back_inserter(plan.update));
    std::move(emptied_.begin(), emptied_.end(), std::back_inserter(plan.remove));
  }

 private:
  // What of the slice is still wanted stays in it.
  void Keep(const EndpointSlice& slice) {
    List<Endpoint> kept;
    bool different = false;
    for (const Endpoint& endpoint : slice.endpoints) {
      const auto wanted = wanted_.find(IdOf(endpoint));
      if (wanted == wanted_.end()) {
        different = true;
        continue;
      }
      if (!Same(endpoint, wanted->second)) different = true;
      Endpoint now = wanted->second;
      now.hints = endpoint.hints;
      kept.push_back(std::move(now));
      wanted_.erase(wanted);
    }
    if (different && kept.empty()) {
      emptied_.push_back(slice);
      return;
    }
    if (!different && WithoutReserved(slice.metadata.labels) == WithoutReserved(service_.metadata.labels)) {
      unchanged_.push_back(slice);
      return;
    }
    EndpointSlice changed = slice;
    if (different) changed.endpoints = std::move(kept);
    changed.metadata.labels = SliceLabels(service_);
    changed_.push_back(std::move(changed));
  }

  void Fill(EndpointSlice& slice) {
    while (!wanted_.empty() && slice.endpoints.size() < max_endpoints_) {
      slice.endpoints.push_back(std::move(wanted_.begin()->second));
      wanted_.erase(wanted_.begin());
    }
  }

  void FillChanged() {
    std::sort(changed_.begin(), changed_.end(), [](const EndpointSlice& a, const EndpointSlice& b) {
      if (a.endpoints.size() != b.endpoints.size()) return a.endpoints.size() > b.endpoints.size();
      return a.metadata.name.view() < b.metadata.name.view();
    });
    for (EndpointSlice& slice : changed_) Fill(slice);
  }

  // Where all that is left fits into one: the one that is fullest then.
  bool FillUnchanged() {
    if (wanted_.size() >= max_endpoints_) return false;
    auto best = unchanged_.end();
    for (auto slice = unchanged_.begin(); slice != unchanged_.end(); ++slice) {
      const size_t size = slice->endpoints.size();
      if (size + wanted_.size() > max_endpoints_) continue;
      if (best == unchanged_.end() || size > best->endpoints.size()) best = slice;
    }
    if (best == unchanged_.end()) return false;
    Fill(*best);
    changed_.push_back(std::move(*best));
    unchanged_.erase(best);
    return true;
  }

  const Service& service_;
  const std::string_view family_;
  const List<EndpointPort> ports_;
  const size_t max_endpoints_;
  std::map<EndpointId, Endpoint> wanted_;
  std::vector<EndpointSlice> changed_, unchanged_, emptied_;
};

// How the Service wants its traffic: nothing, or hints to the own zone, and perhaps to the own node.
enum class Closeness : uint8_t { kNone, kZone, kNode };

Closeness ClosenessOf(const Service& service) {
  if (!service.spec.trafficDistribution) return Closeness::kNone;
  const std::string_view wanted = service.spec.trafficDistribution->view();
  if (wanted == "PreferSameNode") return Closeness::kNode;
  return wanted == "PreferClose" || wanted == "PreferSameZone" ? Closeness::kZone : Closeness::kNone;
}

Optional<discoveryv1::EndpointHints> HintsFor(const Endpoint& endpoint, Closeness closeness) {
  discoveryv1::EndpointHints hints;
  if (closeness != Closeness::kNone && endpoint.zone) hints.forZones = {discoveryv1::ForZone{.name = *endpoint.zone}};
  if (closeness == Closeness::kNode && endpoint.nodeName) {
    hints.forNodes = {discoveryv1::ForNode{.name = *endpoint.nodeName}};
  }
  if (hints.forZones.empty() && hints.forNodes.empty()) return {};
  return hints;
}

bool SetHints(EndpointSlice& slice, Closeness closeness) {
  bool changed = false;
  for (size_t i = 0; i < slice.endpoints.size(); ++i) {
    const Endpoint& endpoint = std::as_const(slice.endpoints)[i];
    // Of endpoints that are not ready hints are left as they are.
    if (closeness != Closeness::kNone && !(endpoint.conditions.ready && *endpoint.conditions.ready)) continue;
    Optional<discoveryv1::EndpointHints> hints = HintsFor(endpoint, closeness);
    if (hints == endpoint.hints) continue;
    slice.endpoints[i].hints = std::move(hints);
    changed = true;
  }
  return changed;
}

bool Names(const std::vector<EndpointSlice>& slices, const EndpointSlice& slice) {
  return std::any_of(slices.begin(), slices.end(),
                     [&slice](const EndpointSlice& other) { return other.metadata.name == slice.metadata.name; });
}

void AddHints(const Service& service, const std::vector<const EndpointSlice*>& existing, SlicePlan& plan) {
  const Closeness closeness = ClosenessOf(service);
  for (const EndpointSlice* slice : existing) {
    if (Names(plan.update, *slice) || Names(plan.remove, *slice)) continue;
    EndpointSlice hinted = *slice;
    if (SetHints(hinted, closeness)) plan.update.push_back(std::move(hinted));
  }
  for (EndpointSlice& slice : plan.create) (void)SetHints(slice, closeness);
  for (EndpointSlice& slice : plan.update) (void)SetHints(slice, closeness);
}

// Slices that would go become those that would come.
void Reuse(const Service& service, SlicePlan& plan) {
  for (auto old = plan.remove.begin(); old != plan.remove.end() && !plan.create.empty();) {
    if (!IsOf(*old, service)) {
      ++old;
      continue;
    }
    EndpointSlice reused = std::move(*old);
    reused.endpoints = std::move(plan.create.back().endpoints);
    reused.ports = std::move(plan.create.back().ports);
    reused.metadata.labels = std::move(plan.create.back().metadata.labels);
    plan.create.pop_back();
    plan.update.push_back(std::move(reused));
    old = plan.remove.erase(old);
  }
}

bool IsPlaceholder(const EndpointSlice& slice, const Service& service) {
  return IsOf(slice, service) && slice.endpoints.empty() && slice.ports.empty() &&
         slice.metadata.labels == SliceLabels(service);
}

SlicePlan PlanFamily(const Service& service, const std::vector<PodInZone>& pods,
                     const std::vector<const EndpointSlice*>& existing, std::string_view family, size_t max_endpoints) {
  SlicePlan plan;
  std::map<std::vector<std::string>, std::vector<const EndpointSlice*>> by_ports;
  for (const EndpointSlice* slice : existing) {
    if (IsOf(*slice, service)) {
      by_ports[PortsId(slice->ports)].push_back(slice);
    } else {
      plan.remove.push_back(*slice);
    }
  }
  std::map<std::vector<std::string>, Packing> packings;
  for (const PodInZone& pod : pods) {
    if (!BelongsInEndpoints(pod.pod, true)) continue;
    const List<EndpointPort> ports = EndpointPortsOf(service, pod.pod);
    Packing& packing = packings.try_emplace(PortsId(ports), service, family, ports, max_endpoints).first->second;
    Endpoint endpoint = EndpointOf(service, pod, family);
    if (!endpoint.addresses.empty()) packing.Want(std::move(endpoint));
  }
  for (auto& [ports, packing] : packings) packing.Plan(by_ports[ports], plan);
  for (const auto& [ports, slices] : by_ports) {
    if (packings.contains(ports)) continue;
    for (const EndpointSlice* slice : slices) plan.remove.push_back(*slice);
  }
  // A Service always has a slice, so that one can tell "no endpoints" from "not looked at yet".
  if (plan.remove.size() == existing.size() && plan.create.empty()) {
    if (plan.remove.size() == 1 && IsPlaceholder(plan.remove.front(), service)) {
      plan.remove.clear();
    } else {
      plan.create.push_back(NewSlice(service, {}, family));
    }
  }
  AddHints(service, existing, plan);
  Reuse(service, plan);
  return plan;
}

}  // namespace

Endpoint EndpointOf(const Service& service, const PodInZone& in_zone, std::string_view family) {
  const corev1::Pod& pod = in_zone.pod;
  const bool serving = IsReady(pod);
  const bool terminating = IsBeingDeleted(pod);
  Endpoint endpoint;
  for (const std::string& address : AddressesOf(pod, family)) endpoint.addresses.push_back(address);
  endpoint.conditions.ready = service.spec.publishNotReadyAddresses || (serving && !terminating);
  endpoint.conditions.serving = serving;
  endpoint.conditions.terminating = terminating;
  endpoint.targetRef = ReferenceToPod(pod);
  if (!pod.spec.nodeName.empty()) endpoint.nodeName = pod.spec.nodeName;
  if (!in_zone.zone.empty()) endpoint.zone = String(in_zone.zone);
  if (HasNameUnder(pod, service)) endpoint.hostname = pod.spec.hostname;
  return endpoint;
}

List<EndpointPort> EndpointPortsOf(const Service& service, const corev1::Pod& pod) {
  std::multimap<std::string, EndpointPort> by_hash;
  for (const corev1::ServicePort& port : service.spec.ports) {
    const std::optional<int32_t> number = PortOf(pod, port);
    if (!number) continue;
    EndpointPort found{.name = port.name, .protocol = port.protocol, .port = *number, .appProtocol = port.appProtocol};
    std::string hash = GoHash(TextOf(found));
    by_hash.emplace(std::move(hash), std::move(found));
  }
  List<EndpointPort> ports;
  for (auto& [hash, port] : by_hash) ports.push_back(std::move(port));
  return ports;
}

Map<String> SliceLabels(const Service& service) {
  Map<String> labels = WithoutReserved(service.metadata.labels);
  if (!HasClusterIp(service)) labels.Set(String(kHeadless), "");
  labels.Set(String(kServiceName), service.metadata.name);
  labels.Set(String(kSliceManagedBy), String(kSliceManager));
  return labels;
}

SlicePlan PlanSlices(const Service& service, const std::vector<PodInZone>& pods,
                     const std::vector<EndpointSlice>& existing, size_t max_endpoints) {
  SlicePlan plan;
  const std::vector<std::string> families = FamiliesOf(service);
  for (const std::string& family : families) {
    std::vector<const EndpointSlice*> of_family;
    for (const EndpointSlice& slice : existing) {
      if (slice.addressType == family) of_family.push_back(&slice);
    }
    SlicePlan part = PlanFamily(service, pods, of_family, family, max_endpoints);
    std::move(part.create.begin(), part.create.end(), std::back_inserter(plan.create));
    std::move(part.update.begin(), part.update.end(), std::back_inserter(plan.update));
    std::move(part.remove.begin(), part.remove.end(), std::back_inserter(plan.remove));
  }
  for (const EndpointSlice& slice : existing) {
    if (std::find(families.begin(), families.end(), slice.addressType.str()) == families.end()) {
      plan.remove.push_back(slice);
    }
  }
  return plan;
}

}  // namespace keelson::controllers
