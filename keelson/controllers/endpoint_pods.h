// What the controllers of Endpoints and of EndpointSlices have in common: which pods stand behind a Service, by which
// addresses and ports, and when something about them has changed.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "keelson/api/core/v1.h"
#include "keelson/api/object.h"
#include "keelson/cache/informer_factory.h"
#include "keelson/client/object_client.h"
#include "keelson/core/mutex.h"
#include "keelson/runtime/enqueuer.h"
#include "keelson/runtime/predicate.h"

namespace keelson::controllers {

inline constexpr std::string_view kLastChangeTriggerTime = "endpoints.kubernetes.io/last-change-trigger-time";
inline constexpr std::string_view kHeadless = "service.kubernetes.io/headless";

// It has a selector, and is no mere name of something outside.
bool SelectsPods(const corev1::Service& service);
bool Selects(const corev1::Service& service, const metav1::ObjectMeta& pod);
// It has an address of its own.
bool HasClusterIp(const corev1::Service& service);
// "IPv4" and "IPv6", the more important one first. A Service whose server has not said so has that of its address, and
// without an address both.
std::vector<std::string> FamiliesOf(const corev1::Service& service);

// Neither at its end nor without an address; being deleted only where that is wanted.
bool BelongsInEndpoints(const corev1::Pod& pod, bool also_terminating);
// Those of its addresses that are of the family, in canonical form.
std::vector<std::string> AddressesOf(const corev1::Pod& pod, std::string_view family);
// Of a port by name, that of a container, or sidecar, that has it with the same protocol.
std::optional<int32_t> PortOf(const corev1::Pod& pod, const corev1::ServicePort& port);
// It has a name of its own under that of the Service.
bool HasNameUnder(const corev1::Pod& pod, const corev1::Service& service);
corev1::ObjectReference ReferenceToPod(const corev1::Pod& pod);

// What decides on the order of ports and subsets in what kube-controller-manager writes: FNV-1a of 128 bits, in hex, of
// a value as Go prints it.
std::string GoHash(std::string_view text);

// The Services of a pod's namespace that select it, before and after an update.
Enqueuer<Request> EnqueueServicesOf(InformerFactory& cache);
// Updates that make no difference to endpoints are dropped.
Predicate EndpointChanged();
// Pods of a Service, in the order of their names.
Result<std::vector<corev1::Pod>> PodsOf(const Reader& reader, const corev1::Service& service);

// Remembers of each Service when it and its pods last changed, so that it can be said when the change happened that
// endpoints follow now. Thread-safe.
class TriggerTimes {
 public:
  // The earliest change since the last call of Remember; of a Service that is new, when it was made. Nothing when
  // nothing has changed.
  std::optional<metav1::Time> Since(const corev1::Service& service, const std::vector<corev1::Pod>& pods) const;
  void Remember(const corev1::Service& service, const std::vector<corev1::Pod>& pods);
  bool Knows(const ObjectKey& service) const;
  void Forget(const ObjectKey& service);

 private:
  mutable Mutex mutex_{"trigger times"};
  // Guarded by mutex_: the last changes of pods by name.
  std::map<ObjectKey, std::map<std::string, metav1::Time>> known_;
};
// Writes the time, or takes away an earlier one.
void SetTriggerTime(metav1::ObjectMeta& object, const std::optional<metav1::Time>& time);

}  // namespace keelson::controllers
