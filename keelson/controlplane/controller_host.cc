#include "keelson/controlplane/controller_host.h"

#include <chrono>
#include <memory>
#include <utility>

#include "keelson/controllers/add_controllers.h"
#include "keelson/controllers/selection.h"
#include "keelson/core/log.h"

namespace keelson {

Result<std::unique_ptr<ControllerHost>> ControllerHost::Start(Client client, const ControllerHostOptions& options) {
  KEELSON_TRY(selected, controllers::SelectControllers(options.controllers));
  KEELSON_TRY(manager, Manager::Make(std::move(client),
                                     {.cluster = {.name = "built-in controllers", .events = {.capacity = 20'000}},
                                      .grace_period = std::chrono::seconds(1),
                                      .log_verbosity = 1}));
  KEELSON_RETURN_IF_ERROR(controllers::AddControllers(
      manager, {.selected = std::move(selected), .nodes = options.nodes, .pod_speed = options.pod_speed}));
  return std::unique_ptr<ControllerHost>(new ControllerHost(std::move(manager)));
}

ControllerHost::ControllerHost(Manager manager) : manager_(std::move(manager)) {
  thread_ = Thread("controllers", [this] {
    if (const Result<void> end = manager_.Run(stop_.token()); !end && !stop_.StopRequested()) {
      Logger("controlplane").Error(end.error(), "The built-in controllers have ended");
    }
  });
}

ControllerHost::~ControllerHost() {
  stop_.RequestStop();
  thread_.Join();
}

}  // namespace keelson
