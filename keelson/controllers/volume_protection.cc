#include "keelson/controllers/volume_protection.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "keelson/api/finalizers.h"
#include "keelson/api/owner_references.h"
#include "keelson/api/status_error.h"
#include "keelson/api/storage/v1.h"
#include "keelson/client/ignore_not_found.h"
#include "keelson/controllers/selection.h"
#include "keelson/runtime/builder.h"

namespace keelson::controllers {

namespace {

using corev1::PersistentVolume;
using corev1::PersistentVolumeClaim;
using corev1::Pod;
using storagev1::VolumeAttributesClass;

std::string ClaimOf(const Pod& pod, const corev1::Volume& volume) {
  if (volume.persistentVolumeClaim) return volume.persistentVolumeClaim->claimName.str();
  if (volume.ephemeral) return pod.metadata.name.str() + "-" + volume.name.str();
  return {};
}

std::vector<Request> ClaimsOf(const Pod& pod) {
  std::vector<Request> claims;
  for (const corev1::Volume& volume : pod.spec.volumes) {
    std::string name = ClaimOf(pod, volume);
    if (!name.empty()) claims.push_back({pod.metadata.namespace_.str(), std::move(name)});
  }
  return claims;
}

// Such a pod holds what was made for it no longer.
bool IsShutDown(const Pod& pod) {
  return IsBeingDeleted(pod) && pod.metadata.deletionGracePeriodSeconds &&
         *pod.metadata.deletionGracePeriodSeconds == 0;
}

template <class T>
Result<Outcome> Written(const Result<T>& written) {
  if (written || IsNotFound(written.error())) return Outcome::Done();
  if (IsConflict(written.error())) return Outcome::Retry();
  return written.error();
}

class ClaimProtection {
 public:
  explicit ClaimProtection(Manager& manager) : client_(manager.client()), live_(manager.live()) {}

  Result<Outcome> Reconcile(Context&, const Request& request) const {
    KEELSON_TRY(claim, IgnoreNotFound(client_.Get<PersistentVolumeClaim>(request)));
    if (!claim) return Outcome::Done();
    if (!IsBeingDeleted(*claim)) {
      return AddFinalizer(*claim, kClaimProtectionFinalizer) ? Written(client_.Update(*claim)) : Outcome::Done();
    }
    if (!HasFinalizer(*claim, kClaimProtectionFinalizer)) return Outcome::Done();
    // The cache may not know of the latest pod: before the last word the server is asked.
    for (const Reader* reader : {static_cast<const Reader*>(&client_), static_cast<const Reader*>(&live_)}) {
      KEELSON_TRY(pods, reader->List<Pod>({.namespace_ = request.namespace_}));
      for (const Pod& pod : pods.items) {
        if (UsesClaim(pod, *claim)) return Outcome::Done();
      }
    }
    RemoveFinalizer(*claim, kClaimProtectionFinalizer);
    return Written(client_.Update(*claim));
  }

 private:
  const CachedClient& client_;
  const Client& live_;
};

class VolumeProtection {
 public:
  explicit VolumeProtection(Manager& manager) : client_(manager.client()) {}

  Result<Outcome> Reconcile(Context&, const Request& request) const {
    KEELSON_TRY(volume, IgnoreNotFound(client_.Get<PersistentVolume>(request)));
    if (!volume) return Outcome::Done();
    if (!IsBeingDeleted(*volume)) {
      return AddFinalizer(*volume, kVolumeProtectionFinalizer) ? Written(client_.Update(*volume)) : Outcome::Done();
    }
    if (volume->status.phase == "Bound" || !RemoveFinalizer(*volume, kVolumeProtectionFinalizer)) {
      return Outcome::Done();
    }
    return Written(client_.Update(*volume));
  }

 private:
  const CachedClient& client_;
};

std::vector<Request> AttributesClassesOf(const PersistentVolumeClaim& claim) {
  std::vector<Request> classes;
  const auto add = [&classes](const String& name) {
    if (!name.empty()) classes.push_back({.namespace_ = "", .name = name.str()});
  };
  add(claim.spec.volumeAttributesClassName.value_or(String()));
  add(claim.status.currentVolumeAttributesClassName.value_or(String()));
  if (claim.status.modifyVolumeStatus) add(claim.status.modifyVolumeStatus->targetVolumeAttributesClassName);
  return classes;
}
std::vector<Request> AttributesClassesOf(const PersistentVolume& volume) {
  const String name = volume.spec.volumeAttributesClassName.value_or(String());
  return name.empty() ? std::vector<Request>() : std::vector<Request>{{.namespace_ = "", .name = name.str()}};
}

class AttributesClassProtection {
 public:
  explicit AttributesClassProtection(Manager& manager) : client_(manager.client()) {}

  Result<Outcome> Reconcile(Context&, const Request& request) const {
    KEELSON_TRY(found, IgnoreNotFound(client_.Get<VolumeAttributesClass>(request)));
    if (!found) return Outcome::Done();
    if (!IsBeingDeleted(*found)) {
      return AddFinalizer(*found, kAttributesClassProtectionFinalizer) ? Written(client_.Update(*found))
                                                                       : Outcome::Done();
    }
    KEELSON_TRY(volumes, IsNamedBy<PersistentVolume>(request));
    KEELSON_TRY(claims, IsNamedBy<PersistentVolumeClaim>(request));
    if (volumes || claims || !RemoveFinalizer(*found, kAttributesClassProtectionFinalizer)) return Outcome::Done();
    return Written(client_.Update(*found));
  }

 private:
  template <ApiObject T>
  Result<bool> IsNamedBy(const Request& name) const {
    KEELSON_TRY(list, client_.List<T>({}));
    for (const T& object : list.items) {
      const std::vector<Request> classes = AttributesClassesOf(object);
      if (std::find(classes.begin(), classes.end(), name) != classes.end()) return true;
    }
    return false;
  }

  const CachedClient& client_;
};

ControllerOptions OptionsOf(const Manager& manager, const VolumeProtectionOptions& options) {
  ControllerOptions controller = manager.options().controllers;
  controller.workers = options.workers;
  return controller;
}

}  // namespace

bool UsesClaim(const Pod& pod, const PersistentVolumeClaim& claim) {
  if (pod.spec.nodeName.empty() || pod.metadata.namespace_ != claim.metadata.namespace_) return false;
  for (const corev1::Volume& volume : pod.spec.volumes) {
    if (ClaimOf(pod, volume) != claim.metadata.name.view()) continue;
    if (volume.persistentVolumeClaim) return true;
    if (!IsShutDown(pod) && IsControlledBy(claim.metadata, pod.metadata)) return true;
  }
  return false;
}

Result<void> AddClaimProtectionController(Manager& manager, VolumeProtectionOptions options) {
  // Claims become unused when a pod goes, or is seen to have never come to a node.
  const Predicate freeing([](const ObjectEvent& event) {
    if (event.type() != ObjectEventType::kUpdated) return event.type() == ObjectEventType::kDeleted;
    const Pod* old = event.OldAs<Pod>();
    const Pod* pod = event.As<Pod>();
    return old != nullptr && pod != nullptr && (old->metadata.uid != pod->metadata.uid || IsBeingDeleted(*pod));
  });
  KEELSON_RETURN_IF_ERROR(
      ControllerFor<PersistentVolumeClaim>(manager)
          .Watches<Pod>(EnqueueMapped<Pod>(ClaimsOf), {.predicate = freeing})
          .WithOptions(OptionsOf(manager, options))
          .Named(std::string(kClaimProtection))
          .Complete([reconciler = std::make_shared<ClaimProtection>(manager)](
                        Context& context, const Request& request) { return reconciler->Reconcile(context, request); }));
  return {};
}

Result<void> AddVolumeProtectionController(Manager& manager, VolumeProtectionOptions options) {
  KEELSON_RETURN_IF_ERROR(
      ControllerFor<PersistentVolume>(manager)
          .WithOptions(OptionsOf(manager, options))
          .Named(std::string(kVolumeProtection))
          .Complete([reconciler = std::make_shared<VolumeProtection>(manager)](
                        Context& context, const Request& request) { return reconciler->Reconcile(context, request); }));
  return {};
}

Result<void> AddAttributesClassProtectionController(Manager& manager, VolumeProtectionOptions options) {
  const auto of_claim = [](const PersistentVolumeClaim& claim) { return AttributesClassesOf(claim); };
  const auto of_volume = [](const PersistentVolume& volume) { return AttributesClassesOf(volume); };
  // A class may go when those that named it go, or change.
  const Predicate freeing([](const ObjectEvent& event) { return event.type() != ObjectEventType::kCreated; });
  KEELSON_RETURN_IF_ERROR(
      ControllerFor<VolumeAttributesClass>(manager)
          .Watches<PersistentVolumeClaim>(EnqueueMapped<PersistentVolumeClaim>(of_claim), {.predicate = freeing})
          .Watches<PersistentVolume>(EnqueueMapped<PersistentVolume>(of_volume), {.predicate = freeing})
          .WithOptions(OptionsOf(manager, options))
          .Named(std::string(kAttributesClassProtection))
          .Complete([reconciler = std::make_shared<AttributesClassProtection>(manager)](
                        Context& context, const Request& request) { return reconciler->Reconcile(context, request); }));
  return {};
}

}  // namespace keelson::controllers
