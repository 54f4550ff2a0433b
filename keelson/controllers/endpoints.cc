#include "keelson/controllers/endpoints.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "keelson/api/compare.h"
#include "keelson/api/core/v1.h"
#include "keelson/api/status_error.h"
#include "keelson/client/ignore_not_found.h"
#include "keelson/controllers/endpoint_pods.h"
#include "keelson/controllers/endpoints_subsets.h"
#include "keelson/controllers/selection.h"
#include "keelson/runtime/builder.h"

namespace keelson::controllers {

namespace {

using corev1::Endpoints;
using corev1::Pod;
using corev1::Service;

constexpr std::string_view kManagedBy = "endpoints.kubernetes.io/managed-by";
constexpr std::string_view kManager = "endpoint-controller";
constexpr std::string_view kOverCapacity = "endpoints.kubernetes.io/over-capacity";

Map<String> LabelsFor(const Service& service) {
  Map<String> labels = service.metadata.labels;
  if (HasClusterIp(service)) {
    labels.erase(kHeadless);
  } else {
    labels.Set(String(kHeadless), "");
  }
  labels.Set(String(kManagedBy), String(kManager));
  return labels;
}

bool IsManaged(const Endpoints& endpoints) {
  const String* manager = endpoints.metadata.labels.find(kManagedBy);
  return manager != nullptr && *manager == kManager;
}

class EndpointsReconciler {
 public:
  explicit EndpointsReconciler(Manager& manager) : client_(manager.client()), events_(manager.RecorderFor(kManager)) {}

  Result<Outcome> Reconcile(Context& context, const Request& request);

 private:
  Result<void> Remove(const Request& request);
  Result<void> Write(const Service& service, const Endpoints& wanted);

  const CachedClient& client_;
  const EventRecorder events_;
  TriggerTimes times_;
};

Result<Outcome> EndpointsReconciler::Reconcile(Context&, const Request& request) {
  KEELSON_TRY(found, IgnoreNotFound(client_.Get<Service>(request)));
  if (!found) {
    KEELSON_RETURN_IF_ERROR(Remove(request));
    return Outcome::Done();
  }
  const Service& service = *found;
  if (!SelectsPods(service)) {
    // What somebody writes for it goes with it all the same.
    times_.Remember(service, {});
    return Outcome::Done();
  }
  KEELSON_TRY(pods, PodsOf(client_, service));
  List<corev1::EndpointSubset> subsets = SubsetsOf(service, pods);
  const bool truncated = Truncate(subsets);

  KEELSON_TRY(current, IgnoreNotFound(client_.Get<Endpoints>(request)));
  const Map<String> labels = LabelsFor(service);
  if (current && SameSubsets(current->subsets, subsets) && current->metadata.labels == labels &&
      current->metadata.annotations.contains(kOverCapacity) == truncated) {
    times_.Remember(service, pods);
    return Outcome::Done();
  }
  Endpoints wanted;
  if (current) {
    wanted = *current;
  } else {
    wanted.metadata.name = service.metadata.name;
    wanted.metadata.namespace_ = service.metadata.namespace_;
  }
  wanted.subsets = std::move(subsets);
  wanted.metadata.labels = labels;
  SetTriggerTime(wanted.metadata, times_.Since(service, pods));
  if (truncated) {
    wanted.metadata.annotations.Set(String(kOverCapacity), "truncated");
  } else {
    wanted.metadata.annotations.erase(kOverCapacity);
  }
  const Result<void> written = Write(service, wanted);
  if (!written) {
    if (IsConflict(written.error()) || IsAlreadyExists(written.error())) return Outcome::Retry();
    return written.error();
  }
  times_.Remember(service, pods);
  return Outcome::Done();
}

Result<void> EndpointsReconciler::Remove(const Request& request) {
  KEELSON_TRY(left, IgnoreNotFound(client_.Get<Endpoints>(request)));
  // Of a Service that was there, or that this controller, in an earlier life, has made it for.
  if (left && (times_.Knows(request) || IsManaged(*left))) {
    const Result<void> deleted = client_.Delete(*left, {.uid = left->metadata.uid.str()});
    if (!deleted && !IsNotFound(deleted.error()) && !IsConflict(deleted.error())) return deleted;
  }
  times_.Forget(request);
  return {};
}

Result<void> EndpointsReconciler::Write(const Service& service, const Endpoints& wanted) {
  const bool create = wanted.metadata.resourceVersion.empty();
  const Result<Endpoints> written = create ? client_.Create(wanted) : client_.Update(wanted);
  if (written) return {};
  const Error& error = written.error();
  if (create && HasStatusCause(error, "NamespaceTerminating")) return {};
  if (IsConflict(error) || IsAlreadyExists(error)) return error;
  const metav1::ObjectMeta& metadata = service.metadata;
  if (create) {
    events_.Eventf(wanted, EventType::kWarning, "FailedToCreateEndpoint",
                   "Failed to create endpoint for service {}/{}: {}", metadata.namespace_, metadata.name,
                   error.message());
  } else {
    events_.Eventf(wanted, EventType::kWarning, "FailedToUpdateEndpoint", "Failed to update endpoint {}/{}: {}",
                   metadata.namespace_, metadata.name, error.message());
  }
  return error;
}

}  // namespace

Result<void> AddEndpointsController(Manager& manager, EndpointsOptions options) {
  ControllerOptions controller = manager.options().controllers;
  controller.workers = options.workers;
  KEELSON_RETURN_IF_ERROR(
      ControllerFor<Service>(manager)
          .Watches<Pod>(EnqueueServicesOf(manager.cache()), {.predicate = EndpointChanged()})
          .Watches<Endpoints>(EnqueueSelf())
          .WithOptions(controller)
          .Named(std::string(kEndpoints))
          .Complete([reconciler = std::make_shared<EndpointsReconciler>(manager)](
                        Context& context, const Request& request) { return reconciler->Reconcile(context, request); }));
  return {};
}

}  // namespace keelson::controllers
