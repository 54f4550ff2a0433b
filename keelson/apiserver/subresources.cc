#include "keelson/apiserver/subresources.h"

#include <fmt/format.h>

#include "keelson/api/core/v1.h"
#include "keelson/api/label_selector_struct.h"
#include "keelson/api/policy/v1.h"
#include "keelson/api/status_error.h"
#include "keelson/apiserver/answers.h"
#include "keelson/apiserver/kinds/field_errors.h"
#include "keelson/apiserver/object_codec.h"
#include "keelson/apiserver/options.h"
#include "keelson/apiserver/reads.h"
#include "keelson/apiserver/scale.h"
#include "keelson/apiserver/writes.h"
#include "keelson/core/clock.h"

namespace keelson::apiserver {

namespace {

template <class T>
const T& As(const AnyValue& value) {
  return *static_cast<const T*>(value.data());
}
template <class T>
T& As(AnyValue& value) {
  return *static_cast<T*>(value.data());
}

Reply Created() {
  metav1::Status status;
  status.status = "Success";
  status.code = 201;
  return Reply::Holding(std::move(status), 201);
}

// ---- binding ----

void SetScheduled(corev1::Pod& pod) {
  corev1::PodCondition condition;
  condition.type = "PodScheduled";
  condition.status = "True";
  condition.lastTransitionTime = metav1::Time(Clock::WallNow());
  for (size_t i = 0; i < pod.status.conditions.size(); ++i) {
    if (std::as_const(pod).status.conditions[i].type != "PodScheduled") continue;
    if (std::as_const(pod).status.conditions[i].status != "True") pod.status.conditions[i] = condition;
    return;
  }
  pod.status.conditions.push_back(condition);
}

Result<Reply> Bind(Exchange& exchange, Objects& objects, const corev1::Binding& binding, std::string_view name,
                   bool dry_run) {
  FieldErrors errors;
  const Path target("target");
  const Path kind = target / "kind";
  const Path target_name = target / "name";
  if (!binding.target.kind.empty() && binding.target.kind != "Node") {
    errors.NotSupportedAsListed(kind, Json(binding.target.kind), {"Node", "<empty>"});
  }
  if (binding.target.name.empty()) errors.Required(target_name, "");
  if (!errors.empty()) return apierrors::Invalid({"", "Binding"}, binding.metadata.name, errors.causes());

  const ResourcePtr pods_resource = objects.resources().Find("", "v1", "pods");
  const Resource& pods = *pods_resource;
  const GroupResource shown = {"", "pods/binding"};
  KEELSON_RETURN_IF_ERROR(objects.Rewrite(
      pods, exchange.info.namespace_, name,
      [&](AnyValue& object) -> Result<void> {
        auto& pod = As<corev1::Pod>(object);
        if (!binding.metadata.uid.empty() && binding.metadata.uid != pod.metadata.uid) {
          return apierrors::Conflict(shown, name,
                                     fmt::format("Precondition failed: UID in precondition: {}, UID in object meta: {}",
                                                 binding.metadata.uid.view(), pod.metadata.uid.view()));
        }
        if (pod.metadata.deletionTimestamp) {
          return apierrors::Conflict(shown, name,
                                     fmt::format("pod {} is being deleted, cannot be assigned to a host", name));
        }
        if (!pod.spec.nodeName.empty()) {
          return apierrors::Conflict(
              shown, name, fmt::format("pod {} is already assigned to node \"{}\"", name, pod.spec.nodeName.view()));
        }
        if (!pod.spec.schedulingGates.empty()) {
          return apierrors::Conflict(shown, name, fmt::format("pod {} has non-empty .spec.schedulingGates", name));
        }
        pod.spec.nodeName = binding.target.name;
        for (const auto& [key, value] : binding.metadata.annotations) pod.metadata.annotations.Set(key, value);
        for (const auto& [key, value] : binding.metadata.labels) {
          if (key.view().starts_with("topology.kubernetes.io/")) pod.metadata.labels.Set(key, value);
        }
        SetScheduled(pod);
        return {};
      },
      dry_run));
  return Created();
}

// ---- eviction ----

Error BudgetRefuses(std::string_view message, int32_t retry_after) {
  metav1::Status status = ToStatus(
      apierrors::TooManyRequests("Cannot evict pod as it would violate the pod's disruption budget.", retry_after));
  metav1::StatusCause cause;
  cause.reason = "DisruptionBudget";
  cause.message = message;
  if (!status.details) status.details = metav1::StatusDetails();
  status.details->causes.push_back(std::move(cause));
  return ErrorFromStatus(std::move(status));
}

bool IsReady(const corev1::Pod& pod) {
  for (const corev1::PodCondition& condition : pod.status.conditions) {
    if (condition.type == "Ready") return condition.status == "True";
  }
  return false;
}

// Takes one disruption from the budget, or says why there is none.
Result<void> SpendDisruption(Objects& objects, const policyv1::PodDisruptionBudget& budget, std::string_view pod,
                             bool dry_run) {
  const ResourcePtr budgets_resource = objects.resources().Find("policy", "v1", "poddisruptionbudgets");
  const Resource& budgets = *budgets_resource;
  return objects.Rewrite(
      budgets, budget.metadata.namespace_, budget.metadata.name,
      [&](AnyValue& object) -> Result<void> {
        auto& current = As<policyv1::PodDisruptionBudget>(object);
        if (current.status.observedGeneration < current.metadata.generation) {
          return BudgetRefuses(fmt::format("The disruption budget {} is still being processed by the server.",
                                           current.metadata.name.view()),
                               10);
        }
        if (current.status.disruptionsAllowed < 0) {
          return apierrors::Forbidden({"policy", "poddisruptionbudget"}, current.metadata.name,
                                      "pdb disruptions allowed is negative");
        }
        if (current.status.disruptionsAllowed == 0) {
          return BudgetRefuses(
              fmt::format("The disruption budget {} needs {} healthy pods and has {} currently",
                          current.metadata.name.view(), current.status.desiredHealthy, current.status.currentHealthy),
              0);
        }
        --current.status.disruptionsAllowed;
        current.status.disruptedPods.Set(String(pod), metav1::Time(Clock::WallNow()));
        return {};
      },
      dry_run);
}

DeleteOptions DeletionOf(const policyv1::Eviction& eviction) {
  DeleteOptions options;
  if (!eviction.deleteOptions) return options;
  const metav1::DeleteOptions& asked = *eviction.deleteOptions;
  if (asked.gracePeriodSeconds) options.grace_seconds = *asked.gracePeriodSeconds;
  if (asked.propagationPolicy) options.propagation = asked.propagationPolicy->str();
  if (asked.preconditions && asked.preconditions->uid) options.uid = asked.preconditions->uid->str();
  if (asked.preconditions && asked.preconditions->resourceVersion) {
    options.resource_version = asked.preconditions->resourceVersion->str();
  }
  options.dry_run = !asked.dryRun.empty();
  return options;
}

Result<Reply> Evict(Exchange& exchange, Objects& objects) {
  KEELSON_TRY(write, ReadWriteOptions(exchange.query, WriteVerb::kCreate));
  KEELSON_TRY(body, ReadBody(exchange, TypeOf<policyv1::Eviction>(), write.field_validation));
  const auto& eviction = As<policyv1::Eviction>(body);
  if (!eviction.metadata.name.empty() && eviction.metadata.name != exchange.info.name) {
    return apierrors::BadRequest("name in URL does not match name in Eviction object");
  }
  KEELSON_TRY(stored, objects.Get(*exchange.resource, exchange.info.namespace_, exchange.info.name));
  const AnyValue object = DecodeServed(*exchange.resource, *stored);
  const auto& pod = As<corev1::Pod>(object);
  DeleteOptions options = DeletionOf(eviction);
  options.dry_run = options.dry_run || write.dry_run;

  // What does not serve anybody is not protected.
  const bool idle = pod.status.phase == "Succeeded" || pod.status.phase == "Failed" || pod.status.phase == "Pending" ||
                    pod.metadata.deletionTimestamp;
  if (!idle) {
    std::vector<policyv1::PodDisruptionBudget> matching;
    for (auto& budget : objects.FindAll<policyv1::PodDisruptionBudget>(exchange.info.namespace_)) {
      Result<labels::Selector> selector = labels::FromStruct(budget.spec.selector);
      if (selector && selector->Matches(pod.metadata.labels)) matching.push_back(std::move(budget));
    }
    if (matching.size() > 1) {
      return apierrors::Internal(
          "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.");
    }
    if (!matching.empty()) {
      const policyv1::PodDisruptionBudget& budget = matching.front();
      const bool always =
          budget.spec.unhealthyPodEvictionPolicy && *budget.spec.unhealthyPodEvictionPolicy == "AlwaysAllow";
      const bool enough =
          budget.status.currentHealthy >= budget.status.desiredHealthy && budget.status.desiredHealthy > 0;
      if (IsReady(pod) || (!always && !enough)) {
        KEELSON_RETURN_IF_ERROR(SpendDisruption(objects, budget, pod.metadata.name, options.dry_run));
      }
    }
  }
  KEELSON_RETURN_IF_ERROR(
      objects.DeleteOne(exchange, *exchange.resource, exchange.info.namespace_, exchange.info.name, options));
  return Created();
}

// ---- log ----

// There is nobody who ran the containers, so their logs are empty; the request is checked all the same.
void ServeLog(Exchange& exchange, Objects& objects) {
  Result<ObjectPtr> stored = objects.Get(*exchange.resource, exchange.info.namespace_, exchange.info.name);
  if (!stored) return SendError(exchange, stored.error());
  const AnyValue object = DecodeServed(*exchange.resource, **stored);
  const auto& pod = As<corev1::Pod>(object);
  const std::string container = exchange.query.Text("container");
  std::string names;
  bool known = container.empty();
  for (const corev1::Container& one : pod.spec.containers) {
    names.append(names.empty() ? "" : " ").append(one.name.view());
    known = known || one.name == container;
  }
  for (const corev1::Container& one : pod.spec.initContainers) known = known || one.name == container;
  for (const corev1::EphemeralContainer& one : pod.spec.ephemeralContainers) known = known || one.name == container;
  if (!known) {
    return SendError(exchange, apierrors::BadRequest(fmt::format("container {} is not valid for pod {}", container,
                                                                 pod.metadata.name.view())));
  }
  if (container.empty() && pod.spec.containers.size() > 1) {
    return SendError(exchange, apierrors::BadRequest(
                                   fmt::format("a container name must be specified for pod {}, choose one of: [{}]",
                                               pod.metadata.name.view(), names)));
  }
  if (pod.spec.nodeName.empty()) {
    exchange.response->Start(204, {{"Cache-Control", "no-cache, private"}});
    return exchange.response->Finish();
  }
  SendText(exchange, 200, "text/plain", "");
}

// exec, attach, port-forward and proxy reach a node, and there is none behind this server.
Error NoNode(Exchange& exchange, Objects& objects) {
  Result<ObjectPtr> stored = objects.Get(*exchange.resource, exchange.info.namespace_, exchange.info.name);
  if (!stored) return stored.error();
  const AnyValue object = DecodeServed(*exchange.resource, **stored);
  if (&object.type() == &TypeOf<corev1::Pod>() && As<corev1::Pod>(object).spec.nodeName.empty()) {
    return apierrors::BadRequest(fmt::format("pod {} does not have a host assigned", exchange.info.name));
  }
  return apierrors::ServiceUnavailable(
      fmt::format("{} needs a kubelet, and this server has no nodes that run anything", exchange.info.subresource));
}

Result<Reply> ReplyOf(Exchange& exchange, Objects& objects, const ServiceAccountTokens& tokens) {
  const std::string& name = exchange.info.subresource;
  const std::string& verb = exchange.info.verb;
  if (name == "scale") return ServeScale(exchange, objects);
  if (name == "eviction") return Evict(exchange, objects);
  if (name == "binding") {
    KEELSON_TRY(options, ReadWriteOptions(exchange.query, WriteVerb::kCreate));
    KEELSON_TRY(body, ReadBody(exchange, TypeOf<corev1::Binding>(), options.field_validation));
    const auto& binding = As<corev1::Binding>(body);
    if (!binding.metadata.name.empty() && binding.metadata.name != exchange.info.name) {
      return apierrors::BadRequest("name in URL does not match name in Binding object");
    }
    return Bind(exchange, objects, binding, exchange.info.name, options.dry_run);
  }
  if (name == "exec" || name == "attach" || name == "portforward" || name == "proxy") return NoNode(exchange, objects);
  if (name == "token") return tokens.Create(exchange);
  if (verb == "get") return GetObject(exchange, objects);
  if (verb == "update") return UpdateObject(exchange, objects);
  return PatchObject(exchange, objects);
}

}  // namespace

Result<Reply> CreateBinding(Exchange& exchange, Objects& objects) {
  KEELSON_TRY(options, ReadWriteOptions(exchange.query, WriteVerb::kCreate));
  KEELSON_TRY(body, ReadBody(exchange, TypeOf<corev1::Binding>(), options.field_validation));
  const auto& binding = As<corev1::Binding>(body);
  const std::string name = binding.metadata.name.str();
  return Bind(exchange, objects, binding, name, options.dry_run);
}

void ServeSubresource(Exchange& exchange, Objects& objects, const ServiceAccountTokens& tokens) {
  if (exchange.info.subresource == "log") return ServeLog(exchange, objects);
  const bool plain = exchange.info.subresource == "scale" || exchange.info.verb == "create";
  Result<Representation> representation =
      Negotiate(exchange.request.headers, plain ? Answer::kPlain : Answer::kObject, exchange.query.IsTrue("pretty"),
                exchange.resource->custom != nullptr);
  if (!representation) return SendError(exchange, representation.error());
  Result<Reply> reply = ReplyOf(exchange, objects, tokens);
  if (!reply) return SendError(exchange, reply.error());
  SendReply(exchange, *reply, *representation);
}

}  // namespace keelson::apiserver
