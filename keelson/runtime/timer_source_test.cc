#include "keelson/runtime/timer_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "keelson/core/clock.h"
#include "keelson/runtime/function_source.h"
#include "keelson/runtime/source_test_support.h"

namespace keelson {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Le;

const auto kAll = [] { return std::vector<Request>{{"default", "a"}, {"", "b"}}; };

// At which times after the start a timer runs, within a span.
std::vector<Duration> Times(Duration period, TimerOptions options, Duration span, Duration takes = Duration(0),
                            uint64_t seed = 1) {
  std::vector<Duration> times;
  InSimulation(
      [&] {
        const TimePoint begin = Clock::Now();
        RequestQueue<Request> queue;
        const auto source = TimerSource<Request>::Make(
            "clock", period,
            [&] {
              times.push_back(Clock::Now() - begin);
              (void)SleepFor(takes, {});
              return std::vector<Request>();
            },
            options);
        ASSERT_TRUE(source->Start(queue, {}));
        (void)SleepFor(span, {});
        source->Stop();
      },
      seed);
  return times;
}

TEST(TimerSource, AddsRequestsEveryPeriod) {
  InSimulation([] {
    RequestQueue<Request> queue;
    const auto source = TimerSource<Request>::Make("midnight", 24h, kAll);
    EXPECT_EQ(source->description(), "timer midnight");
    ASSERT_TRUE(source->Start(queue, {}));
    EXPECT_EQ(source->WaitForSync({}, TimePoint::max()), Wake::kReady);
    (void)SleepFor(23h, {});
    EXPECT_THAT(Drain(queue), IsEmpty());
    (void)SleepFor(2h, {});
    EXPECT_THAT(Drain(queue), ElementsAre("default/a: timer midnight event", "b: timer midnight event"));
    (void)SleepFor(24h, {});
    EXPECT_EQ(Drain(queue).size(), 2u);
    source->Stop();
    (void)SleepFor(100h, {});
    EXPECT_THAT(Drain(queue), IsEmpty());
  });
}

TEST(TimerSource, RunsAtTheStartWhereAskedFor) {
  EXPECT_THAT(Times(10s, {}, 25s), ElementsAre(10s, 20s));
  EXPECT_THAT(Times(10s, {.run_at_start = true}, 25s), ElementsAre(0s, 10s, 20s));
}

TEST(TimerSource, CountsFromStartToStartAndLeavesOutWhatALongRunMissed) {
  EXPECT_THAT(Times(10s, {.run_at_start = true}, 35s, 4s), ElementsAre(0s, 10s, 20s, 30s));
  EXPECT_THAT(Times(10s, {.run_at_start = true}, 60s, 25s), ElementsAre(0s, 25s, 50s));
}

TEST(TimerSource, JitterMakesPeriodsLongerAndDifferent) {
  std::vector<Duration> times = Times(10s, {.jitter = 0.5, .run_at_start = true}, 10min);
  std::vector<Duration> waits;
  for (size_t i = 1; i < times.size(); ++i) waits.push_back(times[i] - times[i - 1]);
  ASSERT_GT(waits.size(), 40u);
  EXPECT_THAT(waits, Each(AllOf(Ge(10s), Le(15s))));
  std::sort(waits.begin(), waits.end());
  EXPECT_LT(waits.front(), 11s);
  EXPECT_GT(waits.back(), 14s);
}

TEST(TimerSource, RequestsHaveThePriorityOfTheOptions) {
  InSimulation([] {
    RequestQueue<Request> queue;
    const auto source = TimerSource<Request>::Make("t", 1s, kAll, {.run_at_start = true, .priority = kLowPriority});
    ASSERT_TRUE(source->Start(queue, {}));
    (void)SleepFor(500ms, {});
    EXPECT_THAT(Drain(queue), ElementsAre("default/a: timer t event (low)", "b: timer t event (low)"));
  });
}

TEST(TimerSource, RefusesPeriodsThatAreNotPositive) {
  RequestQueue<Request> queue;
  const Result<void> zero = TimerSource<Request>::Make("t", 0s, kAll)->Start(queue, {});
  ASSERT_FALSE(zero);
  EXPECT_THAT(zero.error().message(), AllOf(HasSubstr("timer t"), HasSubstr("0s")));
  EXPECT_FALSE(TimerSource<Request>::Make("t", -1s, kAll)->Start(queue, {}));
}

TEST(TimerSource, StopsWithItsController) {
  InSimulation([] {
    RequestQueue<Request> queue;
    StopSource stop;
    const auto source = TimerSource<Request>::Make("t", 1s, kAll);
    ASSERT_TRUE(source->Start(queue, stop.token()));
    stop.RequestStop();
    (void)SleepFor(1h, {});
    EXPECT_THAT(Drain(queue), IsEmpty());
    source->Stop();
    source->Stop();
  });
}

TEST(TimerSource, ExceptionsAreLoggedAndTheNextPeriodComes) {
  const ScopedLogCapture log;
  InSimulation([] {
    RequestQueue<Request> queue;
    int runs = 0;
    const auto source = TimerSource<Request>::Make("t", 1s, [&]() -> std::vector<Request> {
      if (++runs == 1) throw std::runtime_error("no idea");
      return kAll();
    });
    ASSERT_TRUE(source->Start(queue, {}));
    (void)SleepFor(1500ms, {});
    EXPECT_THAT(Drain(queue), IsEmpty());
    (void)SleepFor(1s, {});
    EXPECT_EQ(Drain(queue).size(), 2u);
    source->Stop();
  });
  EXPECT_THAT(log.lines(), ElementsAre(AllOf(HasSubstr("no idea"), HasSubstr("timer t"))));
}

TEST(FunctionSource, CallsItsFunctions) {
  RequestQueue<Request> queue;
  int stops = 0;
  int waits = 0;
  const auto source =
      FunctionSource<Request>::Make("jobs", {.start = [](RequestQueue<Request>& to, const StopToken&) -> Result<void> {
                                               to.Add({"default", "job"}, {.causes = {{.source = "jobs"}}});
                                               return {};
                                             },
                                             .stop = [&] { ++stops; },
                                             .wait_for_sync =
                                                 [&](const StopToken&, TimePoint) {
                                                   ++waits;
                                                   return Wake::kTimeout;
                                                 }});
  EXPECT_EQ(source->description(), "jobs");
  source->Stop();
  EXPECT_EQ(stops, 0) << "was not started";
  ASSERT_TRUE(source->Start(queue, {}));
  EXPECT_EQ(source->WaitForSync({}, TimePoint::max()), Wake::kTimeout);
  EXPECT_EQ(waits, 1);
  EXPECT_THAT(Drain(queue), ElementsAre("default/job: jobs event"));
  source->Stop();
  source->Stop();
  EXPECT_EQ(stops, 1);
}

TEST(FunctionSource, GivesTheErrorOfItsStart) {
  RequestQueue<Request> queue;
  int stops = 0;
  {
    const auto source =
        FunctionSource<Request>::Make("jobs", {.start = [](RequestQueue<Request>&, const StopToken&) -> Result<void> {
                                                 return Error::Internal("no jobs here");
                                               },
                                               .stop = [&] { ++stops; }});
    const Result<void> started = source->Start(queue, {});
    ASSERT_FALSE(started);
    EXPECT_EQ(started.error().message(), "no jobs here");
    EXPECT_EQ(source->WaitForSync({}, TimePoint::max()), Wake::kReady);
  }
  EXPECT_EQ(stops, 0);
}

}  // namespace
}  // namespace keelson
