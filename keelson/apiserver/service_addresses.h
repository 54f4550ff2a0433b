// Cluster IPs and node ports of Services: given out, reserved when asked for, taken back.
//
// What is in use follows from the stored Services, so nothing else need be kept. In memory: a set of addresses and one
// of ports, filled at start.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "keelson/api/core/v1.h"
#include "keelson/core/mutex.h"
#include "keelson/core/random.h"
#include "keelson/core/result.h"

namespace keelson::apiserver {

// Thread-safe.
class ServiceAddresses {
 public:
  ServiceAddresses();

  // What a write has reserved and gives back unless it is kept.
  class Reservation {
   public:
    explicit Reservation(ServiceAddresses& owner) : owner_(&owner) {}
    Reservation(Reservation&& other) noexcept;
    Reservation& operator=(Reservation&&) = delete;
    ~Reservation();
    void Keep() { owner_ = nullptr; }

   private:
    friend class ServiceAddresses;
    ServiceAddresses* owner_;
    std::vector<uint32_t> addresses_;
    std::vector<int32_t> ports_;
  };

  // Fills in what the Service leaves to the server. `old` is null for a new one. Errors: 422 for an address or port
  // that is taken or outside the range.
  Result<Reservation> Assign(corev1::Service& service, const corev1::Service* old);
  // Of a Service that was deleted, or that `now` no longer needs.
  void Release(const corev1::Service& service, const corev1::Service* now);
  // At start.
  void Remember(const corev1::Service& service);

  static constexpr std::string_view kRange = "10.0.0.0/24";
  static constexpr int32_t kFirstPort = 30000;
  static constexpr int32_t kLastPort = 32767;

 private:
  Result<void> AssignAddress(corev1::Service& service, const corev1::Service* old, Reservation& reservation);
  Result<void> AssignPorts(corev1::Service& service, const corev1::Service* old, Reservation& reservation);

  Mutex mutex_{"service-addresses"};
  // Guarded by mutex_.
  std::set<uint32_t> addresses_;
  std::set<int32_t> ports_;
  Random random_;
};

}  // namespace keelson::apiserver
