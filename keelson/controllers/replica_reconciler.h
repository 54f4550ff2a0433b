// As many pods of a template as were asked for, whoever asks: the controllers of ReplicaSets and of
// ReplicationControllers.
//
//   return AddReplicaController<appsv1::ReplicaSet>(manager, options, kReplicaSet, kReplicaSet);
//
// What is decided is decided about a ReplicaSet, as which any T of the two is seen (AsReplicaSet). What is read,
// written, told and named as the owner of pods is the T.
#pragma once

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "keelson/api/apps/v1.h"
#include "keelson/api/compare.h"
#include "keelson/api/core/v1.h"
#include "keelson/api/label_selector_struct.h"
#include "keelson/client/ignore_not_found.h"
#include "keelson/client/owned.h"
#include "keelson/controllers/ownership.h"
#include "keelson/controllers/pod_state.h"
#include "keelson/controllers/replica_set.h"
#include "keelson/controllers/replica_set_plan.h"
#include "keelson/core/clock.h"
#include "keelson/runtime/builder.h"

namespace keelson::controllers {

inline const appsv1::ReplicaSet& AsReplicaSet(const appsv1::ReplicaSet& set) { return set; }
inline void SetStatus(const appsv1::ReplicaSetStatus& status, appsv1::ReplicaSet& set) { set.status = status; }
appsv1::ReplicaSet AsReplicaSet(const corev1::ReplicationController& controller);
// Without the pods that are terminating, which this kind does not count.
void SetStatus(const appsv1::ReplicaSetStatus& status, corev1::ReplicationController& controller);

template <ApiObject T>
class ReplicaReconciler {
 public:
  ReplicaReconciler(Manager& manager, const ReplicaSetOptions& options, std::string_view event_source)
      : client_(manager.client()),
        live_(manager.live()),
        events_(manager.RecorderFor(event_source)),
        burst_(static_cast<size_t>(std::max(options.burst, 1))) {}

  Result<Outcome> Reconcile(Context& context, const Request& request);

 private:
  using Pod = corev1::Pod;

  Result<void> Resize(Context& context, const T& object, std::vector<Pod> active);
  Result<void> CreatePods(const T& object, size_t count);
  Result<void> DeletePods(const T& object, std::vector<Pod> active, size_t count);
  // Whether the pod is there, or never can be because its namespace goes away.
  Result<void> CreatePod(const T& object, const Pod& pod);
  Result<std::map<std::string, int>> FamilyOnNodes(const T& object);
  Result<void> Report(const T& object, const appsv1::ReplicaSetStatus& status);

  const CachedClient& client_;
  const Client& live_;
  const EventRecorder events_;
  const size_t burst_;
};

template <ApiObject T>
Result<Outcome> ReplicaReconciler<T>::Reconcile(Context& context, const Request& request) {
  KEELSON_TRY(found, IgnoreNotFound(client_.Get<T>(request)));
  if (!found) return Outcome::Done();
  const T& object = *found;
  const appsv1::ReplicaSet& set = AsReplicaSet(object);
  Result<labels::Selector> selector = labels::FromStruct(set.spec.selector);
  if (!selector) return Terminal(std::move(selector).error());

  KEELSON_TRY(all, ListOwnedAndOrphans<Pod>(client_, set.metadata));
  ReplicaSetPods pods;
  std::vector<Pod> active;
  for (Pod& pod : all) {
    if (IsActive(pod)) {
      active.push_back(std::move(pod));
    } else if (IsTerminating(pod) && IsControlledBy(pod, object) && selector->Matches(pod.metadata.labels)) {
      ++pods.terminating;
    }
  }
  Result<std::vector<Pod>> claimed = Claim(client_, live_, object, *selector, std::move(active));
  if (!claimed) {
    if (IsConflict(claimed.error())) return Outcome::Retry();
    return std::move(claimed).error();
  }
  pods.active = *std::move(claimed);

  std::optional<Error> failure;
  if (!IsBeingDeleted(object)) {
    Result<void> resized = Resize(context, object, pods.active);
    if (!resized) failure = std::move(resized).error();
  }
  const WallTime now = Clock::WallNow();
  const appsv1::ReplicaSetStatus status = StatusOf(set, pods, failure, now);
  const Result<void> reported = Report(object, status);
  if (failure) return *std::move(failure);
  if (!reported) {
    if (IsConflict(reported.error())) return Outcome::Retry();
    return reported.error();
  }
  if (set.spec.minReadySeconds > 0 && status.readyReplicas != status.availableReplicas) {
    if (const auto next = NextAvailable(pods.active, set.spec.minReadySeconds, now)) return Outcome::After(*next);
  }
  return Outcome::Done();
}

template <ApiObject T>
Result<void> ReplicaReconciler<T>::Resize(Context& context, const T& object, std::vector<Pod> active) {
  const size_t wanted = static_cast<size_t>(std::max(AsReplicaSet(object).spec.replicas.value_or(1), 0));
  if (active.size() < wanted) {
    // Pods that were there may be going because it is, and word of them may come first: then none takes their place.
    if (std::cmp_less(active.size(), object.status.replicas)) {
      const Result<void> lives = CheckOwnerLives(live_, object);
      if (!lives && IsOwnerGone(lives.error())) return {};
      KEELSON_RETURN_IF_ERROR(lives);
    }
    const size_t count = std::min(wanted - active.size(), burst_);
    context.log().V(2).Info("Too few replicas", "need", wanted, "creating", count);
    return CreatePods(object, count);
  }
  if (active.size() > wanted) {
    const size_t count = std::min(active.size() - wanted, burst_);
    context.log().V(2).Info("Too many replicas", "need", wanted, "deleting", count);
    return DeletePods(object, std::move(active), count);
  }
  return {};
}

// In batches of 1, 2, 4…: where pods are refused, few requests and events are wasted on it.
template <ApiObject T>
Result<void> ReplicaReconciler<T>::CreatePods(const T& object, size_t count) {
  KEELSON_TRY(pod, PodFromTemplate(AsReplicaSet(object), OwnerOf(object)));
  for (size_t batch = 1; count > 0; batch *= 2) {
    std::optional<Error> failed;
    batch = std::min(batch, count);
    for (size_t i = 0; i < batch; ++i) {
      Result<void> created = CreatePod(object, pod);
      if (!created && !failed) failed = std::move(created).error();
    }
    if (failed) return *std::move(failed);
    count -= batch;
  }
  return {};
}

template <ApiObject T>
Result<void> ReplicaReconciler<T>::CreatePod(const T& object, const Pod& pod) {
  const Result<Pod> created = client_.Create(pod);
  if (!created) {
    if (HasStatusCause(created.error(), "NamespaceTerminating")) return {};
    events_.Eventf(object, EventType::kWarning, "FailedCreate", "Error creating: {}", created.error().message());
    return created.error();
  }
  events_.Eventf(object, EventType::kNormal, "SuccessfulCreate", "Created pod: {}", created->metadata.name);
  return {};
}

template <ApiObject T>
Result<void> ReplicaReconciler<T>::DeletePods(const T& object, std::vector<Pod> active, size_t count) {
  if (count < active.size()) {
    KEELSON_TRY(on_nodes, FamilyOnNodes(object));
    SortForDeletion(active, on_nodes, Clock::WallNow());
  }
  active.resize(count);
  std::optional<Error> failed;
  for (const Pod& pod : active) {
    Result<void> deleted = client_.Delete(pod, {.uid = pod.metadata.uid.str()});
    if (deleted) {
      events_.Eventf(object, EventType::kNormal, "SuccessfulDelete", "Deleted pod: {}", pod.metadata.name);
    } else if (!IsNotFound(deleted.error())) {
      events_.Eventf(object, EventType::kWarning, "FailedDelete", "Error deleting: {}", deleted.error().message());
      if (!failed) failed = std::move(deleted).error().WithContext("unable to delete pods");
    }
  }
  if (failed) return *std::move(failed);
  return {};
}

template <ApiObject T>
Result<std::map<std::string, int>> ReplicaReconciler<T>::FamilyOnNodes(const T& object) {
  const metav1::OwnerReference* controller = GetControllerOf(object);
  if (controller == nullptr) return std::map<std::string, int>();
  const std::string namespace_ = object.metadata.namespace_.str();
  KEELSON_TRY(family, ListControlledBy<T>(client_, namespace_, controller->uid.view()));
  std::vector<Pod> pods;
  for (const T& member : family) {
    KEELSON_TRY(members, ListControlledBy<Pod>(client_, namespace_, member.metadata.uid.view()));
    pods.insert(pods.end(), std::make_move_iterator(members.begin()), std::make_move_iterator(members.end()));
  }
  return ActiveOnNodes(pods);
}

template <ApiObject T>
Result<void> ReplicaReconciler<T>::Report(const T& object, const appsv1::ReplicaSetStatus& status) {
  T changed = object;
  SetStatus(status, changed);
  if (Equal(changed.status, object.status)) return {};
  Result<T> updated = client_.Status().Update(changed);
  if (updated || IsNotFound(updated.error())) return {};  // what is gone has no status
  if (!IsConflict(updated.error())) return std::move(updated).error();
  // Somebody, its Deployment perhaps, has changed it meanwhile: what was counted is true all the same, of the
  // generation that it says.
  KEELSON_TRY(now, IgnoreNotFound(live_.Get<T>(KeyOf(object))));
  if (!now || now->metadata.uid != object.metadata.uid) return {};
  SetStatus(status, *now);
  KEELSON_RETURN_IF_ERROR(IgnoreNotFound(client_.Status().Update(*now)));
  return {};
}

template <ApiObject T>
Result<void> AddReplicaController(Manager& manager, const ReplicaSetOptions& options, std::string_view name,
                                  std::string_view event_source) {
  ControllerOptions controller = manager.options().controllers;
  controller.workers = options.workers;
  KEELSON_RETURN_IF_ERROR(
      ControllerFor<T>(manager)
          .template Watches<corev1::Pod>(EnqueueOwnerOrMatching<T>(
              manager.cache(), [](const T& object) { return AsReplicaSet(object).spec.selector; }))
          .WithOptions(controller)
          .Named(std::string(name))
          .Complete([reconciler = std::make_shared<ReplicaReconciler<T>>(manager, options, event_source)](
                        Context& context, const Request& request) { return reconciler->Reconcile(context, request); }));
  KEELSON_RETURN_IF_ERROR(IndexByController<corev1::Pod>(manager.cache()));
  return IndexByController<T>(manager.cache());
}

}  // namespace keelson::controllers
