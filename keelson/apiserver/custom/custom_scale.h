// The scale subresource of a custom kind, which its definition describes by paths: ".spec.replicas".
#pragma once

#include "keelson/api/autoscaling/v1.h"
#include "keelson/apiserver/custom/custom_version.h"
#include "keelson/apiserver/kinds/field_errors.h"
#include "keelson/core/result.h"

namespace keelson::apiserver {

// Of an object whose version has the subresource. What is not there counts as 0.
autoscalingv1::Scale CustomScaleOf(const AnyValue& object);
// 500 when the object does not say how many replicas it wants.
Result<void> CheckScalable(const AnyValue& object);
// What stands at the paths is what a Scale can hold. `status_only`: as an update of the status is checked.
void ValidateScalePaths(const CustomVersion& version, const Json& content, bool status_only, FieldErrors& errors);
// The path of the wanted replicas, step by step.
std::vector<std::string_view> CustomReplicasSteps(const CustomVersion& version);
void SetCustomReplicas(const CustomVersion& version, CustomObject& object, int32_t replicas);

}  // namespace keelson::apiserver
