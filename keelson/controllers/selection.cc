#include "keelson/controllers/selection.h"

#include <fmt/ranges.h>

namespace keelson::controllers {

const std::set<std::string, std::less<>>& ControllerNames() {
  static const std::set<std::string, std::less<>> names = [] {
    std::set<std::string, std::less<>> all;
    for (const std::string_view name :
         {kGarbageCollector, kReplicaSet, kReplicationController, kDeployment, kEndpoints, kEndpointSlices,
          kVolumeBinder, kClaimProtection, kVolumeProtection, kAttributesClassProtection, kScheduler, kKubelet}) {
      all.emplace(name);
    }
    return all;
  }();
  return names;
}

Result<std::set<std::string, std::less<>>> SelectControllers(const std::vector<std::string>& wanted) {
  std::set<std::string, std::less<>> selected, left_out;
  for (const std::string& word : wanted) {
    if (word == "*") {
      selected.insert(ControllerNames().begin(), ControllerNames().end());
      continue;
    }
    const bool leave_out = word.starts_with('-');
    const std::string name = leave_out ? word.substr(1) : word;
    if (!ControllerNames().contains(name)) {
      return Error::InvalidArgument(
          fmt::format("there is no controller '{}'; there are: {}", name, fmt::join(ControllerNames(), ", ")));
    }
    (leave_out ? left_out : selected).insert(name);
  }
  for (const std::string& name : left_out) selected.erase(name);
  return selected;
}

}  // namespace keelson::controllers
