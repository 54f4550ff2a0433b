#include "keelson/controllers/garbage_collector.h"

#include <memory>
#include <string>
#include <utility>

#include "keelson/controllers/garbage_collector_work.h"
#include "keelson/controllers/selection.h"
#include "keelson/runtime/builder.h"
#include "keelson/runtime/function_source.h"

namespace keelson::controllers {

Result<void> AddGarbageCollectorController(Manager& manager, GarbageCollectorOptions options) {
  auto collector = std::make_shared<GarbageCollector>(
      manager.unfenced(), manager.live(), manager.RecorderFor(kGarbageCollector),
      MonitorOptions{.ignored = std::move(options.ignored), .reflector = manager.options().cluster.cache.reflector},
      options.patience);
  ControllerOptions of_controller = manager.options().controllers;
  of_controller.workers = options.workers;
  KEELSON_TRY(
      controller,
      NewController<std::string>(manager, std::string(kGarbageCollector))
          .WatchesRaw(FunctionSource<std::string>::Make(
              "objects of all kinds",
              {.start = [collector](RequestQueue<std::string>& queue,
                                    const StopToken&) { return collector->Start(queue); },
               .stop = [collector] { collector->Stop(); },
               .wait_for_sync = [collector](const StopToken& stop,
                                            TimePoint deadline) { return collector->WaitForSync(stop, deadline); }}))
          .WithOptions(of_controller)
          .Complete(
              [collector](Context& context, const std::string& uid) { return collector->Reconcile(context, uid); }));
  (void)controller;
  return {};
}

}  // namespace keelson::controllers
