#include "ingress_controller.h"

#include <memory>
#include <utility>

#include "keelson/api/compare.h"
#include "keelson/api/finalizers.h"
#include "keelson/api/owner_references.h"
#include "keelson/api/status_error.h"
#include "keelson/cache/wait_for_cache_sync.h"
#include "keelson/client/ignore_not_found.h"
#include "keelson/client/owned.h"
#include "keelson/runtime/run_workers.h"

// +kubebuilder:rbac:groups="",resources=services,verbs=get;list;watch
// +kubebuilder:rbac:groups="",resources=services/finalizers,verbs=update
// +kubebuilder:rbac:groups=networking.k8s.io,resources=ingresses,verbs=list;watch;create;update;delete
// +kubebuilder:rbac:groups="",resources=events,verbs=create;patch

namespace ingress_manager {

using namespace keelson;
using corev1::Service;
using networkingv1::Ingress;

namespace {

bool WantsIngress(const Service& service) {
  const String* value = service.metadata.annotations.find(kAnnotation);
  return value != nullptr && *value == "true" && !IsBeingDeleted(service);
}

// Puts the key of every object that comes, changes or goes into the queue. A resync is no change.
template <class T>
Handlers<T> EnqueueTo(RateLimitingQueue<ObjectKey>& queue) {
  return {.on_add = [&queue](const T& added, bool) { queue.Add(KeyOf(added)); },
          .on_update =
              [&queue](const T& before, const T& now) {
                if (before.metadata.resourceVersion != now.metadata.resourceVersion) queue.Add(KeyOf(now));
              },
          .on_delete = [&queue](const T& gone, bool /*final_state_unknown*/) { queue.Add(KeyOf(gone)); }};
}

}  // namespace

IngressController::IngressController(const Client& client, InformerFactory& informers, EventRecorder events,
                                     IngressOptions options)
    : options_(std::move(options)),
      log_{std::string(kControllerName)},
      client_(client),
      events_(std::move(events)),
      services_(informers.For<Service>().lister()),
      ingresses_(informers.For<Ingress>().lister()),
      service_handler_(informers.For<Service>().AddHandler(EnqueueTo<Service>(queue_))),
      ingress_handler_(informers.For<Ingress>().AddHandler(EnqueueTo<Ingress>(queue_))) {}

Result<void> IngressController::Run(const StopToken& stop, int workers) {
  const Result<void> synced = WaitForCacheSync(stop, service_handler_, ingress_handler_);
  if (stop.StopRequested()) return {};
  KEELSON_RETURN_IF_ERROR(synced);
  log_.Info("Started workers", "count", workers);
  RunWorkers(queue_, stop, {.name = std::string(kControllerName), .workers = workers},
             [this](const ObjectKey& key) { return Sync(key); });
  log_.Info("Workers have ended");
  return {};
}

Result<void> IngressController::Sync(const ObjectKey& key) {
  const CachedPtr<Service> service = services_.Get(key).value_or(nullptr);
  if (service == nullptr) return {};  // the garbage collector deletes its Ingress
  const CachedPtr<Ingress> ingress = ingresses_.Get(key).value_or(nullptr);
  const bool ours = ingress != nullptr && IsControlledBy(*ingress, *service);

  if (!WantsIngress(*service)) return ours ? Delete(*service, *ingress) : Result<void>();
  if (service->spec.ports.empty()) {
    events_.Event(*service, EventType::kWarning, kNoPorts, "There is no port that an Ingress could lead to");
    return ours ? Delete(*service, *ingress) : Result<void>();
  }
  if (ingress == nullptr) return Create(*service);
  if (ours) return Update(*service, *ingress);
  events_.Eventf(*service, EventType::kWarning, kIngressExists,
                 "Ingress \"{}\" exists already and is not managed by this Service", key.name);
  return {};
}

void IngressController::Shape(const Service& service, Ingress& ingress) const {
  const networkingv1::IngressBackend backend{
      .service = {{.name = service.metadata.name, .port = {.number = service.spec.ports[0].port}}}};
  ingress.spec.rules = {
      {.host = fmt::format("{}.{}.{}", service.metadata.name, service.metadata.namespace_, options_.domain),
       .http = {{.paths = {{.path = "/", .pathType = "Prefix", .backend = backend}}}}}};
  if (!options_.ingress_class.empty()) ingress.spec.ingressClassName = options_.ingress_class;
}

Result<void> IngressController::Create(const Service& service) {
  Ingress wanted{.metadata = {.name = service.metadata.name, .namespace_ = service.metadata.namespace_}};
  Shape(service, wanted);
  const Result<Ingress> created = CreateOwned(client_, service, wanted);
  // The Ingress is there, or the Service is gone, and the cache has not seen it yet. When it does, the key comes again.
  if (!created && (IsAlreadyExists(created.error()) || IsOwnerGone(created.error()))) return {};
  if (!created) return Failed(service, created.error());
  log_.Info("Created Ingress", "ingress", KeyOf(wanted).ToString());
  events_.Eventf(service, EventType::kNormal, kIngressCreated, "Created Ingress {}", wanted.metadata.name);
  return {};
}

Result<void> IngressController::Update(const Service& service, const Ingress& ingress) {
  Ingress wanted = ingress;
  Shape(service, wanted);
  if (Equal(ingress, wanted)) return {};
  const Result<Ingress> updated = client_.Update(wanted);
  if (!updated) return Failed(service, updated.error());
  log_.Info("Updated Ingress", "ingress", KeyOf(wanted).ToString());
  events_.Eventf(service, EventType::kNormal, kIngressUpdated, "Updated Ingress {}", wanted.metadata.name);
  return {};
}

Error IngressController::Failed(const Service& service, const Error& error) const {
  if (IsInvalid(error) || IsForbidden(error)) {  // only somebody else can mend that
    events_.Event(service, EventType::kWarning, kIngressRefused, error.message());
  }
  return error;
}

Result<void> IngressController::Delete(const Service& service, const Ingress& ingress) {
  if (IsBeingDeleted(ingress)) return {};
  KEELSON_RETURN_IF_ERROR(IgnoreNotFound(client_.Delete(ingress, {.uid = ingress.metadata.uid.str()})));
  log_.Info("Deleted Ingress", "ingress", KeyOf(ingress).ToString());
  events_.Eventf(service, EventType::kNormal, kIngressDeleted, "Deleted Ingress {}", ingress.metadata.name);
  return {};
}

}  // namespace ingress_manager
