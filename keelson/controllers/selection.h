// Which of the built-in controllers run, by the names and in the form of kube-controller-manager's --controllers.
//
//   KEELSON_TRY(selected, SelectControllers({"*", "-scheduler"}));       // all but the scheduler
//   if (selected.contains(kDeployment)) KEELSON_RETURN_IF_ERROR(AddDeploymentController(manager));
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "keelson/core/result.h"

namespace keelson::controllers {

inline constexpr std::string_view kGarbageCollector = "garbage-collector-controller";
inline constexpr std::string_view kReplicaSet = "replicaset-controller";
inline constexpr std::string_view kReplicationController = "replicationcontroller-controller";
inline constexpr std::string_view kDeployment = "deployment-controller";
inline constexpr std::string_view kEndpoints = "endpoints-controller";
inline constexpr std::string_view kEndpointSlices = "endpointslice-controller";
inline constexpr std::string_view kVolumeBinder = "persistentvolume-binder-controller";
inline constexpr std::string_view kClaimProtection = "persistentvolumeclaim-protection-controller";
inline constexpr std::string_view kVolumeProtection = "persistentvolume-protection-controller";
inline constexpr std::string_view kAttributesClassProtection = "volumeattributesclass-protection-controller";
inline constexpr std::string_view kScheduler = "scheduler";
inline constexpr std::string_view kKubelet = "kubelet";

// Every name there is, sorted.
const std::set<std::string, std::less<>>& ControllerNames();

// "*" stands for all, a name for itself, "-name" leaves one out whatever else is said. kInvalidArgument for a name that
// is none: the message lists those that are.
Result<std::set<std::string, std::less<>>> SelectControllers(const std::vector<std::string>& wanted);

}  // namespace keelson::controllers
