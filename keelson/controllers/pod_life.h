// The life of a pod on a node, as a kubelet tells it: what its status is now, what is said about it, and when to look
// again. A function of the pod, of what was remembered, and of the time; it does nothing.
//
//   PodStep step = AdvancePod(pod, node, memory, now, pace);
//   if (step.changed) Write(step.status);
//   LookAgainAfter(step.next);
//
// Pending → ContainerCreating → Running → Succeeded or Failed, init containers one after another, restarts with
// CrashLoopBackOff, probes, deletion with a grace period. Names of reasons, conditions and events are the kubelet's.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "keelson/api/core/v1.h"
#include "keelson/controllers/pod_script.h"
#include "keelson/core/time.h"

namespace keelson::controllers {

// How long things take where annotations do not say it.
struct PodPace {
  Duration start_delay = std::chrono::milliseconds(200);  // to get the image and start the container
  Duration job_duration = std::chrono::seconds(1);        // of containers of a Job's pods
  // How many times faster than said everything goes: delays, probes, back-off, grace periods.
  double speed = 1;
};

// What a status is too coarse for: when a container came to be as it is.
struct ContainerMemory {
  enum class Stage : uint8_t { kWaiting, kPullError, kRunning, kBackOff, kEnded };
  Stage stage = Stage::kWaiting;
  int32_t restarts = 0;
  WallTime since = {};
  int crashes = 0;  // in a row, each before ten minutes had passed
};
struct PodMemory {
  std::map<std::string, ContainerMemory> containers = {};
  std::optional<WallTime> stopping_since = {};
};

// The pod's node.
struct PodPlace {
  std::string host_ip = {};
  std::string pod_ip = {};
  std::set<std::string>* images = nullptr;                 // that it has already
  std::set<std::string, std::less<>> missing_images = {};  // that cannot be had there
};

struct PodEvent {
  bool warning = false;
  std::string reason = {};
  std::string message = {};
  std::string field_path = {};  // "spec.containers{app}"
};

struct PodStep {
  corev1::PodStatus status = {};
  bool changed = false;
  std::vector<PodEvent> events = {};
  std::optional<Duration> next = {};  // nothing: until the pod changes
  bool remove = false;                // it has stopped, and the pod can be deleted for good
};

// The memory is brought up to date: keep it when the status has been written.
PodStep AdvancePod(const corev1::Pod& pod, const PodPlace& place, PodMemory& memory, WallTime now, const PodPace& pace);

bool HasEnded(const corev1::PodStatus& status);  // Succeeded or Failed

// Before the restart that follows the n-th end in a row, counted from 0: none, 10 s, 20 s, … 5 min.
Duration RestartBackoff(int ends);

}  // namespace keelson::controllers
