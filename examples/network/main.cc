// network-operator [--kubeconfig FILE | --master URL] [--state-dir DIR]: without either, the cluster that it runs in.
#include "keelson/core/signals.h"
#include "keelson/core/thread.h"
#include "keelson/runtime/health_server.h"
#include "keelson/runtime/program_flags.h"
#include "network_controller.h"
#include "simulated_backend.h"

int main(int argc, char** argv) {
  using namespace keelson;
  std::string state_dir;
  std::string health_address;
  network::NetworkControllerOptions options;
  const ClientConfig config =
      ProgramFlags("Keeps the networks of a simulated backend as Networks say.")
          .Add("state-dir", &state_dir, "folder in which the backend keeps its networks; empty: in memory")
          .Add("workers", &options.workers, "Networks that are worked on at a time", 1)
          .Add("resync", &options.resync, "how often the backend is compared with what it should have")
          .Add("health-probe-bind-address", &health_address, "where /healthz and /readyz are served: \":8081\"")
          .Parse(argc, argv)
          .OrExit();
  const Client kube = Client::Connect(config).OrExit();
  const Client network_client = Client::Connect(config).OrExit();

  const StopSignals signals;
  network::SimulatedBackend backend(state_dir);
  InformerFactory informers(network_client);
  network::NetworkController controller(kube, network::v1::Clientset(network_client),
                                        network::v1::Informers(informers).Networks(), backend, options);
  HealthServer health({.bind_address = health_address});
  health.ready().Add("networks", [&] { return controller.CheckSynced(); }).OrExit();
  const Thread serving("health", [&] { health.Run({.stop = signals.token()}).OrExit(); });

  informers.Start(signals.token());
  controller.Run(signals.token()).OrExit();
}
