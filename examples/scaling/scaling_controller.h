// Scales Deployments: for each Scaling it reads how busy the target is and adds or removes a step of replicas.
//
//   Manager manager = Manager::FromFlags(argc, argv, {.cluster = {.cache = {.resync = 30s}}}).OrExit();
//   const auto metrics = MetricsFromCluster(manager.live());
//   ScalingReconciler reconciler(manager.client(), manager.RecorderFor("scaling-controller"), *metrics);
//   AddScalingController(manager, reconciler).OrExit();
#pragma once

#include <string>

#include "api/v1/generated.h"
#include "keelson/api/apps/v1.h"
#include "keelson/runtime/builder.h"
#include "metrics_source.h"
#include "scaling_decision.h"

namespace scaling {

// Thread-safe.
class ScalingReconciler {
 public:
  // The client and the source outlive it.
  ScalingReconciler(const keelson::ObjectClient& client, keelson::EventRecorder events, const MetricsSource& metrics);

  keelson::Result<keelson::Outcome> Reconcile(keelson::Context& context, const keelson::Request& request);

 private:
  // The Scaling that has this one's target: the oldest that names it. Nothing: this one has.
  keelson::Result<std::optional<std::string>> RivalOf(const v1::Scaling& scaling) const;
  // Changes the replicas, unless somebody else did so meanwhile. Gives whether it did.
  keelson::Result<bool> Scale(const keelson::appsv1::Deployment& target, int32_t from, int32_t to) const;
  // A condition Ready=False, told once.
  keelson::Result<void> Fail(v1::Scaling scaling, std::string_view reason, const std::string& message) const;
  // Writes the status where it differs from `before`.
  keelson::Result<void> Report(const v1::ScalingStatus& before, const v1::Scaling& scaling) const;

  const keelson::ObjectClient& client_;
  const keelson::EventRecorder events_;
  const MetricsSource& metrics_;
};

// Has the manager run it. A Scaling is looked at when it or its target changes, and with every resync: that is when the
// metric is read again. With -v=2 the log shows every five seconds what the lister holds. The reconciler outlives the
// manager's Run.
keelson::Result<void> AddScalingController(keelson::Manager& manager, ScalingReconciler& reconciler);

}  // namespace scaling
