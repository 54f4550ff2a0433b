// For the tests of the operator: a cluster for it, the program, and what is there of a Count.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "count_controller.h"
#include "keelson/api/core/v1.h"
#include "keelson/api/owner_references.h"
#include "keelson/client/modify.h"
#include "keelson/controlplane/control_plane.h"
#include "keelson/controlplane/observations.h"
#include "keelson/controlplane/operator_process.h"
#include "keelson/controlplane/run_seeds.h"
#include "keelson/runtime/manager.h"

namespace count {

// A cluster with a node on which Pods run, and which knows Counts if it should.
inline std::unique_ptr<keelson::ControlPlane> StartCluster(bool knows_counts = true) {
  keelson::ControlPlaneOptions options{.controllers = {"*"}, .nodes = {"node-1"}};
  if (knows_counts) options.crds = {COUNT_CONFIG "/crd"};
  return keelson::ControlPlane::Start(std::move(options)).value();
}

// What main does, without flags.
inline keelson::Result<void> RunOperator(keelson::Client client, const keelson::StopToken& stop) {
  KEELSON_TRY(manager, keelson::Manager::Make(std::move(client)));
  CountController controller(manager.cache(), manager.live(), manager.RecorderFor("count-controller"));
  KEELSON_RETURN_IF_ERROR(
      manager.Add("count controller", [&](const keelson::RunScope& scope) { return controller.Run(2, scope); }));
  return manager.Run(stop);
}

// "Ready=True Synced: Count synced successfully", of the present generation.
inline std::string ReadyOf(const keelson::Client& client, const std::string& name) {
  const keelson::ObjectKey key = {"default", name};
  const std::string ready = keelson::ConditionOf<v1::Count>(client, key);
  if (ready.starts_with("Ready=")) {
    EXPECT_EQ(client.Get<v1::Count>(key)->status.healthy, ready.starts_with("Ready=True"));
  }
  return ready;
}

// "nginx-0 runs nginx for test-count": the Pods that are there, of whomever.
inline std::vector<std::string> Pods(const keelson::Client& client) {
  std::vector<std::string> pods;
  const auto list = client.List<keelson::corev1::Pod>({.namespace_ = "default"}).value();
  for (const keelson::corev1::Pod& pod : list) {
    const keelson::metav1::OwnerReference* owner = keelson::GetControllerOf(pod);
    pods.push_back(fmt::format("{} runs {} for {}", pod.metadata.name, pod.spec.containers[0].image,
                               owner != nullptr ? owner->name.str() : "nobody"));
  }
  return pods;
}

}  // namespace count
