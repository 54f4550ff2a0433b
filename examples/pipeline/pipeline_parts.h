// The objects that a Pipeline consists of, as its spec says: functions without I/O.
//
// Models lie in a PersistentVolume, which the steps read through one claim. Each step is a Deployment and a Service,
// named after its model. All but the volume, which has no namespace, are in the namespace "pipeline".
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "api/v1beta1/generated.h"
#include "keelson/api/apps/v1.h"
#include "keelson/api/core/v1.h"
#include "keelson/api/object_key.h"

namespace pipeline {

inline constexpr std::string_view kNamespace = "pipeline";
// On every part: the Pipeline's name. On those of a step: its model, by which Pods are selected, and its place in the
// order, which may change.
inline constexpr std::string_view kPipelineLabel = "pipeline";
inline constexpr std::string_view kModelLabel = "model";
inline constexpr std::string_view kStepLabel = "step";
// On nodes: a location that several share.
inline constexpr std::string_view kLocationLabel = "distri-infer.ndsl.cn/location";

// Why there cannot be such a Pipeline: reason and message of its condition.
struct Problem {
  std::string_view reason;
  std::string message;
};
// What the schema of the spec does not see.
std::optional<Problem> ProblemOf(const v1beta1::PipelineSpec& spec);
// Whether the volume, which is there already, is what the spec asks for. Its place cannot change.
std::optional<Problem> ProblemOf(const v1beta1::Pipeline& pipeline, const keelson::corev1::PersistentVolume& volume);

// "<pipeline>-models", of both the volume and the claim.
std::string StorageNameOf(const v1beta1::Pipeline& pipeline);
// listenPort among its arguments, which ProblemOf has looked at, or 80.
int32_t PortOf(const v1beta1::Step& step);
std::set<std::string> ModelsOf(const v1beta1::PipelineSpec& spec);

// Each writes into a part, new or there already, what the Pipeline decides, and leaves all else as it is.
void FillClaim(const v1beta1::Pipeline& pipeline, keelson::corev1::PersistentVolumeClaim& claim);
// The volume is for that claim and no other.
void FillVolume(const v1beta1::Pipeline& pipeline, const keelson::corev1::PersistentVolumeClaim& claim,
                keelson::corev1::PersistentVolume& volume);
// Of the step at that index.
void FillDeployment(const v1beta1::Pipeline& pipeline, size_t index, keelson::appsv1::Deployment& deployment);
void FillService(const v1beta1::Pipeline& pipeline, size_t index, keelson::corev1::Service& service);

}  // namespace pipeline
