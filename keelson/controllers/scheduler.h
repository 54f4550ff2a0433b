// A scheduler: gives pods that have no node to nodes, as kube-scheduler does.
//
//   KEELSON_RETURN_IF_ERROR(AddSchedulerController(manager));
//
// It takes pods that name it (spec.schedulerName) and have no scheduling gates, those of higher priority first, one
// after another. Where a pod can go and what is said when there is no such place is in scheduler_placement.h. A pod
// that finds none has the condition PodScheduled=False with reason Unschedulable, gets a FailedScheduling event, and is
// tried again when nodes, other pods or volumes change in a way that may help, between one and ten seconds after the
// last try at the earliest.
//
// Claims of classes that wait for a consumer are told the node (volume.kubernetes.io/selected-node); the pod is bound
// once they are. Nobody is evicted for a pod of higher priority.
#pragma once

#include <string>

#include "keelson/core/result.h"
#include "keelson/runtime/manager.h"

namespace keelson::controllers {

struct SchedulerOptions {
  std::string name = "default-scheduler";  // that pods call it by; events say so too
};

Result<void> AddSchedulerController(Manager& manager, SchedulerOptions options = {});

}  // namespace keelson::controllers
