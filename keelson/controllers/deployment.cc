#include "keelson/controllers/deployment.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "keelson/api/apps/v1.h"
#include "keelson/api/compare.h"
#include "keelson/api/conditions.h"
#include "keelson/api/core/v1.h"
#include "keelson/api/label_selector_struct.h"
#include "keelson/client/ignore_not_found.h"
#include "keelson/controllers/deployment_plan.h"
#include "keelson/controllers/deployment_status.h"
#include "keelson/controllers/ownership.h"
#include "keelson/controllers/pod_state.h"
#include "keelson/controllers/pod_template_hash.h"
#include "keelson/controllers/selection.h"
#include "keelson/core/clock.h"
#include "keelson/runtime/builder.h"

namespace keelson::controllers {

namespace {

using appsv1::Deployment;
using appsv1::ReplicaSet;
using corev1::Pod;

// One reconcile of one Deployment. Its status is written once, at the end.
class Rollout {
 public:
  Rollout(const CachedClient& client, const Client& live, const EventRecorder& events, Context& context,
          Deployment deployment)
      : client_(client),
        live_(live),
        events_(events),
        context_(context),
        was_(deployment),
        now_is_(std::move(deployment)) {}

  Result<Outcome> Run();

 private:
  // Each step ends with what the status is to say.
  Result<appsv1::DeploymentStatus> Step();
  Result<appsv1::DeploymentStatus> Follow();
  Result<appsv1::DeploymentStatus> Roll();
  Result<appsv1::DeploymentStatus> Recreate();

  // Brings the current ReplicaSet's annotations and the Deployment's revision up to date.
  Result<void> RefreshCurrent();
  Result<void> CreateCurrent();
  // What CreateCurrent does about a name that is taken: it is our own, or the template's hash collides.
  Result<ReplicaSet> FindTaken(const ReplicaSet& wanted, const Error& taken);
  void NoteRevision(const std::string& revision);

  Result<void> Apply(const Resize& resize);
  Result<bool> OldPodsRun() const;
  Result<void> DropHistory();
  Result<void> WriteStatus(const appsv1::DeploymentStatus& status);
  appsv1::DeploymentStatus Progress() const { return RolloutStatus(now_is_, sets_, Clock::WallNow()); }

  const CachedClient& client_;
  const Client& live_;
  const EventRecorder& events_;
  Context& context_;
  const Deployment was_;  // as it was read
  Deployment now_is_;     // with revision and conditions that this reconcile gives it
  ReplicaSets sets_;
};

Result<Outcome> Rollout::Run() {
  Result<appsv1::DeploymentStatus> status = Step();
  if (!status) {
    // A namespace that goes away takes nothing new: its objects go, too.
    if (HasStatusCause(status.error(), "NamespaceTerminating")) return Outcome::Done();
    if (IsConflict(status.error())) return Outcome::Retry();
    return std::move(status).error();
  }
  const Result<void> written = WriteStatus(*status);
  if (!written) {
    if (IsConflict(written.error())) return Outcome::Retry();
    return written.error();
  }
  if (now_is_.spec.paused || IsBeingDeleted(now_is_)) return Outcome::Done();
  const std::optional<Duration> deadline = UntilDeadline(now_is_, *status, Clock::WallNow());
  return deadline ? Outcome::After(*deadline) : Outcome::Done();
}

Result<appsv1::DeploymentStatus> Rollout::Step() {
  if (now_is_.spec.selector && Equal(*now_is_.spec.selector, metav1::LabelSelector())) {
    events_.Event(now_is_, EventType::kWarning, "SelectingAll",
                  "This deployment is selecting all pods. A non-empty selector is required.");
    appsv1::DeploymentStatus status = now_is_.status;
    status.observedGeneration = std::max(status.observedGeneration, now_is_.metadata.generation);
    return status;
  }
  Result<labels::Selector> selector = labels::FromStruct(now_is_.spec.selector);
  if (!selector)
    return Terminal(std::move(selector).error().WithContext("the Deployment has an invalid label selector"));
  KEELSON_TRY(all, ListOwnedAndOrphans<ReplicaSet>(client_, now_is_.metadata));
  KEELSON_TRY(claimed, Claim(client_, live_, now_is_, *selector, std::move(all)));
  sets_ = Arrange(now_is_, std::move(claimed));

  if (IsBeingDeleted(now_is_)) {
    KEELSON_RETURN_IF_ERROR(RefreshCurrent());
    return CountedStatus(now_is_, sets_, Clock::WallNow());
  }
  NotePause(now_is_, Clock::WallNow());
  KEELSON_RETURN_IF_ERROR(RefreshCurrent());
  if (now_is_.spec.paused || IsScaled(now_is_, sets_)) return Follow();
  return IsRolling(now_is_) ? Roll() : Recreate();
}

// The Deployment's size, and nothing else.
Result<appsv1::DeploymentStatus> Rollout::Follow() {
  for (const Resize& resize : FollowScale(now_is_, sets_)) KEELSON_RETURN_IF_ERROR(Apply(resize));
  if (now_is_.spec.paused) KEELSON_RETURN_IF_ERROR(DropHistory());
  return CountedStatus(now_is_, sets_, Clock::WallNow());
}

Result<appsv1::DeploymentStatus> Rollout::Roll() {
  if (!sets_.current) KEELSON_RETURN_IF_ERROR(CreateCurrent());
  const ReplicaSet& current = *sets_.current;
  int32_t total = 0;
  for (const ReplicaSet* set : sets_.All()) total += set->spec.replicas.value_or(1);
  const int32_t has = current.spec.replicas.value_or(1);
  const int32_t next = NextReplicas(now_is_, has, total);
  if (next != has) {
    KEELSON_RETURN_IF_ERROR(Apply({.name = current.metadata.name.str(), .replicas = next}));
    return Progress();
  }
  const std::vector<Resize> shrinking = ShrinkOld(now_is_, sets_);
  for (const Resize& resize : shrinking) KEELSON_RETURN_IF_ERROR(Apply(resize));
  if (shrinking.empty() && IsComplete(now_is_, now_is_.status)) KEELSON_RETURN_IF_ERROR(DropHistory());
  return Progress();
}

Result<appsv1::DeploymentStatus> Rollout::Recreate() {
  bool shrunk = false;
  for (const ReplicaSet& set : std::vector<ReplicaSet>(sets_.old)) {
    if (set.spec.replicas.value_or(1) == 0) continue;
    KEELSON_RETURN_IF_ERROR(Apply({.name = set.metadata.name.str(), .replicas = 0}));
    shrunk = true;
  }
  if (shrunk) return Progress();
  KEELSON_TRY(running, OldPodsRun());
  if (running) return Progress();
  if (!sets_.current) KEELSON_RETURN_IF_ERROR(CreateCurrent());
  KEELSON_RETURN_IF_ERROR(Apply({.name = sets_.current->metadata.name.str(), .replicas = DesiredReplicas(now_is_)}));
  if (IsComplete(now_is_, now_is_.status)) KEELSON_RETURN_IF_ERROR(DropHistory());
  return Progress();
}

Result<bool> Rollout::OldPodsRun() const {
  for (const ReplicaSet& set : sets_.old) {
    if (set.status.replicas > 0) return true;
    KEELSON_TRY(pods, ListControlledBy<Pod>(client_, set.metadata.namespace_.str(), set.metadata.uid.view()));
    if (!std::all_of(pods.begin(), pods.end(), IsFinished)) return true;
  }
  return false;
}

Result<void> Rollout::RefreshCurrent() {
  if (!sets_.current) return {};
  ReplicaSet current = *sets_.current;
  const bool annotated = Annotate(now_is_, sets_.old, current);
  if (annotated || current.spec.minReadySeconds != now_is_.spec.minReadySeconds) {
    current.spec.minReadySeconds = now_is_.spec.minReadySeconds;
    KEELSON_TRY(updated, client_.Update(current));
    sets_.current = std::move(updated);
  }
  if (const String* revision = sets_.current->metadata.annotations.find(kRevision)) NoteRevision(revision->str());
  if (HasProgressDeadline(now_is_) && FindCondition(now_is_.status, "Progressing") == nullptr) {
    SetCondition(now_is_.status, Progressing(kConditionTrue, "FoundNewReplicaSet",
                                             fmt::format("Found new replica set \"{}\"", sets_.current->metadata.name),
                                             Clock::WallNow()));
  }
  return {};
}

Result<void> Rollout::CreateCurrent() {
  ReplicaSet wanted = NewReplicaSet(now_is_, PodTemplateHash(now_is_.spec.template_, now_is_.status.collisionCount));
  KEELSON_RETURN_IF_ERROR(SetControllerReference(now_is_, wanted));
  int32_t total = 0;
  for (const ReplicaSet& set : sets_.old) total += set.spec.replicas.value_or(1);
  const int32_t replicas = NextReplicas(now_is_, 0, total);
  wanted.spec.replicas = replicas;
  Annotate(now_is_, sets_.old, wanted);
  AnnotateSize(now_is_, wanted);

  Result<ReplicaSet> created = client_.Create(wanted);
  const bool is_new = created.has_value();
  if (!created) {
    if (IsAlreadyExists(created.error())) {
      created = FindTaken(wanted, created.error());
      if (!created) return created.error();
    } else {
      if (HasStatusCause(created.error(), "NamespaceTerminating")) return created.error();
      const std::string message =
          fmt::format("Failed to create new replica set \"{}\": {}", wanted.metadata.name, created.error().message());
      events_.Event(now_is_, EventType::kWarning, "ReplicaSetCreateError", message);
      if (HasProgressDeadline(now_is_)) {
        SetCondition(now_is_.status, Progressing(kConditionFalse, "ReplicaSetCreateError", message, Clock::WallNow()));
        // The error of the creation is the one that counts.
        (void)WriteStatus(now_is_.status);
      }
      return created.error();
    }
  }
  sets_.current = *std::move(created);
  const String& name = sets_.current->metadata.name;
  if (is_new && replicas > 0) {
    events_.Eventf(now_is_, EventType::kNormal, "ScalingReplicaSet", "Scaled up replica set {} from 0 to {}", name,
                   replicas);
  }
  NoteRevision(wanted.metadata.annotations.at(kRevision).str());
  if (is_new && HasProgressDeadline(now_is_)) {
    SetCondition(now_is_.status, Progressing(kConditionTrue, "NewReplicaSetCreated",
                                             fmt::format("Created new replica set \"{}\"", name), Clock::WallNow()));
  }
  return {};
}

Result<ReplicaSet> Rollout::FindTaken(const ReplicaSet& wanted, const Error& taken) {
  // From the server: the cache may not have it yet.
  KEELSON_TRY(there, live_.Get<ReplicaSet>(KeyOf(wanted)));
  if (IsControlledBy(there, now_is_) && SameTemplate(there.spec.template_, now_is_.spec.template_)) return there;
  const int32_t collisions = now_is_.status.collisionCount.value_or(0) + 1;
  now_is_.status.collisionCount = collisions;
  KEELSON_RETURN_IF_ERROR(WriteStatus(now_is_.status));
  context_.log().V(2).Info("The hash of the pod template is that of another ReplicaSet; trying the next", "replicaSet",
                           KeyOf(wanted).ToString(), "collisionCount", collisions);
  return taken;
}

void Rollout::NoteRevision(const std::string& revision) {
  const String* has = now_is_.metadata.annotations.find(kRevision);
  if (has == nullptr || *has != revision) now_is_.metadata.annotations.Set(kRevision, revision);
}

Result<void> Rollout::Apply(const Resize& resize) {
  ReplicaSet* set = sets_.current && sets_.current->metadata.name == resize.name ? &*sets_.current : nullptr;
  for (ReplicaSet& old : sets_.old) {
    if (old.metadata.name == resize.name) set = &old;
  }
  const int32_t before = set->spec.replicas.value_or(1);
  if (before == resize.replicas && !resize.annotate) return {};
  ReplicaSet changed = *set;
  changed.spec.replicas = resize.replicas;
  if (!AnnotateSize(now_is_, changed) && before == resize.replicas) return {};
  KEELSON_TRY(updated, client_.Update(changed));
  *set = std::move(updated);
  if (before != resize.replicas) {
    events_.Eventf(now_is_, EventType::kNormal, "ScalingReplicaSet", "Scaled {} replica set {} from {} to {}",
                   before < resize.replicas ? "up" : "down", set->metadata.name, before, resize.replicas);
  }
  return {};
}

Result<void> Rollout::DropHistory() {
  for (const ReplicaSet* set : Superfluous(now_is_, sets_)) {
    KEELSON_RETURN_IF_ERROR(IgnoreNotFound(client_.Delete(*set, {.uid = set->metadata.uid.str()})));
  }
  return {};
}

Result<void> Rollout::WriteStatus(const appsv1::DeploymentStatus& status) {
  if (Equal(was_.status, status) && Equal(was_.metadata.annotations, now_is_.metadata.annotations)) return {};
  Deployment changed = now_is_;
  changed.status = status;
  // The revision is an annotation that may be written with the status.
  KEELSON_TRY(updated, client_.Status().Update(changed));
  return {};
}

// A Recreate rollout goes on when the last old pod is gone.
Enqueuer<Request> EnqueueRecreated(InformerFactory& cache) {
  std::vector<Lister<ReplicaSet>> sets;
  for (const Informer<ReplicaSet>& informer : cache.AllOf<ReplicaSet>()) sets.push_back(informer.lister());
  std::vector<Lister<Deployment>> deployments;
  for (const Informer<Deployment>& informer : cache.AllOf<Deployment>()) deployments.push_back(informer.lister());
  return [sets = std::move(sets), deployments = std::move(deployments)](const ObjectEvent& event,
                                                                        RequestSink<Request>& sink) {
    const metav1::ObjectMeta& pod = event.metadata();
    const metav1::OwnerReference* of_pod = GetControllerOf(pod);
    if (of_pod == nullptr || of_pod->kind != "ReplicaSet") return;
    for (const Lister<ReplicaSet>& lister : sets) {
      const auto set = lister.Get(pod.namespace_.view(), of_pod->name.view());
      if (!set || (*set)->metadata.uid != of_pod->uid) continue;
      const metav1::OwnerReference* of_set = GetControllerOf(**set);
      if (of_set == nullptr || of_set->kind != "Deployment") continue;
      for (const Lister<Deployment>& deployment_lister : deployments) {
        const auto deployment = deployment_lister.Get(pod.namespace_.view(), of_set->name.view());
        if (deployment && !IsRolling(**deployment)) sink.Add(KeyOf(**deployment));
      }
    }
  };
}

Predicate DeletionsOnly() {
  return Predicate([](const ObjectEvent& event) { return event.type() == ObjectEventType::kDeleted; });
}

}  // namespace

Result<void> AddDeploymentController(Manager& manager, DeploymentOptions options) {
  ControllerOptions controller = manager.options().controllers;
  controller.workers = options.workers;
  const auto reconcile = [&client = manager.client(), &live = manager.live(),
                          events = manager.RecorderFor(kDeployment)](Context& context,
                                                                     const Request& request) -> Result<Outcome> {
    KEELSON_TRY(found, IgnoreNotFound(client.Get<Deployment>(request)));
    if (!found) return Outcome::Done();
    return Rollout(client, live, events, context, *std::move(found)).Run();
  };
  KEELSON_RETURN_IF_ERROR(
      ControllerFor<Deployment>(manager)
          .Watches<ReplicaSet>(EnqueueOwnerOrMatching<Deployment>(
              manager.cache(), [](const Deployment& deployment) -> const auto& { return deployment.spec.selector; }))
          .Watches<Pod>(EnqueueRecreated(manager.cache()), {.predicate = DeletionsOnly()})
          .WithOptions(controller)
          .Named(std::string(kDeployment))
          .Complete(reconcile));
  KEELSON_RETURN_IF_ERROR(IndexByController<Pod>(manager.cache()));
  return IndexByController<ReplicaSet>(manager.cache());
}

}  // namespace keelson::controllers
