#include "keelson/apiserver/service_addresses.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "keelson/api/status_error.h"
#include "keelson/apiserver/kinds/field_errors.h"
#include "keelson/codec/convert.h"

namespace keelson::apiserver {

namespace {

constexpr uint32_t kNetwork = 10u << 24;  // 10.0.0.0/24
constexpr uint32_t kFirstAddress = kNetwork + 1;
constexpr uint32_t kLastAddress = kNetwork + 254;
// The lower part is left to those who ask for a certain address, until the upper part is used up.
constexpr uint32_t kFirstDynamic = kNetwork + 17;

std::optional<uint32_t> ParseAddress(std::string_view text) {
  uint32_t address = 0;
  const char* at = text.data();
  const char* const end = at + text.size();
  for (int i = 0; i < 4; ++i) {
    unsigned part = 0;
    const auto [next, error] = std::from_chars(at, end, part);
    if (error != std::errc() || part > 255) return std::nullopt;
    at = next;
    if (i < 3 && (at == end || *at++ != '.')) return std::nullopt;
    address = address << 8 | part;
  }
  if (at != end) return std::nullopt;
  return address;
}

std::string FormatAddress(uint32_t address) {
  return fmt::format("{}.{}.{}.{}", address >> 24, address >> 16 & 255, address >> 8 & 255, address & 255);
}

Error InvalidService(const corev1::Service& service, const FieldErrors& errors) {
  return apierrors::Invalid({"", "Service"}, service.metadata.name, errors.causes());
}

bool HasAddress(const corev1::Service& service) {
  return service.spec.type != "ExternalName" && service.spec.clusterIP != "None";
}

bool HasNodePorts(const corev1::Service& service) {
  if (service.spec.type == "NodePort") return true;
  return service.spec.type == "LoadBalancer" &&
         (!service.spec.allocateLoadBalancerNodePorts || *service.spec.allocateLoadBalancerNodePorts);
}

bool NeedsHealthPort(const corev1::Service& service) {
  return service.spec.type == "LoadBalancer" && service.spec.externalTrafficPolicy == "Local";
}

std::vector<int32_t> PortsOf(const corev1::Service& service) {
  std::vector<int32_t> ports;
  for (const corev1::ServicePort& port : service.spec.ports) {
    if (port.nodePort != 0) ports.push_back(port.nodePort);
  }
  if (service.spec.healthCheckNodePort != 0) ports.push_back(service.spec.healthCheckNodePort);
  return ports;
}

// This server has one family of addresses.
Result<void> AssignFamilies(corev1::Service& service) {
  corev1::ServiceSpec& spec = service.spec;
  FieldErrors errors;
  const Path root("spec");
  const Path families = root / "ipFamilies";
  for (size_t i = 0; i < spec.ipFamilies.size(); ++i) {
    const Path at = families[i];
    const bool headless_without_selector = spec.clusterIP == "None" && spec.selector.empty();
    if (spec.ipFamilies[i] != "IPv4" && !headless_without_selector) {
      errors.Invalid(at, Json(spec.ipFamilies[i]), "not configured on this cluster");
    }
  }
  if (!errors.empty()) return InvalidService(service, errors);
  if (spec.clusterIP == "None" && spec.selector.empty()) {
    if (!spec.ipFamilyPolicy) spec.ipFamilyPolicy = String("RequireDualStack");
    if (spec.ipFamilies.empty()) spec.ipFamilies.push_back("IPv4");
    if (*spec.ipFamilyPolicy != "SingleStack" && spec.ipFamilies.size() == 1) {
      spec.ipFamilies.push_back(spec.ipFamilies[0] == "IPv4" ? "IPv6" : "IPv4");
    }
    return {};
  }
  if (spec.ipFamilyPolicy && *spec.ipFamilyPolicy == "RequireDualStack") {
    const Path policy = root / "ipFamilyPolicy";
    errors.Invalid(policy, Json(*spec.ipFamilyPolicy), "this cluster is not configured for dual-stack services");
    return InvalidService(service, errors);
  }
  if (!spec.ipFamilyPolicy) spec.ipFamilyPolicy = String("SingleStack");
  if (spec.ipFamilies.empty()) spec.ipFamilies.push_back("IPv4");
  return {};
}

}  // namespace

ServiceAddresses::Reservation::Reservation(Reservation&& other) noexcept
    : owner_(std::exchange(other.owner_, nullptr)),
      addresses_(std::move(other.addresses_)),
      ports_(std::move(other.ports_)) {}

ServiceAddresses::Reservation::~Reservation() {
  if (owner_ == nullptr) return;
  MutexLock lock(owner_->mutex_);
  for (const uint32_t address : addresses_) owner_->addresses_.erase(address);
  for (const int32_t port : ports_) owner_->ports_.erase(port);
}

ServiceAddresses::ServiceAddresses() : random_(Random::FromEntropy()) {}

Result<ServiceAddresses::Reservation> ServiceAddresses::Assign(corev1::Service& service, const corev1::Service* old) {
  Reservation reservation(*this);
  if (service.spec.type == "ExternalName") return reservation;
  KEELSON_RETURN_IF_ERROR(AssignFamilies(service));
  {
    MutexLock lock(mutex_);
    Result<void> assigned = AssignAddress(service, old, reservation);
    if (assigned) assigned = AssignPorts(service, old, reservation);
    if (assigned) return reservation;
    lock.Unlock();
    return std::move(assigned).error();
  }
}

Result<void> ServiceAddresses::AssignAddress(corev1::Service& service, const corev1::Service* old,
                                             Reservation& reservation) {
  corev1::ServiceSpec& spec = service.spec;
  if (spec.clusterIP.empty() && !spec.clusterIPs.empty()) spec.clusterIP = spec.clusterIPs[0];
  if (!HasAddress(service)) {
    spec.clusterIPs = List<String>();
    if (spec.clusterIP == "None") spec.clusterIPs.push_back("None");
    return {};
  }
  if (old != nullptr && HasAddress(*old) && !old->spec.clusterIP.empty()) {
    // The rules have seen to it that it did not change.
    if (spec.clusterIP.empty()) spec.clusterIP = old->spec.clusterIP;
    if (spec.clusterIPs.empty()) spec.clusterIPs.push_back(spec.clusterIP);
    return {};
  }
  if (spec.clusterIP.empty()) {
    const auto take = [&](uint32_t first, uint32_t last) -> std::optional<uint32_t> {
      const uint32_t start = random_.Uniform(first, last);
      for (uint32_t i = 0; i <= last - first; ++i) {
        const uint32_t address = first + (start - first + i) % (last - first + 1);
        if (addresses_.count(address) == 0) return address;
      }
      return std::nullopt;
    };
    std::optional<uint32_t> address = take(kFirstDynamic, kLastAddress);
    if (!address) address = take(kFirstAddress, kFirstDynamic - 1);
    if (!address) return apierrors::Internal("failed to allocate a serviceIP: range is full");
    addresses_.insert(*address);
    reservation.addresses_.push_back(*address);
    spec.clusterIP = FormatAddress(*address);
  } else {
    const std::optional<uint32_t> address = ParseAddress(spec.clusterIP);
    const bool in_range = address && *address >= kFirstAddress && *address <= kLastAddress;
    if (!in_range || addresses_.count(*address) != 0) {
      FieldErrors errors;
      const Path root("spec");
      const Path path = root / "clusterIPs";
      errors.Invalid(path, Json(JsonList{Json(spec.clusterIP)}),
                     fmt::format("failed to allocate IP {}: {}", spec.clusterIP.view(),
                                 in_range ? "provided IP is already allocated"
                                          : "the provided network does not match the current range"));
      return InvalidService(service, errors);
    }
    addresses_.insert(*address);
    reservation.addresses_.push_back(*address);
  }
  if (spec.clusterIPs.empty()) spec.clusterIPs.push_back(spec.clusterIP);
  return {};
}

Result<void> ServiceAddresses::AssignPorts(corev1::Service& service, const corev1::Service* old,
                                           Reservation& reservation) {
  const std::vector<int32_t> held = old == nullptr ? std::vector<int32_t>() : PortsOf(*old);
  const auto is_held = [&](int32_t port) { return std::find(held.begin(), held.end(), port) != held.end(); };
  const Path root("spec");
  const Path ports = root / "ports";

  const auto take = [&]() -> std::optional<int32_t> {
    const int32_t span = kLastPort - kFirstPort + 1;
    const int32_t start = random_.Uniform(0, span - 1);
    for (int32_t i = 0; i < span; ++i) {
      const int32_t port = kFirstPort + (start + i) % span;
      if (ports_.insert(port).second) {
        reservation.ports_.push_back(port);
        return port;
      }
    }
    return std::nullopt;
  };
  const auto claim = [&](const Path& path, int32_t port) -> Result<void> {
    if (is_held(port)) return {};
    FieldErrors errors;
    if (port < kFirstPort || port > kLastPort) {
      errors.Invalid(path, Json(port),
                     fmt::format("provided port is not in the valid range. The range of valid ports is {}-{}",
                                 kFirstPort, kLastPort));
      return InvalidService(service, errors);
    }
    // One port may serve TCP and UDP of one Service.
    const bool ours = std::find(reservation.ports_.begin(), reservation.ports_.end(), port) != reservation.ports_.end();
    if (ours) return {};
    if (!ports_.insert(port).second) {
      errors.Invalid(path, Json(port), "provided port is already allocated");
      return InvalidService(service, errors);
    }
    reservation.ports_.push_back(port);
    return {};
  };

  if (HasNodePorts(service)) {
    for (size_t i = 0; i < service.spec.ports.size(); ++i) {
      const Path at = ports[i];
      const Path node_port = at / "nodePort";
      if (const int32_t asked = std::as_const(service).spec.ports[i].nodePort; asked != 0) {
        KEELSON_RETURN_IF_ERROR(claim(node_port, asked));
        continue;
      }
      // Without a name in the request an update keeps what the port had.
      int32_t port = 0;
      if (old != nullptr) {
        for (const corev1::ServicePort& before : old->spec.ports) {
          const corev1::ServicePort& now = std::as_const(service).spec.ports[i];
          if (before.port == now.port && before.protocol == now.protocol) port = before.nodePort;
        }
      }
      if (port == 0) {
        const std::optional<int32_t> free = take();
        if (!free) return apierrors::Internal("failed to allocate a nodePort: range is full");
        port = *free;
      }
      service.spec.ports[i].nodePort = port;
    }
  }
  if (NeedsHealthPort(service)) {
    const Path health = root / "healthCheckNodePort";
    if (service.spec.healthCheckNodePort != 0) {
      KEELSON_RETURN_IF_ERROR(claim(health, service.spec.healthCheckNodePort));
    } else if (old != nullptr && old->spec.healthCheckNodePort != 0) {
      service.spec.healthCheckNodePort = old->spec.healthCheckNodePort;
    } else if (const std::optional<int32_t> free = take()) {
      service.spec.healthCheckNodePort = *free;
    }
  }
  return {};
}

void ServiceAddresses::Release(const corev1::Service& service, const corev1::Service* now) {
  const std::vector<int32_t> kept = now == nullptr ? std::vector<int32_t>() : PortsOf(*now);
  MutexLock lock(mutex_);
  const bool keeps_address = now != nullptr && now->spec.clusterIP == service.spec.clusterIP;
  if (const std::optional<uint32_t> address = ParseAddress(service.spec.clusterIP); address && !keeps_address) {
    addresses_.erase(*address);
  }
  for (const int32_t port : PortsOf(service)) {
    if (std::find(kept.begin(), kept.end(), port) == kept.end()) ports_.erase(port);
  }
}

void ServiceAddresses::Remember(const corev1::Service& service) {
  MutexLock lock(mutex_);
  if (const std::optional<uint32_t> address = ParseAddress(service.spec.clusterIP)) addresses_.insert(*address);
  for (const int32_t port : PortsOf(service)) ports_.insert(port);
}

}  // namespace keelson::apiserver
