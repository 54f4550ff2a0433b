// The operator on the embedded control plane, and what its tests do to it.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "keelson/api/apps/v1.h"
#include "keelson/api/conditions.h"
#include "keelson/api/core/v1.h"
#include "keelson/client/retry_on_conflict.h"
#include "keelson/codec/yaml_reader.h"
#include "keelson/controlplane/control_plane.h"
#include "keelson/core/clock.h"
#include "keelson/core/thread.h"
#include "scaling_controller.h"

namespace scaling {

using namespace keelson;
using namespace std::chrono_literals;
using appsv1::Deployment;
using v1::Scaling;

inline const ObjectKey kExample = {.namespace_ = "default", .name = "example"};
inline const ObjectKey kTarget = {.namespace_ = "default", .name = "scaling-target"};

// What a test says. Below zero: nothing can be read.
class SetMetrics final : public MetricsSource {
 public:
  explicit SetMetrics(int32_t percent) : percent_(percent) {}
  void Set(int32_t percent) { percent_ = percent; }

  Result<int32_t> Read(const Deployment&, v1::MetricType) const override {
    if (percent_ < 0) return Error(ErrorCode::kUnavailable, "the thermometer is broken");
    return percent_.load();
  }

 private:
  std::atomic<int32_t> percent_;
};

// One process of the operator.
class Operator {
 public:
  Operator(Client client, const MetricsSource& metrics)
      : manager_(Manager::Make(std::move(client), {.cluster = {.cache = {.resync = 30s}}}).value()),
        reconciler_(manager_.client(), manager_.RecorderFor("scaling-controller"), metrics) {
    AddScalingController(manager_, reconciler_).value();
    thread_ = Thread("operator", [this](const StopToken& stop) { manager_.Run(stop).value(); });
  }

 private:
  Manager manager_;
  ScalingReconciler reconciler_;
  Thread thread_;  // last: ends first
};

inline std::string ReadConfig(const std::string& file) {
  std::ifstream stream(std::string(SCALING_CONFIG) + "/" + file);
  EXPECT_TRUE(stream) << file;
  return {std::istreambuf_iterator<char>(stream), {}};
}

// Makes the object of a file, in namespace default.
inline Result<Unstructured> Make(const Client& client, const std::string& file) {
  KEELSON_TRY(content, ParseYaml(ReadConfig(file)));
  Unstructured object(std::move(content));
  object.SetNamespace("default");
  return client.Create(object);
}

inline void Wait(Duration span) { (void)SleepFor(span, {}); }

inline int32_t ReplicasOf(const Client& client) { return *client.Get<Deployment>(kTarget)->spec.replicas; }

inline void SetReplicas(const Client& client, int32_t replicas) {
  RetryOnConflict([&]() -> Result<Deployment> {
    KEELSON_TRY(target, client.Get<Deployment>(kTarget));
    target.spec.replicas = replicas;
    return client.Update(target);
  }).value();
}

// "True AtMaximum" of the condition Ready, if it speaks of the present generation.
inline std::string ReadyOf(const Client& client, const ObjectKey& key = kExample) {
  const Result<Scaling> scaling = client.Get<Scaling>(key);
  if (!scaling) return "gone";
  const metav1::Condition* ready = FindStatusCondition(scaling->status.conditions, "Ready");
  if (ready == nullptr) return "none";
  if (ready->observedGeneration != scaling->metadata.generation) return "stale";
  return ready->status.str() + " " + ready->reason.str();
}

// How often an event of that type and reason was told about an object.
inline int32_t EventsOf(const Client& client, const std::string& name, const std::string& type,
                        const std::string& reason) {
  int32_t count = 0;
  const ObjectList<corev1::Event> events = client.List<corev1::Event>({.namespace_ = "default"}).value();
  for (const corev1::Event& event : events) {
    if (event.involvedObject.kind == "Scaling" && event.involvedObject.name == name && event.type == type &&
        event.reason == reason) {
      count += event.count;
    }
  }
  return count;
}

}  // namespace scaling
