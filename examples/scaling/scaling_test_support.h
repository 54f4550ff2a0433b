// The operator on the embedded control plane, and what its tests do to it.
#pragma once

#include <atomic>
#include <string>
#include <utility>

#include "keelson/api/apps/v1.h"
#include "keelson/client/modify.h"
#include "keelson/controlplane/control_plane.h"
#include "keelson/controlplane/manifests.h"
#include "keelson/controlplane/observations.h"
#include "keelson/controlplane/operator_process.h"
#include "keelson/controlplane/run_seeds.h"
#include "scaling_controller.h"

namespace scaling {

using namespace keelson;
using namespace std::chrono_literals;
using appsv1::Deployment;
using v1::Scaling;

inline const std::string kSamples = SCALING_CONFIG "/samples";
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

// What main does, without flags. The source of metrics outlives it.
inline OperatorProcess::Main OperatorOf(const MetricsSource& metrics) {
  return [&metrics](Client client, const StopToken& stop) -> Result<void> {
    KEELSON_TRY(manager, Manager::Make(std::move(client), {.cluster = {.cache = {.resync = 30s}}}));
    ScalingReconciler reconciler(manager.client(), manager.RecorderFor("scaling-controller"), metrics);
    KEELSON_RETURN_IF_ERROR(AddScalingController(manager, reconciler));
    return manager.Run(stop);
  };
}

inline int32_t ReplicasOf(const Client& client) { return *client.Get<Deployment>(kTarget)->spec.replicas; }

inline void SetReplicas(const Client& client, int32_t replicas) {
  Modify<Deployment>(client, kTarget, [&](Deployment& target) { target.spec.replicas = replicas; }).value();
}

// "Ready=True AtMaximum: cpu is at 85%, …", of the present generation.
inline std::string ReadyOf(const Client& client, const ObjectKey& key = kExample) {
  return ConditionOf<Scaling>(client, key);
}

}  // namespace scaling
