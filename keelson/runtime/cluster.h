// A Kubernetes cluster as a program sees it: a cache of its objects, clients for it, and a way to tell events.
//
//   Cluster far(far_client, {.cache = {.resync = 10h}});
//   manager.Add(far);                                                       // its caches run with the manager
//   ControllerFor<App>(manager).Watches<corev1::Secret>(EnqueueSelf(), {.cluster = &far}).Complete(reconciler)
//
// A manager has one of its own. Others are for programs that work on several clusters.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "keelson/cache/cached_client.h"
#include "keelson/cache/informer_factory.h"
#include "keelson/client/client.h"
#include "keelson/runtime/event_recorder.h"
#include "keelson/runtime/runnable.h"

namespace keelson {

struct ClusterOptions {
  std::string name = "cluster";         // for logs
  InformerFactoryOptions cache = {};    // namespaces, resync
  CachedClientOptions client = {};      // what is read from the cache and what from the server
  EventBroadcasterOptions events = {};  // its client is the cluster's, unless it has one
};

// Thread-safe. Outlives everything that was made from it.
class Cluster final : public Runnable {
 public:
  // `writer`, when given, is what client() and live() write through; the cache reads by the other one.
  explicit Cluster(Client client, ClusterOptions options = {}, std::optional<Client> writer = {});
  ~Cluster() override;

  // Reads from the cache what it has, sees its own writes, writes to the server.
  const CachedClient& client() const { return *client_; }
  // Reads from the server.
  const Client& live() const { return live_; }
  InformerFactory& cache() { return cache_; }
  // Tells events in the name of one controller.
  EventRecorder RecorderFor(std::string_view controller, const EventRecorderOptions& options = {}) const;

  // Runs the caches until stop; events that were told are written before it returns.
  std::string name() const override { return options_.name; }
  RunnableGroup group() const override { return RunnableGroup::kCaches; }
  Result<void> Run(const RunScope& scope) override;

 private:
  const ClusterOptions options_;
  const Client live_;
  InformerFactory cache_;
  std::unique_ptr<CachedClient> client_;
  std::unique_ptr<EventBroadcaster> events_;
};

}  // namespace keelson
