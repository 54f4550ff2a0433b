#include "keelson/runtime/run_workers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <stdexcept>
#include <vector>

#include "keelson/api/object_key.h"
#include "keelson/core/clock.h"
#include "keelson/core/mutex.h"
#include "keelson/core/simulation.h"
#include "keelson/core/thread.h"
#include "keelson/transport/thread_scope.h"

namespace keelson {
namespace {

using namespace std::chrono_literals;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

void Simulate(const std::function<void()>& body) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Simulation simulation({.seed = seed});
    const Result<void> run = simulation.Run(body);
    ASSERT_TRUE(run) << "seed " << seed << ": " << run.error().message();
  }
}

TEST(RunWorkers, TriesAKeyAgainUntilItSucceedsLaterEachTime) {
  Simulate([] {
    const ScopedLogCapture log;
    RateLimitingQueue<ObjectKey> queue;
    StopSource stop;
    std::vector<Duration> tries;
    const TimePoint start = Clock::Now();
    Thread running("running", [&] {
      RunWorkers(queue, stop.token(), {.name = "apps"}, [&](const ObjectKey& key) -> Result<void> {
        EXPECT_EQ(key, (ObjectKey{"default", "web"}));
        tries.push_back(Clock::Now() - start);
        if (tries.size() == 1) return Error::Internal("no luck");
        if (tries.size() == 2) throw std::runtime_error("worse");
        if (tries.size() == 3) return Error(ErrorCode::kConflict, "somebody else was quicker");
        return {};
      });
    });
    queue.Add({"default", "web"});
    (void)SleepFor(1h, {});
    EXPECT_THAT(tries, ElementsAre(0ms, 5ms, 15ms, 35ms));
    EXPECT_EQ(queue.NumRequeues({"default", "web"}), 0);
    EXPECT_THAT(log.lines(), Contains(HasSubstr("\"Work failed and is tried again\" err=\"no luck\" logger=\"apps\" "
                                                "namespace=\"default\" name=\"web\" attempt=1")));
    EXPECT_THAT(log.lines(), Contains(HasSubstr("the worker's function threw an exception: worse")));
    EXPECT_THAT(log.lines(), Not(Contains(HasSubstr("somebody else"))));
    stop.RequestStop();
  });
}

TEST(RunWorkers, WorkOnDifferentKeysAtATimeAndNeverOnOne) {
  Simulate([] {
    RateLimitingQueue<std::string> queue;
    StopSource stop;
    Mutex mutex;
    std::map<std::string, int> running;
    int most = 0;
    int calls = 0;
    Thread thread("running", [&] {
      RunWorkers(queue, stop.token(), {.workers = 3}, [&](const std::string& key) -> Result<void> {
        {
          MutexLock lock(mutex);
          ++calls;
          EXPECT_EQ(++running[key], 1);
          most = std::max(most, static_cast<int>(running.size()));
        }
        (void)SleepFor(1s, {});
        MutexLock lock(mutex);
        running.erase(key);
        return {};
      });
    });
    for (int round = 0; round < 2; ++round) {
      for (const char* key : {"a", "b", "c", "d"}) queue.Add(key);
      (void)SleepFor(500ms, {});
    }
    (void)SleepFor(1min, {});
    EXPECT_EQ(most, 3);
    EXPECT_EQ(calls, 7) << "d waited still when it was added again";
    stop.RequestStop();
  });
}

TEST(RunWorkers, AskedToStopFinishesWhatIsUnderWayAndTakesNothingNew) {
  Simulate([] {
    RateLimitingQueue<std::string> queue;
    StopSource stop;
    std::vector<std::string> done;
    queue.Add("a");
    queue.Add("b");
    Thread running("running", [&] {
      RunWorkers(queue, stop.token(), {.grace_period = 1min}, [&](const std::string& key) -> Result<void> {
        (void)SleepFor(5s, ThreadScope::Current()->stop);
        EXPECT_FALSE(ThreadScope::Current()->stop.StopRequested());
        done.push_back(key);
        return {};
      });
    });
    (void)SleepFor(1s, {});
    const TimePoint asked = Clock::Now();
    stop.RequestStop();
    running.Join();
    EXPECT_EQ(Clock::Now() - asked, 4s);
    EXPECT_THAT(done, ElementsAre("a"));
  });
}

TEST(RunWorkers, CallsEndWhenTheGracePeriodIsOver) {
  Simulate([] {
    const ScopedLogCapture log;
    RateLimitingQueue<std::string> queue;
    StopSource stop;
    queue.Add("a");
    Thread running("running", [&] {
      RunWorkers(queue, stop.token(), {.grace_period = 10s}, [&](const std::string&) -> Result<void> {
        if (SleepFor(1h, ThreadScope::Current()->stop) == Wake::kStopped)
          return Error(ErrorCode::kCancelled, "given up");
        return {};
      });
    });
    (void)SleepFor(1s, {});
    const TimePoint asked = Clock::Now();
    stop.RequestStop();
    running.Join();
    EXPECT_EQ(Clock::Now() - asked, 10s);
    EXPECT_THAT(log.lines(), Contains(HasSubstr("Work was given up at the end")));
  });
}

TEST(RunWorkers, ACallHasNoLongerThanTheTimeout) {
  Simulate([] {
    RateLimitingQueue<std::string> queue;
    queue.Add("a");
    queue.ShutDown();
    RunWorkers(queue, {}, {.timeout = 30s}, [&](const std::string&) -> Result<void> {
      EXPECT_EQ(ThreadScope::Current()->deadline, Clock::Now() + 30s);
      return {};
    });
    EXPECT_EQ(queue.Length(), 0u) << "a queue that is shut down is worked off";
  });
}

}  // namespace
}  // namespace keelson
