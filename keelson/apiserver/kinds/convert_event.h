// Events of the core group and of events.k8s.io are one stored object: the core one.
#pragma once

#include "keelson/api/core/v1.h"
#include "keelson/api/events/v1.h"

namespace keelson::apiserver {

corev1::Event ToCoreEvent(const eventsv1::Event& event);
eventsv1::Event ToEventsEvent(const corev1::Event& event);

}  // namespace keelson::apiserver
