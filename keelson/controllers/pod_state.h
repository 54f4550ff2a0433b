// What controllers ask about a pod.
#pragma once

#include <optional>

#include "keelson/api/core/v1.h"
#include "keelson/core/time.h"

namespace keelson::controllers {

// Its condition Ready is True.
bool IsReady(const corev1::Pod& pod);
// Since when; nothing when it is not ready.
std::optional<metav1::Time> ReadySince(const corev1::Pod& pod);
// Ready for at least that long.
bool IsAvailable(const corev1::Pod& pod, int32_t min_ready_seconds, WallTime now);
// When it will be, if it stays ready; nothing when it is not ready, or is available already.
std::optional<Duration> UntilAvailable(const corev1::Pod& pod, int32_t min_ready_seconds, WallTime now);

// It has run to its end, well or not.
bool IsFinished(const corev1::Pod& pod);
// Neither at its end nor being deleted.
bool IsActive(const corev1::Pod& pod);
// Being deleted, and not at its end yet.
bool IsTerminating(const corev1::Pod& pod);

}  // namespace keelson::controllers
