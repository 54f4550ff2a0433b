#include "app_service_controller.h"

#include <memory>
#include <utility>

#include "keelson/api/compare.h"
#include "keelson/api/conditions.h"
#include "keelson/api/finalizers.h"
#include "keelson/api/owner_references.h"
#include "keelson/api/status_error.h"
#include "keelson/cache/wait_for_cache_sync.h"
#include "keelson/client/owned.h"
#include "keelson/runtime/run_workers.h"

// +kubebuilder:rbac:groups=appcontroller.k8s.io,resources=appservices,verbs=get;list;watch
// +kubebuilder:rbac:groups=appcontroller.k8s.io,resources=appservices/status,verbs=update
// +kubebuilder:rbac:groups=appcontroller.k8s.io,resources=appservices/finalizers,verbs=update
// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get;list;watch;create;update
// +kubebuilder:rbac:groups="",resources=events,verbs=create;patch

namespace app_service {

using namespace keelson;
using v1alpha1::AppService;
using Deployment = appsv1::Deployment;

namespace {

// Of the AppService informer: what names which Deployment.
constexpr std::string_view kByDeployment = "spec.deploymentName";

int32_t ReplicasOf(const AppService& app_service) { return app_service.spec.replicas.value_or(1); }

// What this controller wants of a Deployment. Everything else is left to defaults and to others.
void Shape(const AppService& app_service, Deployment& deployment) {
  const Map<String> labels = {{"app", "nginx"}, {"controller", app_service.spec.deploymentName}};
  deployment.spec.replicas = ReplicasOf(app_service);
  deployment.spec.selector = {{.matchLabels = labels}};
  for (const auto& [key, value] : labels) deployment.spec.template_.metadata.labels.Set(key, value);
  List<corev1::Container>& containers = deployment.spec.template_.spec.containers;
  if (containers.size() != 1 || containers[0].name != "nginx") containers = {{.name = "nginx"}};
  containers[0].image = "nginx:latest";
}

// Whether the Deployment's status speaks of its present spec, and all its Pods are of that and available.
bool IsRolledOut(const Deployment& deployment) {
  const int32_t wanted = deployment.spec.replicas.value_or(1);
  return deployment.status.observedGeneration >= deployment.metadata.generation &&
         deployment.status.updatedReplicas == wanted && deployment.status.replicas == wanted &&
         deployment.status.availableReplicas == wanted;
}

// An error that only somebody else can mend: what the server refuses now it refuses the next time too.
bool IsRefusal(const Error& error) { return IsInvalid(error) || IsForbidden(error); }

}  // namespace

AppServiceController::AppServiceController(const Client& client, InformerFactory& informers, EventRecorder events,
                                           const QueueMetrics& queue_metrics)
    : log_{std::string(kControllerName)},
      kube_(client),
      app_services_(client),
      events_(std::move(events)),
      queue_({.metrics = queue_metrics}),
      app_service_informer_(informers.For<AppService>()),
      deployment_informer_(informers.For<Deployment>()),
      app_service_lister_(app_service_informer_.lister()),
      deployment_lister_(deployment_informer_.lister()) {
  app_service_informer_.AddFieldIndex(kByDeployment).value();
  app_service_handler_ = app_service_informer_.AddHandler({
      .on_add = [this](const AppService& added, bool) { Enqueue(added); },
      .on_update = [this](const AppService&, const AppService& now) { Enqueue(now); },  // a resync too
  });
  deployment_handler_ = deployment_informer_.AddHandler({
      .on_add = [this](const Deployment& added, bool) { EnqueueFor(added); },
      .on_update =
          [this](const Deployment& before, const Deployment& now) {
            if (before.metadata.resourceVersion == now.metadata.resourceVersion) return;  // a resync
            EnqueueFor(before);  // who loses it hears of it too
            EnqueueFor(now);
          },
      // Also where the deletion itself was missed: names and owner of the last known state are all that is needed.
      .on_delete = [this](const Deployment& gone, bool /*final_state_unknown*/) { EnqueueFor(gone); },
  });
}

void AppServiceController::EnqueueFor(const Deployment& deployment) {
  const std::string namespace_ = deployment.metadata.namespace_.str();
  const metav1::OwnerReference* owner = GetControllerOf(deployment);
  if (owner != nullptr && owner->kind == "AppService" &&
      owner->apiVersion.view().starts_with("appcontroller.k8s.io/")) {
    queue_.Add({namespace_, owner->name.str()});
  }
  const auto naming = app_service_lister_.In(namespace_).ByIndex(kByDeployment, deployment.metadata.name.view());
  for (const AppService& app_service : naming.value()) Enqueue(app_service);
}

Result<void> AppServiceController::Run(const StopToken& stop, int workers) {
  log_.Info("Waiting for caches to sync");
  Result<void> synced = WaitForCacheSync(stop, app_service_handler_, deployment_handler_);
  if (stop.StopRequested()) return {};
  KEELSON_RETURN_IF_ERROR(std::move(synced));
  log_.Info("Started workers", "count", workers);
  RunWorkers(queue_, stop, {.name = std::string(kControllerName), .workers = workers},
             [this](const ObjectKey& key) { return Sync(key); });
  log_.Info("Workers have ended");
  return {};
}

Result<void> AppServiceController::Sync(const ObjectKey& key) {
  const CachedPtr<AppService> app_service = app_service_lister_.Get(key).value_or(nullptr);
  if (app_service == nullptr || IsBeingDeleted(*app_service)) return {};  // the garbage collector does the rest
  const Result<Deployment> deployment = EnsureDeployment(*app_service);
  if (deployment) return Report(*app_service, *deployment);
  if (IsOwnerGone(deployment.error())) return {};  // which the cache has not seen yet
  if (IsRefusal(deployment.error())) {
    KEELSON_RETURN_IF_ERROR(Report(*app_service, {.reason = kErrRefused, .message = deployment.error().message()},
                                   app_service->status.availableReplicas));
  }
  return deployment.error();
}

Result<Deployment> AppServiceController::EnsureDeployment(const AppService& app_service) {
  KEELSON_TRY(deployment, FindOrCreate(app_service));
  if (!IsControlledBy(deployment, app_service)) return deployment;
  Deployment wanted = deployment;
  Shape(app_service, wanted);
  if (Equal(deployment, wanted)) return deployment;
  log_.Info("Updating Deployment", "deployment", KeyOf(wanted).ToString(), "replicas", ReplicasOf(app_service));
  return kube_.Update(wanted);
}

Result<Deployment> AppServiceController::FindOrCreate(const AppService& app_service) {
  const ObjectKey key{app_service.metadata.namespace_.str(), app_service.spec.deploymentName};
  if (const Result<CachedPtr<Deployment>> found = deployment_lister_.Get(key)) return **found;
  Deployment wanted{.metadata = {.name = key.name, .namespace_ = key.namespace_}};
  Shape(app_service, wanted);
  Result<Deployment> created = CreateOwned(kube_, app_service, wanted);
  if (created) log_.Info("Created Deployment", "deployment", key.ToString(), "replicas", ReplicasOf(app_service));
  // The cache has not seen it yet: somebody else's, or our own of a moment ago.
  if (!created && IsAlreadyExists(created.error())) return kube_.Get<Deployment>(key);
  return created;
}

Result<void> AppServiceController::Report(const AppService& app_service, const Deployment& deployment) {
  if (!IsControlledBy(deployment, app_service)) {
    return Report(app_service,
                  {.reason = kErrResourceExists,
                   .message = fmt::format("Deployment \"{}\" exists already and is not managed by this AppService",
                                          deployment.metadata.name)},
                  /*available=*/0);
  }
  const int32_t available = deployment.status.availableReplicas;
  return Report(app_service,
                {.reason = IsRolledOut(deployment) ? kSynced : kProgressing,
                 .message = fmt::format("{} of {} replicas are available", available, ReplicasOf(app_service))},
                available);
}

Result<void> AppServiceController::Report(const AppService& app_service, metav1::Condition ready, int32_t available) {
  ready.type = "Ready";
  ready.status = ready.reason == kSynced ? kConditionTrue : kConditionFalse;
  ready.observedGeneration = app_service.metadata.generation;
  AppService now = app_service;
  now.status.availableReplicas = available;
  SetStatusCondition(now.status.conditions, ready);
  if (Equal(app_service.status, now.status)) return {};

  // An event is told when the condition has another reason, or speaks of another spec.
  const metav1::Condition* before = FindStatusCondition(app_service.status.conditions, "Ready");
  const bool news =
      before == nullptr || before->reason != ready.reason || before->observedGeneration != ready.observedGeneration;
  if (news && ready.reason == kSynced) {
    events_.Event(app_service, EventType::kNormal, kSynced, "AppService synced successfully");
  } else if (news && ready.reason != kProgressing) {
    events_.Event(app_service, EventType::kWarning, ready.reason.view(), ready.message.view());
  }
  KEELSON_RETURN_IF_ERROR(app_services_.AppServices(app_service.metadata.namespace_.str()).UpdateStatus(now));
  return {};
}

}  // namespace app_service
