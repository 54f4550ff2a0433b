#include "keelson/controllers/scheduler.h"

#include <fmt/format.h>

#include <memory>
#include <utility>
#include <vector>

#include "keelson/api/storage/v1.h"
#include "keelson/client/ignore_not_found.h"
#include "keelson/client/subresources.h"
#include "keelson/controllers/pod_conditions.h"
#include "keelson/controllers/scheduler_state.h"
#include "keelson/controllers/scheduler_volumes.h"
#include "keelson/controllers/selection.h"
#include "keelson/runtime/builder.h"

namespace keelson::controllers {
namespace {

constexpr const char* kFieldManager = "kube-scheduler";
// As long as a note of events.k8s.io may be.
constexpr size_t kMaxNote = 1024;

class Scheduler {
 public:
  Scheduler(Manager& manager, SchedulerOptions options)
      : options_(std::move(options)),
        client_(manager.client()),
        events_(manager.RecorderFor(options_.name, {.api = EventApi::kEvents})) {}

  Result<Outcome> Reconcile(Context& context, const Request& request);

  // On the threads of watches: what is known is brought up to date before anybody is asked to look at it.
  void OnPod(const ObjectEvent& event, RequestSink<Request>& sink);
  void OnNode(const ObjectEvent& event, RequestSink<Request>& sink);
  void OnNamespace(const ObjectEvent& event, RequestSink<Request>& sink);
  void OnVolume(const ObjectEvent& event, RequestSink<Request>& sink);

 private:
  bool IsMine(const corev1::Pod& pod) const {
    return pod.spec.schedulerName == options_.name && pod.spec.nodeName.empty() && !pod.metadata.deletionTimestamp &&
           pod.spec.schedulingGates.empty() && pod.status.phase != "Succeeded" && pod.status.phase != "Failed";
  }
  Result<Outcome> Bind(Context& context, const corev1::Pod& pod, const std::string& node);
  Result<Outcome> Refuse(Context& context, const corev1::Pod& pod, const std::string& message);
  Map<String> LabelsOfNamespace(std::string_view name) const {
    const Result<corev1::Namespace> found = client_.Get<corev1::Namespace>({"", std::string(name)});
    return found ? found->metadata.labels : Map<String>();
  }

  const SchedulerOptions options_;
  const ObjectClient& client_;
  const EventRecorder events_;
  SchedulerState state_;
};

void Add(const std::vector<Requeue>& pods, RequestSink<Request>& sink) {
  for (const Requeue& requeue : pods) {
    sink.set_priority(requeue.priority);
    sink.AddAfter(requeue.pod, requeue.delay);
  }
}

void Scheduler::OnPod(const ObjectEvent& event, RequestSink<Request>& sink) {
  const corev1::Pod* pod = event.As<corev1::Pod>();
  if (pod == nullptr) return;
  if (event.type() == ObjectEventType::kDeleted) return Add(state_.RemovePod(*pod), sink);
  Add(state_.SetPod(*pod), sink);
  if (!IsMine(*pod)) return;
  // A new status, such as this scheduler writes itself, is no reason to try again.
  const corev1::Pod* old = event.OldAs<corev1::Pod>();
  if (old != nullptr && old->metadata.uid == pod->metadata.uid && IsMine(*old) &&
      old->metadata.generation == pod->metadata.generation && old->metadata.labels == pod->metadata.labels) {
    return;
  }
  sink.set_priority(pod->spec.priority.value_or(0));
  sink.Add(KeyOf(*pod));
}

void Scheduler::OnNode(const ObjectEvent& event, RequestSink<Request>& sink) {
  const corev1::Node* node = event.As<corev1::Node>();
  if (node == nullptr) return;
  if (event.type() == ObjectEventType::kDeleted) return state_.RemoveNode(node->metadata.name);
  Add(state_.SetNode(*node), sink);
}

void Scheduler::OnNamespace(const ObjectEvent& event, RequestSink<Request>& sink) {
  const metav1::ObjectMeta* old = event.old_metadata();
  if (old != nullptr && old->labels == event.metadata().labels) return;
  Add(state_.Waiting(kByOtherPods), sink);
}

void Scheduler::OnVolume(const ObjectEvent&, RequestSink<Request>& sink) { Add(state_.Waiting(kByVolumes), sink); }

Result<Outcome> Scheduler::Reconcile(Context& context, const Request& request) {
  KEELSON_TRY(found, IgnoreNotFound(client_.Get<corev1::Pod>(request)));
  if (!found || !IsMine(*found)) {
    state_.StopWaiting(request);
    return Outcome::Done();
  }
  const corev1::Pod& pod = *found;
  if (const auto assumed = state_.AssumptionOf(pod)) {
    // Bound already: the cache will say so soon. Where that is not known, only the same node will do.
    return assumed->bound ? Outcome::Done() : Bind(context, pod, assumed->node);
  }
  PodVolumes volumes;
  if (HasClaims(pod)) {
    state_.AwaitVolumes(pod);
    KEELSON_TRY(read, VolumesOf(pod, client_));
    volumes = std::move(read);
    if (!volumes.waiting.empty()) {
      volumes.needs.possible_on = [&](const corev1::Node& node) { return ChooseVolumes(volumes, node).has_value(); };
    }
  }
  const Placement placement = state_.Place(
      pod, {.volumes = volumes.needs, .namespaces = [this](std::string_view name) { return LabelsOfNamespace(name); }});
  if (placement.node.empty()) return Refuse(context, pod, placement.message);
  if (!volumes.waiting.empty()) {
    // Another pod may take the place until the volumes are there: then this one looks for a new one.
    state_.Forget(pod);
    KEELSON_TRY(node, client_.Get<corev1::Node>({"", placement.node}));
    KEELSON_RETURN_IF_ERROR(SelectNode(client_, volumes, node));
    return Outcome::Done();
  }
  return Bind(context, pod, placement.node);
}

Result<Outcome> Scheduler::Bind(Context& context, const corev1::Pod& pod, const std::string& node) {
  const Result<void> bound = BindPod(client_, KeyOf(pod), node, {.field_manager = kFieldManager}, pod.metadata.uid);
  if (!bound && IsConflict(bound.error())) {
    // It has a node, by this scheduler or another, is being deleted, or is another pod by now. As long as the cache
    // does not say which, its place is kept.
    const Result<corev1::Pod> now = client_.Get<corev1::Pod>(KeyOf(pod));
    if (now ? now->metadata.uid != pod.metadata.uid : IsNotFound(now.error())) state_.Forget(pod);
    return Outcome::Retry();
  }
  if (!bound && (IsNotFound(bound.error()) || IsInvalid(bound.error()) || IsForbidden(bound.error()))) {
    state_.Forget(pod);
    if (IsNotFound(bound.error())) return Outcome::Done();
  }
  // Of other errors nobody knows whether the server did it.
  if (!bound) return bound.error();
  state_.ConfirmBound(pod);
  context.log().V(2).Info("Pod has a node", "node", node);
  events_.Event(pod, EventType::kNormal, "Scheduled",
                fmt::format("Successfully assigned {} to {}", KeyOf(pod).ToString(), node), {.action = "Binding"});
  return Outcome::Done();
}

Result<Outcome> Scheduler::Refuse(Context& context, const corev1::Pod& pod, const std::string& message) {
  context.log().V(2).Info("No node for the pod", "why", message);
  const std::string note = message.size() <= kMaxNote ? message : message.substr(0, kMaxNote - 4) + " ...";
  events_.Event(pod, EventType::kWarning, "FailedScheduling", note, {.action = "Scheduling"});
  corev1::Pod updated = pod;
  if (!SetPodCondition(updated.status, {.type = "PodScheduled",
                                        .observedGeneration = pod.metadata.generation,
                                        .status = "False",
                                        .reason = "Unschedulable",
                                        .message = message})) {
    return Outcome::Done();
  }
  const Result<corev1::Pod> written = client_.Status().Update(updated, {.field_manager = kFieldManager});
  if (written || IsNotFound(written.error())) return Outcome::Done();
  if (IsConflict(written.error())) return Outcome::Retry();
  return written.error();
}

}  // namespace

Result<void> AddSchedulerController(Manager& manager, SchedulerOptions options) {
  auto scheduler = std::make_shared<Scheduler>(manager, std::move(options));
  const auto by = [&](void (Scheduler::*handle)(const ObjectEvent&, RequestSink<Request>&)) -> Enqueuer<Request> {
    return [scheduler, handle](const ObjectEvent& event, RequestSink<Request>& sink) {
      ((*scheduler).*handle)(event, sink);
    };
  };
  ControllerOptions controller = manager.options().controllers;
  controller.workers = 1;  // one decision after another: each sees what the others took
  KEELSON_RETURN_IF_ERROR(NewController(manager, std::string(kScheduler))
                              .Watches<corev1::Node>(by(&Scheduler::OnNode))
                              .Watches<corev1::Pod>(by(&Scheduler::OnPod))
                              .Watches<corev1::Namespace>(by(&Scheduler::OnNamespace))
                              .Watches<corev1::PersistentVolumeClaim>(by(&Scheduler::OnVolume))
                              .Watches<corev1::PersistentVolume>(by(&Scheduler::OnVolume))
                              .Watches<storagev1::StorageClass>(by(&Scheduler::OnVolume))
                              .WithOptions(controller)
                              .Complete([scheduler](Context& context, const Request& request) {
                                return scheduler->Reconcile(context, request);
                              }));
  return {};
}

}  // namespace keelson::controllers
