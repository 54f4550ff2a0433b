#include "keelson/controllers/persistent_volumes.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "keelson/api/compare.h"
#include "keelson/api/core/v1.h"
#include "keelson/api/finalizers.h"
#include "keelson/api/status_error.h"
#include "keelson/api/storage/v1.h"
#include "keelson/client/ignore_not_found.h"
#include "keelson/controllers/persistent_volumes_match.h"
#include "keelson/controllers/pod_state.h"
#include "keelson/controllers/selection.h"
#include "keelson/runtime/builder.h"

namespace keelson::controllers {

namespace {

using corev1::PersistentVolume;
using corev1::PersistentVolumeClaim;
using corev1::Pod;
using storagev1::StorageClass;

constexpr std::string_view kByClaim = "keelson.volumes-by-claim";
constexpr Duration kLookPeriod = std::chrono::seconds(15);
constexpr std::string_view kSelectedNodeOfClaim = "volume.kubernetes.io/selected-node";

bool IsUnbound(const PersistentVolumeClaim& claim) { return !claim.metadata.annotations.contains(kBindCompleted); }

std::string ClaimOf(const Pod& pod, const corev1::Volume& volume) {
  if (volume.persistentVolumeClaim) return volume.persistentVolumeClaim->claimName.str();
  if (volume.ephemeral) return pod.metadata.name.str() + "-" + volume.name.str();
  return {};
}

bool Mentions(const Pod& pod, const PersistentVolumeClaim& claim) {
  for (const corev1::Volume& volume : pod.spec.volumes) {
    if (ClaimOf(pod, volume) == claim.metadata.name.view()) return true;
  }
  return false;
}

// A request without a namespace is a volume, one with a namespace a claim. One worker: no two claims find one volume.
class Binder {
 public:
  Binder(Manager& manager, PersistentVolumesOptions options)
      : client_(manager.client()),
        live_(manager.live()),
        events_(manager.RecorderFor("persistentvolume-controller")),
        options_(std::move(options)) {}

  Result<Outcome> Reconcile(Context&, const Request& request) const {
    const Result<void> synced = request.namespace_.empty() ? SyncVolume(request) : SyncClaim(request);
    if (synced || IsNotFound(synced.error())) return Outcome::Done();
    if (IsConflict(synced.error())) return Outcome::Retry();
    return synced.error();
  }

 private:
  Result<void> SyncClaim(const Request& request) const;
  Result<void> SyncUnbound(const PersistentVolumeClaim& claim) const;
  Result<void> SyncBound(const PersistentVolumeClaim& claim) const;
  Result<void> FindVolume(const PersistentVolumeClaim& claim) const;
  Result<void> Provision(PersistentVolumeClaim claim) const;
  Result<void> SyncVolume(const Request& request) const;
  Result<void> Reclaim(const PersistentVolume& volume) const;
  Result<void> DeleteReleased(const PersistentVolume& volume) const;
  Result<void> Unbind(PersistentVolume volume) const;

  Result<void> Bind(PersistentVolume volume, PersistentVolumeClaim claim) const;
  Result<PersistentVolumeClaim> SetClaim(const PersistentVolumeClaim& claim, std::string_view phase,
                                         const PersistentVolume* volume = nullptr) const;
  Result<void> SetLost(const PersistentVolumeClaim& claim, std::string_view reason, std::string_view message) const;
  Result<PersistentVolume> SetPhase(const PersistentVolume& volume, std::string_view phase,
                                    std::string_view message = {}) const;
  Result<void> SetFailed(const PersistentVolume& volume, std::string_view reason, const std::string& message) const;
  // As the cache has it, and where that has none, or another one, as the server has.
  Result<std::optional<PersistentVolumeClaim>> ClaimNamed(const corev1::ObjectReference& reference) const;
  Result<void> TellWaiting(const PersistentVolumeClaim& claim) const;

  const CachedClient& client_;
  const Client& live_;
  const EventRecorder events_;
  const PersistentVolumesOptions options_;
};

Result<void> Binder::SyncClaim(const Request& request) const {
  KEELSON_TRY(claim, IgnoreNotFound(client_.Get<PersistentVolumeClaim>(request)));
  if (!claim) return {};
  return IsUnbound(*claim) ? SyncUnbound(*claim) : SyncBound(*claim);
}

Result<void> Binder::SyncUnbound(const PersistentVolumeClaim& claim) const {
  if (claim.spec.volumeName.empty()) return FindVolume(claim);
  KEELSON_TRY(volume, IgnoreNotFound(client_.Get<PersistentVolume>({"", claim.spec.volumeName.str()})));
  if (volume && IsFor(*volume, claim)) return Bind(*std::move(volume), claim);
  if (volume && !volume->spec.claimRef) {
    const std::string mismatch = Mismatch(*volume, claim);
    if (mismatch.empty()) return Bind(*std::move(volume), claim);
    events_.Eventf(claim, EventType::kWarning, "VolumeMismatch", "Cannot bind to requested volume \"{}\": {}",
                   volume->metadata.name, mismatch);
  } else if (volume) {
    events_.Eventf(claim, EventType::kWarning, "FailedBinding", "volume \"{}\" already bound to a different claim.",
                   volume->metadata.name);
  }
  KEELSON_RETURN_IF_ERROR(SetClaim(claim, "Pending"));
  return {};
}

Result<void> Binder::FindVolume(const PersistentVolumeClaim& claim) const {
  const std::string class_name = ClassOf(claim);
  bool waits = false;
  if (!class_name.empty()) {
    KEELSON_TRY(found, IgnoreNotFound(client_.Get<StorageClass>({"", class_name})));
    // One that came just before the claim: what it says of binding cannot be made up for.
    if (!found) {
      KEELSON_TRY(now, IgnoreNotFound(live_.Get<StorageClass>({"", class_name})));
      found = std::move(now);
    }
    waits = found && found->volumeBindingMode && *found->volumeBindingMode == "WaitForFirstConsumer";
  }
  KEELSON_TRY(list, client_.List<PersistentVolume>());
  std::vector<PersistentVolume> volumes(list.items.begin(), list.items.end());
  std::sort(volumes.begin(), volumes.end(), [](const PersistentVolume& a, const PersistentVolume& b) {
    return a.metadata.name.view() < b.metadata.name.view();
  });
  KEELSON_TRY(best, BestVolume(claim, volumes, waits));
  if (best != nullptr) return Bind(*best, claim);

  if (!HasClass(claim)) {
    KEELSON_TRY(all, client_.List<StorageClass>());
    const std::vector<StorageClass> classes(all.items.begin(), all.items.end());
    if (const StorageClass* chosen = DefaultClass(classes)) {
      PersistentVolumeClaim changed = claim;
      changed.spec.storageClassName = chosen->metadata.name;
      KEELSON_RETURN_IF_ERROR(client_.Update(changed));
      return {};
    }
  }
  if (waits && !claim.metadata.annotations.contains(kSelectedNodeOfClaim)) {
    KEELSON_RETURN_IF_ERROR(TellWaiting(claim));
  } else if (!class_name.empty()) {
    return Provision(claim);
  } else {
    events_.Event(claim, EventType::kNormal, "FailedBinding",
                  "no persistent volumes available for this claim and no storage class is set");
  }
  KEELSON_RETURN_IF_ERROR(SetClaim(claim, "Pending"));
  return {};
}

Result<void> Binder::TellWaiting(const PersistentVolumeClaim& claim) const {
  KEELSON_TRY(pods, client_.List<Pod>({.namespace_ = claim.metadata.namespace_.str()}));
  std::vector<std::string> names;
  for (const Pod& pod : pods.items) {
    if (pod.spec.nodeName.empty() && !IsFinished(pod) && Mentions(pod, claim)) names.push_back(pod.metadata.name.str());
  }
  std::sort(names.begin(), names.end());
  if (names.empty()) {
    events_.Event(claim, EventType::kNormal, "WaitForFirstConsumer",
                  "waiting for first consumer to be created before binding");
  } else {
    events_.Eventf(claim, EventType::kNormal, "WaitForPodScheduled", "waiting for pod{} {} to be scheduled",
                   names.size() > 1 ? "s" : "", fmt::format("{}", fmt::join(names, ",")));
  }
  return {};
}

Result<void> Binder::Provision(PersistentVolumeClaim claim) const {
  KEELSON_TRY(found, IgnoreNotFound(client_.Get<StorageClass>({"", ClassOf(claim)})));
  if (!found) {
    events_.Eventf(claim, EventType::kWarning, "ProvisioningFailed", "storageclass.storage.k8s.io \"{}\" not found",
                   ClassOf(claim));
    return {};
  }
  const std::string provisioner = found->provisioner.str();
  if (provisioner.starts_with("kubernetes.io/")) {
    events_.Eventf(claim, EventType::kWarning, "ProvisioningFailed", "no volume plugin matched name: {}", provisioner);
    return {};
  }
  const PersistentVolumeClaim before = claim;
  for (const std::string_view key :
       {"volume.beta.kubernetes.io/storage-provisioner", "volume.kubernetes.io/storage-provisioner"}) {
    claim.metadata.annotations.Set(String(key), provisioner);
  }
  if (claim.metadata.annotations != before.metadata.annotations) {
    KEELSON_TRY(updated, client_.Update(claim));
    claim = std::move(updated);
  }
  events_.Eventf(claim, EventType::kNormal, "ExternalProvisioning",
                 "Waiting for a volume to be created either by the external provisioner '{}' or manually by the system "
                 "administrator. If volume creation is delayed, please verify that the provisioner is running and "
                 "correctly registered.",
                 provisioner);
  if (!options_.provisioners.contains(provisioner) || IsBeingDeleted(claim)) return {};

  const String* node = claim.metadata.annotations.find(kSelectedNodeOfClaim);
  const PersistentVolume volume = ProvisionedVolume(claim, *found, node == nullptr ? "" : node->str());
  const Result<PersistentVolume> created = client_.Create(volume);
  if (!created) return IsAlreadyExists(created.error()) ? Result<void>() : Result<void>(created.error());
  events_.Eventf(claim, EventType::kNormal, "ProvisioningSucceeded", "Successfully provisioned volume {}",
                 volume.metadata.name);
  return {};
}

Result<void> Binder::SyncBound(const PersistentVolumeClaim& claim) const {
  if (claim.spec.volumeName.empty()) {
    return SetLost(claim, "ClaimLost",
                   "Bound claim has lost reference to PersistentVolume. Data on the volume is lost!");
  }
  const ObjectKey key{"", claim.spec.volumeName.str()};
  KEELSON_TRY(volume, IgnoreNotFound(client_.Get<PersistentVolume>(key)));
  // What the cache has not heard of yet is not lost.
  if (!volume) {
    KEELSON_TRY(now, IgnoreNotFound(live_.Get<PersistentVolume>(key)));
    volume = std::move(now);
  }
  if (!volume) {
    return SetLost(claim, "ClaimLost", "Bound claim has lost its PersistentVolume. Data on the volume is lost!");
  }
  if (!volume->spec.claimRef || volume->spec.claimRef->uid == claim.metadata.uid)
    return Bind(*std::move(volume), claim);
  return SetLost(claim, "ClaimMisbound", "Two claims are bound to the same volume, this one is bound incorrectly");
}

// In this order, so that whoever is interrupted can go on: the volume names the claim before the claim the volume.
Result<void> Binder::Bind(PersistentVolume volume, PersistentVolumeClaim claim) const {
  if (BindVolume(volume, claim)) {
    KEELSON_TRY(bound, client_.Update(volume));
    volume = std::move(bound);
  }
  KEELSON_TRY(in_phase, SetPhase(volume, "Bound"));
  if (BindClaim(claim, in_phase)) {
    KEELSON_TRY(bound, client_.Update(claim));
    claim = std::move(bound);
  }
  KEELSON_RETURN_IF_ERROR(SetClaim(claim, "Bound", &in_phase));
  return {};
}

Result<void> Binder::SyncVolume(const Request& request) const {
  KEELSON_TRY(found, IgnoreNotFound(client_.Get<PersistentVolume>(request)));
  if (!found) return {};
  const PersistentVolume& volume = *found;
  if (!volume.spec.claimRef || volume.spec.claimRef->uid.empty()) {
    KEELSON_RETURN_IF_ERROR(SetPhase(volume, "Available"));
    return {};
  }
  KEELSON_TRY(claim, ClaimNamed(*volume.spec.claimRef));
  if (!claim) return Reclaim(volume);
  if (claim->spec.volumeName == volume.metadata.name) {
    KEELSON_RETURN_IF_ERROR(SetPhase(volume, "Bound"));
    return {};
  }
  if (claim->spec.volumeName.empty()) {
    if (!SameMode(volume, *claim)) {
      events_.Eventf(volume, EventType::kWarning, "VolumeMismatch",
                     "Cannot bind PersistentVolume to requested PersistentVolumeClaim \"{}\" due to incompatible "
                     "volumeMode.",
                     claim->metadata.name);
      events_.Eventf(*claim, EventType::kWarning, "VolumeMismatch",
                     "Cannot bind PersistentVolume \"{}\" to requested PersistentVolumeClaim due to incompatible "
                     "volumeMode.",
                     volume.metadata.name);
    }
    return {};  // the claim, which hears of the volume too, binds both
  }
  // The claim has another one.
  if (volume.metadata.annotations.contains(kProvisionedBy) && volume.spec.persistentVolumeReclaimPolicy == "Delete") {
    return Reclaim(volume);
  }
  return Unbind(volume);
}

Result<std::optional<PersistentVolumeClaim>> Binder::ClaimNamed(const corev1::ObjectReference& reference) const {
  const ObjectKey key{reference.namespace_.str(), reference.name.str()};
  KEELSON_TRY(cached, IgnoreNotFound(client_.Get<PersistentVolumeClaim>(key)));
  if (cached && cached->metadata.uid == reference.uid) return std::optional(*std::move(cached));
  KEELSON_TRY(now, IgnoreNotFound(live_.Get<PersistentVolumeClaim>(key)));
  if (now && now->metadata.uid == reference.uid) return std::optional(*std::move(now));
  return std::optional<PersistentVolumeClaim>();
}

Result<void> Binder::Reclaim(const PersistentVolume& found) const {
  PersistentVolume volume = found;
  if (volume.status.phase != "Released" && volume.status.phase != "Failed") {
    KEELSON_TRY(released, SetPhase(volume, "Released"));
    volume = std::move(released);
  }
  const std::string_view policy = volume.spec.persistentVolumeReclaimPolicy.view();
  if (policy == "Retain") return {};
  if (policy == "Delete") return DeleteReleased(volume);
  if (policy != "Recycle") {
    return SetFailed(volume, "VolumeUnknownReclaimPolicy", "Volume has unrecognized PersistentVolumeReclaimPolicy");
  }
  if (!volume.spec.hostPath && !volume.spec.nfs) {
    return SetFailed(volume, "VolumeFailedRecycle", "No recycler plugin found for the volume!");
  }
  events_.Event(volume, EventType::kNormal, "VolumeRecycled", "Volume recycled");
  return Unbind(volume);
}

Result<void> Binder::DeleteReleased(const PersistentVolume& volume) const {
  if (const String* provisioner = volume.metadata.annotations.find(kProvisionedBy)) {
    if (!options_.provisioners.contains(provisioner->str())) return {};  // theirs to delete
  } else if (volume.spec.csi) {
    return {};
  } else if (!volume.spec.hostPath) {
    return SetFailed(volume, "VolumeFailedDelete",
                     fmt::format("error getting deleter volume plugin for volume \"{}\": no deletable volume plugin "
                                 "matched",
                                 volume.metadata.name));
  } else if (const std::string path = volume.spec.hostPath->path.str();
             !path.starts_with("/tmp/") || path.size() <= std::string_view("/tmp/").size()) {
    return SetFailed(volume, "VolumeFailedDelete",
                     "host_path deleter only supports /tmp/.+ but received provided " + path);
  }
  if (IsBeingDeleted(volume)) return {};
  return client_.Delete(volume, {.uid = volume.metadata.uid.str()});
}

Result<void> Binder::Unbind(PersistentVolume volume) const {
  UnbindVolume(volume);
  KEELSON_TRY(unbound, client_.Update(volume));
  KEELSON_RETURN_IF_ERROR(SetPhase(unbound, "Available"));
  return {};
}

Result<PersistentVolumeClaim> Binder::SetClaim(const PersistentVolumeClaim& claim, std::string_view phase,
                                               const PersistentVolume* volume) const {
  PersistentVolumeClaim changed = claim;
  changed.status = ClaimStatus(claim, phase, volume);
  if (Equal(changed.status, claim.status)) return claim;
  return client_.Status().Update(changed);
}

Result<void> Binder::SetLost(const PersistentVolumeClaim& claim, std::string_view reason,
                             std::string_view message) const {
  if (claim.status.phase == "Lost") return {};
  KEELSON_TRY(lost, SetClaim(claim, "Lost"));
  events_.Event(lost, EventType::kWarning, reason, message);
  return {};
}

Result<PersistentVolume> Binder::SetPhase(const PersistentVolume& volume, std::string_view phase,
                                          std::string_view message) const {
  if (volume.status.phase == phase) return volume;
  PersistentVolume changed = volume;
  changed.status.phase = String(phase);
  changed.status.message = String(message);
  return client_.Status().Update(changed);
}

Result<void> Binder::SetFailed(const PersistentVolume& volume, std::string_view reason,
                               const std::string& message) const {
  if (volume.status.phase == "Failed") return {};
  KEELSON_TRY(failed, SetPhase(volume, "Failed", message));
  events_.Event(failed, EventType::kWarning, reason, message);
  return {};
}

Result<std::vector<Lister<PersistentVolume>>> VolumesByClaim(InformerFactory& cache) {
  std::vector<Lister<PersistentVolume>> listers;
  for (const Informer<PersistentVolume>& informer : cache.AllOf<PersistentVolume>()) {
    const Result<void> added =
        informer.AddIndex(std::string(kByClaim), [](const PersistentVolume& volume) -> std::vector<std::string> {
          if (!volume.spec.claimRef) return {};
          return {ObjectKey{volume.spec.claimRef->namespace_.str(), volume.spec.claimRef->name.str()}.ToString()};
        });
    if (!added && !IsAlreadyExists(added.error())) return added.error();
    listers.push_back(informer.lister());
  }
  return listers;
}

// Unbound claims that the function takes.
using Wanted = std::function<bool(const PersistentVolumeClaim& claim)>;
std::vector<Request> UnboundClaims(const std::vector<Lister<PersistentVolumeClaim>>& listers, const Wanted& wanted) {
  std::vector<Request> requests;
  for (const Lister<PersistentVolumeClaim>& lister : listers) {
    const Objects<PersistentVolumeClaim> claims = lister.List();
    for (const PersistentVolumeClaim& claim : claims) {
      if (IsUnbound(claim) && wanted(claim)) requests.push_back(KeyOf(claim));
    }
  }
  return requests;
}

}  // namespace

Result<void> AddPersistentVolumesController(Manager& manager, PersistentVolumesOptions options) {
  std::vector<Lister<PersistentVolumeClaim>> claims;
  for (const Informer<PersistentVolumeClaim>& informer : manager.cache().AllOf<PersistentVolumeClaim>()) {
    claims.push_back(informer.lister());
  }
  KEELSON_TRY(volumes, VolumesByClaim(manager.cache()));
  // With every volume that names it: a claim may go before it has heard of the one that was made for it.
  const auto of_claim = [volumes = std::move(volumes)](const PersistentVolumeClaim& claim) {
    std::vector<Request> requests{KeyOf(claim)};
    if (!claim.spec.volumeName.empty()) requests.push_back({"", claim.spec.volumeName.str()});
    for (const Lister<PersistentVolume>& lister : volumes) {
      const Result<Objects<PersistentVolume>> naming = lister.ByIndex(kByClaim, KeyOf(claim).ToString());
      if (!naming) continue;
      for (const PersistentVolume& volume : *naming) {
        if (volume.metadata.name != claim.spec.volumeName) requests.push_back(KeyOf(volume));
      }
    }
    return requests;
  };
  const auto of_volume = [claims](const PersistentVolume& volume) {
    std::vector<Request> requests;
    if (volume.spec.claimRef) {
      requests.push_back({volume.spec.claimRef->namespace_.str(), volume.spec.claimRef->name.str()});
    } else if (volume.status.phase == "Available") {
      // One that is free may be what a claim has waited for.
      requests = UnboundClaims(claims, [](const PersistentVolumeClaim&) { return true; });
    }
    requests.push_back(KeyOf(volume));
    return requests;
  };
  const auto of_class = [claims](const StorageClass& changed) {
    return UnboundClaims(claims, [&changed](const PersistentVolumeClaim& claim) {
      return !HasClass(claim) || ClassOf(claim) == changed.metadata.name.view();
    });
  };
  // What a claim that waits for its first consumer tells of: a new pod that still has no node at the next look, which
  // upstream's binder takes every 15 seconds.
  const Enqueuer<Request> of_pod = [](const ObjectEvent& event, RequestSink<Request>& sink) {
    const Pod* pod = event.As<Pod>();
    if (event.type() != ObjectEventType::kCreated || pod == nullptr || !pod->spec.nodeName.empty()) return;
    for (const corev1::Volume& volume : pod->spec.volumes) {
      const std::string name = ClaimOf(*pod, volume);
      if (!name.empty()) sink.AddAfter({pod->metadata.namespace_.str(), name}, kLookPeriod);
    }
  };
  ControllerOptions controller = manager.options().controllers;
  controller.workers = 1;
  KEELSON_RETURN_IF_ERROR(
      NewController<Request>(manager, std::string(kVolumeBinder))
          .Watches<PersistentVolumeClaim>(EnqueueMapped<PersistentVolumeClaim>(of_claim))
          .Watches<PersistentVolume>(EnqueueMapped<PersistentVolume>(of_volume))
          .Watches<StorageClass>(EnqueueMapped<StorageClass>(of_class))
          .Watches<Pod>(of_pod)
          .WithOptions(controller)
          .Complete([reconciler = std::make_shared<Binder>(manager, std::move(options))](
                        Context& context, const Request& request) { return reconciler->Reconcile(context, request); }));
  return {};
}

}  // namespace keelson::controllers
