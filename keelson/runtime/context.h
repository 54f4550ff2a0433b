// What a reconciler is told beside its request.
//
//   Result<Outcome> Reconcile(Context& context, const Request& request) {
//     context.log().Info("Reconciling", "attempt", context.attempt());
//     KEELSON_TRY(app, client_.Get<App>(request));
//     ...
//   }
//
// Calls of a client that a reconciler makes on its thread end by the reconcile's deadline and when the manager gives
// up, without being told so (transport/thread_scope.h). On threads of its own it passes scope().
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "keelson/core/log.h"
#include "keelson/core/stop_token.h"
#include "keelson/core/time.h"
#include "keelson/runtime/cause.h"
#include "keelson/transport/transport.h"
#include "keelson/workqueue/causes.h"

namespace keelson {

namespace internal {
class ControllerCore;
}

struct ContextOptions {
  CallScope scope = {};  // of the calls that it makes
  StopToken stop = {};   // see Context::stop
  int64_t attempt = 1;
  int32_t priority = 0;
  Logger log = {};
};

// Of one reconcile, on its thread.
class Context {
 public:
  // For tests, and to call a reconciler by hand.
  explicit Context(ContextOptions options = {}) : options_(std::move(options)) {}

  // Its lines say which controller, which request and which reconcile (reconcileID).
  const Logger& log() const;
  // Different for every reconcile of the process's life: "3e1b…".
  const std::string& id() const;

  // The manager would like to stop: finish, or leave the rest to the next run. Whoever waits, waits with this.
  const StopToken& stop() const { return options_.stop; }
  // When the reconcile must have ended; TimePoint::max() where there is no limit.
  TimePoint deadline() const { return options_.scope.deadline; }
  // By which its calls end: at the deadline, and when the manager's grace period is over or its lease lost.
  const CallScope& scope() const { return options_.scope; }

  const Causes<Cause>& causes() const { return *causes_; }
  // 1 for the first try, and one more for each failure since the last success.
  int64_t attempt() const;
  int32_t priority() const { return options_.priority; }

 private:
  template <class R>
  friend class Controller;
  friend class internal::ControllerCore;
  static const Causes<Cause> kNoCauses;

  ContextOptions options_;
  const Causes<Cause>* causes_ = &kNoCauses;
  // Gives the logger the request's values; null: it has them.
  Logger (*describe_)(const Logger& log, const void* request) = nullptr;
  // How often the request has failed, by its queue; null: options_.attempt counts.
  int64_t (*failures_of_)(void* queue, const void* request) = nullptr;
  void* queue_ = nullptr;
  const void* request_ = nullptr;
  // Made when first asked for.
  mutable std::optional<Logger> log_;
  mutable std::string id_;
};

}  // namespace keelson
