#include "app_controller.h"

#include <chrono>
#include <string>
#include <utility>

#include "keelson/api/compare.h"
#include "keelson/api/conditions.h"
#include "keelson/api/core/v1.h"
#include "keelson/api/finalizers.h"
#include "keelson/api/networking/v1.h"
#include "keelson/api/owner_references.h"
#include "keelson/client/ignore_not_found.h"
#include "keelson/client/owned.h"

// +kubebuilder:rbac:groups=ingress.example.com,resources=apps,verbs=get;list;watch
// +kubebuilder:rbac:groups=ingress.example.com,resources=apps/status;apps/finalizers,verbs=update
// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get;list;watch;create;update;delete
// +kubebuilder:rbac:groups="",resources=services,verbs=get;list;watch;create;update;delete
// +kubebuilder:rbac:groups=networking.k8s.io,resources=ingresses,verbs=get;list;watch;create;update;delete
// +kubebuilder:rbac:groups="",resources=events,verbs=create;patch
// +kubebuilder:rbac:groups=coordination.k8s.io,resources=leases,verbs=get;create;update

namespace app {

using namespace keelson;
using namespace std::chrono_literals;
using v1beta1::App;

namespace {

constexpr int32_t kPort = 80;  // that the image listens on, the Service has, and the Ingress leads to
constexpr std::string_view kDomain = "example.com";

// Of an error that trying again does not mend: the reason for which the App is not ready. Empty for those that may
// pass.
std::string_view RefusalOf(const Error& error) {
  if (IsNotOwned(error)) return kResourceExists;
  return IsInvalid(error) ? kRejected : std::string_view();
}

metav1::Condition NotReady(std::string_view reason, std::string message) {
  return {.status = kConditionFalse, .reason = reason, .message = message};
}

Map<String> SelectorOf(const App& app) { return {{String(kAppLabel), app.metadata.name}}; }

// These write what the App decides. All else stays as the server or others have it: defaults, replicas of a status,
// a second container, annotations.
void Fill(const App& app, appsv1::Deployment& deployment) {
  appsv1::DeploymentSpec& spec = deployment.spec;
  spec.replicas = app.spec.replicas;
  spec.selector = {{.matchLabels = SelectorOf(app)}};
  spec.template_.metadata.labels.Set(kAppLabel, app.metadata.name);
  List<corev1::Container>& containers = spec.template_.spec.containers;
  if (containers.empty()) containers.push_back({.name = "app"});
  containers[0].image = app.spec.image;
}

void Fill(const App& app, corev1::Service& service) {
  service.spec.type = "ClusterIP";
  service.spec.selector = SelectorOf(app);
  service.spec.ports = {{.name = "http", .protocol = "TCP", .port = kPort, .targetPort = kPort}};
}

void Fill(const App& app, networkingv1::Ingress& ingress) {
  const networkingv1::IngressBackend service = {.service = {{.name = app.metadata.name, .port = {.number = kPort}}}};
  ingress.spec.rules = {{.host = fmt::format("{}.{}", app.metadata.name, kDomain),
                         .http = {{.paths = {{.path = "/", .pathType = "Prefix", .backend = service}}}}}};
}

}  // namespace

AppReconciler::AppReconciler(const ObjectClient& client, EventRecorder events)
    : client_(client), events_(std::move(events)) {}

Result<Outcome> AppReconciler::Reconcile(Context& context, const Request& request) {
  KEELSON_TRY(found, IgnoreNotFound(client_.Get<App>(request)));
  if (!found || IsBeingDeleted(*found)) return Outcome::Done();  // the garbage collector takes the parts
  App app = *found;
  const Result<metav1::Condition> ready = Sync(app);
  if (ready) {
    KEELSON_RETURN_IF_ERROR(Report(app, found->status, *ready));
    return Outcome::Done();
  }
  if (IsOwnerGone(ready.error())) return Outcome::Done();  // the cache will hear of it
  const std::string_view reason = RefusalOf(ready.error());
  if (reason.empty()) return ready.error();  // it may pass: again, later and later
  context.log().V(1).Info("Cannot be as its spec says", "reason", reason, "why", ready.error().message());
  KEELSON_RETURN_IF_ERROR(Report(app, found->status, NotReady(reason, ready.error().message())));
  return Outcome::After(1min);  // what is in the way may go, and nobody tells
}

Result<metav1::Condition> AppReconciler::Sync(App& app) const {
  KEELSON_TRY(deployment, Ensure<appsv1::Deployment>(app));
  app.status.readyReplicas = deployment.status.readyReplicas;
  // An Ingress leads to a Service: it comes after it, goes before it, and is not there without it.
  const bool reachable = app.spec.enable_ingress && app.spec.enable_service;
  if (!reachable) KEELSON_RETURN_IF_ERROR(Remove<networkingv1::Ingress>(app));
  if (app.spec.enable_service) {
    KEELSON_RETURN_IF_ERROR(Ensure<corev1::Service>(app));
  } else {
    KEELSON_RETURN_IF_ERROR(Remove<corev1::Service>(app));
  }
  if (reachable) KEELSON_RETURN_IF_ERROR(Ensure<networkingv1::Ingress>(app));
  if (app.spec.enable_ingress && !reachable) {
    return NotReady(kServiceRequired, "enable_ingress needs enable_service: an Ingress leads to a Service");
  }
  return ReadyOf(deployment);
}

template <class Part>
Result<Part> AppReconciler::Ensure(const App& app) const {
  const Part named{.metadata = {.name = app.metadata.name, .namespace_ = app.metadata.namespace_}};
  // Not for an App that only the cache still has, and never what others made.
  KEELSON_TRY(made, CreateOrUpdateOwned(client_, app, named, [&](Part& part) {
                part.metadata.labels.Set(kAppLabel, app.metadata.name);
                Fill(app, part);
              }));
  const std::string& kind = GvkOf<Part>().kind;
  if (made.change == Change::kCreated) {
    events_.Eventf(app, EventType::kNormal, "Created", "Created {} {}", kind, app.metadata.name);
  } else if (made.change == Change::kUpdated) {
    events_.Eventf(app, EventType::kNormal, "Updated", "Updated {} {}", kind, app.metadata.name);
  }
  return made.object;
}

template <class Part>
Result<void> AppReconciler::Remove(const App& app) const {
  KEELSON_TRY(part, IgnoreNotFound(client_.Get<Part>(KeyOf(app))));
  if (!part || !IsControlledBy(*part, app) || IsBeingDeleted(*part)) return {};
  KEELSON_RETURN_IF_ERROR(IgnoreNotFound(client_.Delete(*part, {.uid = part->metadata.uid.str()})));
  events_.Eventf(app, EventType::kNormal, "Deleted", "Deleted {} {}", GvkOf<Part>().kind, app.metadata.name);
  return {};
}

Result<void> AppReconciler::Report(App app, const v1beta1::AppStatus& before, metav1::Condition ready) const {
  ready.type = "Ready";
  ready.observedGeneration = app.metadata.generation;
  SetStatusCondition(app.status.conditions, ready);
  if (Equal(before, app.status)) return {};  // nothing new: nothing is written
  const metav1::Condition* last = FindStatusCondition(before.conditions, "Ready");
  const bool news = last == nullptr || last->reason != ready.reason || last->message != ready.message;
  if (news && ready.reason != kProgressing) {
    const EventType type = ready.status == kConditionTrue ? EventType::kNormal : EventType::kWarning;
    events_.Event(app, type, ready.reason.view(), ready.message.view());
  }
  KEELSON_TRY(reported, client_.Status().Update(app));
  return {};
}

metav1::Condition ReadyOf(const appsv1::Deployment& deployment) {
  const appsv1::DeploymentStatus& status = deployment.status;
  const int32_t wanted = deployment.spec.replicas.value_or(1);
  const bool updated = status.updatedReplicas >= wanted;
  const std::string count =
      fmt::format("{} of {} replicas are {}", updated ? status.availableReplicas : status.updatedReplicas, wanted,
                  updated ? "available" : "updated");
  if (status.observedGeneration < deployment.metadata.generation) {
    return NotReady(kProgressing, "the Deployment's change is not rolled out yet");
  }
  for (const appsv1::DeploymentCondition& condition : status.conditions) {
    if (condition.type == "Progressing" && condition.status == kConditionFalse) {
      return NotReady(kRolloutStuck, fmt::format("{}: {}", count, condition.message));
    }
  }
  // Where there are more replicas than wanted, some are still of the template before.
  if (!updated || status.availableReplicas < wanted || status.replicas > wanted) return NotReady(kProgressing, count);
  return {.status = kConditionTrue, .reason = kAvailable, .message = count};
}

Result<void> AddAppController(Manager& manager, AppReconciler& reconciler) {
  KEELSON_RETURN_IF_ERROR(ControllerFor<App>(manager)
                              .Owns<appsv1::Deployment>()
                              .Owns<corev1::Service>()
                              .Owns<networkingv1::Ingress>()
                              .Complete(reconciler));
  return {};
}

}  // namespace app
