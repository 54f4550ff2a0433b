#include "keelson/controllers/add_controllers.h"

#include <functional>
#include <string_view>
#include <utility>

#include "keelson/controllers/deployment.h"
#include "keelson/controllers/endpoint_slices.h"
#include "keelson/controllers/endpoints.h"
#include "keelson/controllers/garbage_collector.h"
#include "keelson/controllers/kubelet.h"
#include "keelson/controllers/persistent_volumes.h"
#include "keelson/controllers/replica_set.h"
#include "keelson/controllers/replication_controller.h"
#include "keelson/controllers/scheduler.h"
#include "keelson/controllers/selection.h"
#include "keelson/controllers/volume_protection.h"

namespace keelson::controllers {

Result<void> AddControllers(Manager& manager, const ControllersOptions& options) {
  const std::pair<std::string_view, std::function<Result<void>()>> all[] = {
      {kGarbageCollector, [&] { return AddGarbageCollectorController(manager); }},
      {kReplicaSet, [&] { return AddReplicaSetController(manager); }},
      {kReplicationController, [&] { return AddReplicationControllerController(manager); }},
      {kDeployment, [&] { return AddDeploymentController(manager); }},
      {kEndpoints, [&] { return AddEndpointsController(manager); }},
      {kEndpointSlices, [&] { return AddEndpointSlicesController(manager); }},
      {kVolumeBinder, [&] { return AddPersistentVolumesController(manager); }},
      {kClaimProtection, [&] { return AddClaimProtectionController(manager); }},
      {kVolumeProtection, [&] { return AddVolumeProtectionController(manager); }},
      {kAttributesClassProtection, [&] { return AddAttributesClassProtectionController(manager); }},
      {kScheduler, [&] { return AddSchedulerController(manager); }},
      {kKubelet,
       [&]() -> Result<void> {
         if (options.nodes.empty()) return {};
         return AddKubelet(manager, {.names = options.nodes, .pace = {.speed = options.pod_speed}});
       }},
  };
  for (const auto& [name, add] : all) {
    if (options.selected.contains(name)) KEELSON_RETURN_IF_ERROR(add());
  }
  return {};
}

}  // namespace keelson::controllers
