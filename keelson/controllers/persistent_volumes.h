// The binder of PersistentVolumes: finds volumes for claims, binds both to each other, and reclaims volumes whose claim
// is gone.
//
//   KEELSON_RETURN_IF_ERROR(AddPersistentVolumesController(manager));
//
// It does what kube-controller-manager's does, with its annotations, phases and events; it acts when something changes,
// not every 15 seconds, so events have lower counts. It also plays some provisioners (options): volumes of classes of
// theirs are made at once, as directories that nobody makes. Volumes of other provisioners are waited for. What would
// take a helper pod (reclaim policy Recycle) is taken as done.
#pragma once

#include <set>
#include <string>

#include "keelson/core/result.h"
#include "keelson/runtime/manager.h"

namespace keelson::controllers {

struct PersistentVolumesOptions {
  // Those that it plays: its own, and those of the default classes of kind and minikube.
  std::set<std::string> provisioners = {"keelson.dev/simulated", "rancher.io/local-path", "k8s.io/minikube-hostpath"};
};

Result<void> AddPersistentVolumesController(Manager& manager, PersistentVolumesOptions options = {});

}  // namespace keelson::controllers
