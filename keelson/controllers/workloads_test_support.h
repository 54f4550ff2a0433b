// For tests of ReplicaSets and Deployments: both controllers on the embedded server, and pods that become ready.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "keelson/api/apps/v1.h"
#include "keelson/api/core/v1.h"
#include "keelson/api/finalizers.h"
#include "keelson/client/ignore_not_found.h"
#include "keelson/controllers/controller_process_test_support.h"
#include "keelson/controllers/deployment.h"
#include "keelson/controllers/pod_state.h"
#include "keelson/controllers/replica_set.h"
#include "keelson/runtime/builder.h"

namespace keelson::controllers {

// Pods of image "broken" never become ready; others a second after their creation. Deleted ones are gone when their
// node, if they have one, has heard of it.
inline Result<Outcome> RunPod(const ObjectClient& client, const Request& request) {
  KEELSON_TRY(found, IgnoreNotFound(client.Get<corev1::Pod>(request)));
  if (!found) return Outcome::Done();
  corev1::Pod pod = *std::move(found);
  if (IsBeingDeleted(pod)) {
    KEELSON_RETURN_IF_ERROR(IgnoreNotFound(client.Delete(pod, {.grace_period = std::chrono::seconds(0)})));
    return Outcome::Done();
  }
  if (IsReady(pod) || pod.spec.containers[0].image == "broken") return Outcome::Done();
  const Duration left = pod.metadata.creationTimestamp.ToTimePoint() + std::chrono::seconds(1) - Clock::WallNow();
  if (left > Duration::zero()) return Outcome::After(left);
  pod.status.phase = "Running";
  pod.status.conditions = {{.type = "Ready", .status = "True", .lastTransitionTime = metav1::Time(Clock::WallNow())}};
  Result<corev1::Pod> updated = client.Status().Update(pod);
  if (!updated && !IsNotFound(updated.error())) return std::move(updated).error();
  return Outcome::Done();
}

inline ControllerProcess RunPods(const Client& client) {
  return ControllerProcess(client, [](Manager& manager) -> Result<void> {
    KEELSON_RETURN_IF_ERROR(ControllerFor<corev1::Pod>(manager).Named("pods").Complete(
        [&manager](Context&, const Request& request) { return RunPod(manager.client(), request); }));
    return {};
  });
}
inline ControllerProcess RunWorkloads(const Client& client, uint64_t seed = 1, const Faults& faults = {}) {
  const auto add = [](Manager& manager) -> Result<void> {
    KEELSON_RETURN_IF_ERROR(AddReplicaSetController(manager));
    return AddDeploymentController(manager);
  };
  return ControllerProcess(client, add, seed, faults);
}

inline corev1::PodTemplateSpec TemplateOf(const std::string& app, const std::string& image) {
  return {.metadata = {.labels = {{"app", app}}},
          .spec = {.containers = {{.name = "main", .image = image}}, .terminationGracePeriodSeconds = 5}};
}
inline appsv1::ReplicaSet ReplicaSetOf(const std::string& name, int32_t replicas) {
  return {.metadata = {.name = name, .namespace_ = "default"},
          .spec = {.replicas = replicas,
                   .selector = metav1::LabelSelector{.matchLabels = {{"app", name}}},
                   .template_ = TemplateOf(name, "v1")}};
}
inline appsv1::Deployment DeploymentOf(const std::string& name, int32_t replicas) {
  return {.metadata = {.name = name, .namespace_ = "default"},
          .spec = {.replicas = replicas,
                   .selector = metav1::LabelSelector{.matchLabels = {{"app", name}}},
                   .template_ = TemplateOf(name, "v1")}};
}

// Pods whose app it is, being deleted or not.
inline std::vector<corev1::Pod> PodsOf(const Client& client, const std::string& app) {
  const ObjectList<corev1::Pod> list =
      client.List<corev1::Pod>({.namespace_ = "default", .labels = *labels::Parse("app=" + app)}).value();
  return {list.begin(), list.end()};
}
inline std::vector<appsv1::ReplicaSet> SetsOf(const Client& client, const std::string& app) {
  const ObjectList<appsv1::ReplicaSet> list =
      client.List<appsv1::ReplicaSet>({.namespace_ = "default", .labels = *labels::Parse("app=" + app)}).value();
  return {list.begin(), list.end()};
}
// "reason: message" of an object's events, in the order of their making; names of pods and hashes are starred.
inline std::vector<std::string> EventsOf(const Client& client, const std::string& name) {
  const ObjectList<corev1::Event> list = client.List<corev1::Event>({.namespace_ = "default"}).value();
  std::vector<corev1::Event> events(list.begin(), list.end());
  std::sort(events.begin(), events.end(), [](const corev1::Event& a, const corev1::Event& b) {
    return std::stoll(a.metadata.resourceVersion.str()) < std::stoll(b.metadata.resourceVersion.str());
  });
  std::vector<std::string> texts;
  for (const corev1::Event& event : events) {
    if (event.involvedObject.name == name) {
      texts.push_back(fmt::format("{}: {}", event.reason, event.message));
    }
  }
  return texts;
}

}  // namespace keelson::controllers
