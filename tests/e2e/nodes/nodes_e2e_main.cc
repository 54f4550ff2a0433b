// Some of Keelson's own controllers beside any API server: its simulated nodes, unless told otherwise.
//
//   nodes-e2e --kubeconfig FILE [--nodes 3] [--controllers kubelet,scheduler]
//
// Makes node-1, node-2, … and lets the Pods that are bound to them run as their annotations say (docs/controllers.md),
// until it is told to stop by SIGTERM.
#include <string>
#include <utility>
#include <vector>

#include "keelson/client/client.h"
#include "keelson/client/kubeconfig.h"
#include "keelson/controllers/add_controllers.h"
#include "keelson/controllers/kubelet.h"
#include "keelson/controllers/selection.h"
#include "keelson/runtime/manager.h"

namespace {

std::string Flag(const std::vector<std::string>& arguments, const std::string& name, const std::string& otherwise) {
  for (size_t i = 0; i + 1 < arguments.size(); ++i) {
    if (arguments[i] == name) return arguments[i + 1];
  }
  return otherwise;
}

std::vector<std::string> Split(const std::string& text) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == ',') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace keelson;
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const ClientConfig config = LoadClientConfig({.kubeconfig = Flag(arguments, "--kubeconfig", "")}).OrExit();
  std::vector<std::string> nodes;
  for (int i = 1; i <= std::stoi(Flag(arguments, "--nodes", "3")); ++i) nodes.push_back("node-" + std::to_string(i));
  auto selected = controllers::SelectControllers(Split(Flag(arguments, "--controllers", "kubelet"))).OrExit();
  Manager manager = Manager::Make(Client::Connect(config).OrExit()).OrExit();
  if (selected.erase(std::string(controllers::kKubelet)) > 0) {
    // The cluster has a controller of nodes of its own.
    controllers::AddKubelet(manager, {.names = std::move(nodes), .node_upkeep = false}).OrExit();
  }
  controllers::AddControllers(manager, {.selected = std::move(selected)}).OrExit();
  return manager.Run();
}
