#include "pipeline_status.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "keelson/api/conditions.h"

namespace pipeline {
namespace {

using namespace keelson;
using v1beta1::Phase;
using v1beta1::Pipeline;

appsv1::Deployment WithStatus(const appsv1::DeploymentStatus& status) {
  return {.metadata = {.generation = 1}, .spec = {.replicas = 1}, .status = status};
}
appsv1::DeploymentStatus Progress(std::string_view status, std::string_view reason) {
  return {.observedGeneration = 1,
          .replicas = 1,
          .updatedReplicas = 1,
          .conditions = {{.type = "Progressing", .status = status, .reason = reason}}};
}
const appsv1::DeploymentStatus kUp = {
    .observedGeneration = 1, .replicas = 1, .updatedReplicas = 1, .availableReplicas = 1};

TEST(PhaseOf, FollowsTheDeployment) {
  EXPECT_EQ(PhaseOf(WithStatus({}), true), kStepCreating);
  EXPECT_EQ(PhaseOf(WithStatus(kUp), true), kStepRunning);
  EXPECT_EQ(PhaseOf(WithStatus(kUp), false), kStepRunning) << "it runs on where the node has lost its label";
  EXPECT_EQ(PhaseOf(WithStatus({}), false), kStepUnplaced);
  EXPECT_EQ(PhaseOf(WithStatus(Progress("True", "ReplicaSetUpdated")), true), kStepCreating);
  EXPECT_EQ(PhaseOf(WithStatus(Progress("True", "NewReplicaSetAvailable")), true), kStepDegraded);
  EXPECT_EQ(PhaseOf(WithStatus(Progress("False", "ProgressDeadlineExceeded")), true), kStepFailed);
  EXPECT_EQ(PhaseOf(WithStatus(Progress("False", "ProgressDeadlineExceeded")), false), kStepUnplaced);
  appsv1::Deployment changed = WithStatus(kUp);
  changed.metadata.generation = 2;
  EXPECT_EQ(PhaseOf(changed, true), kStepCreating) << "its controller has not seen the change yet";
}

// The status of a Pipeline of two steps at "here", as "phase, reason".
std::string Judge(const appsv1::DeploymentStatus& first, const appsv1::DeploymentStatus& second,
                  std::string_view claim = "Bound", std::set<std::string> locations = {"here"}) {
  Pipeline pipeline;
  pipeline.metadata.generation = 7;
  pipeline.spec.steps = {{.image = "i", .location = "here", .model = "one", .args = {}},
                         {.image = "i", .location = "here", .model = "two", .args = {}}};
  Observed observed{.volume = {},
                    .claim = {},
                    .deployments = {WithStatus(first), WithStatus(second)},
                    .locations = std::move(locations)};
  observed.claim.status.phase = claim;
  const v1beta1::PipelineStatus status = StatusOf(pipeline, observed);
  const metav1::Condition* ready = FindStatusCondition(status.conditions, "Ready");
  EXPECT_EQ(ready->observedGeneration, 7);
  EXPECT_EQ(ready->status == kConditionTrue, status.phase == Phase::Running);
  EXPECT_EQ(status.detailPhase->stepsPhase.size(), 2u);
  return fmt::format("{}, {}", static_cast<int>(*status.phase), ready->reason.view());
}
std::string Expected(Phase phase, std::string_view reason) {
  return fmt::format("{}, {}", static_cast<int>(phase), reason);
}

TEST(StatusOf, IsThatOfTheWorstStep) {
  const appsv1::DeploymentStatus coming = Progress("True", "ReplicaSetUpdated");
  const appsv1::DeploymentStatus lost = Progress("True", "NewReplicaSetAvailable");
  const appsv1::DeploymentStatus stuck = Progress("False", "ProgressDeadlineExceeded");
  EXPECT_EQ(Judge(kUp, kUp), Expected(Phase::Running, "Running"));
  EXPECT_EQ(Judge(kUp, coming), Expected(Phase::Creating, "Creating"));
  EXPECT_EQ(Judge(kUp, kUp, "Pending"), Expected(Phase::Creating, "Creating"));
  EXPECT_EQ(Judge(lost, coming), Expected(Phase::Degraded, "StepLost"));
  EXPECT_EQ(Judge(lost, stuck), Expected(Phase::Failed, "StepFailed"));
  EXPECT_EQ(Judge(kUp, coming, "Bound", {}), Expected(Phase::Creating, "LocationNotFound"));
}

}  // namespace
}  // namespace pipeline
