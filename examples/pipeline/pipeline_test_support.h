// For the tests of the operator: a cluster for it, the program, and what is there of Pipelines.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "keelson/client/modify.h"
#include "keelson/controlplane/control_plane.h"
#include "keelson/controlplane/observations.h"
#include "keelson/controlplane/operator_process.h"
#include "keelson/controlplane/run_seeds.h"
#include "pipeline_controller.h"
#include "pipeline_parts.h"

namespace pipeline {

// A cluster with the nodes of the sample, on which Deployments come up and claims are bound.
inline std::unique_ptr<keelson::ControlPlane> StartCluster() {
  return keelson::ControlPlane::Start(
             {.crds = {PIPELINE_CONFIG "/crd"}, .controllers = {"*"}, .nodes = {"node-1", "node-2"}})
      .value();
}

// What main does, without flags.
inline keelson::Result<void> RunOperator(keelson::Client client, const keelson::StopToken& stop) {
  KEELSON_TRY(manager, keelson::Manager::Make(std::move(client)));
  PipelineReconciler reconciler(manager.client(), manager.RecorderFor("pipeline-controller"));
  KEELSON_RETURN_IF_ERROR(AddPipelineController(manager, reconciler));
  return manager.Run(stop);
}

inline keelson::ObjectKey Part(const std::string& name) { return {std::string(kNamespace), name}; }
inline keelson::ObjectKey OfCluster(const std::string& name) { return {"", name}; }

// "Running, Ready=True Running: 2 of 2 steps run", of the present generation.
inline std::string StateOf(const keelson::Client& client, const std::string& name) {
  const std::string ready = keelson::ConditionOf<v1beta1::Pipeline>(client, OfCluster(name));
  const keelson::Result<v1beta1::Pipeline> found = client.Get<v1beta1::Pipeline>(OfCluster(name));
  if (!found || !found->status.phase) return ready;
  const char* phases[] = {"Creating", "Running", "Degraded", "Failed", "Deleting"};
  return fmt::format("{}, {}", phases[static_cast<int>(*found->status.phase)], ready);
}

// "Deployment facedetection-1 of facedetection", …: the parts that are there, of whomever.
inline std::vector<std::string> Parts(const keelson::Client& client) {
  const std::string namespace_(kNamespace);
  std::vector<std::string> parts = keelson::ControllersOf<keelson::corev1::PersistentVolume>(client);
  const auto add = [&](const std::vector<std::string>& more) { parts.insert(parts.end(), more.begin(), more.end()); };
  add(keelson::ControllersOf<keelson::corev1::PersistentVolumeClaim>(client, namespace_));
  add(keelson::ControllersOf<keelson::appsv1::Deployment>(client, namespace_));
  add(keelson::ControllersOf<keelson::corev1::Service>(client, namespace_));
  return parts;
}

}  // namespace pipeline
