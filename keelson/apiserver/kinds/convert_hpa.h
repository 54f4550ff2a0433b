// HorizontalPodAutoscalers of autoscaling/v1 and v2 are one stored object: the one of v2. What v1 has no field for
// travels in annotations of autoscaling.alpha.kubernetes.io.
#pragma once

#include "keelson/api/autoscaling/v1.h"
#include "keelson/api/autoscaling/v2.h"

namespace keelson::apiserver {

autoscalingv2::HorizontalPodAutoscaler ToV2Autoscaler(const autoscalingv1::HorizontalPodAutoscaler& autoscaler);
autoscalingv1::HorizontalPodAutoscaler ToV1Autoscaler(const autoscalingv2::HorizontalPodAutoscaler& autoscaler);

// Without these annotations, as v2 shows and stores an object.
void DropAutoscalerAnnotations(metav1::ObjectMeta& metadata);

}  // namespace keelson::apiserver
