#include "keelson/controllers/endpoint_pods.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "keelson/api/finalizers.h"
#include "keelson/api/label_selector.h"
#include "keelson/cache/informer.h"
#include "keelson/controllers/pod_conditions.h"
#include "keelson/controllers/pod_state.h"

namespace keelson::controllers {

namespace {

struct Address {
  bool v6 = false;
  std::string text;
};

// Nothing where it is no address.
std::optional<Address> ParseAddress(const std::string& text) {
  char buffer[INET6_ADDRSTRLEN];
  in_addr v4{};
  if (inet_pton(AF_INET, text.c_str(), &v4) == 1) return Address{false, text};
  in6_addr v6{};
  if (inet_pton(AF_INET6, text.c_str(), &v6) != 1) return std::nullopt;
  if (IN6_IS_ADDR_V4MAPPED(&v6)) return Address{false, inet_ntop(AF_INET, &v6.s6_addr[12], buffer, sizeof(buffer))};
  return Address{true, inet_ntop(AF_INET6, &v6, buffer, sizeof(buffer))};
}

bool SameAddresses(const corev1::Pod& a, const corev1::Pod& b) {
  return a.status.podIP == b.status.podIP && a.status.podIPs == b.status.podIPs;
}

std::optional<metav1::Time> ReadinessChangedAt(const corev1::Pod& pod) {
  const corev1::PodCondition* ready = FindPodCondition(pod.status, "Ready");
  if (ready == nullptr || ready->lastTransitionTime.IsZero()) return std::nullopt;
  return ready->lastTransitionTime;
}

std::optional<int32_t> NamedPort(const corev1::Container& container, const corev1::ServicePort& port) {
  for (const corev1::ContainerPort& candidate : container.ports) {
    if (candidate.name == port.targetPort.text() && candidate.protocol == port.protocol) return candidate.containerPort;
  }
  return std::nullopt;
}

}  // namespace

bool SelectsPods(const corev1::Service& service) {
  return service.spec.type != "ExternalName" && !service.spec.selector.empty();
}

bool Selects(const corev1::Service& service, const metav1::ObjectMeta& pod) {
  if (!SelectsPods(service)) return false;
  for (const auto& [key, value] : service.spec.selector) {
    const String* label = pod.labels.find(key.view());
    if (label == nullptr || *label != value) return false;
  }
  return true;
}

bool HasClusterIp(const corev1::Service& service) {
  return !service.spec.clusterIP.empty() && service.spec.clusterIP != "None";
}

std::vector<std::string> FamiliesOf(const corev1::Service& service) {
  std::vector<std::string> families;
  for (const corev1::IPFamily& family : service.spec.ipFamilies) families.push_back(family.str());
  if (!families.empty()) return families;
  if (!HasClusterIp(service)) return {"IPv4", "IPv6"};
  const std::optional<Address> address = ParseAddress(service.spec.clusterIP.str());
  return {address && address->v6 ? "IPv6" : "IPv4"};
}

bool BelongsInEndpoints(const corev1::Pod& pod, bool also_terminating) {
  if (IsFinished(pod)) return false;
  if (pod.status.podIP.empty() && pod.status.podIPs.empty()) return false;
  return also_terminating || !IsBeingDeleted(pod);
}

std::vector<std::string> AddressesOf(const corev1::Pod& pod, std::string_view family) {
  std::vector<std::string> addresses;
  for (const corev1::PodIP& ip : pod.status.podIPs) {
    std::optional<Address> address = ParseAddress(ip.ip.str());
    if (address && address->v6 == (family == "IPv6")) addresses.push_back(std::move(address->text));
  }
  return addresses;
}

std::optional<int32_t> PortOf(const corev1::Pod& pod, const corev1::ServicePort& port) {
  if (!port.targetPort.is_string()) return port.targetPort.number();
  for (const corev1::Container& container : pod.spec.containers) {
    if (const auto found = NamedPort(container, port)) return found;
  }
  for (const corev1::Container& container : pod.spec.initContainers) {
    if (!container.restartPolicy || *container.restartPolicy != "Always") continue;
    if (const auto found = NamedPort(container, port)) return found;
  }
  return std::nullopt;
}

bool HasNameUnder(const corev1::Pod& pod, const corev1::Service& service) {
  return !pod.spec.hostname.empty() && pod.spec.subdomain == service.metadata.name &&
         pod.metadata.namespace_ == service.metadata.namespace_;
}

corev1::ObjectReference ReferenceToPod(const corev1::Pod& pod) {
  return {.kind = "Pod", .namespace_ = pod.metadata.namespace_, .name = pod.metadata.name, .uid = pod.metadata.uid};
}

std::string GoHash(std::string_view text) {
  using Wide = unsigned __int128;
  const Wide prime = (Wide{1} << 88) | 0x13b;
  Wide hash = (Wide{0x6c62272e07bb0142} << 64) | Wide{0x62b821756295c58d};
  for (const char c : text) hash = (hash ^ static_cast<uint8_t>(c)) * prime;
  return fmt::format("{:016x}{:016x}", static_cast<uint64_t>(hash >> 64), static_cast<uint64_t>(hash));
}

Enqueuer<Request> EnqueueServicesOf(InformerFactory& cache) {
  std::vector<Lister<corev1::Service>> listers;
  for (const Informer<corev1::Service>& informer : cache.AllOf<corev1::Service>()) listers.push_back(informer.lister());
  return EnqueueMapped<corev1::Pod>([listers = std::move(listers)](const corev1::Pod& pod) {
    std::vector<Request> selecting;
    for (const Lister<corev1::Service>& lister : listers) {
      const Objects<corev1::Service> services = lister.In(pod.metadata.namespace_.str()).List();
      for (const corev1::Service& service : services) {
        if (Selects(service, pod.metadata)) selecting.push_back(KeyOf(service));
      }
    }
    return selecting;
  });
}

Predicate EndpointChanged() {
  return Predicate::OnUpdate<corev1::Pod>([](const corev1::Pod& old, const corev1::Pod& pod) {
    return old.metadata.labels != pod.metadata.labels || IsBeingDeleted(old) != IsBeingDeleted(pod) ||
           IsReady(old) != IsReady(pod) || IsFinished(old) != IsFinished(pod) || !SameAddresses(old, pod) ||
           old.spec.nodeName != pod.spec.nodeName || old.spec.hostname != pod.spec.hostname ||
           old.spec.subdomain != pod.spec.subdomain || old.metadata.uid != pod.metadata.uid;
  });
}

Result<std::vector<corev1::Pod>> PodsOf(const Reader& reader, const corev1::Service& service) {
  KEELSON_TRY(list, reader.List<corev1::Pod>({.namespace_ = service.metadata.namespace_.str(),
                                              .labels = labels::FromSet(service.spec.selector)}));
  std::vector<corev1::Pod> pods(std::make_move_iterator(list.items.begin()), std::make_move_iterator(list.items.end()));
  std::sort(pods.begin(), pods.end(),
            [](const corev1::Pod& a, const corev1::Pod& b) { return a.metadata.name.view() < b.metadata.name.view(); });
  return pods;
}

std::optional<metav1::Time> TriggerTimes::Since(const corev1::Service& service,
                                                const std::vector<corev1::Pod>& pods) const {
  MutexLock lock(mutex_);
  const auto known = known_.find(KeyOf(service));
  if (known == known_.end()) {
    if (service.metadata.creationTimestamp.IsZero()) return std::nullopt;
    return service.metadata.creationTimestamp;
  }
  std::optional<metav1::Time> earliest;
  for (const corev1::Pod& pod : pods) {
    const std::optional<metav1::Time> changed = ReadinessChangedAt(pod);
    if (!changed) continue;
    const auto before = known->second.find(pod.metadata.name.str());
    if (before != known->second.end() && *changed <= before->second) continue;
    if (!earliest || *changed < *earliest) earliest = changed;
  }
  return earliest;
}

void TriggerTimes::Remember(const corev1::Service& service, const std::vector<corev1::Pod>& pods) {
  std::map<std::string, metav1::Time> times;
  for (const corev1::Pod& pod : pods) {
    if (const auto changed = ReadinessChangedAt(pod)) times.emplace(pod.metadata.name.str(), *changed);
  }
  MutexLock lock(mutex_);
  known_[KeyOf(service)] = std::move(times);
}

bool TriggerTimes::Knows(const ObjectKey& service) const {
  MutexLock lock(mutex_);
  return known_.contains(service);
}

void TriggerTimes::Forget(const ObjectKey& service) {
  MutexLock lock(mutex_);
  known_.erase(service);
}

void SetTriggerTime(metav1::ObjectMeta& object, const std::optional<metav1::Time>& time) {
  if (time) {
    object.annotations.Set(String(kLastChangeTriggerTime), time->ToString());
  } else {
    object.annotations.erase(kLastChangeTriggerTime);
  }
}

}  // namespace keelson::controllers
