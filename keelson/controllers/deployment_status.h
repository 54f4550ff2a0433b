// What a Deployment says of itself: the numbers of its status, and its conditions Available, Progressing and
// ReplicaFailure.
#pragma once

#include <optional>
#include <string_view>

#include "keelson/api/apps/v1.h"
#include "keelson/controllers/deployment_plan.h"
#include "keelson/core/time.h"

namespace keelson::controllers {

// The condition of that type, or null. Valid until the list changes.
const appsv1::DeploymentCondition* FindCondition(const appsv1::DeploymentStatus& status, std::string_view type);
// Puts it at the end in place of the one of its type; nothing happens when status and reason are as before. The time of
// the last transition stays when the status is as before.
void SetCondition(appsv1::DeploymentStatus& status, appsv1::DeploymentCondition condition);
// A Progressing condition of now.
appsv1::DeploymentCondition Progressing(std::string_view status, std::string_view reason, std::string message,
                                        WallTime now);

// Numbers and Available, from the ReplicaSets; other conditions stay.
appsv1::DeploymentStatus CountedStatus(const appsv1::Deployment& deployment, const ReplicaSets& sets, WallTime now);
// That, and what a rollout says: Progressing and ReplicaFailure.
appsv1::DeploymentStatus RolloutStatus(const appsv1::Deployment& deployment, const ReplicaSets& sets, WallTime now);

// All replicas are of the current template and available, and no others are left.
bool IsComplete(const appsv1::Deployment& deployment, const appsv1::DeploymentStatus& status);

bool HasProgressDeadline(const appsv1::Deployment& deployment);
// Says in the conditions that the Deployment was paused or resumed, so that the time of a pause does not count as time
// without progress.
void NotePause(appsv1::Deployment& deployment, WallTime now);
// When to look whether the deadline has passed; nothing where that cannot happen.
std::optional<Duration> UntilDeadline(const appsv1::Deployment& deployment, const appsv1::DeploymentStatus& status,
                                      WallTime now);

}  // namespace keelson::controllers
