#include "pipeline_controller.h"

#include <chrono>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "keelson/api/compare.h"
#include "keelson/api/conditions.h"
#include "keelson/api/finalizers.h"
#include "keelson/api/owner_references.h"
#include "keelson/client/ignore_not_found.h"
#include "keelson/client/owned.h"
#include "pipeline_parts.h"

// +kubebuilder:rbac:groups=distri-infer.ndsl.cn,resources=pipelines,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=distri-infer.ndsl.cn,resources=pipelines/status,verbs=update;patch
// +kubebuilder:rbac:groups=distri-infer.ndsl.cn,resources=pipelines/finalizers,verbs=update
// +kubebuilder:rbac:groups="",resources=persistentvolumes;persistentvolumeclaims,verbs=get;list;watch;create;update;delete
// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get;list;watch;create;update;delete
// +kubebuilder:rbac:groups="",resources=services,verbs=get;list;watch;create;update;delete
// +kubebuilder:rbac:groups="",resources=nodes,verbs=get;list;watch
// +kubebuilder:rbac:groups="",resources=namespaces,verbs=get;list;watch;create
// +kubebuilder:rbac:groups="",resources=events,verbs=create;patch
// +kubebuilder:rbac:groups=coordination.k8s.io,resources=leases,verbs=get;create;update

namespace pipeline {

using namespace keelson;
using namespace std::chrono_literals;
using v1beta1::Phase;
using v1beta1::Pipeline;
using v1beta1::PipelineStatus;

namespace {

// Of an error that trying again does not mend: the reason for which the Pipeline has failed.
class Refusal : public ErrorDetail {
 public:
  explicit Refusal(std::string_view reason) : reason_(reason) {}
  std::string_view reason() const { return reason_; }

 private:
  const std::string_view reason_;
};

Error Refused(Problem problem) {
  return Error::InvalidArgument(std::move(problem.message)).WithDetail(std::make_shared<Refusal>(problem.reason));
}

// Empty for errors that may pass.
std::string_view RefusalOf(const Error& error) {
  if (const auto* refusal = error.detail<Refusal>()) return refusal->reason();
  if (IsNotOwned(error)) return "ResourceExists";
  return IsInvalid(error) ? "Rejected" : std::string_view();
}

ObjectKey InNamespace(const std::string& name) { return {.namespace_ = std::string(kNamespace), .name = name}; }
ObjectKey InCluster(const std::string& name) { return {.namespace_ = {}, .name = name}; }

// What goes on by itself is no event; what somebody should know is.
bool IsNews(const PipelineStatus& before, const metav1::Condition& ready) {
  if (ready.reason == "Creating") return false;
  const metav1::Condition* last = FindStatusCondition(before.conditions, "Ready");
  return last == nullptr || last->reason != ready.reason || last->message != ready.message;
}

}  // namespace

PipelineReconciler::PipelineReconciler(const ObjectClient& client, EventRecorder events)
    : client_(client), events_(std::move(events)) {
  finalizers_.Register(std::string(kFinalizer), [this](Context&, Pipeline& pipeline) { return CleanUp(pipeline); })
      .OrExit();
}

Result<Outcome> PipelineReconciler::Reconcile(Context& context, const Request& request) {
  KEELSON_TRY(found, IgnoreNotFound(client_.Get<Pipeline>(request)));
  if (!found) return Outcome::Done();
  Pipeline pipeline = *std::move(found);
  KEELSON_TRY(ended, finalizers_.Finalize(context, client_, pipeline));
  if (ended) return *ended;  // it is being deleted

  const Result<Observed> observed = Sync(pipeline);
  if (observed) {
    KEELSON_RETURN_IF_ERROR(Report(pipeline, StatusOf(pipeline, *observed)));
    return Outcome::Done();
  }
  if (IsOwnerGone(observed.error())) return Outcome::Done();  // the cache will hear of it
  const std::string_view reason = RefusalOf(observed.error());
  if (reason.empty()) return observed.error();  // it may pass: again, later and later
  const std::string& why = observed.error().message();
  context.log().V(1).Info("Cannot be as its spec says", "reason", reason, "why", why);
  KEELSON_RETURN_IF_ERROR(Report(pipeline, StatusOf(pipeline, Phase::Failed, reason, why)));
  return Outcome::After(1min);  // what is in the way may go, and nobody tells
}

Result<Observed> PipelineReconciler::Sync(const Pipeline& pipeline) const {
  if (std::optional<Problem> problem = ProblemOf(pipeline.spec)) return Refused(*std::move(problem));
  KEELSON_RETURN_IF_ERROR(EnsureNamespace());
  const std::string storage = StorageNameOf(pipeline);
  KEELSON_TRY(ending, EndingStorage(pipeline));
  if (ending) {
    KEELSON_RETURN_IF_ERROR(TakeDown(pipeline));
    return *std::move(ending);
  }
  KEELSON_TRY(claim, Ensure<corev1::PersistentVolumeClaim>(pipeline, InNamespace(storage),
                                                           [&](auto& claim) { FillClaim(pipeline, claim); }));
  KEELSON_TRY(volume, Ensure<corev1::PersistentVolume>(pipeline, InCluster(storage),
                                                       [&](auto& volume) { FillVolume(pipeline, claim, volume); }));
  if (std::optional<Problem> problem = ProblemOf(pipeline, volume)) return Refused(*std::move(problem));
  Observed observed;
  observed.claim = std::move(claim);
  observed.volume = std::move(volume);
  for (size_t i = 0; i < pipeline.spec.steps.size(); ++i) {
    const ObjectKey key = InNamespace(pipeline.spec.steps[i].model);
    KEELSON_TRY(deployment, Ensure<appsv1::Deployment>(
                                pipeline, key, [&](auto& deployment) { FillDeployment(pipeline, i, deployment); }));
    KEELSON_RETURN_IF_ERROR(
        Ensure<corev1::Service>(pipeline, key, [&](auto& service) { FillService(pipeline, i, service); }));
    observed.deployments.push_back(std::move(deployment));
  }
  const std::set<std::string> models = ModelsOf(pipeline.spec);
  KEELSON_RETURN_IF_ERROR(DeleteSteps<appsv1::Deployment>(pipeline, models));
  KEELSON_RETURN_IF_ERROR(DeleteSteps<corev1::Service>(pipeline, models));
  KEELSON_TRY(locations, Locations());
  observed.locations = std::move(locations);
  return observed;
}

// Storage that somebody deletes is held for as long as Pods use it, and not given to new ones: all is made again, but
// not before both parts are gone. A new claim would take hold of the volume that goes, and that would never end.
Result<std::optional<Observed>> PipelineReconciler::EndingStorage(const Pipeline& pipeline) const {
  const std::string storage = StorageNameOf(pipeline);
  KEELSON_TRY(claim, IgnoreNotFound(client_.Get<corev1::PersistentVolumeClaim>(InNamespace(storage))));
  KEELSON_TRY(volume, IgnoreNotFound(client_.Get<corev1::PersistentVolume>(InCluster(storage))));
  const auto ends = [&](const auto& part) { return part && IsControlledBy(*part, pipeline) && IsBeingDeleted(*part); };
  if (!ends(claim) && !ends(volume)) return std::optional<Observed>();
  Observed observed;
  if (volume) observed.volume = *std::move(volume);
  observed.claim.status.phase = "Terminating";
  return std::optional<Observed>(std::move(observed));
}

Result<void> PipelineReconciler::EnsureNamespace() const {
  KEELSON_TRY(there, IgnoreNotFound(client_.GetMetadata<corev1::Namespace>(InCluster(std::string(kNamespace)))));
  if (there) return {};
  const Result<corev1::Namespace> made = client_.Create(corev1::Namespace{.metadata = {.name = kNamespace}});
  if (!made && !IsAlreadyExists(made.error())) return made.error();
  return {};
}

Result<std::set<std::string>> PipelineReconciler::Locations() const {
  KEELSON_TRY(nodes, client_.ListMetadata<corev1::Node>());
  std::set<std::string> locations;
  for (const metav1::PartialObjectMetadata& node : nodes) {
    locations.insert(node.metadata.name.str());
    if (const String* location = node.metadata.labels.find(kLocationLabel)) locations.insert(location->str());
  }
  return locations;
}

Result<void> PipelineReconciler::Report(const Pipeline& pipeline, PipelineStatus status) const {
  if (Equal(pipeline.status, status)) return {};  // nothing new: nothing is written
  const metav1::Condition ready = *FindStatusCondition(status.conditions, "Ready");
  if (IsNews(pipeline.status, ready)) {
    const EventType type = ready.status == kConditionTrue ? EventType::kNormal : EventType::kWarning;
    events_.Event(pipeline, type, ready.reason.view(), ready.message.view());
  }
  Pipeline reported = pipeline;
  reported.status = std::move(status);
  KEELSON_TRY(written, client_.Status().Update(reported));
  return {};
}

Result<Outcome> PipelineReconciler::CleanUp(Pipeline& pipeline) const {
  if (HasFinalizer(pipeline, "orphan")) return Outcome::Done();  // kubectl delete --cascade=orphan: the parts stay
  pipeline.status = StatusOf(pipeline, Phase::Deleting, "Deleting", "steps go first, then their models");
  KEELSON_TRY(done, TakeDown(pipeline));
  // A part that goes asks for the next one by itself.
  return done ? Outcome::Done() : Outcome::After(1min);
}

Result<bool> PipelineReconciler::TakeDown(const Pipeline& pipeline) const {
  KEELSON_TRY(deployments, DeleteSteps<appsv1::Deployment>(pipeline, {}));
  KEELSON_TRY(services, DeleteSteps<corev1::Service>(pipeline, {}));
  if (deployments + services > 0) return false;
  const std::string storage = StorageNameOf(pipeline);
  KEELSON_TRY(unclaimed, Delete<corev1::PersistentVolumeClaim>(pipeline, InNamespace(storage)));
  if (!unclaimed) return false;
  return Delete<corev1::PersistentVolume>(pipeline, InCluster(storage));
}

template <class Part>
Result<size_t> PipelineReconciler::DeleteSteps(const Pipeline& pipeline, const std::set<std::string>& keep) const {
  KEELSON_TRY(selector, labels::Parse(fmt::format("{}={}", kPipelineLabel, pipeline.metadata.name)));
  KEELSON_TRY(parts, client_.List<Part>({.namespace_ = std::string(kNamespace), .labels = selector}));
  size_t left = 0;
  for (const Part& part : parts) {
    if (keep.contains(part.metadata.name.str())) continue;
    KEELSON_TRY(gone, Delete<Part>(pipeline, KeyOf(part)));
    left += gone ? 0 : 1;
  }
  return left;
}

template <class Part, class Fill>
Result<Part> PipelineReconciler::Ensure(const Pipeline& pipeline, const ObjectKey& key, Fill fill) const {
  const Part named{.metadata = {.name = key.name, .namespace_ = key.namespace_}};
  KEELSON_TRY(made, CreateOrUpdateOwned(client_, pipeline, named, fill));
  if (made.change == Change::kCreated) {
    events_.Eventf(pipeline, EventType::kNormal, "Created", "Created {} {}", GvkOf<Part>().kind, key.name);
  } else if (made.change == Change::kUpdated) {
    events_.Eventf(pipeline, EventType::kNormal, "Updated", "Updated {} {}", GvkOf<Part>().kind, key.name);
  }
  return made.object;
}

template <class Part>
Result<bool> PipelineReconciler::Delete(const Pipeline& pipeline, const ObjectKey& key) const {
  KEELSON_TRY(part, IgnoreNotFound(client_.Get<Part>(key)));
  if (!part || !IsControlledBy(*part, pipeline)) return true;
  if (IsBeingDeleted(*part)) return false;
  // In the foreground: a Deployment is there until its last Pod has ended.
  KEELSON_RETURN_IF_ERROR(IgnoreNotFound(
      client_.Delete(*part, {.uid = part->metadata.uid.str(), .propagation = Propagation::kForeground})));
  events_.Eventf(pipeline, EventType::kNormal, "Deleted", "Deleted {} {}", GvkOf<Part>().kind, key.name);
  return false;
}

Result<void> AddPipelineController(Manager& manager, PipelineReconciler& reconciler) {
  // Nodes and the namespace are everybody's: any Pipeline may be waiting for them.
  const auto all = [&client = manager.client()](const auto&) {
    std::vector<Request> requests;
    if (const auto pipelines = client.List<Pipeline>()) {
      for (const Pipeline& pipeline : *pipelines) requests.push_back(KeyOf(pipeline));
    }
    return requests;
  };
  KEELSON_RETURN_IF_ERROR(
      ControllerFor<Pipeline>(manager)
          .Owns<corev1::PersistentVolume>()
          .Owns<corev1::PersistentVolumeClaim>()
          .Owns<appsv1::Deployment>()
          .Owns<corev1::Service>()
          .Watches<corev1::Node>(EnqueueMapped<corev1::Node>(all), {.predicate = LabelChanged(), .metadata_only = true})
          .Watches<corev1::Namespace>(
              EnqueueMapped<corev1::Namespace>(all),
              {.predicate = Predicate::Of<corev1::Namespace>(
                   [](const corev1::Namespace& object) { return object.metadata.name == kNamespace; }),
               .metadata_only = true})
          .Complete(reconciler));
  return {};
}

}  // namespace pipeline
