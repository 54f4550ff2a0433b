// For the tests of the operator: the samples, the operator as one process, and what is there of Pipelines.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "keelson/api/conditions.h"
#include "keelson/api/owner_references.h"
#include "keelson/client/retry_on_conflict.h"
#include "keelson/codec/yaml_reader.h"
#include "keelson/controlplane/control_plane.h"
#include "keelson/core/clock.h"
#include "keelson/core/thread.h"
#include "pipeline_controller.h"
#include "pipeline_parts.h"

namespace pipeline {

// An object as a file of config/samples has it, and the file's first line.
struct Sample {
  keelson::Unstructured object;
  std::string first_line;
};
inline Sample ReadSample(const std::string& name) {
  std::ifstream file(PIPELINE_CONFIG "/samples/" + name);
  std::stringstream text;
  text << file.rdbuf();
  Sample sample{.object = keelson::FromYaml<keelson::Unstructured>(text.str()).value(), .first_line = {}};
  std::getline(text, sample.first_line);
  return sample;
}

// A cluster with the nodes of the sample, on which Deployments come up and claims are bound.
inline std::unique_ptr<keelson::ControlPlane> StartCluster() {
  return keelson::ControlPlane::Start(
             {.crds = {PIPELINE_CONFIG "/crd"}, .controllers = {"*"}, .nodes = {"node-1", "node-2"}})
      .value();
}

// The program, until the end of its scope.
class Operator {
 public:
  explicit Operator(keelson::Client client)
      : manager_(keelson::Manager::Make(std::move(client)).value()),
        reconciler_(manager_.client(), manager_.RecorderFor("pipeline-controller")) {
    AddPipelineController(manager_, reconciler_).value();
    thread_ = keelson::Thread("operator", [this](const keelson::StopToken& stop) {
      const keelson::Result<void> end = manager_.Run(stop);
      EXPECT_TRUE(end) << end.error().message();
    });
  }

 private:
  keelson::Manager manager_;
  PipelineReconciler reconciler_;
  keelson::Thread thread_;  // declared last: ends first
};

// A minute of virtual time, in which everything comes to rest.
inline void Settle() { (void)keelson::SleepFor(std::chrono::minutes(1), {}); }

inline keelson::ObjectKey Part(const std::string& name) { return {std::string(kNamespace), name}; }
inline keelson::ObjectKey OfCluster(const std::string& name) { return {"", name}; }

// Changes the object as a user would.
template <class T>
void Change(const keelson::Client& client, const keelson::ObjectKey& key, const std::function<void(T&)>& change) {
  const keelson::Result<T> changed = keelson::RetryOnConflict([&]() -> keelson::Result<T> {
    KEELSON_TRY(object, client.Get<T>(key));
    change(object);
    return client.Update(object);
  });
  EXPECT_TRUE(changed) << key.ToString() << ": " << changed.error().message();
}

// "Running, Ready=True Running: 2 of 2 steps run", of the present generation.
inline std::string StateOf(const keelson::Client& client, const std::string& name) {
  const v1beta1::Pipeline found = client.Get<v1beta1::Pipeline>(OfCluster(name)).value();
  const keelson::metav1::Condition* ready = keelson::FindStatusCondition(found.status.conditions, "Ready");
  if (ready == nullptr || !found.status.phase) return "nothing is said";
  if (ready->observedGeneration != found.metadata.generation) return "it speaks of an older generation";
  const char* phases[] = {"Creating", "Running", "Degraded", "Failed", "Deleting"};
  return fmt::format("{}, Ready={} {}: {}", phases[static_cast<int>(*found.status.phase)], ready->status, ready->reason,
                     ready->message);
}

// "Deployment facedetection-1 of facedetection", …: the parts that are there, of whomever.
template <class T>
void AddParts(const keelson::Client& client, const std::string& namespace_, std::vector<std::string>& parts) {
  const keelson::ObjectList<T> list = client.List<T>({.namespace_ = namespace_}).value();
  for (const T& part : list) {
    const keelson::metav1::OwnerReference* owner = keelson::GetControllerOf(part);
    parts.push_back(fmt::format("{} {} of {}", keelson::GvkOf<T>().kind, part.metadata.name,
                                owner != nullptr ? owner->name.str() : "nobody"));
  }
}
inline std::vector<std::string> Parts(const keelson::Client& client) {
  std::vector<std::string> parts;
  AddParts<keelson::corev1::PersistentVolume>(client, "", parts);
  AddParts<keelson::corev1::PersistentVolumeClaim>(client, std::string(kNamespace), parts);
  AddParts<keelson::appsv1::Deployment>(client, std::string(kNamespace), parts);
  AddParts<keelson::corev1::Service>(client, std::string(kNamespace), parts);
  return parts;
}

// "Warning InvalidStorage": the events of a Pipeline, which are in namespace default.
inline std::vector<std::string> EventsOf(const keelson::Client& client, const std::string& name) {
  std::vector<std::string> events;
  const keelson::ObjectList<keelson::corev1::Event> list =
      client.List<keelson::corev1::Event>({.namespace_ = "default"}).value();
  for (const keelson::corev1::Event& event : list) {
    if (event.involvedObject.kind != "Pipeline" || event.involvedObject.name != name) continue;
    events.push_back(fmt::format("{} {}", event.type, event.reason));
  }
  return events;
}

}  // namespace pipeline
