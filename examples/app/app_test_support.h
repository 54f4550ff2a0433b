// For the tests of the operator: a cluster for it, the program, and what is there of an App.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "app_controller.h"
#include "keelson/api/core/v1.h"
#include "keelson/api/networking/v1.h"
#include "keelson/client/modify.h"
#include "keelson/controlplane/control_plane.h"
#include "keelson/controlplane/manifests.h"
#include "keelson/controlplane/observations.h"
#include "keelson/controlplane/operator_process.h"
#include "keelson/controlplane/run_seeds.h"

namespace app {

// A cluster with two nodes on which Deployments come up.
inline std::unique_ptr<keelson::ControlPlane> StartCluster() {
  return keelson::ControlPlane::Start(
             {.crds = {APP_CONFIG "/crd"}, .controllers = {"*"}, .nodes = {"node-1", "node-2"}})
      .value();
}

// What main does, without flags.
inline keelson::Result<void> RunOperator(keelson::Client client, const keelson::StopToken& stop) {
  KEELSON_TRY(manager, keelson::Manager::Make(std::move(client)));
  AppReconciler reconciler(manager.client(), manager.RecorderFor("app-controller"));
  KEELSON_RETURN_IF_ERROR(AddAppController(manager, reconciler));
  return manager.Run(stop);
}

// "Ready=True Available: 3 of 3 replicas are available", of the present generation.
inline std::string ReadyOf(const keelson::Client& client, const std::string& name) {
  return keelson::ConditionOf<v1beta1::App>(client, {"default", name});
}

// "Deployment app-sample of app-sample", …: the parts that are there, of whomever.
inline std::vector<std::string> Parts(const keelson::Client& client) {
  std::vector<std::string> parts = keelson::ControllersOf<keelson::appsv1::Deployment>(client, "default");
  const auto add = [&](const std::vector<std::string>& more) { parts.insert(parts.end(), more.begin(), more.end()); };
  add(keelson::ControllersOf<keelson::corev1::Service>(client, "default"));
  add(keelson::ControllersOf<keelson::networkingv1::Ingress>(client, "default"));
  std::erase(parts, "Service kubernetes of nobody");  // the API server's own
  return parts;
}

}  // namespace app
