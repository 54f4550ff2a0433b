// The ReplicaSet controller: as many pods of a template as were asked for.
//
//   KEELSON_RETURN_IF_ERROR(AddReplicaSetController(manager));
//
// It does what kube-controller-manager's does, with its names of events, reasons and conditions. Reads see the
// controller's own writes, however late the watch is: it never makes a pod twice because it has not heard of it yet,
// and waits without a limit where kube-controller-manager gives up after five minutes.
#pragma once

#include "keelson/core/result.h"
#include "keelson/runtime/manager.h"

namespace keelson::controllers {

struct ReplicaSetOptions {
  int workers = 5;  // ReplicaSets at a time
  // Pods that are made or deleted before the ReplicaSet's status is written again.
  int burst = 500;
};

Result<void> AddReplicaSetController(Manager& manager, ReplicaSetOptions options = {});

}  // namespace keelson::controllers
