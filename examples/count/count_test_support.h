// For the tests of the operator: the samples, the operator as one process, and what is there of a Count.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "count_controller.h"
#include "keelson/api/conditions.h"
#include "keelson/api/core/v1.h"
#include "keelson/api/owner_references.h"
#include "keelson/client/retry_on_conflict.h"
#include "keelson/codec/yaml_reader.h"
#include "keelson/controlplane/control_plane.h"
#include "keelson/core/clock.h"
#include "keelson/core/thread.h"
#include "keelson/runtime/manager.h"

namespace count {

inline std::string ReadFile(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// An object as a file of config/samples has it, and the file's first line.
struct Sample {
  keelson::Unstructured object;
  std::string first_line;
};
inline Sample ReadSample(const std::string& name) {
  const std::string text = ReadFile(COUNT_CONFIG "/samples/" + name);
  Sample sample{.object = keelson::FromYaml<keelson::Unstructured>(text).value(),
                .first_line = text.substr(0, text.find('\n'))};
  sample.object.SetNamespace("default");
  return sample;
}

// A cluster with a node on which Pods run, and which knows Counts if it should.
inline std::unique_ptr<keelson::ControlPlane> StartCluster(bool knows_counts = true) {
  keelson::ControlPlaneOptions options{.controllers = {"*"}, .nodes = {"node-1"}};
  if (knows_counts) options.crds = {COUNT_CONFIG "/crd"};
  return keelson::ControlPlane::Start(std::move(options)).value();
}

// The program, until the end of its scope.
class Operator {
 public:
  explicit Operator(keelson::Client client)
      : manager_(keelson::Manager::Make(std::move(client)).value()),
        controller_(manager_.cache(), manager_.live(), manager_.RecorderFor("count-controller")) {
    manager_.Add("count controller", [this](const keelson::RunScope& scope) { return controller_.Run(2, scope); })
        .value();
    thread_ = keelson::Thread("operator", [this](const keelson::StopToken& stop) {
      const keelson::Result<void> end = manager_.Run(stop);
      EXPECT_TRUE(end) << end.error().message();
    });
  }
  const CountController& controller() const { return controller_; }

 private:
  keelson::Manager manager_;
  CountController controller_;
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

// "Ready=True Synced: Count synced successfully", of the present generation.
inline std::string ReadyOf(const keelson::Client& client, const std::string& name) {
  const v1::Count count = client.Get<v1::Count>({"default", name}).value();
  const keelson::metav1::Condition* ready = keelson::FindStatusCondition(count.status.conditions, "Ready");
  if (ready == nullptr) return "nothing is said";
  if (ready->observedGeneration != count.metadata.generation) return "it speaks of an older generation";
  EXPECT_EQ(count.status.healthy, ready->status == keelson::kConditionTrue);
  return fmt::format("Ready={} {}: {}", ready->status, ready->reason, ready->message);
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

// "Normal Synced count-controller: Count synced successfully": the events of a Count, each once.
inline std::vector<std::string> EventsOf(const keelson::Client& client, const std::string& name) {
  std::vector<std::string> events;
  const auto list = client.List<keelson::corev1::Event>({.namespace_ = "default"}).value();
  for (const keelson::corev1::Event& event : list) {
    if (event.involvedObject.kind != "Count" || event.involvedObject.name != name) continue;
    events.push_back(fmt::format("{} {} {}: {}", event.type, event.reason, event.source.component, event.message));
  }
  return events;
}

}  // namespace count
