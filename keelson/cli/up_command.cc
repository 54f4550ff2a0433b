// keelson up
#include <fmt/ranges.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "keelson/cli/command.h"
#include "keelson/cli/stop_signals.h"
#include "keelson/controllers/selection.h"
#include "keelson/controlplane/control_plane.h"
#include "keelson/controlplane/private_directory.h"
#include "keelson/core/log.h"

namespace keelson::cli {

namespace {

// As long as a cluster's etcd keeps it.
constexpr Duration kHistory = std::chrono::minutes(5);

struct Options {
  uint16_t port = 0;
  std::string bind = "127.0.0.1";
  std::string data_dir;
  std::string kubeconfig;
  std::vector<std::string> crds;
  std::string node = "keelson";
  int nodes = 1;
  double pod_speed = 1;
  std::vector<std::string> controllers = {"*"};
  bool no_controllers = false;
  std::vector<std::string> enabled_plugins, disabled_plugins;
  int verbosity = 0;
};

// One has the name that was given; several are numbered.
std::vector<std::string> NodeNames(const Options& options) {
  if (options.nodes == 1 && options.node.empty()) return {};
  if (options.nodes == 1) return {options.node};
  std::vector<std::string> names;
  for (int i = 1; i <= options.nodes; ++i) names.push_back(fmt::format("node-{}", i));
  return names;
}

// Whether the admission plugin ServiceAccount is on; nothing: as it is by default. Of all plugins only this one can be
// chosen, so another name is a mistake.
Result<std::optional<bool>> ServiceAccountAdmission(const Options& options) {
  std::optional<bool> chosen;
  for (const bool on : {true, false}) {
    for (const std::string& name : on ? options.enabled_plugins : options.disabled_plugins) {
      if (name != "ServiceAccount") {
        return Error::InvalidArgument(
            fmt::format("the admission plugin '{}' cannot be switched on or off here; ServiceAccount can", name));
      }
      if (chosen && *chosen != on) {
        return Error::InvalidArgument("the admission plugin ServiceAccount is both enabled and disabled");
      }
      chosen = on;
    }
  }
  return chosen;
}

Result<void> Up(Session& session, const Options& options) {
  ConfigureLogging({.verbosity = options.verbosity});
  KEELSON_TRY(service_account_admission, ServiceAccountAdmission(options));
  StopSignals signals;
  KEELSON_TRY(
      control_plane,
      ControlPlane::Start({.listen = ListenOptions{.address = options.bind, .port = options.port},
                           .data_dir = options.data_dir,
                           .api_server = {.tend_namespaces = !options.no_controllers,
                                          .service_account_admission = service_account_admission,
                                          .node = options.no_controllers || options.nodes != 1 ? "" : options.node},
                           .crds = options.crds,
                           .controllers = options.no_controllers ? std::vector<std::string>() : options.controllers,
                           .nodes = NodeNames(options),
                           .pod_speed = options.pod_speed,
                           .history = kHistory}));
  std::optional<PrivateDirectory> temporary;
  std::string file = options.kubeconfig;
  if (file.empty() && !options.data_dir.empty()) file = options.data_dir + "/kubeconfig";
  if (file.empty()) {
    KEELSON_TRY(made, PrivateDirectory::Make());
    temporary.emplace(std::move(made));
    file = temporary->path() + "/kubeconfig";
  }
  KEELSON_TRY(kubeconfig, control_plane->kubeconfig());
  KEELSON_RETURN_IF_ERROR(WriteKubeconfig(kubeconfig, file));
  std::error_code ignored;
  const std::filesystem::path absolute = std::filesystem::absolute(file, ignored);
  session.out << "keelson is up at " << control_plane->url()
              << "; export KUBECONFIG=" << (absolute.empty() ? file : absolute.lexically_normal().string())
              << std::endl;

  signals.Await();
  signals.Release();
  if (!control_plane->Stop()) session.err << "keelson: some requests were cut short\n";
  return {};
}

}  // namespace

void AddUpCommand(CLI::App& app, Session& session) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "up",
      "Run a Kubernetes API server until Ctrl-C.\n\n"
      "It is ready when it prints its line, which says how to reach it:\n"
      "  $ keelson up\n"
      "  keelson is up at https://127.0.0.1:40963; export KUBECONFIG=/tmp/keelson-x3Qf0a/kubeconfig\n"
      "  $ export KUBECONFIG=/tmp/keelson-x3Qf0a/kubeconfig      # in another terminal\n"
      "  $ kubectl create configmap hello --from-literal=a=b && kubectl get configmaps\n\n"
      "Without --data-dir everything is in memory and gone at the end. With it objects and certificates stay, and the\n"
      "same command goes on where it was:\n"
      "  $ keelson up --data-dir ./state --port 6443\n\n"
      "Custom resources are served from the first moment on:\n"
      "  $ keelson up --crds config/crd/bases\n\n"
      "Tests that start kube-apiserver and etcd themselves want `keelson assets` instead.");
  command->add_option("--port", options->port, "Port to listen on; 0 takes a free one")->capture_default_str();
  command
      ->add_option("--bind", options->bind,
                   "Address to listen on. 0.0.0.0 lets other machines in: they still need the kubeconfig")
      ->capture_default_str();
  command->add_option("--data-dir", options->data_dir, "Directory that keeps objects and certificates, made if needed");
  command->add_option("--kubeconfig", options->kubeconfig,
                      "File to write the administrator's kubeconfig to, beside what it has already; by default "
                      "<data-dir>/kubeconfig, or a temporary one that is removed at the end");
  command->add_option("--crds", options->crds,
                      "Files and folders of CustomResourceDefinitions (YAML or JSON) to serve from the start");
  command
      ->add_option("--node", options->node,
                   "Name of a Node that is Ready from the start. Pods on it start, get ready and end as their "
                   "annotations say, but run no program. Empty for none")
      ->capture_default_str();
  command->add_option("--nodes", options->nodes, "How many such Nodes: node-1, node-2, ... instead of the one")
      ->check(CLI::Range(0, 10000))
      ->capture_default_str();
  command
      ->add_option(
          "--pod-speed", options->pod_speed,
          "How many times faster than that Pods start, get ready, back off and end: 60 makes seconds of minutes")
      ->check(CLI::Range(0.001, 1e6))
      ->capture_default_str();
  command
      ->add_option("--controllers", options->controllers,
                   fmt::format("Which controllers run: '*' for all, a name for that one, '-name' to leave one out "
                               "(--controllers=*,-scheduler). There are: {}",
                               fmt::join(controllers::ControllerNames(), ", ")))
      ->delimiter(',')
      ->capture_default_str();
  command->add_flag(
      "--no-controllers", options->no_controllers,
      "The API server alone: no controllers, no Node, no `default` ServiceAccount and no `kube-root-ca.crt` in "
      "namespaces, and nobody who empties a namespace that is deleted");
  command
      ->add_option("--enable-admission-plugins", options->enabled_plugins,
                   "ServiceAccount, which gives Pods a service account and its token, and is on unless there are no "
                   "controllers. Other plugins cannot be chosen")
      ->delimiter(',');
  command->add_option("--disable-admission-plugins", options->disabled_plugins, "The same, to be without")
      ->delimiter(',');
  command->add_option("-v,--v", options->verbosity, "How much to log")->capture_default_str();
  command->callback([options, &session] {
    if (const Result<void> done = Up(session, *options); !done) {
      session.err << "error: " << done.error().message() << "\n";
      session.status = 1;
    }
  });
}

}  // namespace keelson::cli
