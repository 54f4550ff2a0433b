// How far a Pipeline is, from what is there of it: a function without I/O.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/v1beta1/generated.h"
#include "keelson/api/apps/v1.h"
#include "keelson/api/core/v1.h"

namespace pipeline {

// The parts of a Pipeline as the server has them; of steps in the order of the spec.
struct Observed {
  keelson::corev1::PersistentVolume volume = {};
  keelson::corev1::PersistentVolumeClaim claim = {};
  std::vector<keelson::appsv1::Deployment> deployments = {};
  // Where steps can run: the names of nodes, and the values of their location label.
  std::set<std::string> locations = {};
};

// Phases of a step.
inline constexpr std::string_view kStepCreating = "Creating";
inline constexpr std::string_view kStepRunning = "Running";
inline constexpr std::string_view kStepUnplaced = "Unplaced";  // no node has its location
inline constexpr std::string_view kStepDegraded = "Degraded";  // it ran, and does not now
inline constexpr std::string_view kStepFailed = "Failed";      // it takes longer to start than it may
std::string_view PhaseOf(const keelson::appsv1::Deployment& deployment, bool placeable);

// The whole status; its condition Ready is news where it differs from the one in `pipeline`.
v1beta1::PipelineStatus StatusOf(const v1beta1::Pipeline& pipeline, const Observed& observed);
// Of a Pipeline that is not as its spec says for another reason than its parts; they are said to be as before.
v1beta1::PipelineStatus StatusOf(const v1beta1::Pipeline& pipeline, v1beta1::Phase phase, std::string_view reason,
                                 std::string_view message);

}  // namespace pipeline
