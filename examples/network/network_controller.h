// Keeps a backend's networks as Networks say: on a clientset, an informer and a queue.
//
//   NetworkController controller(kube, networks, v1::Informers(informers).Networks(), backend);
//   informers.Start(stop);
//   controller.Run(stop);
//
// Networks have no finalizer. The backend can be listed, so what nobody wants any more is found by comparison, however
// it came to be unwanted: a Network that was deleted while nobody looked does not have to wait for this program.
#pragma once

#include <chrono>
#include <string>

#include "api/v1/clientset.h"
#include "api/v1/informers.h"
#include "keelson/core/log.h"
#include "keelson/core/result.h"
#include "keelson/core/stop_token.h"
#include "keelson/runtime/event_recorder.h"
#include "keelson/runtime/request.h"
#include "keelson/workqueue/rate_limiting_queue.h"
#include "network_backend.h"

namespace network {

struct NetworkControllerOptions {
  int workers = 2;
  // How often all networks of the backend are compared with what they should be.
  keelson::Duration resync = std::chrono::seconds(30);
};

// Thread-safe.
class NetworkController {
 public:
  // Events are written by `kube`. The backend outlives it.
  NetworkController(const keelson::Client& kube, v1::Clientset networks, v1::NetworkInformer informer,
                    NetworkBackend& backend, NetworkControllerOptions options = {});

  // Until stop, which is no error.
  keelson::Result<void> Run(const keelson::StopToken& stop);
  // For /readyz.
  keelson::Result<void> CheckSynced() const;

  // Brings one network to what it should be.
  keelson::Result<void> Sync(const keelson::ObjectKey& key);

 private:
  void Enqueue(const keelson::ObjectKey& key, std::string why);
  // What the backend has and what it should have.
  void EnqueueAll();
  // Those that may have waited for addresses which another network had until now.
  void EnqueueOverlapping(const std::string& cidr);

  // Whether anything had to be done.
  keelson::Result<bool> Provide(const v1::Network& network);
  // kInvalid when the addresses are those of a Network that had them before: a backend that has lost its networks does
  // not give them to whoever comes first.
  keelson::Result<void> CheckUnclaimed(const v1::Network& network) const;
  keelson::Result<void> Withdraw(const keelson::ObjectKey& key);
  keelson::Result<void> Report(v1::Network network, keelson::metav1::Condition ready);

  const keelson::Logger log_;
  const NetworkControllerOptions options_;
  const v1::Clientset networks_;
  NetworkBackend& backend_;
  const keelson::EventBroadcaster broadcaster_;
  const keelson::EventRecorder events_;
  keelson::RateLimitingQueue<keelson::Request> queue_;
  const v1::NetworkInformer informer_;
  const v1::NetworkLister lister_;
  const keelson::HandlerRegistration handler_;  // declared last: no call comes when the rest is gone
};

}  // namespace network
