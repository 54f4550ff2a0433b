// Subresources: status, scale, eviction, binding, log, exec, attach, portforward.
#include "keelson/client/subresources.h"

#include "feature.h"
#include "keelson/api/policy/v1.h"
#include "keelson/api/status_error.h"
#include "keelson/client/logs.h"
#include "keelson/client/port_forward.h"
#include "keelson/client/remote_command.h"

namespace keelson::e2e {
namespace {

Result<void> StatusIsWrittenByItself(const Cluster& cluster) {
  KEELSON_TRY(pod, cluster.client.Create(SamplePod("status")));
  pod.status.message = "written by a test";
  pod.spec.containers[0].image = "example.invalid/app:2";
  KEELSON_TRY(updated, cluster.client.Status().Update(pod));
  REQUIRE(updated.status.message == "written by a test", updated.status.message);
  REQUIRE(updated.spec.containers[0].image == "example.invalid/app:1", updated.spec.containers[0].image);
  KEELSON_TRY(patched, cluster.client.Status().Patch<corev1::Pod>(
                           cluster.Key("status"), Patch::Raw(PatchType::kMerge, R"({"status": {"reason": "E2e"}})")));
  REQUIRE(patched.status.reason == "E2e" && patched.status.message == "written by a test", patched.status.reason);
  // An update of the object leaves the status alone.
  patched.status.message = "ignored";
  KEELSON_TRY(ignored, cluster.client.Update(patched));
  REQUIRE(ignored.status.message == "written by a test", ignored.status.message);
  return cluster.client.Delete(ignored);
}

Result<void> DeploymentsScale(const Cluster& cluster) {
  KEELSON_RETURN_IF_ERROR(cluster.client.Create(SampleDeployment("scale", 0)));
  const ObjectKey key = cluster.Key("scale");
  KEELSON_TRY(scale, GetScale<appsv1::Deployment>(cluster.client, key));
  REQUIRE(scale.spec.replicas == 0, scale.spec.replicas);
  REQUIRE(scale.status.selector == "app=scale", scale.status.selector);
  scale.spec.replicas = 2;
  scale.metadata.resourceVersion.clear();  // its controller writes to it as well
  KEELSON_TRY(scaled, UpdateScale<appsv1::Deployment>(cluster.client, key, scale));
  REQUIRE(scaled.spec.replicas == 2, scaled.spec.replicas);
  KEELSON_TRY(read, cluster.client.Get<appsv1::Deployment>(key));
  REQUIRE(*read.spec.replicas == 2, *read.spec.replicas);
  scale.metadata.resourceVersion = "1";
  const Error error = FailureOf(UpdateScale<appsv1::Deployment>(cluster.client, key, scale));
  REQUIRE(IsConflict(error), error.message());
  return cluster.client.Delete(read);
}

Result<void> EvictionKeepsDisruptionBudgets(const Cluster& cluster) {
  KEELSON_TRY(pod, cluster.client.Create(SamplePod("evicted")));
  pod.status.phase = "Running";
  pod.status.conditions = {{.type = "Ready", .status = "True"}};
  KEELSON_RETURN_IF_ERROR(cluster.client.Status().Update(pod));
  KEELSON_TRY(budget,
              cluster.client.Create(policyv1::PodDisruptionBudget{
                  .metadata = {.name = "all"},
                  .spec = {.minAvailable = IntOrString(1), .selector = {{.matchLabels = {{"app", "evicted"}}}}}}));
  KEELSON_RETURN_IF_ERROR(Eventually("the budget's status", cluster.scope, [&]() -> Result<bool> {
    KEELSON_TRY(seen, cluster.client.Get<policyv1::PodDisruptionBudget>(cluster.Key("all")));
    return seen.status.observedGeneration == 1 && seen.status.currentHealthy == 1;
  }));
  const Error error = FailureOf(Evict(cluster.client, cluster.Key("evicted")));
  REQUIRE(IsTooManyRequests(error), error.message());
  REQUIRE(HasStatusCause(error, "DisruptionBudget"), error.message());

  KEELSON_RETURN_IF_ERROR(cluster.client.Delete(budget));
  KEELSON_RETURN_IF_ERROR(Evict(cluster.client, cluster.Key("evicted")));
  const Error gone = FailureOf(cluster.client.Get<corev1::Pod>(cluster.Key("evicted")));
  REQUIRE(IsNotFound(gone), gone.message());
  return {};
}

Result<void> PodsAreBoundToNodes(const Cluster& cluster) {
  KEELSON_RETURN_IF_ERROR(cluster.client.Create(SamplePod("bound")));
  KEELSON_RETURN_IF_ERROR(BindPod(cluster.client, cluster.Key("bound"), "no-such-node"));
  KEELSON_TRY(bound, cluster.client.Get<corev1::Pod>(cluster.Key("bound")));
  REQUIRE(bound.spec.nodeName == "no-such-node", bound.spec.nodeName);
  const Error twice = FailureOf(BindPod(cluster.client, cluster.Key("bound"), "another-node"));
  REQUIRE(IsConflict(twice), twice.message());
  // No kubelet will ever confirm that it has stopped.
  return cluster.client.Delete(bound, {.grace_period = 0s});
}

Result<void> LogsEndWhereNothingRuns(const Cluster& cluster) {
  KEELSON_RETURN_IF_ERROR(cluster.client.Create(SamplePod("silent")));
  const ObjectKey silent = cluster.Key("silent");
  KEELSON_TRY(log, OpenLog(cluster.client, silent, {.follow = true, .tail_lines = 10}));
  KEELSON_TRY(line, log.NextLine());
  REQUIRE(!line, *line);
  const Error container = FailureOf(OpenLog(cluster.client, silent, {.container = "absent"}));
  REQUIRE(StatusOf(container) != nullptr && StatusOf(container)->code == 400, container.message());
  REQUIRE(container.message().find("container absent is not valid") != std::string::npos, container.message());
  const Error absent = FailureOf(OpenLog(cluster.client, cluster.Key("absent")));
  REQUIRE(IsNotFound(absent), absent.message());

  KEELSON_RETURN_IF_ERROR(BindPod(cluster.client, silent, "no-such-node"));
  const Error node = FailureOf(OpenLog(cluster.client, silent));
  REQUIRE(StatusOf(node) != nullptr && node.message().find("no-such-node") != std::string::npos, node.message());
  return cluster.client.Delete<corev1::Pod>(silent, {.grace_period = 0s});
}

Result<void> CommandsNeedAPodThatRuns(const Cluster& cluster) {
  KEELSON_RETURN_IF_ERROR(cluster.client.Create(SamplePod("idle")));
  const ObjectKey idle = cluster.Key("idle");
  KEELSON_TRY(dialer, WebSocketDialer::Create(cluster.config));
  for (const Error& error : {FailureOf(Exec(*dialer, idle, {.command = {"true"}}, cluster.scope)),
                             FailureOf(Attach(*dialer, idle, {}, cluster.scope)),
                             FailureOf(DialPodPort(*dialer, idle, 80, cluster.scope))}) {
    REQUIRE(StatusOf(error) != nullptr && StatusOf(error)->code == 400, error.message());
    REQUIRE(error.message().find("does not have a host assigned") != std::string::npos, error.message());
  }
  const Error absent = FailureOf(Exec(*dialer, cluster.Key("absent"), {.command = {"true"}}, cluster.scope));
  REQUIRE(IsNotFound(absent), absent.message());
  return {};
}

Result<void> AnySubresourceByName(const Cluster& cluster) {
  KEELSON_RETURN_IF_ERROR(cluster.client.Create(SamplePod("named")));
  KEELSON_TRY(status, (cluster.client.GetSubresource<corev1::Pod, corev1::Pod>(cluster.Key("named"), "status")));
  REQUIRE(status.metadata.name == "named" && status.status.phase == "Pending", status.status.phase);
  const Error error =
      FailureOf(cluster.client.GetSubresource<corev1::Pod, corev1::Pod>(cluster.Key("named"), "nonsense"));
  REQUIRE(IsNotFound(error), error.message());
  return {};
}

}  // namespace

Area SubresourceFeatures() {
  return {"subresources",
          {
              {"status is written by itself", StatusIsWrittenByItself},
              {"Deployments scale", DeploymentsScale},
              {"eviction keeps disruption budgets", EvictionKeepsDisruptionBudgets},
              {"pods are bound to nodes", PodsAreBoundToNodes},
              {"logs of pods that do not run: empty, or the server's reason", LogsEndWhereNothingRuns},
              {"exec, attach and port-forward: the server's reason", CommandsNeedAPodThatRuns},
              {"any subresource by its name", AnySubresourceByName},
          }};
}

}  // namespace keelson::e2e
