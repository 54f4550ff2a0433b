// Runs the built-in controllers beside an API server, for as long as it lives.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "keelson/client/client.h"
#include "keelson/core/result.h"
#include "keelson/core/stop_token.h"
#include "keelson/core/thread.h"
#include "keelson/runtime/manager.h"

namespace keelson {

struct ControllerHostOptions {
  std::vector<std::string> controllers = {};  // controllers/selection.h
  std::vector<std::string> nodes = {};        // of the simulated kubelets
  double pod_speed = 1;                       // of what Pods do there
};

class ControllerHost {
 public:
  // The client is an administrator's. Errors: a name that is no controller's.
  static Result<std::unique_ptr<ControllerHost>> Start(Client client, const ControllerHostOptions& options);
  // Lets what is under way finish, for a second.
  ~ControllerHost();

 private:
  explicit ControllerHost(Manager manager);

  Manager manager_;
  StopSource stop_;
  Thread thread_;
};

}  // namespace keelson
