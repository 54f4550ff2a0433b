#include "count_controller.h"

#include <fmt/format.h>

#include <map>
#include <utility>
#include <vector>

#include "keelson/api/compare.h"
#include "keelson/api/conditions.h"
#include "keelson/api/finalizers.h"
#include "keelson/api/owner_references.h"
#include "keelson/api/status_error.h"
#include "keelson/cache/wait_for_cache_sync.h"
#include "keelson/client/ignore_not_found.h"
#include "keelson/client/owned.h"
#include "keelson/core/clock.h"
#include "keelson/runtime/run_workers.h"

// +kubebuilder:rbac:groups=demo.mark8s.io,resources=counts,verbs=get;list;watch
// +kubebuilder:rbac:groups=demo.mark8s.io,resources=counts/status;counts/finalizers,verbs=update
// +kubebuilder:rbac:groups="",resources=pods,verbs=get;list;watch;create;update;delete
// +kubebuilder:rbac:groups="",resources=events,verbs=create;patch

namespace count {

using namespace keelson;
using namespace std::chrono_literals;
using v1::Count;

namespace {

// Indexes: Pods by the uid of the Count that controls them; Counts by namespace and name of their Pods.
constexpr std::string_view kByCount = "count";
constexpr std::string_view kByPodName = "podName";

// The reference to the Count that controls the Pod, or null.
const metav1::OwnerReference* CountOf(const corev1::Pod& pod) {
  const metav1::OwnerReference* owner = GetControllerOf(pod);
  return owner != nullptr && owner->kind == "Count" && owner->apiVersion == "demo.mark8s.io/v1" ? owner : nullptr;
}

Informer<Count> CountInformer(InformerFactory& informers) {
  Informer<Count> counts = informers.For<Count>();
  const auto names = [](const Count& count) -> std::vector<std::string> {
    return {ObjectKey{count.metadata.namespace_, count.spec.name}.ToString()};
  };
  counts.AddIndex(std::string(kByPodName), names).value();
  return counts;
}

Informer<corev1::Pod> PodInformer(InformerFactory& informers) {
  Informer<corev1::Pod> pods = informers.For<corev1::Pod>();
  const auto owners = [](const corev1::Pod& pod) -> std::vector<std::string> {
    if (const metav1::OwnerReference* count = CountOf(pod)) return {count->uid};
    return {};
  };
  pods.AddIndex(std::string(kByCount), owners).value();
  return pods;
}

// Calls the function for whatever happens to an object.
template <class T>
Handlers<T> OnEvery(std::function<void(const T& object)> changed) {
  return {.on_add = [changed](const T& object, bool) { changed(object); },
          .on_update =
              [changed](const T& old, const T& object) {
                if (old.metadata.resourceVersion != object.metadata.resourceVersion) changed(object);
              },
          .on_delete = [changed](const T& object, bool) { changed(object); }};
}

bool IsReady(const corev1::Pod& pod) {
  for (const corev1::PodCondition& condition : pod.status.conditions) {
    if (condition.type == "Ready") return condition.status == kConditionTrue && !IsBeingDeleted(pod);
  }
  return false;
}

bool HasEnded(const corev1::Pod& pod) { return pod.status.phase == "Succeeded" || pod.status.phase == "Failed"; }

// Gives the Pod what others could take from it.
void Shape(const Count& count, corev1::Pod& pod) {
  pod.metadata.labels.Set("app", count.spec.name);
  pod.spec.containers[0].image = count.spec.name;
}

Result<corev1::Pod> NewPod(const Count& count, const std::string& name) {
  corev1::Pod pod{.metadata = {.name = name, .namespace_ = count.metadata.namespace_},
                  .spec = {.containers = {{.name = "main"}}}};
  Shape(count, pod);
  KEELSON_RETURN_IF_ERROR(SetControllerReference(count, pod));
  return pod;
}

}  // namespace

CountController::CountController(InformerFactory& informers, const ObjectClient& client, EventRecorder events)
    : log_("count-controller"),
      client_(client),
      events_(std::move(events)),
      counts_(CountInformer(informers)),
      pods_(PodInformer(informers)),
      counts_handler_(counts_.AddHandler(OnEvery<Count>([this](const Count& count) { queue_.Add(KeyOf(count)); }))),
      pods_handler_(pods_.AddHandler(OnEvery<corev1::Pod>([this](const corev1::Pod& pod) { EnqueueCountsOf(pod); }))) {}

// The Count that it belongs to, and those that would like to have its name.
void CountController::EnqueueCountsOf(const corev1::Pod& pod) {
  if (const metav1::OwnerReference* count = CountOf(pod)) queue_.Add({pod.metadata.namespace_, count->name});
  const std::string name = pod.metadata.name;
  const ObjectKey named = {pod.metadata.namespace_, name.substr(0, name.rfind('-'))};
  const auto counts = counts_.lister().ByIndex(kByPodName, named.ToString()).value();
  for (const Count& count : counts) queue_.Add(KeyOf(count));
}

Result<void> CountController::CheckSynced() const {
  if (counts_handler_.HasSynced() && pods_handler_.HasSynced()) return {};
  return Error(ErrorCode::kUnavailable, "not all Counts and Pods have been seen yet: are Counts defined?");
}

Result<void> CountController::Run(int workers, const RunScope& scope) {
  log_.Info("Waiting until all Counts and Pods have been seen");
  KEELSON_RETURN_IF_ERROR(WaitForSync(scope.stop));
  log_.Info("Starting", "workers", workers, "counts", counts_.lister().size());
  RunWorkers(queue_, scope.stop, {.name = "count", .workers = workers},
             [this](const ObjectKey& key) { return Sync(key); });
  log_.Info("Ended");
  return {};
}

Result<void> CountController::WaitForSync(const StopToken& stop) {
  while (true) {
    Result<void> synced = WaitForCacheSync(stop, Clock::Now() + 10s, counts_, pods_, counts_handler_, pods_handler_);
    if (synced || stop.StopRequested()) return synced;
    log_.Warning("Cannot begin yet", "reason", synced.error());
  }
}

Result<void> CountController::Sync(const ObjectKey& key) {
  KEELSON_TRY(count, IgnoreNotFound(counts_.lister().Get(key)));
  if (!count || IsBeingDeleted(**count)) {
    log_.Info("Count is gone, and the garbage collector takes its Pods", "count", key.ToString());
    return {};
  }
  Result<Pods> pods = SyncPods(**count);
  if (pods) {
    KEELSON_RETURN_IF_ERROR(Report(**count, *pods));
    log_.V(2).Info("Synced", "count", key.ToString(), "ready", pods->ready);
    return {};
  }
  if (IsOwnerGone(pods.error())) return {};  // which the cache has not seen yet
  // What the server does not allow is told; what passes by itself is only tried again.
  if (IsForbidden(pods.error()) || IsInvalid(pods.error())) {
    KEELSON_RETURN_IF_ERROR(Report(**count, {.refusal = pods.error().message()}));
  }
  return std::move(pods).error();
}

Result<CountController::Pods> CountController::SyncPods(const Count& count) {
  KEELSON_TRY(cached, pods_.lister().ByIndex(kByCount, count.metadata.uid));
  std::map<std::string, const corev1::Pod*> surplus;
  for (const corev1::Pod& pod : cached) surplus.emplace(pod.metadata.name, &pod);
  std::vector<std::string> missing;
  Pods pods;
  for (int32_t number = 0; number < count.spec.count; ++number) {
    std::string name = fmt::format("{}-{}", count.spec.name, number);
    if (const auto own = surplus.extract(name)) {
      KEELSON_RETURN_IF_ERROR(KeepPod(count, *own.mapped(), pods));
    } else {
      missing.push_back(std::move(name));
    }
  }
  for (const auto& [name, pod] : surplus) KEELSON_RETURN_IF_ERROR(DeletePod(*pod));
  if (missing.empty()) return pods;
  KEELSON_RETURN_IF_ERROR(CheckOwnerLives(client_, count));  // once for all of them
  for (const std::string& name : missing) KEELSON_RETURN_IF_ERROR(MakePod(count, name, pods));
  return pods;
}

Result<void> CountController::KeepPod(const Count& count, const corev1::Pod& pod, Pods& pods) {
  if (HasEnded(pod)) return DeletePod(pod);  // another one takes its place
  if (IsReady(pod)) ++pods.ready;
  corev1::Pod shaped = pod;
  Shape(count, shaped);
  if (IsBeingDeleted(pod) || Equal(shaped, pod)) return {};
  log_.Info("Repairing a Pod", "pod", KeyOf(pod).ToString());
  KEELSON_RETURN_IF_ERROR(client_.Update(shaped));
  return {};
}

Result<void> CountController::MakePod(const Count& count, const std::string& name, Pods& pods) {
  KEELSON_TRY(pod, NewPod(count, name));
  const Result<corev1::Pod> made = client_.Create(pod);
  if (made) log_.Info("Made a Pod", "pod", KeyOf(pod).ToString());
  if (made || !IsAlreadyExists(made.error())) return made ? Result<void>() : made.error();
  // The cache is behind, a Count of this name that was deleted has left it, or it is somebody else's.
  KEELSON_TRY(there, IgnoreNotFound(client_.Get<corev1::Pod>(KeyOf(pod))));
  const metav1::OwnerReference* owner = there ? CountOf(*there) : nullptr;
  if (there && (owner == nullptr || owner->name != count.metadata.name)) pods.taken = name;
  return {};
}

Result<void> CountController::DeletePod(const corev1::Pod& pod) {
  if (IsBeingDeleted(pod)) return {};
  log_.Info("Deleting a Pod", "pod", KeyOf(pod).ToString());
  return IgnoreNotFound(client_.Delete(pod, {.uid = pod.metadata.uid.str()}));
}

Result<void> CountController::Report(Count count, const Pods& pods) {
  metav1::Condition ready{.type = "Ready", .status = kConditionFalse, .observedGeneration = count.metadata.generation};
  if (!pods.refusal.empty()) {
    ready.reason = "PodsRefused";
    ready.message = pods.refusal;
  } else if (!pods.taken.empty()) {
    ready.reason = "NameTaken";
    ready.message = fmt::format("Pod {} belongs to somebody else", pods.taken);
  } else if (pods.ready < count.spec.count) {
    ready.reason = "PodsNotReady";
    ready.message = fmt::format("{} of {} Pods are ready", pods.ready, count.spec.count);
  } else {
    ready.status = kConditionTrue;
    ready.reason = "Synced";
    ready.message = "Count synced successfully";
  }
  const v1::CountStatus before = count.status;
  count.status.healthy = ready.status == kConditionTrue;
  SetStatusCondition(count.status.conditions, ready);
  if (Equal(before, count.status)) return {};
  KEELSON_TRY(updated, IgnoreNotFound(client_.Status().Update(count)));
  if (!updated) return {};  // the Count is gone, which the cache has not seen yet
  if (ready.reason != "PodsNotReady") {
    events_.Event(count, count.status.healthy ? EventType::kNormal : EventType::kWarning, ready.reason, ready.message);
  }
  return {};
}

}  // namespace count
