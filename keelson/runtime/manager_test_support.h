// For tests of managers: bodies on virtual time, and a manager that runs on a thread of its own.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <utility>

#include "keelson/core/clock.h"
#include "keelson/core/log.h"
#include "keelson/core/mutex.h"
#include "keelson/core/simulation.h"
#include "keelson/core/thread.h"
#include "keelson/runtime/manager.h"

namespace keelson {

inline void SimulatedManagers(const std::function<void()>& body, uint64_t seeds = 1) {
  for (uint64_t seed = 0; seed < seeds; ++seed) {
    const ScopedLogCapture quiet;
    Simulation simulation({.seed = seed});
    const Result<void> done = simulation.Run(body);
    ASSERT_TRUE(done) << "seed " << seed << ": " << done.error().message();
    if (testing::Test::HasFailure()) FAIL() << "seed " << seed;
  }
}

// How long it takes until that holds, on virtual time.
inline Duration TimeUntil(const std::function<bool()>& holds, Duration at_most = std::chrono::minutes(2)) {
  const TimePoint begin = Clock::Now();
  while (!holds() && Clock::Now() < begin + at_most) (void)SleepFor(std::chrono::milliseconds(10), {});
  return Clock::Now() - begin;
}

// Runs a manager until it is told to stop or goes out of scope.
class Running {
 public:
  explicit Running(Manager& manager)
      : thread_("manager", [this, &manager] {
          Result<void> end = manager.Run(stop_.token());
          {
            MutexLock lock(mutex_);
            end_ = std::move(end);
          }
        }) {}
  ~Running() { stop_.RequestStop(); }

  void RequestStop() const { stop_.RequestStop(); }
  bool ended() const {
    MutexLock lock(mutex_);
    return end_.has_value();
  }
  // Waits for the end without asking for it.
  Result<void> Join() {
    thread_.Join();
    MutexLock lock(mutex_);
    return *end_;
  }
  Result<void> Stop() {
    RequestStop();
    return Join();
  }

 private:
  const StopSource stop_;
  mutable Mutex mutex_{"running manager"};
  std::optional<Result<void>> end_;  // guarded by mutex_
  Thread thread_;
};

}  // namespace keelson
