// What a scheduler knows between two pods: nodes with their pods, pods that it has given to a node and whose cache does
// not say so yet, and pods that found none.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "keelson/controllers/scheduler_placement.h"
#include "keelson/core/mutex.h"
#include "keelson/core/time.h"

namespace keelson::controllers {

// A pod that is worth another look, and when.
struct Requeue {
  ObjectKey pod;
  int32_t priority = 0;
  Duration delay{0};
};

// Thread-safe.
class SchedulerState {
 public:
  // What watches tell. They give the pods that the change may help.
  std::vector<Requeue> SetNode(const corev1::Node& node);
  void RemoveNode(std::string_view name);
  std::vector<Requeue> SetPod(const corev1::Pod& pod);
  std::vector<Requeue> RemovePod(const corev1::Pod& pod);
  // Those who wait because of any of these.
  std::vector<Requeue> Waiting(uint8_t hindrances);

  struct Assumption {
    std::string node;
    bool bound = false;  // the server has said so
  };
  // The node that the pod was given to, or that it perhaps was given to: the answer may have been lost.
  std::optional<Assumption> AssumptionOf(const corev1::Pod& pod) const;
  void ConfirmBound(const corev1::Pod& pod);
  // From now on changes of volumes give the pod. Before its volumes are looked at, so that no change is missed.
  void AwaitVolumes(const corev1::Pod& pod);
  // Finds a node, and counts the pod as being there from now on. Without one the pod waits for a change.
  Placement Place(const corev1::Pod& pod, const PlacementOptions& options);
  // It is no longer there, or needs no node any more: it does not wait for a change.
  void StopWaiting(const ObjectKey& pod);
  // It did not get there after all.
  void Forget(const corev1::Pod& pod);

 private:
  struct Assumed {
    std::string uid;
    uint64_t version = 0;  // of the pod that was decided on
    Assumption assumption;
  };
  struct Unplaced {
    std::string uid;
    int32_t priority = 0;
    uint8_t hindrances = kNoHindrance;
    int attempts = 0;  // in vain
    TimePoint not_before = {};
  };
  // These are called under mutex_.
  void Take(const ObjectKey& pod);
  std::string UidAt(const ObjectKey& pod) const;  // of the pod that is counted under that name
  Unplaced& WaiterOf(const corev1::Pod& pod);
  std::vector<Requeue> WaitingLocked(uint8_t hindrances);

  mutable Mutex mutex_{"scheduler"};
  // Guarded by mutex_.
  NodeStates nodes_;
  std::map<ObjectKey, std::string> places_;  // of pods in nodes_
  std::map<ObjectKey, Assumed> assumed_;
  std::map<ObjectKey, Unplaced> unplaced_;
};

// The time before a pod that found no node is tried again, whatever changes: from one second to ten.
Duration SchedulingBackoff(int attempts);

}  // namespace keelson::controllers
