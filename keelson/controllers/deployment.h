// The Deployment controller: rolls out a pod template by ReplicaSets.
//
//   KEELSON_RETURN_IF_ERROR(AddReplicaSetController(manager));
//   KEELSON_RETURN_IF_ERROR(AddDeploymentController(manager));
//
// It does what kube-controller-manager's does: rolling updates with surge and unavailability, Recreate, scaling in the
// middle of a rollout, revisions, history, pauses and the progress deadline, with its names of ReplicaSets, events,
// reasons, conditions and annotations, which kubectl rollout reads. Rollbacks are changes of the template, as kubectl
// makes them; the annotation deprecated.deployment.rollback.to of API versions that are gone does nothing.
#pragma once

#include "keelson/core/result.h"
#include "keelson/runtime/manager.h"

namespace keelson::controllers {

struct DeploymentOptions {
  int workers = 5;  // Deployments at a time
};

Result<void> AddDeploymentController(Manager& manager, DeploymentOptions options = {});

}  // namespace keelson::controllers
