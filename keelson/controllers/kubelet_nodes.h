// The Nodes and Leases of simulated kubelets.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "keelson/api/coordination/v1.h"
#include "keelson/client/object_client.h"
#include "keelson/controllers/kubelet.h"
#include "keelson/runtime/context.h"
#include "keelson/runtime/event_recorder.h"
#include "keelson/runtime/manager.h"
#include "keelson/runtime/outcome.h"
#include "keelson/runtime/request.h"

namespace keelson::controllers {

inline constexpr Duration kLeasePeriod = std::chrono::seconds(10);

// The n-th node, counted from 0: 172.18.0.2, and 10.244.0.0/24 for its pods.
std::string NodeAddressOf(size_t index);
std::string PodRangeOf(size_t index);
// The n-th address of it, counted from 0; there are 253.
std::string PodAddressOf(size_t index, size_t address);
inline constexpr size_t kPodAddresses = 253;

// As it registers: ready, with all that a kubelet says of its machine.
corev1::Node SimulatedNode(const std::string& name, size_t index, const KubeletOptions& options);

// Makes the Nodes, keeps them ready, and renews their Leases. Thread-safe.
class NodeReconciler {
 public:
  // `options` with names, and outlives it.
  NodeReconciler(Manager& manager, const KubeletOptions& options);

  Result<Outcome> Reconcile(Context& context, const Request& request);

 private:
  struct Known {
    size_t index = 0;
    bool registered = false;
    coordinationv1::Lease lease = {};  // as last written
    WallTime renewed = {};
  };
  Result<void> Register(Known& known, const std::string& name);
  Result<void> KeepReady(const Known& known, const corev1::Node& node);
  // What kube-controller-manager would write into it; whether anything changed.
  bool Upkeep(corev1::Node& node) const;
  Result<void> Renew(Known& known, const corev1::Node& node);

  const ObjectClient& client_;
  const ObjectClient& live_;  // of Leases, which are not cached
  const EventRecorder events_;
  const KubeletOptions& options_;
  // A node is reconciled by one thread at a time, so its own entry needs no lock; the map does not change.
  std::map<std::string, Known> nodes_;
};

}  // namespace keelson::controllers
