// The operator as a program: ingress-manager-operator --kubeconfig FILE [--domain NAME] [--ingress-class NAME] [-v N]
#include "ingress_controller.h"
#include "keelson/cache/wait_for_cache_sync.h"
#include "keelson/client/config.h"
#include "keelson/core/signals.h"
#include "keelson/core/thread.h"
#include "keelson/runtime/health_server.h"
#include "keelson/runtime/program_flags.h"

int main(int argc, char** argv) {
  using namespace keelson;
  int workers = 2;
  ingress_manager::IngressOptions options;
  std::string health_address;
  const ClientConfig config =
      ProgramFlags("Keeps an Ingress for every Service with annotation ingress/http: \"true\".")
          .Add("workers", &workers, "Services that are worked on at a time", 1)
          .Add("domain", &options.domain, "Service web of namespace shop is reached at web.shop.<domain>")
          .Add("ingress-class", &options.ingress_class, "ingressClassName; without it the cluster's default class")
          .Add("health-probe-bind-address", &health_address, "where /healthz and /readyz are served, such as :8081")
          .Parse(argc, argv)
          .OrExit();
  const StopSignals signals;
  const Client client = Client::Connect(config).OrExit();

  EventBroadcaster events({.client = client});
  InformerFactory informers(client);
  ingress_manager::IngressController controller(client, informers, events.RecorderFor(ingress_manager::kControllerName),
                                                options);

  HealthServer health({.bind_address = health_address});
  health.ready().Add("informers", [&] { return WaitForCacheSync({}, TimePoint::min(), informers); }).OrExit();
  const Thread serving("health", [&](const StopToken& stop) { (void)health.Run({.stop = stop, .abort = stop}); });
  health.WaitUntilReady(signals.token()).OrExit();

  informers.Start(signals.token());
  controller.Run(signals.token(), workers).OrExit();
}
