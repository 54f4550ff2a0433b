#include "keelson/controllers/scheduler_state.h"

#include <algorithm>
#include <charconv>

#include "keelson/api/object.h"
#include "keelson/core/clock.h"

namespace keelson::controllers {
namespace {

uint64_t VersionOf(const corev1::Pod& pod) {
  uint64_t version = 0;
  const String& text = pod.metadata.resourceVersion;
  std::from_chars(text.data(), text.data() + text.size(), version);
  return version;
}

bool TakesNothing(const corev1::Pod& pod) { return pod.status.phase == "Succeeded" || pod.status.phase == "Failed"; }

// Heartbeats and images are no reason to look again.
bool MattersToPods(const corev1::Node& before, const corev1::Node& now) {
  return before.spec.unschedulable != now.spec.unschedulable || before.spec.taints != now.spec.taints ||
         before.metadata.labels != now.metadata.labels || before.status.allocatable != now.status.allocatable;
}

}  // namespace

Duration SchedulingBackoff(int attempts) {
  return std::chrono::seconds(std::min(10, 1 << std::clamp(attempts - 1, 0, 4)));
}

std::vector<Requeue> SchedulerState::SetNode(const corev1::Node& node) {
  MutexLock lock(mutex_);
  NodeState& state = nodes_[node.metadata.name.str()];
  const bool matters = state.node() == nullptr || MattersToPods(*state.node(), node);
  state.SetNode(node);
  if (!matters) return {};
  return WaitingLocked(kByNode | kByResources | kByOtherPods | kByVolumes);
}

void SchedulerState::RemoveNode(std::string_view name) {
  MutexLock lock(mutex_);
  const auto found = nodes_.find(name);
  if (found == nodes_.end()) return;
  found->second.RemoveNode();
  if (found->second.empty()) nodes_.erase(found);
}

std::vector<Requeue> SchedulerState::SetPod(const corev1::Pod& pod) {
  const ObjectKey key = KeyOf(pod);
  MutexLock lock(mutex_);
  const auto assumed = assumed_.find(key);
  // Watches come later than the cache that decisions are made by: this may be an earlier pod of that name.
  if (assumed != assumed_.end() && assumed->second.uid != pod.metadata.uid &&
      VersionOf(pod) < assumed->second.version) {
    return {};
  }
  if (pod.spec.nodeName.empty()) {
    // What was decided stays, until the watch has seen it. Another pod of that name was not decided on.
    if (UidAt(key) == pod.metadata.uid) return {};
    if (assumed != assumed_.end()) assumed_.erase(assumed);
    if (!places_.contains(key)) return {};
    Take(key);
    return WaitingLocked(kByResources | kByOtherPods);
  }
  if (assumed != assumed_.end()) assumed_.erase(assumed);
  unplaced_.erase(key);
  const auto place = places_.find(key);
  if (TakesNothing(pod)) {
    if (place == places_.end()) return {};
    Take(key);
    return WaitingLocked(kByResources | kByOtherPods);
  }
  bool others_care = place == places_.end();
  if (place != places_.end()) {
    const auto node = nodes_.find(place->second);
    if (node != nodes_.end()) {
      const auto before = node->second.pods().find(key);
      others_care =
          before == node->second.pods().end() || before->second.pod.metadata.labels != pod.metadata.labels ||
          pod.metadata.deletionTimestamp.has_value() != before->second.pod.metadata.deletionTimestamp.has_value();
    }
    Take(key);
  }
  nodes_[pod.spec.nodeName.str()].Place(pod);
  places_[key] = pod.spec.nodeName.str();
  return others_care ? WaitingLocked(kByOtherPods) : std::vector<Requeue>();
}

std::vector<Requeue> SchedulerState::RemovePod(const corev1::Pod& pod) {
  const ObjectKey key = KeyOf(pod);
  MutexLock lock(mutex_);
  // A later pod of that name may have been decided on already.
  if (const auto waits = unplaced_.find(key); waits != unplaced_.end() && waits->second.uid == pod.metadata.uid) {
    unplaced_.erase(waits);
  }
  if (UidAt(key) != pod.metadata.uid) return {};
  assumed_.erase(key);
  Take(key);
  return WaitingLocked(kByResources | kByOtherPods);
}

std::string SchedulerState::UidAt(const ObjectKey& pod) const {
  const auto place = places_.find(pod);
  if (place == places_.end()) return {};
  const auto node = nodes_.find(place->second);
  if (node == nodes_.end()) return {};
  const auto placed = node->second.pods().find(pod);
  return placed == node->second.pods().end() ? std::string() : placed->second.pod.metadata.uid.str();
}

std::optional<SchedulerState::Assumption> SchedulerState::AssumptionOf(const corev1::Pod& pod) const {
  MutexLock lock(mutex_);
  const auto found = assumed_.find(KeyOf(pod));
  if (found == assumed_.end() || found->second.uid != pod.metadata.uid) return std::nullopt;
  return found->second.assumption;
}

void SchedulerState::ConfirmBound(const corev1::Pod& pod) {
  const ObjectKey key = KeyOf(pod);
  MutexLock lock(mutex_);
  unplaced_.erase(key);
  const auto found = assumed_.find(key);
  if (found != assumed_.end() && found->second.uid == pod.metadata.uid) found->second.assumption.bound = true;
}

SchedulerState::Unplaced& SchedulerState::WaiterOf(const corev1::Pod& pod) {
  Unplaced& waits = unplaced_[KeyOf(pod)];
  if (waits.uid != pod.metadata.uid) waits = {.uid = pod.metadata.uid.str()};
  waits.priority = pod.spec.priority.value_or(0);
  return waits;
}

void SchedulerState::AwaitVolumes(const corev1::Pod& pod) {
  MutexLock lock(mutex_);
  Unplaced& waits = WaiterOf(pod);
  waits.hindrances = kByVolumes;
  waits.not_before = Clock::Now();
}

Placement SchedulerState::Place(const corev1::Pod& pod, const PlacementOptions& options) {
  const ObjectKey key = KeyOf(pod);
  MutexLock lock(mutex_);
  Placement placement = PlacePod(pod, nodes_, options);
  if (placement.node.empty()) {
    Unplaced& waits = WaiterOf(pod);
    waits.hindrances = placement.hindrances;
    waits.not_before = Clock::Now() + SchedulingBackoff(++waits.attempts);
    return placement;
  }
  Take(key);
  corev1::Pod placed = pod;
  placed.spec.nodeName = placement.node;
  nodes_[placement.node].Place(placed);
  places_[key] = placement.node;
  assumed_[key] = {.uid = pod.metadata.uid.str(), .version = VersionOf(pod), .assumption = {.node = placement.node}};
  return placement;
}

void SchedulerState::StopWaiting(const ObjectKey& pod) {
  MutexLock lock(mutex_);
  unplaced_.erase(pod);
}

void SchedulerState::Forget(const corev1::Pod& pod) {
  const ObjectKey key = KeyOf(pod);
  MutexLock lock(mutex_);
  const auto found = assumed_.find(key);
  if (found == assumed_.end() || found->second.uid != pod.metadata.uid) return;
  assumed_.erase(found);
  Take(key);
}

void SchedulerState::Take(const ObjectKey& pod) {
  const auto place = places_.find(pod);
  if (place == places_.end()) return;
  const auto node = nodes_.find(place->second);
  if (node != nodes_.end()) {
    node->second.Remove(pod);
    if (node->second.empty()) nodes_.erase(node);
  }
  places_.erase(place);
}

std::vector<Requeue> SchedulerState::WaitingLocked(uint8_t hindrances) {
  std::vector<Requeue> pods;
  const TimePoint now = Clock::Now();
  for (const auto& [key, waits] : unplaced_) {
    if ((waits.hindrances & hindrances) == 0) continue;
    const Duration delay = waits.not_before - now;
    pods.push_back({.pod = key, .priority = waits.priority, .delay = std::max(Duration::zero(), delay)});
  }
  return pods;
}

std::vector<Requeue> SchedulerState::Waiting(uint8_t hindrances) {
  MutexLock lock(mutex_);
  return WaitingLocked(hindrances);
}

}  // namespace keelson::controllers
