#include "keelson/core/periodic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "keelson/core/simulation.h"
#include "keelson/core/thread.h"

namespace keelson {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

void Simulated(const std::function<void()>& body) {
  Simulation simulation({.seed = 5});
  const Result<void> done = simulation.Run(body);
  ASSERT_TRUE(done) << done.error().message();
}

TEST(Periodic, UntilRunsAtOnceAndThenAfterEachPeriod) {
  Simulated([] {
    const TimePoint start = Clock::Now();
    StopSource stop;
    std::vector<Duration> runs;
    Until(stop.token(), 10s, [&] {
      runs.push_back(Clock::Now() - start);
      (void)SleepFor(3s, {});
      if (runs.size() == 3) stop.RequestStop();
    });
    EXPECT_THAT(runs, ElementsAre(0s, 13s, 26s));
  });
}

TEST(Periodic, UntilMayCountFromStartToStart) {
  Simulated([] {
    const TimePoint start = Clock::Now();
    StopSource stop;
    std::vector<Duration> runs;
    const auto run = [&] {
      runs.push_back(Clock::Now() - start);
      (void)SleepFor(runs.size() == 2 ? 25s : 3s, {});
      if (runs.size() == 4) stop.RequestStop();
    };
    Until(stop.token(), 10s, run, {.sliding = false});
    EXPECT_THAT(runs, ElementsAre(0s, 10s, 35s, 45s));
  });
}

TEST(Periodic, AStopEndsTheWaitAtOnceAndBeforeTheFirstRun) {
  Simulated([] {
    StopSource stop;
    int runs = 0;
    Thread runner("runner", [&] { Until(stop.token(), 1h, [&] { ++runs; }); });
    (void)SleepFor(1min, {});
    const TimePoint asked = Clock::Now();
    stop.RequestStop();
    runner.Join();
    EXPECT_EQ(Clock::Now() - asked, 0s);
    EXPECT_EQ(runs, 1);
    Until(stop.token(), 1h, [&] { ++runs; });
    EXPECT_EQ(runs, 1);
  });
}

TEST(Periodic, JitterSpreadsThePeriod) {
  Simulated([] {
    StopSource stop;
    std::vector<TimePoint> runs;
    const auto run = [&] {
      runs.push_back(Clock::Now());
      if (runs.size() == 20) stop.RequestStop();
    };
    Until(stop.token(), 10s, run, {.jitter = 0.5});
    bool differ = false;
    for (size_t i = 1; i < runs.size(); ++i) {
      const Duration gap = runs[i] - runs[i - 1];
      EXPECT_GE(gap, 10s);
      EXPECT_LE(gap, 15s);
      differ = differ || gap != runs[1] - runs[0];
    }
    EXPECT_TRUE(differ);
  });
}

TEST(Periodic, BackoffGrowsToItsLongestAndBeginsAgain) {
  Backoff backoff({.initial = 1s, .most = 5s, .factor = 2, .jitter = 0});
  EXPECT_EQ(backoff.Next(), 1s);
  EXPECT_EQ(backoff.Next(), 2s);
  EXPECT_EQ(backoff.Next(), 4s);
  EXPECT_EQ(backoff.Next(), 5s);
  EXPECT_EQ(backoff.Next(), 5s);
  backoff.Reset();
  EXPECT_EQ(backoff.Next(), 1s);
  EXPECT_EQ(Backoff::Base({.initial = 1s, .most = 5s}, 1), 1s);
  EXPECT_EQ(Backoff::Base({.initial = 1s, .most = 5s}, 3), 4s);
  EXPECT_EQ(Backoff::Base({.initial = 1s, .most = 5s}, 1000), 5s);
}

TEST(Periodic, UntilDoneTriesLaterAndLater) {
  Simulated([] {
    const TimePoint start = Clock::Now();
    std::vector<Duration> tries;
    Backoff backoff({.initial = 1s, .jitter = 0});
    EXPECT_EQ(UntilDone({}, backoff,
                        [&] {
                          tries.push_back(Clock::Now() - start);
                          return tries.size() == 4;
                        }),
              Wake::kReady);
    EXPECT_THAT(tries, ElementsAre(0s, 1s, 3s, 7s));
    StopSource stop;
    stop.RequestStop();
    EXPECT_EQ(UntilDone(stop.token(), backoff, [] { return false; }), Wake::kStopped);
  });
}

}  // namespace
}  // namespace keelson
