// The operator as a program: app-service-operator --kubeconfig FILE [--workers N] [-v N]
#include "app_service_controller.h"
#include "keelson/cache/wait_for_cache_sync.h"
#include "keelson/client/config.h"
#include "keelson/core/signals.h"
#include "keelson/core/thread.h"
#include "keelson/runtime/health_server.h"
#include "keelson/runtime/program_flags.h"

int main(int argc, char** argv) {
  using namespace keelson;
  int workers = 2;
  Duration resync = std::chrono::seconds(30);
  std::string health_address;
  const ClientConfig config =
      ProgramFlags("Keeps a Deployment for every AppService.")
          .Add("workers", &workers, "AppServices that are worked on at a time", 1)
          .Add("resync", &resync, "how often every AppService is looked at although nothing changed; 0s: never")
          .Add("health-probe-bind-address", &health_address, "where /healthz and /readyz are served, such as :8081")
          .Parse(argc, argv)
          .OrExit();
  const StopSignals signals;
  const Client client = Client::Connect(config).OrExit();

  EventBroadcaster events({.client = client});
  InformerFactory informers(client, {.resync = resync});
  app_service::AppServiceController controller(client, informers, events.RecorderFor(app_service::kControllerName));

  HealthServer health({.bind_address = health_address});
  health.ready().Add("informers", [&] { return WaitForCacheSync({}, TimePoint::min(), informers); }).OrExit();
  const Thread serving("health", [&](const StopToken& stop) { (void)health.Run({.stop = stop, .abort = stop}); });
  health.WaitUntilReady(signals.token()).OrExit();

  informers.Start(signals.token());
  controller.Run(signals.token(), workers).OrExit();
}
