// For the tests of the operator: the samples, the operator as one process, and what is there of an App.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "app_controller.h"
#include "keelson/api/conditions.h"
#include "keelson/api/core/v1.h"
#include "keelson/api/networking/v1.h"
#include "keelson/api/owner_references.h"
#include "keelson/client/retry_on_conflict.h"
#include "keelson/codec/yaml_reader.h"
#include "keelson/controlplane/control_plane.h"
#include "keelson/core/clock.h"
#include "keelson/core/thread.h"

namespace app {

// An object as a file of config/samples has it, and the file's first line.
struct Sample {
  keelson::Unstructured object;
  std::string first_line;
};
inline Sample ReadSample(const std::string& name) {
  std::ifstream file(APP_CONFIG "/samples/" + name);
  std::stringstream text;
  text << file.rdbuf();
  Sample sample{.object = keelson::FromYaml<keelson::Unstructured>(text.str()).value(), .first_line = {}};
  std::getline(text, sample.first_line);
  sample.object.SetNamespace("default");
  return sample;
}

// A cluster with two nodes on which Deployments come up.
inline std::unique_ptr<keelson::ControlPlane> StartCluster() {
  return keelson::ControlPlane::Start(
             {.crds = {APP_CONFIG "/crd"}, .controllers = {"*"}, .nodes = {"node-1", "node-2"}})
      .value();
}

// The program, until the end of its scope.
class Operator {
 public:
  explicit Operator(keelson::Client client)
      : manager_(keelson::Manager::Make(std::move(client)).value()),
        reconciler_(manager_.client(), manager_.live(), manager_.RecorderFor("app-controller")) {
    AddAppController(manager_, reconciler_).value();
    thread_ = keelson::Thread("operator", [this](const keelson::StopToken& stop) {
      const keelson::Result<void> end = manager_.Run(stop);
      EXPECT_TRUE(end) << end.error().message();
    });
  }

 private:
  keelson::Manager manager_;
  AppReconciler reconciler_;
  keelson::Thread thread_;  // declared last: ends first
};

// A minute of virtual time, in which everything comes to rest.
inline void Settle() { (void)keelson::SleepFor(std::chrono::minutes(1), {}); }

// Changes the object as a user would.
template <class T>
void Change(const keelson::Client& client, const std::string& name, const std::function<void(T&)>& change) {
  const keelson::Result<T> changed = keelson::RetryOnConflict([&]() -> keelson::Result<T> {
    KEELSON_TRY(object, client.Get<T>({"default", name}));
    change(object);
    return client.Update(object);
  });
  EXPECT_TRUE(changed) << changed.error().message();
}

// "Ready=True Available: 3 of 3 replicas are available", of the present generation.
inline std::string ReadyOf(const keelson::Client& client, const std::string& name) {
  const v1beta1::App app = client.Get<v1beta1::App>({"default", name}).value();
  const keelson::metav1::Condition* ready = keelson::FindStatusCondition(app.status.conditions, "Ready");
  if (ready == nullptr) return "nothing is said";
  if (ready->observedGeneration != app.metadata.generation) return "it speaks of an older generation";
  return fmt::format("Ready={} {}: {}", ready->status, ready->reason, ready->message);
}

// "Deployment app-sample of app-sample", …: the parts that are there, of whomever.
template <class T>
void AddParts(const keelson::Client& client, std::vector<std::string>& parts) {
  const keelson::ObjectList<T> list = client.List<T>({.namespace_ = "default"}).value();
  for (const T& part : list) {
    if (part.metadata.name == "kubernetes") continue;  // the API server's own Service
    const keelson::metav1::OwnerReference* owner = keelson::GetControllerOf(part);
    parts.push_back(fmt::format("{} {} of {}", keelson::GvkOf<T>().kind, part.metadata.name,
                                owner != nullptr ? owner->name.str() : "nobody"));
  }
}
inline std::vector<std::string> Parts(const keelson::Client& client) {
  std::vector<std::string> parts;
  AddParts<keelson::appsv1::Deployment>(client, parts);
  AddParts<keelson::corev1::Service>(client, parts);
  AddParts<keelson::networkingv1::Ingress>(client, parts);
  return parts;
}

// "Warning ServiceRequired": the events of an App, each once.
inline std::vector<std::string> EventsOf(const keelson::Client& client, const std::string& name) {
  std::vector<std::string> events;
  const keelson::ObjectList<keelson::corev1::Event> list =
      client.List<keelson::corev1::Event>({.namespace_ = "default"}).value();
  for (const keelson::corev1::Event& event : list) {
    if (event.involvedObject.kind != "App" || event.involvedObject.name != name) continue;
    events.push_back(fmt::format("{} {}", event.type, event.reason));
  }
  return events;
}

}  // namespace app
