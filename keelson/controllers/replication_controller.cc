#include "keelson/controllers/replication_controller.h"

#include "keelson/controllers/replica_reconciler.h"
#include "keelson/controllers/selection.h"

namespace keelson::controllers {

namespace {

// What kube-controller-manager's calls itself in events.
constexpr std::string_view kEventSource = "replication-controller";

// Conditions of one kind as those of the other.
template <class To, class From>
List<To> ConditionsAs(const List<From>& conditions) {
  List<To> converted;
  for (const From& one : conditions) {
    converted.push_back({.type = one.type,
                         .status = one.status,
                         .lastTransitionTime = one.lastTransitionTime,
                         .reason = one.reason,
                         .message = one.message});
  }
  return converted;
}

}  // namespace

appsv1::ReplicaSet AsReplicaSet(const corev1::ReplicationController& controller) {
  const corev1::ReplicationControllerSpec& spec = controller.spec;
  const corev1::ReplicationControllerStatus& status = controller.status;
  return {.metadata = controller.metadata,
          .spec = {.replicas = spec.replicas,
                   .minReadySeconds = spec.minReadySeconds,
                   .selector = metav1::LabelSelector{.matchLabels = spec.selector},
                   .template_ = spec.template_.value_or(corev1::PodTemplateSpec())},
          .status = {.replicas = status.replicas,
                     .fullyLabeledReplicas = status.fullyLabeledReplicas,
                     .readyReplicas = status.readyReplicas,
                     .availableReplicas = status.availableReplicas,
                     .observedGeneration = status.observedGeneration,
                     .conditions = ConditionsAs<appsv1::ReplicaSetCondition>(status.conditions)}};
}

void SetStatus(const appsv1::ReplicaSetStatus& status, corev1::ReplicationController& controller) {
  controller.status = {.replicas = status.replicas,
                       .fullyLabeledReplicas = status.fullyLabeledReplicas,
                       .readyReplicas = status.readyReplicas,
                       .availableReplicas = status.availableReplicas,
                       .observedGeneration = status.observedGeneration,
                       .conditions = ConditionsAs<corev1::ReplicationControllerCondition>(status.conditions)};
}

Result<void> AddReplicationControllerController(Manager& manager, ReplicaSetOptions options) {
  return AddReplicaController<corev1::ReplicationController>(manager, options, kReplicationController, kEventSource);
}

}  // namespace keelson::controllers
