#include "pipeline_status.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "keelson/api/conditions.h"
#include "pipeline_parts.h"

namespace pipeline {

using namespace keelson;
using v1beta1::Phase;
using v1beta1::Pipeline;
using v1beta1::PipelineStatus;
using v1beta1::Step;

std::string_view PhaseOf(const appsv1::Deployment& deployment, bool placeable) {
  const appsv1::DeploymentStatus& status = deployment.status;
  const int32_t wanted = deployment.spec.replicas.value_or(1);
  const bool seen = status.observedGeneration >= deployment.metadata.generation;
  if (seen && status.updatedReplicas == wanted && status.replicas == wanted && status.availableReplicas == wanted) {
    return kStepRunning;
  }
  if (!placeable) return kStepUnplaced;
  if (!seen) return kStepCreating;
  for (const appsv1::DeploymentCondition& condition : status.conditions) {
    if (condition.type != "Progressing") continue;
    if (condition.status == kConditionFalse) return kStepFailed;
    // It says so once a rollout is through, and from then on whatever becomes of the Pods.
    if (condition.reason == "NewReplicaSetAvailable") return kStepDegraded;
  }
  return kStepCreating;
}

PipelineStatus StatusOf(const Pipeline& pipeline, Phase phase, std::string_view reason, std::string_view message) {
  PipelineStatus status = pipeline.status;
  status.phase = phase;
  SetStatusCondition(status.conditions, {.type = "Ready",
                                         .status = phase == Phase::Running ? kConditionTrue : kConditionFalse,
                                         .observedGeneration = pipeline.metadata.generation,
                                         .reason = reason,
                                         .message = message});
  return status;
}

PipelineStatus StatusOf(const Pipeline& pipeline, const Observed& observed) {
  v1beta1::DetailPhase detail{
      .pvPhase = observed.volume.status.phase.str(), .pvcPhase = observed.claim.status.phase.str(), .stepsPhase = {}};
  std::map<std::string_view, std::string> models;  // by phase, the first one
  size_t running = 0;
  for (size_t i = 0; i < observed.deployments.size(); ++i) {
    const Step& step = pipeline.spec.steps[i];
    const std::string_view phase = PhaseOf(observed.deployments[i], observed.locations.contains(step.location));
    detail.stepsPhase.push_back(
        {.model = step.model, .deploymentPhase = std::string(phase), .servicePhase = "Created"});
    models.emplace(phase, step.model);
    running += phase == kStepRunning ? 1 : 0;
  }
  const auto judge = [&](Phase phase, std::string_view reason, const std::string& message) {
    PipelineStatus status = StatusOf(pipeline, phase, reason, message);
    status.detailPhase = std::move(detail);
    return status;
  };
  // The worst counts: who reads one step's models waits for all that come before it.
  if (models.contains(kStepFailed)) {
    return judge(Phase::Failed, "StepFailed",
                 fmt::format("step {} does not start: see its Deployment", models[kStepFailed]));
  }
  for (const Step& step : pipeline.spec.steps) {
    if (!models.contains(kStepUnplaced) || step.model != models[kStepUnplaced]) continue;
    return judge(Phase::Creating, "LocationNotFound",
                 fmt::format("step {}: no node is named {} or has label {}={}", step.model, step.location,
                             kLocationLabel, step.location));
  }
  if (models.contains(kStepDegraded)) {
    return judge(Phase::Degraded, "StepLost", fmt::format("step {} no longer runs", models[kStepDegraded]));
  }
  const std::string count = fmt::format("{} of {} steps run", running, pipeline.spec.steps.size());
  if (observed.claim.status.phase != "Bound")
    return judge(Phase::Creating, "Creating", count + "; models are not bound");
  if (running < pipeline.spec.steps.size()) return judge(Phase::Creating, "Creating", count);
  return judge(Phase::Running, "Running", count);
}

}  // namespace pipeline
