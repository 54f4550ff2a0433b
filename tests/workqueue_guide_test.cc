// The C++ that docs/workqueue.md shows (tools/check-snippets).
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "keelson/core/clock.h"
#include "keelson/core/result.h"
#include "keelson/core/simulation.h"
#include "keelson/core/thread.h"
#include "keelson/workqueue/rate_limiting_queue.h"

namespace {

using namespace keelson;
using namespace std::chrono_literals;

int attempts = 0;

Result<void> Reconcile(const std::string&, const Causes<std::string>& causes) {
  EXPECT_FALSE(causes.empty());
  if (++attempts < 3) return Error::Internal("not yet");
  return {};
}

// snippet: worker
void Work(RateLimitingQueue<std::string>& queue, const StopToken& stop) {
  while (auto item = queue.Get(stop)) {
    if (Result<void> done = Reconcile(item->key, item->causes); !done) {
      queue.AddRateLimited(item->key, {.causes = {"retry: " + done.error().message()}});
      continue;
    }
    queue.Forget(item->key);
  }  // the item is done when it goes out of scope
}
// end

TEST(WorkqueueGuide, WorkerRetriesUntilItSucceeds) {
  attempts = 0;
  Simulation simulation({.seed = 1});
  const auto result = simulation.Run([] {
    RateLimitingQueue<std::string> queue;
    Thread worker("worker", [&](const StopToken& stop) { Work(queue, stop); });
    // snippet: add
    queue.Add("default/web", {.causes = {"Deployment default/web was updated"}});
    queue.Add("default/db", {.priority = kLowPriority, .causes = {"resync"}});
    queue.AddAfter("default/web", 30s, {.causes = {"certificate expires"}});
    // end
    SleepFor(1min, {});
    EXPECT_EQ(queue.NumRequeues("default/web"), 0);
    EXPECT_EQ(queue.NumRequeues("default/db"), 0);
    EXPECT_GE(attempts, 4);
    // snippet: end
    queue.ShutDown();                                 // workers finish what waits, then Get is empty
    queue.ShutDownWithDrain({}, Clock::Now() + 20s);  // and wait until they have
    // end
  });
  EXPECT_TRUE(result) << result.error().message();
}

TEST(WorkqueueGuide, LimiterOfOnesOwn) {
  // snippet: limiter
  std::vector<std::unique_ptr<RateLimiter<std::string>>> limiters;
  limiters.push_back(std::make_unique<FastSlowRateLimiter<std::string>>(100ms, 30s, 5));
  limiters.push_back(std::make_unique<BucketRateLimiter<std::string>>(50, 200));
  RateLimitingQueue<std::string> queue({}, std::make_unique<MaxOfRateLimiter<std::string>>(std::move(limiters)));
  // end
  queue.AddRateLimited("a");
  EXPECT_EQ(queue.NumRequeues("a"), 1);
}

}  // namespace
