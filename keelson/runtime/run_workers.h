// The workers of a controller that is put together by hand: keys from a queue to a function, until they succeed.
//
//   RateLimitingQueue<ObjectKey> queue;                          // filled by the handlers of informers
//   informers.Start(stop);
//   KEELSON_RETURN_IF_ERROR(WaitForCacheSync(stop, informers));
//   RunWorkers(queue, stop, {.name = "apps", .workers = 4}, [&](const ObjectKey& key) { return Sync(key); });
//
// What it promises is what Controller does (controller.h), which is all of this and more:
//   - An error or an exception is logged, and the key comes again after a delay that grows; a success ends the delays.
//   - Asked to stop it takes no new keys and lets those under way finish; when the grace period is over the calls of
//     clients that they still make on their threads are given up (transport/thread_scope.h).
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include "keelson/core/log.h"
#include "keelson/core/result.h"
#include "keelson/core/stop_token.h"
#include "keelson/core/time.h"
#include "keelson/runtime/controller.h"
#include "keelson/workqueue/rate_limiting_queue.h"

namespace keelson {

struct WorkersOptions {
  std::string name = "worker";  // of the threads and in the log
  int workers = 1;
  Duration grace_period = std::chrono::seconds(10);
  // Of one call of the function; client calls that it makes end then. 0: none.
  Duration timeout{0};
};

namespace internal {

// Calls `work` on each of so many threads, and returns when all have.
void RunWorkerThreads(const StopToken& stop, const WorkersOptions& options,
                      const std::function<void(const StopToken& abort)>& work);
// An exception is an error like any other.
Result<void> CallGuarded(const WorkersOptions& options, const StopToken& abort,
                         const std::function<Result<void>()>& sync);
void LogFailure(const Logger& log, const StopToken& abort, const Error& error, int64_t attempt);

}  // namespace internal

// Returns when stop was requested, or the queue was shut down and is empty, and all that was under way has ended. The
// function gets a key and gives a Result<void>; workers call it at the same time for different keys.
template <class Key, class Cause, class Sync>
void RunWorkers(RateLimitingQueue<Key, Cause>& queue, const StopToken& stop, const WorkersOptions& options, Sync sync) {
  internal::RunWorkerThreads(stop, options, [&](const StopToken& abort) {
    while (auto item = queue.Get(stop)) {
      const Result<void> done = internal::CallGuarded(options, abort, [&] { return sync(item->key); });
      if (done) {
        queue.Forget(item->key);
        continue;
      }
      internal::LogFailure(internal::DescribeRequest<Key>(Logger(options.name), &item->key), abort, done.error(),
                           queue.NumRequeues(item->key) + 1);
      queue.AddRateLimited(item->key, {.priority = item->priority});
    }
  });
}

}  // namespace keelson
