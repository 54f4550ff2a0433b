// All built-in controllers at once: what makes an API server a cluster that works.
//
//   KEELSON_TRY(selected, SelectControllers({"*"}));
//   KEELSON_RETURN_IF_ERROR(AddControllers(manager, {.selected = selected}));
#pragma once

#include <set>
#include <string>
#include <vector>

#include "keelson/core/result.h"
#include "keelson/runtime/manager.h"

namespace keelson::controllers {

struct ControllersOptions {
  std::set<std::string, std::less<>> selected = {};  // selection.h
  std::vector<std::string> nodes = {};               // of the simulated kubelets; none: there are none
  double pod_speed = 1;                              // PodPace::speed
};

Result<void> AddControllers(Manager& manager, const ControllersOptions& options);

}  // namespace keelson::controllers
