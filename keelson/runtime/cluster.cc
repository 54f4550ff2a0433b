#include "keelson/runtime/cluster.h"

#include <utility>

#include "keelson/core/cond_var.h"
#include "keelson/core/log.h"
#include "keelson/core/mutex.h"

namespace keelson {

namespace {

EventBroadcasterOptions WithClient(EventBroadcasterOptions options, const Client& client) {
  if (!options.client) options.client = client;
  return options;
}

}  // namespace

Cluster::Cluster(Client client, ClusterOptions options, std::optional<Client> writer)
    : options_(std::move(options)),
      live_(writer.value_or(client)),
      cache_(client, options_.cache),
      client_(std::make_unique<CachedClient>(live_, cache_, options_.client)),
      events_(std::make_unique<EventBroadcaster>(WithClient(options_.events, client))) {}

Cluster::~Cluster() = default;

EventRecorder Cluster::RecorderFor(std::string_view controller, const EventRecorderOptions& options) const {
  return events_->RecorderFor(controller, options);
}

Result<void> Cluster::Run(const RunScope& scope) {
  cache_.Start(scope.stop);
  {
    Mutex mutex("cluster");
    CondVar never("cluster's stop");
    MutexLock lock(mutex);
    (void)never.Wait(lock, scope.stop, [] { return false; });
  }
  if (const Result<void> written = events_->Stop(options_.events.drain); !written) {
    Logger("cluster").Warning("Events were not written", "cluster", options_.name, "error", written.error());
  }
  return {};
}

}  // namespace keelson
