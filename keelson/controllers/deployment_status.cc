#include "keelson/controllers/deployment_status.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "keelson/api/conditions.h"

namespace keelson::controllers {

namespace {

using appsv1::Deployment;
using appsv1::DeploymentCondition;
using appsv1::DeploymentStatus;
using appsv1::ReplicaSet;

constexpr std::string_view kAvailable = "Available";
constexpr std::string_view kProgressing = "Progressing";
constexpr std::string_view kReplicaFailure = "ReplicaFailure";
constexpr std::string_view kNewReplicaSetAvailable = "NewReplicaSetAvailable";
constexpr std::string_view kProgressDeadlineExceeded = "ProgressDeadlineExceeded";
constexpr std::string_view kDeploymentPaused = "DeploymentPaused";

void RemoveCondition(DeploymentStatus& status, std::string_view type) {
  if (FindCondition(status, type) == nullptr) return;
  status.conditions.EraseIf([type](const DeploymentCondition& one) { return one.type == type; });
}

// "ReplicaSet "web-6b64798cf9" is progressing."
std::string Sentence(const Deployment& deployment, const ReplicaSets& sets, std::string_view predicate) {
  return sets.current ? fmt::format("ReplicaSet \"{}\" {}.", sets.current->metadata.name.view(), predicate)
                      : fmt::format("Deployment \"{}\" {}.", deployment.metadata.name.view(), predicate);
}

// New pods came or became ready or available, or old ones went.
bool HasProgressed(const DeploymentStatus& before, const DeploymentStatus& now) {
  return now.updatedReplicas > before.updatedReplicas ||
         now.replicas - now.updatedReplicas < before.replicas - before.updatedReplicas ||
         now.readyReplicas > before.readyReplicas || now.availableReplicas > before.availableReplicas;
}

bool HasTimedOut(const Deployment& deployment, const DeploymentStatus& status, WallTime now) {
  const DeploymentCondition* progress = FindCondition(status, kProgressing);
  if (progress == nullptr || progress->reason == kNewReplicaSetAvailable) return false;
  if (progress->reason == kProgressDeadlineExceeded) return true;
  return progress->lastUpdateTime.ToTimePoint() + std::chrono::seconds(*deployment.spec.progressDeadlineSeconds) < now;
}

void JudgeProgress(const Deployment& deployment, const ReplicaSets& sets, WallTime now, DeploymentStatus& status) {
  if (IsComplete(deployment, status)) {
    SetCondition(status, Progressing(kConditionTrue, kNewReplicaSetAvailable,
                                     Sentence(deployment, sets, "has successfully progressed"), now));
  } else if (HasProgressed(deployment.status, status)) {
    DeploymentCondition progress =
        Progressing(kConditionTrue, "ReplicaSetUpdated", Sentence(deployment, sets, "is progressing"), now);
    // Progress counts from its last step, so the time of the update moves although nothing else does.
    if (const DeploymentCondition* before = FindCondition(status, kProgressing)) {
      if (before->status == kConditionTrue) progress.lastTransitionTime = before->lastTransitionTime;
      RemoveCondition(status, kProgressing);
    }
    SetCondition(status, std::move(progress));
  } else if (HasTimedOut(deployment, status, now)) {
    SetCondition(status, Progressing(kConditionFalse, kProgressDeadlineExceeded,
                                     Sentence(deployment, sets, "has timed out progressing"), now));
  }
}

// Of the current ReplicaSet before those of old ones.
const appsv1::ReplicaSetCondition* FailureOf(const ReplicaSets& sets) {
  std::vector<const ReplicaSet*> all = sets.All();
  if (sets.current) std::rotate(all.begin(), all.end() - 1, all.end());
  for (const ReplicaSet* set : all) {
    for (const appsv1::ReplicaSetCondition& condition : set->status.conditions) {
      if (condition.type == kReplicaFailure) return &condition;
    }
  }
  return nullptr;
}

}  // namespace

const DeploymentCondition* FindCondition(const DeploymentStatus& status, std::string_view type) {
  for (const DeploymentCondition& condition : status.conditions) {
    if (condition.type == type) return &condition;
  }
  return nullptr;
}

void SetCondition(DeploymentStatus& status, DeploymentCondition condition) {
  if (const DeploymentCondition* before = FindCondition(status, condition.type.view())) {
    if (before->status == condition.status) {
      if (before->reason == condition.reason) return;
      condition.lastTransitionTime = before->lastTransitionTime;
    }
    RemoveCondition(status, condition.type.view());
  }
  status.conditions.push_back(std::move(condition));
}

DeploymentCondition Progressing(std::string_view status, std::string_view reason, std::string message, WallTime now) {
  return {.type = kProgressing,
          .status = status,
          .lastUpdateTime = metav1::Time(now),
          .lastTransitionTime = metav1::Time(now),
          .reason = reason,
          .message = message};
}

DeploymentStatus CountedStatus(const Deployment& deployment, const ReplicaSets& sets, WallTime now) {
  DeploymentStatus status{.observedGeneration = deployment.metadata.generation,
                          .terminatingReplicas = 0,
                          .conditions = deployment.status.conditions,
                          .collisionCount = deployment.status.collisionCount};
  int32_t asked = 0;
  for (const ReplicaSet* set : sets.All()) {
    asked += set->spec.replicas.value_or(1);
    status.replicas += set->status.replicas;
    status.readyReplicas += set->status.readyReplicas;
    status.availableReplicas += set->status.availableReplicas;
    if (set->status.terminatingReplicas) {
      if (status.terminatingReplicas) *status.terminatingReplicas += *set->status.terminatingReplicas;
    } else if (set->status.observedGeneration != 0) {
      status.terminatingReplicas.reset();  // one that was looked at and does not say: the sum is not known
    }
  }
  if (sets.current) status.updatedReplicas = sets.current->status.replicas;
  status.unavailableReplicas = std::max(asked - status.availableReplicas, 0);

  const bool enough = status.availableReplicas >= DesiredReplicas(deployment) - MaxUnavailable(deployment);
  SetCondition(status, {.type = kAvailable,
                        .status = enough ? kConditionTrue : kConditionFalse,
                        .lastUpdateTime = metav1::Time(now),
                        .lastTransitionTime = metav1::Time(now),
                        .reason = enough ? "MinimumReplicasAvailable" : "MinimumReplicasUnavailable",
                        .message = enough ? "Deployment has minimum availability."
                                          : "Deployment does not have minimum availability."});
  return status;
}

DeploymentStatus RolloutStatus(const Deployment& deployment, const ReplicaSets& sets, WallTime now) {
  DeploymentStatus status = CountedStatus(deployment, sets, now);
  if (!HasProgressDeadline(deployment)) {
    RemoveCondition(status, kProgressing);
  } else {
    // A rollout that has completed is over: pods that come and go later are no progress.
    const DeploymentCondition* before = FindCondition(deployment.status, kProgressing);
    const bool was_complete =
        status.replicas == status.updatedReplicas && before != nullptr && before->reason == kNewReplicaSetAvailable;
    if (!was_complete) JudgeProgress(deployment, sets, now, status);
  }
  if (const appsv1::ReplicaSetCondition* failure = FailureOf(sets)) {
    SetCondition(status, {.type = failure->type,
                          .status = failure->status,
                          .lastUpdateTime = failure->lastTransitionTime,
                          .lastTransitionTime = failure->lastTransitionTime,
                          .reason = failure->reason,
                          .message = failure->message});
  } else {
    RemoveCondition(status, kReplicaFailure);
  }
  return status;
}

bool IsComplete(const Deployment& deployment, const DeploymentStatus& status) {
  const int32_t desired = DesiredReplicas(deployment);
  return status.updatedReplicas == desired && status.replicas == desired && status.availableReplicas == desired &&
         status.observedGeneration >= deployment.metadata.generation;
}

bool HasProgressDeadline(const Deployment& deployment) {
  const auto& deadline = deployment.spec.progressDeadlineSeconds;
  return deadline && *deadline != std::numeric_limits<int32_t>::max();
}

void NotePause(Deployment& deployment, WallTime now) {
  if (!HasProgressDeadline(deployment)) return;
  const DeploymentCondition* progress = FindCondition(deployment.status, kProgressing);
  // A lack of progress that was told stays told.
  if (progress != nullptr && progress->reason == kProgressDeadlineExceeded) return;
  const bool noted = progress != nullptr && progress->reason == kDeploymentPaused;
  if (deployment.spec.paused && !noted) {
    SetCondition(deployment.status, Progressing(kConditionUnknown, kDeploymentPaused, "Deployment is paused", now));
  } else if (!deployment.spec.paused && noted) {
    SetCondition(deployment.status, Progressing(kConditionUnknown, "DeploymentResumed", "Deployment is resumed", now));
  }
}

std::optional<Duration> UntilDeadline(const Deployment& deployment, const DeploymentStatus& status, WallTime now) {
  const DeploymentCondition* progress = FindCondition(status, kProgressing);
  if (!HasProgressDeadline(deployment) || progress == nullptr) return std::nullopt;
  if (IsComplete(deployment, status) || progress->reason == kProgressDeadlineExceeded ||
      progress->reason == kNewReplicaSetAvailable) {
    return std::nullopt;
  }
  const Duration left =
      progress->lastUpdateTime.ToTimePoint() + std::chrono::seconds(*deployment.spec.progressDeadlineSeconds) - now;
  // A second more: times in objects are whole seconds.
  return std::max<Duration>(left, Duration::zero()) + std::chrono::seconds(1);
}

}  // namespace keelson::controllers
