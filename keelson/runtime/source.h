// Where a controller's requests come from: watches of kinds, channels, timers, and whatever users think of.
//
//   builder.WatchesRaw(TimerSource<Request>::Make("midnight", 24h, [] { return std::vector<Request>{{"", "all"}}; }));
//
// A controller starts its sources, waits until they have synced, and only then reconciles.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "keelson/core/cond_var.h"
#include "keelson/core/result.h"
#include "keelson/core/stop_token.h"
#include "keelson/core/time.h"
#include "keelson/runtime/enqueuer.h"

namespace keelson {

// What all sources have. Of one controller; its functions but last_error and description are called by one thread.
class SourceBase {
 public:
  virtual ~SourceBase() = default;

  // "ConfigMap", "channel reload": for logs and errors.
  virtual std::string description() const = 0;
  // When all that was there at the start is in the queue.
  [[nodiscard]] virtual Wake WaitForSync(const StopToken& stop, TimePoint deadline) {
    (void)deadline;
    return stop.StopRequested() ? Wake::kStopped : Wake::kReady;
  }
  // Why it has not synced; thread-safe.
  virtual std::optional<Error> last_error() const { return std::nullopt; }
  // No request is added when it has returned. Also called when it was not started, or could not be.
  virtual void Stop() = 0;
};

template <class R = Request>
class Source : public SourceBase {
 public:
  // From now on requests go to the queue, which lives until Stop has returned. Does not wait; an error ends the
  // manager.
  virtual Result<void> Start(RequestQueue<R>& queue, const StopToken& stop) = 0;
};

}  // namespace keelson
