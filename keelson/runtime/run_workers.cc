#include "keelson/runtime/run_workers.h"

#include <exception>
#include <vector>

#include "keelson/core/clock.h"
#include "keelson/core/thread.h"
#include "keelson/transport/thread_scope.h"

namespace keelson::internal {

void RunWorkerThreads(const StopToken& stop, const WorkersOptions& options,
                      const std::function<void(const StopToken& abort)>& work) {
  const StopSource ending;  // asked to, or all workers have ended by themselves
  const StopCallback chain(stop, [&ending] { ending.RequestStop(); });
  const StopSource abort;
  std::vector<Thread> workers;
  for (int i = 0; i < options.workers; ++i) workers.emplace_back(options.name, [&] { work(abort.token()); });
  const Thread patience(options.name + "-grace", [&](const StopToken& all_ended) {
    (void)SleepUntil(TimePoint::max(), ending.token());
    if (SleepFor(options.grace_period, all_ended) == Wake::kTimeout) abort.RequestStop();
  });
  for (Thread& worker : workers) worker.Join();
  patience.RequestStop();
  ending.RequestStop();
}

Result<void> CallGuarded(const WorkersOptions& options, const StopToken& abort,
                         const std::function<Result<void>()>& sync) {
  CallScope calls{.stop = abort};
  if (options.timeout > Duration::zero()) calls.deadline = keelson::SaturatingAdd(Clock::Now(), options.timeout);
  const ThreadScope scope(calls);
  try {
    return sync();
  } catch (const std::exception& exception) {
    return Error::Internal(std::string("the worker's function threw an exception: ") + exception.what());
  } catch (...) {
    return Error::Internal("the worker's function threw something that is no std::exception");
  }
}

void LogFailure(const Logger& log, const StopToken& abort, const Error& error, int64_t attempt) {
  if (abort.StopRequested()) {
    log.Info("Work was given up at the end", "error", error);
  } else if (error.code() == ErrorCode::kConflict) {
    // Somebody else wrote in between, or the cache was not up to date: the next try sees more.
    log.V(1).Info("Work met a conflict and is tried again", "error", error);
  } else {
    log.Error(error, "Work failed and is tried again", "attempt", attempt);
  }
}

}  // namespace keelson::internal
