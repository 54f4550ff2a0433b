#include "network_controller.h"

#include <fmt/format.h>

#include <exception>
#include <utility>

#include "address_range.h"
#include "keelson/api/compare.h"
#include "keelson/api/conditions.h"
#include "keelson/api/finalizers.h"
#include "keelson/api/status_error.h"
#include "keelson/cache/wait_for_cache_sync.h"
#include "keelson/client/ignore_not_found.h"
#include "keelson/core/periodic.h"
#include "keelson/core/thread.h"
#include "keelson/runtime/run_workers.h"

// +kubebuilder:rbac:groups=samplecrd.k8s.io,resources=networks,verbs=get;list;watch
// +kubebuilder:rbac:groups=samplecrd.k8s.io,resources=networks/status,verbs=update
// +kubebuilder:rbac:groups="",resources=events,verbs=create;patch

namespace network {

using namespace keelson;
using v1::Network;
using v1::NetworkSpec;

namespace {

// Whether its status says so of the present spec.
bool IsProvided(const Network& network) {
  const metav1::Condition* ready = FindStatusCondition(network.status.conditions, "Ready");
  return ready != nullptr && ready->status == kConditionTrue &&
         ready->observedGeneration == network.metadata.generation && !IsBeingDeleted(network);
}

}  // namespace

NetworkController::NetworkController(const Client& kube, v1::Clientset networks, v1::NetworkInformer informer,
                                     NetworkBackend& backend, NetworkControllerOptions options)
    : log_("network-controller"),
      options_(options),
      networks_(std::move(networks)),
      backend_(backend),
      broadcaster_({.client = kube, .drain = std::chrono::seconds(3)}),
      events_(broadcaster_.RecorderFor("network-controller")),
      informer_(std::move(informer)),
      lister_(informer_.lister()),
      handler_(informer_.AddHandler({
          .on_add = [this](const Network& network, bool) { Enqueue(KeyOf(network), "added"); },
          .on_update =
              [this](const Network& old, const Network& network) {
                if (old.metadata.resourceVersion == network.metadata.resourceVersion) return;  // nothing changed
                Enqueue(KeyOf(network), "updated");
              },
          .on_delete = [this](const Network& network, bool) { Enqueue(KeyOf(network), "deleted"); },
      })) {}

Result<void> NetworkController::Run(const StopToken& stop) {
  log_.Info("Waiting for the list of Networks");
  const Result<void> synced = WaitForCacheSync(stop, informer_, handler_);
  if (stop.StopRequested()) return {};
  KEELSON_RETURN_IF_ERROR(synced);
  log_.Info("Starting", "workers", options_.workers, "networks", lister_.size());
  const Thread resync("resync", [&] { Until(stop, options_.resync, [&] { EnqueueAll(); }); });
  RunWorkers(queue_, stop, {.name = "network", .workers = options_.workers},
             [this](const ObjectKey& key) { return Sync(key); });
  log_.Info("Ended");
  return {};
}

Result<void> NetworkController::CheckSynced() const {
  if (handler_.HasSynced()) return {};
  return Error(ErrorCode::kUnavailable, "the list of Networks has not come yet");
}

void NetworkController::Enqueue(const ObjectKey& key, std::string why) {
  queue_.Add(key, {.causes = {std::move(why)}});
}

void NetworkController::EnqueueAll() try {
  const auto networks = lister_.List();
  for (const Network& network : networks) queue_.Add(KeyOf(network), {.priority = kLowPriority, .causes = {"resync"}});
  const Result<ProvidedNetworks> provided = backend_.List();
  if (!provided) return log_.Error(provided.error(), "The backend cannot be listed");
  for (const auto& [key, network] : *provided) queue_.Add(key, {.priority = kLowPriority, .causes = {"resync"}});
} catch (const std::exception& exception) {  // of the backend: the next time may be better
  log_.Error(Error::Internal(exception.what()), "The backend cannot be listed");
}

void NetworkController::EnqueueOverlapping(const std::string& cidr) {
  const Result<AddressRange> freed = AddressRange::Parse(cidr);
  if (!freed) return;
  const auto networks = lister_.List();
  for (const Network& network : networks) {
    const Result<AddressRange> wanted = AddressRange::Parse(network.spec.cidr);
    if (wanted && wanted->Overlaps(*freed)) Enqueue(KeyOf(network), cidr + " is free");
  }
}

Result<void> NetworkController::Sync(const ObjectKey& key) {
  KEELSON_TRY(cached, IgnoreNotFound(lister_.Get(key)));
  if (!cached || IsBeingDeleted(**cached)) return Withdraw(key);
  const Network& network = **cached;

  metav1::Condition ready{.type = "Ready",
                          .status = kConditionTrue,
                          .observedGeneration = network.metadata.generation,
                          .reason = "Provided",
                          .message = fmt::format("{} with gateway {}", network.spec.cidr, network.spec.gateway)};
  const Result<bool> changed = Provide(network);
  if (changed && *changed) {
    log_.Info("Network is provided", "network", key.ToString(), "cidr", network.spec.cidr);
    if (IsProvided(network)) {
      events_.Event(network, EventType::kNormal, "Repaired", "The backend had something else, or nothing");
    }
  }
  if (!changed) {
    ready.status = kConditionFalse;
    ready.reason = IsInvalid(changed.error()) ? "Refused" : "BackendFailed";
    ready.message = changed.error().message();
  }
  KEELSON_RETURN_IF_ERROR(Report(network, std::move(ready)));
  // Addresses that another network has are no error: this one comes again when they are free.
  return changed || IsInvalid(changed.error()) ? Result<void>() : changed.error();
}

Result<bool> NetworkController::Provide(const Network& network) {
  const ObjectKey key = KeyOf(network);
  const NetworkSpec& wanted = network.spec;
  KEELSON_TRY(present, backend_.Get(key));
  if (!present) {
    KEELSON_RETURN_IF_ERROR(CheckUnclaimed(network));
    KEELSON_RETURN_IF_ERROR(backend_.Create(key, wanted));
    return true;
  }
  if (Equal(*present, wanted)) return false;
  const Result<void> updated = backend_.Update(key, wanted);
  if (!updated && !IsInvalid(updated.error())) return updated.error();
  if (!updated) {
    // Nobody asks any more for what it has. Were it kept, two Networks that change places would wait for each other.
    KEELSON_RETURN_IF_ERROR(IgnoreNotFound(backend_.Delete(key)));
  }
  EnqueueOverlapping(present->cidr);
  if (!updated) return updated.error();
  return true;
}

Result<void> NetworkController::CheckUnclaimed(const Network& network) const {
  const Result<AddressRange> range = AddressRange::Parse(network.spec.cidr);
  if (!range || IsProvided(network)) return {};
  const auto others = lister_.List();
  for (const Network& other : others) {
    const Result<AddressRange> claimed = AddressRange::Parse(other.spec.cidr);
    if (KeyOf(other) == KeyOf(network) || !IsProvided(other) || !claimed || !claimed->Overlaps(*range)) continue;
    return Error(ErrorCode::kInvalid, fmt::format("{} overlaps {} of network {}", network.spec.cidr, other.spec.cidr,
                                                  KeyOf(other).ToString()));
  }
  return {};
}

Result<void> NetworkController::Withdraw(const ObjectKey& key) {
  KEELSON_TRY(present, backend_.Get(key));
  if (!present) return {};
  // The server has the last word: a cache that is behind must not cost a network its addresses.
  KEELSON_TRY(network, IgnoreNotFound(networks_.Networks(key.namespace_).Get(key.name)));
  if (network && !IsBeingDeleted(*network)) return {};
  KEELSON_RETURN_IF_ERROR(IgnoreNotFound(backend_.Delete(key)));
  log_.Info("Network is withdrawn", "network", key.ToString(), "cidr", present->cidr);
  EnqueueOverlapping(present->cidr);
  return {};
}

Result<void> NetworkController::Report(Network network, metav1::Condition ready) {
  const v1::NetworkStatus before = network.status;
  SetStatusCondition(network.status.conditions, ready);
  if (Equal(before, network.status)) return {};
  KEELSON_RETURN_IF_ERROR(networks_.Networks(network.metadata.namespace_).UpdateStatus(network));
  events_.Event(network, ready.status == kConditionTrue ? EventType::kNormal : EventType::kWarning, ready.reason,
                ready.message);
  return {};
}

}  // namespace network
