#include "keelson/controllers/endpoint_slices.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "keelson/api/core/v1.h"
#include "keelson/api/discovery/v1.h"
#include "keelson/api/finalizers.h"
#include "keelson/api/label_selector.h"
#include "keelson/api/status_error.h"
#include "keelson/client/ignore_not_found.h"
#include "keelson/controllers/endpoint_pods.h"
#include "keelson/controllers/endpoint_slices_plan.h"
#include "keelson/controllers/selection.h"
#include "keelson/runtime/builder.h"

namespace keelson::controllers {

namespace {

using corev1::Node;
using corev1::Pod;
using corev1::Service;
using discoveryv1::EndpointSlice;

constexpr std::string_view kZone = "topology.kubernetes.io/zone";
constexpr std::string_view kPodsByNode = "keelson.pods-by-node";

std::string ZoneOf(const metav1::ObjectMeta& node) {
  const String* zone = node.labels.find(kZone);
  return zone == nullptr ? "" : zone->str();
}

class EndpointSlicesReconciler {
 public:
  EndpointSlicesReconciler(Manager& manager, const EndpointSlicesOptions& options)
      : client_(manager.client()),
        events_(manager.RecorderFor("endpoint-slice-controller")),
        max_endpoints_(static_cast<size_t>(std::clamp(options.max_endpoints_per_slice, 1, 1000))) {}

  Result<Outcome> Reconcile(Context& context, const Request& request);

 private:
  struct Placed {
    std::vector<PodInZone> pods = {};
    std::string problem = {};  // with the first pod whose node is not there
  };
  Result<Placed> Place(const Service& service, const std::vector<Pod>& pods) const;
  Result<void> Carry(const Service& service, SlicePlan plan, const std::optional<metav1::Time>& trigger) const;
  void Complain(const Service& service, std::string_view problem) const {
    events_.Eventf(service, EventType::kWarning, "FailedToUpdateEndpointSlices",
                   "Error updating Endpoint Slices for Service {}/{}: {}", service.metadata.namespace_,
                   service.metadata.name, problem);
  }

  const CachedClient& client_;
  const EventRecorder events_;
  const size_t max_endpoints_;
  TriggerTimes times_;
};

Result<Outcome> EndpointSlicesReconciler::Reconcile(Context&, const Request& request) {
  KEELSON_TRY(found, IgnoreNotFound(client_.Get<Service>(request)));
  if (!found) {
    // Its slices name it as their owner: the garbage collector has them.
    times_.Forget(request);
    return Outcome::Done();
  }
  const Service& service = *found;
  if (!SelectsPods(service)) return Outcome::Done();

  KEELSON_TRY(pods, PodsOf(client_, service));
  KEELSON_TRY(slices, client_.List<EndpointSlice>(
                          {.namespace_ = request.namespace_,
                           .labels = labels::FromSet({{std::string(kServiceName), request.name},
                                                      {std::string(kSliceManagedBy), std::string(kSliceManager)}})}));
  std::vector<EndpointSlice> existing;
  for (EndpointSlice& slice : slices.items) {
    if (!IsBeingDeleted(slice)) existing.push_back(std::move(slice));
  }
  std::sort(existing.begin(), existing.end(), [](const EndpointSlice& a, const EndpointSlice& b) {
    return a.metadata.name.view() < b.metadata.name.view();
  });
  KEELSON_TRY(placed, Place(service, pods));
  const Result<void> carried =
      Carry(service, PlanSlices(service, placed.pods, existing, max_endpoints_), times_.Since(service, pods));
  if (!carried) {
    if (IsConflict(carried.error())) return Outcome::Retry();
    Complain(service, carried.error().message());
    return carried.error();
  }
  // The node's coming will be heard of.
  if (!placed.problem.empty()) Complain(service, placed.problem);
  times_.Remember(service, pods);
  return Outcome::Done();
}

Result<EndpointSlicesReconciler::Placed> EndpointSlicesReconciler::Place(const Service& service,
                                                                         const std::vector<Pod>& pods) const {
  Placed placed;
  for (const Pod& pod : pods) {
    if (!BelongsInEndpoints(pod, true)) continue;
    std::optional<Node> node;
    if (!pod.spec.nodeName.empty()) {
      KEELSON_TRY(found, IgnoreNotFound(client_.Get<Node>({"", pod.spec.nodeName.str()})));
      node = std::move(found);
    }
    if (!node && !service.spec.publishNotReadyAddresses) {
      if (placed.problem.empty()) {
        placed.problem = fmt::format("skipping Pod {} for Service {}/{}: Node {} Not Found", pod.metadata.name,
                                     service.metadata.namespace_, service.metadata.name, pod.spec.nodeName);
      }
      continue;
    }
    placed.pods.push_back({.pod = pod, .zone = node ? ZoneOf(node->metadata) : ""});
  }
  return placed;
}

Result<void> EndpointSlicesReconciler::Carry(const Service& service, SlicePlan plan,
                                             const std::optional<metav1::Time>& trigger) const {
  const auto failed = [&service](const Error& error, std::string_view what, const EndpointSlice& slice) {
    return Error(error).WithContext(
        fmt::format("failed to {} EndpointSlice for Service {}/{}",
                    std::string(what) + (slice.metadata.name.empty() ? "" : " " + slice.metadata.name.str()),
                    service.metadata.namespace_, service.metadata.name));
  };
  // The garbage collector may be at the slices of a Service that goes away: none are added behind its back.
  if (!IsBeingDeleted(service)) {
    for (EndpointSlice& slice : plan.create) {
      SetTriggerTime(slice.metadata, trigger);
      const Result<EndpointSlice> created = client_.Create(slice);
      if (created) continue;
      if (HasStatusCause(created.error(), "NamespaceTerminating")) return {};
      return failed(created.error(), "create", slice);
    }
  }
  for (EndpointSlice& slice : plan.update) {
    SetTriggerTime(slice.metadata, trigger);
    const Result<EndpointSlice> updated = client_.Update(slice);
    if (!updated) return failed(updated.error(), "update", slice);
  }
  for (const EndpointSlice& slice : plan.remove) {
    const Result<void> removed = client_.Delete(slice, {.uid = slice.metadata.uid.str()});
    if (!removed && !IsNotFound(removed.error())) return failed(removed.error(), "delete", slice);
  }
  return {};
}

std::vector<Request> ServiceOf(const EndpointSlice& slice) {
  const String* service = slice.metadata.labels.find(kServiceName);
  const String* manager = slice.metadata.labels.find(kSliceManagedBy);
  if (service == nullptr || manager == nullptr || *manager != kSliceManager) return {};
  return {Request{slice.metadata.namespace_.str(), service->str()}};
}

// The Services that select a pod on the node.
Result<Enqueuer<Request>> EnqueueServicesOnNode(InformerFactory& cache) {
  std::vector<Lister<Pod>> pods;
  for (const Informer<Pod>& informer : cache.AllOf<Pod>()) {
    const Result<void> added = informer.AddIndex(
        std::string(kPodsByNode), [](const Pod& pod) { return std::vector<std::string>{pod.spec.nodeName.str()}; });
    if (!added && !IsAlreadyExists(added.error())) return added.error();
    pods.push_back(informer.lister());
  }
  std::vector<Lister<Service>> services;
  for (const Informer<Service>& informer : cache.AllOf<Service>()) services.push_back(informer.lister());
  return EnqueueMapped<Node>([pods = std::move(pods), services = std::move(services)](const Node& node) {
    std::vector<Request> selecting;
    for (const Lister<Pod>& lister : pods) {
      const Result<Objects<Pod>> here = lister.ByIndex(kPodsByNode, node.metadata.name.view());
      if (!here) continue;
      for (const Pod& pod : *here) {
        for (const Lister<Service>& all : services) {
          const Objects<Service> in_namespace = all.In(pod.metadata.namespace_.str()).List();
          for (const Service& service : in_namespace) {
            if (Selects(service, pod.metadata)) selecting.push_back(KeyOf(service));
          }
        }
      }
    }
    return selecting;
  });
}

}  // namespace

Result<void> AddEndpointSlicesController(Manager& manager, EndpointSlicesOptions options) {
  ControllerOptions controller = manager.options().controllers;
  controller.workers = options.workers;
  KEELSON_TRY(on_node, EnqueueServicesOnNode(manager.cache()));
  KEELSON_RETURN_IF_ERROR(
      ControllerFor<Service>(manager)
          .Watches<Pod>(EnqueueServicesOf(manager.cache()), {.predicate = EndpointChanged()})
          .Watches<EndpointSlice>(EnqueueMapped<EndpointSlice>(ServiceOf))
          .Watches<Node>(std::move(on_node),
                         {.predicate = Predicate::OnUpdate<Node>([](const Node& old, const Node& node) {
                            return ZoneOf(old.metadata) != ZoneOf(node.metadata);
                          })})
          .WithOptions(controller)
          .Named(std::string(kEndpointSlices))
          .Complete([reconciler = std::make_shared<EndpointSlicesReconciler>(manager, options)](
                        Context& context, const Request& request) { return reconciler->Reconcile(context, request); }));
  return {};
}

}  // namespace keelson::controllers
