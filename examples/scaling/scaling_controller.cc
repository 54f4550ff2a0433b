#include "scaling_controller.h"

#include <fmt/format.h>

#include <chrono>
#include <tuple>
#include <utility>
#include <vector>

#include "keelson/api/compare.h"
#include "keelson/api/conditions.h"
#include "keelson/client/ignore_not_found.h"
#include "keelson/client/retry_on_conflict.h"
#include "keelson/client/subresources.h"
#include "keelson/core/periodic.h"

// +kubebuilder:rbac:groups=control.example.com,resources=scalings,verbs=get;list;watch
// +kubebuilder:rbac:groups=control.example.com,resources=scalings/status,verbs=update
// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get;list;watch
// +kubebuilder:rbac:groups=apps,resources=deployments/scale,verbs=get;update
// +kubebuilder:rbac:groups="",resources=events,verbs=create;patch
// +kubebuilder:rbac:groups=coordination.k8s.io,resources=leases,verbs=get;create;update

namespace scaling {

using namespace keelson;
using namespace std::chrono_literals;
using appsv1::Deployment;
using v1::Scaling;

namespace {

constexpr Duration kRetryMetric = 10s;

std::optional<Duration> SinceLastStep(const v1::ScalingStatus& status) {
  if (!status.lastScaleTime) return std::nullopt;
  return Clock::WallNow() - status.lastScaleTime->ToTimePoint();
}

// Where the metric lies: "cpu is at 85%, above 80%".
std::string Describe(const v1::ScalingSpec& spec, int32_t metric, const Decision& decision) {
  std::string text = fmt::format("{} is at {}%, ", ToString(spec.metricType), metric);
  if (metric > spec.scaleUp) {
    text += fmt::format("above {}%", spec.scaleUp);
  } else if (metric < spec.scaleDown) {
    text += fmt::format("below {}%", spec.scaleDown);
  } else {
    text += fmt::format("between {}% and {}%", spec.scaleDown, spec.scaleUp);
  }
  if (decision.reason == kAtMaximum) text += ", and more replicas are not allowed";
  if (decision.reason == kAtMinimum) text += ", and fewer replicas are not allowed";
  return text;
}

void SetReady(Scaling& scaling, std::string_view status, std::string_view reason, const std::string& message) {
  SetStatusCondition(scaling.status.conditions, {.type = "Ready",
                                                 .status = status,
                                                 .observedGeneration = scaling.metadata.generation,
                                                 .reason = reason,
                                                 .message = message});
}

}  // namespace

ScalingReconciler::ScalingReconciler(const ObjectClient& client, EventRecorder events, const MetricsSource& metrics)
    : client_(client), events_(std::move(events)), metrics_(metrics) {}

Result<Outcome> ScalingReconciler::Reconcile(Context& context, const Request& request) {
  KEELSON_TRY(found, IgnoreNotFound(client_.Get<Scaling>(request)));
  if (!found) return Outcome::Done();
  Scaling scaling = *std::move(found);
  const v1::ScalingSpec& spec = scaling.spec;

  KEELSON_TRY(rival, RivalOf(scaling));
  if (rival) {
    KEELSON_RETURN_IF_ERROR(
        Fail(scaling, "TargetTaken", fmt::format("Scaling {} scales {} already", *rival, spec.targetDeployment)));
    return Outcome::Done();
  }
  KEELSON_TRY(target, IgnoreNotFound(client_.Get<Deployment>({request.namespace_, spec.targetDeployment})));
  if (!target) {
    KEELSON_RETURN_IF_ERROR(
        Fail(scaling, "TargetNotFound", fmt::format("there is no Deployment {}", spec.targetDeployment)));
    return Outcome::Done();
  }

  const int32_t replicas = target->spec.replicas.value_or(1);
  const Result<int32_t> metric = metrics_.Read(*target, spec.metricType);
  const Decision decision = Decide(spec, {.replicas = replicas,
                                          .metric = metric ? std::optional(*metric) : std::nullopt,
                                          .since_last_step = SinceLastStep(scaling.status)});
  if (decision.reason == kOutOfBounds) {
    KEELSON_TRY(scaled, Scale(*target, replicas, decision.replicas));
    if (scaled) {
      events_.Eventf(scaling, EventType::kNormal, "Bounded",
                     "Scaled {} from {} to {} replicas, because {} to {} are allowed", spec.targetDeployment, replicas,
                     decision.replicas, spec.minReplicas, spec.maxReplicas);
    }
    return Outcome::Done();  // the change of the target leads here again
  }
  if (!metric) {
    KEELSON_RETURN_IF_ERROR(Fail(scaling, kMetricUnavailable,
                                 fmt::format("cannot read {} of {}: {}", ToString(spec.metricType),
                                             spec.targetDeployment, metric.error().message())));
    return Outcome::After(kRetryMetric);
  }

  // A step is written down before it is made. Who is killed in between makes it a stabilisation time later; the other
  // way round the next process would make a second one at once.
  const v1::ScalingStatus before = scaling.status;
  const bool step = decision.replicas != replicas;
  const std::string where = Describe(spec, *metric, decision);
  scaling.status.replicas = decision.replicas;
  scaling.status.currentMetric = *metric;
  if (step) scaling.status.lastScaleTime = metav1::Time(Clock::WallNow());
  SetReady(scaling, kConditionTrue, decision.reason, where);
  KEELSON_RETURN_IF_ERROR(Report(before, scaling));
  if (step) {
    KEELSON_TRY(scaled, Scale(*target, replicas, decision.replicas));
    if (!scaled) return Outcome::Done();  // what somebody else did to the target leads here again
    context.log().Info("Scaled", "deployment", spec.targetDeployment, "from", replicas, "to", decision.replicas);
    events_.Eventf(scaling, EventType::kNormal, decision.replicas > replicas ? "ScaledUp" : "ScaledDown",
                   "Scaled {} from {} to {} replicas, because {}", spec.targetDeployment, replicas, decision.replicas,
                   where);
  }
  return decision.wait > Duration::zero() ? Outcome::After(decision.wait) : Outcome::Done();
}

Result<std::optional<std::string>> ScalingReconciler::RivalOf(const Scaling& scaling) const {
  const auto age = [](const Scaling& one) {
    return std::tuple(one.metadata.creationTimestamp, one.metadata.name.view());
  };
  KEELSON_TRY(all, client_.List<Scaling>({.namespace_ = scaling.metadata.namespace_.str()}));
  const Scaling* oldest = &scaling;
  for (const Scaling& other : all) {
    if (other.spec.targetDeployment == scaling.spec.targetDeployment && age(other) < age(*oldest)) oldest = &other;
  }
  if (oldest == &scaling) return std::optional<std::string>();
  return std::optional(oldest->metadata.name.str());
}

Result<bool> ScalingReconciler::Scale(const Deployment& target, int32_t from, int32_t to) const {
  const ObjectKey key = KeyOf(target);
  return RetryOnConflict([&]() -> Result<bool> {
    KEELSON_TRY(scale, GetScale<Deployment>(client_, key));
    if (scale.spec.replicas != from) return false;
    scale.spec.replicas = to;
    KEELSON_TRY(scaled, UpdateScale<Deployment>(client_, key, scale));
    return true;
  });
}

Result<void> ScalingReconciler::Fail(Scaling scaling, std::string_view reason, const std::string& message) const {
  const v1::ScalingStatus before = scaling.status;
  scaling.status.currentMetric.reset();
  SetReady(scaling, kConditionFalse, reason, message);
  if (Equal(before, scaling.status)) return {};
  events_.Event(scaling, EventType::kWarning, reason, message);
  return Report(before, scaling);
}

Result<void> ScalingReconciler::Report(const v1::ScalingStatus& before, const Scaling& scaling) const {
  if (Equal(before, scaling.status)) return {};
  KEELSON_TRY(updated, client_.Status().Update(scaling));
  return {};
}

Result<void> AddScalingController(Manager& manager, ScalingReconciler& reconciler) {
  std::vector<Lister<Scaling>> listers;  // several where the manager is limited to namespaces
  for (const Informer<Scaling>& informer : manager.cache().AllOf<Scaling>()) listers.push_back(informer.lister());

  const auto scalings_of = [listers](std::string_view namespace_, std::string_view deployment) {
    std::vector<Request> requests;
    for (const Lister<Scaling>& lister : listers) {
      for (const Scaling& scaling : lister.In(std::string(namespace_)).List()) {
        if (scaling.spec.targetDeployment == deployment) requests.push_back(KeyOf(scaling));
      }
    }
    return requests;
  };
  // Not our own writes to the status: what is measured may differ each time, and would be read again at once.
  const Predicate asked = GenerationChanged() || Predicate([](const ObjectEvent& event) { return event.resync(); });
  KEELSON_RETURN_IF_ERROR(
      ControllerFor<Scaling>(manager, {.predicate = asked})
          // Who gives a target up lets another have it.
          .Watches<Scaling>(EnqueueMapped<Scaling>([scalings_of](const Scaling& scaling) {
                              return scalings_of(scaling.metadata.namespace_.view(), scaling.spec.targetDeployment);
                            }),
                            {.predicate = GenerationChanged()})
          .Watches<Deployment>(EnqueueMapped<Deployment>([scalings_of](const Deployment& deployment) {
                                 return scalings_of(deployment.metadata.namespace_.view(),
                                                    deployment.metadata.name.view());
                               }),
                               {.predicate = GenerationChanged()})
          .Complete(reconciler));

  return manager.Add("lister printer", [listers](const RunScope& scope) -> Result<void> {
    const Logger log("scaling");
    Until(scope.stop, 5s, [&] {
      for (const Lister<Scaling>& lister : listers) {
        for (const Scaling& scaling : lister.List()) {
          log.V(2).Info("Listed", "scaling", KeyOf(scaling).ToString(), "target", scaling.spec.targetDeployment, "min",
                        scaling.spec.minReplicas, "max", scaling.spec.maxReplicas, "metricType",
                        ToString(scaling.spec.metricType), "step", scaling.spec.step, "scaleUp", scaling.spec.scaleUp,
                        "scaleDown", scaling.spec.scaleDown, "replicas", scaling.status.replicas, "currentMetric",
                        scaling.status.currentMetric);
        }
      }
    });
    return {};
  });
}

}  // namespace scaling
