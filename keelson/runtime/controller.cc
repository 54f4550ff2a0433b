#include "keelson/runtime/controller.h"

#include <algorithm>
#include <chrono>

#include "keelson/api/status_error.h"
#include "keelson/core/clock.h"
#include "keelson/core/thread.h"
#include "keelson/transport/thread_scope.h"

namespace keelson::internal {

namespace {

// How often it is said what a controller waits for.
constexpr Duration kPatience = std::chrono::seconds(10);

}  // namespace

Result<void> ControllerCore::Run(const RunScope& scope) {
  const StopCallback chain(scope.stop, [this] { ended_.RequestStop(); });
  const RunScope inner{.stop = ended_.token(), .abort = scope.abort};
  log_.V(options_.log_verbosity).Info("Starting controller", "workers", options_.workers);
  metrics_.workers.Set(options_.workers);
  Result<void> begun = StartSources(inner.stop);
  if (begun) begun = WaitForSources(inner.stop);
  if (begun && !inner.stop.StopRequested()) {
    metrics_.synced.Set(1);
    std::vector<Thread> workers;
    for (int i = 0; i < options_.workers; ++i) workers.emplace_back(name_, [&] { Work(inner); });
    for (Thread& worker : workers) worker.Join();
  }
  metrics_.synced.Set(0);
  for (SourceBase* source : sources()) source->Stop();
  ShutDownQueue();
  KEELSON_RETURN_IF_ERROR(std::move(begun));
  log_.V(options_.log_verbosity).Info("Controller ended");
  MutexLock lock(mutex_);
  if (fatal_) return *fatal_;
  return {};
}

Result<void> ControllerCore::WaitForSources(const StopToken& stop) {
  const TimePoint limit = options_.cache_sync_timeout > Duration::zero()
                              ? keelson::SaturatingAdd(Clock::Now(), options_.cache_sync_timeout)
                              : TimePoint::max();
  for (SourceBase* source : sources()) {
    for (;;) {
      const Wake wake = source->WaitForSync(stop, std::min(limit, keelson::SaturatingAdd(Clock::Now(), kPatience)));
      if (wake == Wake::kReady) break;
      if (wake == Wake::kStopped) return {};
      const std::optional<Error> why = source->last_error();
      if (Clock::Now() >= limit) {
        std::string message =
            source->description() + " has not synced within " + FormatDuration(options_.cache_sync_timeout);
        if (why) message += ": " + why->message();
        return Error(ErrorCode::kTimeout, std::move(message));
      }
      log_.Warning("Waiting for a source to sync; nothing is reconciled before", "source", source->description(),
                   "error", why ? why->message() : std::string("none"));
    }
  }
  return {};
}

CallScope ControllerCore::ScopeOfReconcile(const RunScope& scope) const {
  CallScope calls{.stop = scope.abort};
  if (options_.reconcile_timeout > Duration::zero()) {
    calls.deadline = keelson::SaturatingAdd(Clock::Now(), options_.reconcile_timeout);
  }
  return calls;
}

Result<Outcome> ControllerCore::Guarded(Context& context) {
  const ThreadScope calls(context.scope());
  std::string what;
  try {
    return Call(context);
  } catch (const std::exception& exception) {
    what = exception.what();
  } catch (...) {
    what = "something that is no std::exception";
  }
  metrics_.panics.Increment();
  Error error = Error::Internal("the reconciler threw an exception: " + what);
  if (!options_.recover) {
    {
      MutexLock lock(mutex_);
      if (!fatal_) fatal_ = error;
    }
    ended_.RequestStop();
  }
  return error;
}

ControllerCore::Verdict ControllerCore::Try(Context& context) {
  if (!metrics_.enabled) return Judge(context, Guarded(context));
  metrics_.active_workers.Increment();
  const TimePoint start = Clock::Now();
  const Result<Outcome> result = Guarded(context);
  metrics_.time.Observe(Clock::Now() - start);
  metrics_.active_workers.Decrement();
  return Judge(context, result);
}

ControllerCore::Verdict ControllerCore::Judge(const Context& context, const Result<Outcome>& result) {
  using Next = Verdict::Next;
  if (!result) {
    Report(context, result.error());
    if (IsTerminal(result.error())) return {.next = Next::kForget};
    return {.next = Next::kAgainLater, .cause = CauseType::kError};
  }
  switch (result->kind()) {
    case Outcome::Kind::kAfter:
      metrics_.requeue_after.Increment();
      return {.next = Next::kAgainAt, .delay = result->delay(), .cause = CauseType::kAfter};
    case Outcome::Kind::kRetry:
      metrics_.requeue.Increment();
      return {.next = Next::kAgainLater, .cause = CauseType::kRetry};
    case Outcome::Kind::kDone: break;
  }
  metrics_.success.Increment();
  return {.next = Next::kForget};
}

void ControllerCore::Report(const Context& context, const Error& error) {
  metrics_.error.Increment();
  metrics_.errors.Increment();
  if (IsTerminal(error)) {
    metrics_.terminal_errors.Increment();
    context.log().Error(error, "Reconcile failed and is not tried again until something changes");
    return;
  }
  if (context.scope().stop.StopRequested()) {
    context.log().Info("Reconcile was given up at the end", "error", error);
    return;
  }
  if (context.deadline() != TimePoint::max() && Clock::Now() >= context.deadline()) metrics_.timeouts.Increment();
  if (error.code() == ErrorCode::kConflict) {
    // Somebody else wrote in between, which is how optimistic locks are meant
    // to work.
    context.log().V(1).Info("Reconcile met a conflict and is tried again", "error", error);
    return;
  }
  context.log().Error(error, "Reconcile failed and is tried again", "attempt", context.attempt());
}

}  // namespace keelson::internal
