#include "keelson/controllers/replica_set.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "keelson/api/apps/v1.h"
#include "keelson/api/compare.h"
#include "keelson/api/core/v1.h"
#include "keelson/api/label_selector_struct.h"
#include "keelson/client/ignore_not_found.h"
#include "keelson/controllers/ownership.h"
#include "keelson/controllers/pod_state.h"
#include "keelson/controllers/replica_set_plan.h"
#include "keelson/controllers/selection.h"
#include "keelson/core/clock.h"
#include "keelson/runtime/builder.h"

namespace keelson::controllers {

namespace {

using appsv1::ReplicaSet;
using corev1::Pod;

class ReplicaSetReconciler {
 public:
  ReplicaSetReconciler(Manager& manager, const ReplicaSetOptions& options)
      : client_(manager.client()),
        live_(manager.live()),
        events_(manager.RecorderFor(kReplicaSet)),
        burst_(static_cast<size_t>(std::max(options.burst, 1))) {}

  Result<Outcome> Reconcile(Context& context, const Request& request);

 private:
  Result<void> Resize(Context& context, const ReplicaSet& set, std::vector<Pod> active);
  Result<void> CreatePods(const ReplicaSet& set, size_t count);
  Result<void> DeletePods(const ReplicaSet& set, std::vector<Pod> active, size_t count);
  // Whether the pod is there, or never can be because its namespace goes away.
  Result<void> CreatePod(const ReplicaSet& set, const Pod& pod);
  Result<std::map<std::string, int>> FamilyOnNodes(const ReplicaSet& set);
  Result<void> Report(const ReplicaSet& set, const appsv1::ReplicaSetStatus& status);

  const CachedClient& client_;
  const Client& live_;
  const EventRecorder events_;
  const size_t burst_;
};

Result<Outcome> ReplicaSetReconciler::Reconcile(Context& context, const Request& request) {
  KEELSON_TRY(found, IgnoreNotFound(client_.Get<ReplicaSet>(request)));
  if (!found) return Outcome::Done();
  const ReplicaSet& set = *found;
  Result<labels::Selector> selector = labels::FromStruct(set.spec.selector);
  if (!selector) return Terminal(std::move(selector).error());

  KEELSON_TRY(all, ListOwnedAndOrphans<Pod>(client_, set.metadata));
  ReplicaSetPods pods;
  std::vector<Pod> active;
  for (Pod& pod : all) {
    if (IsActive(pod)) {
      active.push_back(std::move(pod));
    } else if (IsTerminating(pod) && IsControlledBy(pod, set) && selector->Matches(pod.metadata.labels)) {
      ++pods.terminating;
    }
  }
  Result<std::vector<Pod>> claimed = Claim(client_, live_, set, *selector, std::move(active));
  if (!claimed) {
    if (IsConflict(claimed.error())) return Outcome::Retry();
    return std::move(claimed).error();
  }
  pods.active = *std::move(claimed);

  std::optional<Error> failure;
  if (!IsBeingDeleted(set)) {
    Result<void> resized = Resize(context, set, pods.active);
    if (!resized) failure = std::move(resized).error();
  }
  const WallTime now = Clock::WallNow();
  const appsv1::ReplicaSetStatus status = StatusOf(set, pods, failure, now);
  const Result<void> reported = Report(set, status);
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

Result<void> ReplicaSetReconciler::Resize(Context& context, const ReplicaSet& set, std::vector<Pod> active) {
  const size_t wanted = static_cast<size_t>(std::max(set.spec.replicas.value_or(1), 0));
  if (active.size() < wanted) {
    const size_t count = std::min(wanted - active.size(), burst_);
    context.log().V(2).Info("Too few replicas", "need", wanted, "creating", count);
    return CreatePods(set, count);
  }
  if (active.size() > wanted) {
    const size_t count = std::min(active.size() - wanted, burst_);
    context.log().V(2).Info("Too many replicas", "need", wanted, "deleting", count);
    return DeletePods(set, std::move(active), count);
  }
  return {};
}

// In batches of 1, 2, 4…: where pods are refused, few requests and events are wasted on it.
Result<void> ReplicaSetReconciler::CreatePods(const ReplicaSet& set, size_t count) {
  KEELSON_TRY(pod, PodFromTemplate(set));
  for (size_t batch = 1; count > 0; batch *= 2) {
    std::optional<Error> failed;
    batch = std::min(batch, count);
    for (size_t i = 0; i < batch; ++i) {
      Result<void> created = CreatePod(set, pod);
      if (!created && !failed) failed = std::move(created).error();
    }
    if (failed) return *std::move(failed);
    count -= batch;
  }
  return {};
}

Result<void> ReplicaSetReconciler::CreatePod(const ReplicaSet& set, const Pod& pod) {
  const Result<Pod> created = client_.Create(pod);
  if (!created) {
    if (HasStatusCause(created.error(), "NamespaceTerminating")) return {};
    events_.Eventf(set, EventType::kWarning, "FailedCreate", "Error creating: {}", created.error().message());
    return created.error();
  }
  events_.Eventf(set, EventType::kNormal, "SuccessfulCreate", "Created pod: {}", created->metadata.name);
  return {};
}

Result<void> ReplicaSetReconciler::DeletePods(const ReplicaSet& set, std::vector<Pod> active, size_t count) {
  if (count < active.size()) {
    KEELSON_TRY(on_nodes, FamilyOnNodes(set));
    SortForDeletion(active, on_nodes, Clock::WallNow());
  }
  active.resize(count);
  std::optional<Error> failed;
  for (const Pod& pod : active) {
    Result<void> deleted = client_.Delete(pod, {.uid = pod.metadata.uid.str()});
    if (deleted) {
      events_.Eventf(set, EventType::kNormal, "SuccessfulDelete", "Deleted pod: {}", pod.metadata.name);
    } else if (!IsNotFound(deleted.error())) {
      events_.Eventf(set, EventType::kWarning, "FailedDelete", "Error deleting: {}", deleted.error().message());
      if (!failed) failed = std::move(deleted).error().WithContext("unable to delete pods");
    }
  }
  if (failed) return *std::move(failed);
  return {};
}

Result<std::map<std::string, int>> ReplicaSetReconciler::FamilyOnNodes(const ReplicaSet& set) {
  const metav1::OwnerReference* controller = GetControllerOf(set);
  if (controller == nullptr) return std::map<std::string, int>();
  const std::string namespace_ = set.metadata.namespace_.str();
  KEELSON_TRY(family, ListControlledBy<ReplicaSet>(client_, namespace_, controller->uid.view()));
  std::vector<Pod> pods;
  for (const ReplicaSet& member : family) {
    KEELSON_TRY(members, ListControlledBy<Pod>(client_, namespace_, member.metadata.uid.view()));
    pods.insert(pods.end(), std::make_move_iterator(members.begin()), std::make_move_iterator(members.end()));
  }
  return ActiveOnNodes(pods);
}

Result<void> ReplicaSetReconciler::Report(const ReplicaSet& set, const appsv1::ReplicaSetStatus& status) {
  if (Equal(set.status, status)) return {};
  ReplicaSet changed = set;
  changed.status = status;
  Result<ReplicaSet> updated = client_.Status().Update(changed);
  if (updated || !IsConflict(updated.error())) return updated ? Result<void>() : Result<void>(updated.error());
  // Its Deployment has changed it meanwhile: what was counted is true all the same, of the generation that it says.
  KEELSON_TRY(now, IgnoreNotFound(live_.Get<ReplicaSet>(KeyOf(set))));
  if (!now || now->metadata.uid != set.metadata.uid) return {};
  now->status = status;
  updated = client_.Status().Update(*now);
  return updated ? Result<void>() : Result<void>(updated.error());
}

}  // namespace

Result<void> AddReplicaSetController(Manager& manager, ReplicaSetOptions options) {
  KEELSON_RETURN_IF_ERROR(IndexByController<Pod>(manager.cache()));
  KEELSON_RETURN_IF_ERROR(IndexByController<ReplicaSet>(manager.cache()));
  ControllerOptions controller = manager.options().controllers;
  controller.workers = options.workers;
  KEELSON_RETURN_IF_ERROR(
      ControllerFor<ReplicaSet>(manager)
          .Watches<Pod>(EnqueueOwnerOrMatching<ReplicaSet>(
              manager.cache(), [](const ReplicaSet& set) -> const auto& { return set.spec.selector; }))
          .WithOptions(controller)
          .Named(std::string(kReplicaSet))
          .Complete([reconciler = std::make_shared<ReplicaSetReconciler>(manager, options)](
                        Context& context, const Request& request) { return reconciler->Reconcile(context, request); }));
  return {};
}

}  // namespace keelson::controllers
