#include "keelson/runtime/run_groups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "keelson/core/clock.h"
#include "keelson/core/simulation.h"
#include "keelson/core/thread.h"
#include "keelson/transport/thread_scope.h"

namespace keelson {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr RunnableGroup kAllGroups[] = {RunnableGroup::kServers, RunnableGroup::kCaches, RunnableGroup::kOthers,
                                        RunnableGroup::kLeader};

void Simulated(const std::function<void()>& body, uint64_t seeds = 1) {
  for (uint64_t seed = 0; seed < seeds; ++seed) {
    const ScopedLogCapture quiet;
    Simulation simulation({.seed = seed});
    const Result<void> done = simulation.Run(body);
    ASSERT_TRUE(done) << "seed " << seed << ": " << done.error().message();
    if (testing::Test::HasFailure()) FAIL() << "seed " << seed;
  }
}

// What happened, in order.
class Trace {
 public:
  void Add(std::string line) {
    MutexLock lock(mutex_);
    lines_.push_back(std::move(line));
  }
  std::vector<std::string> lines() const {
    MutexLock lock(mutex_);
    return lines_;
  }

 private:
  mutable Mutex mutex_{"trace"};
  std::vector<std::string> lines_;
};

// Tells what becomes of it, and takes its time.
class Part final : public Runnable {
 public:
  struct Plan {
    Duration ready_after{};
    Duration stops_after{};                   // stop was requested
    Duration gives_up_after{};                // abort was requested
    std::optional<Duration> ends_after = {};  // by itself
    std::function<Result<void>()> end = [] { return Result<void>(); };
    std::string activity = {};
  };

  Part(Trace& trace, std::string name, RunnableGroup group, Plan plan)
      : trace_(trace), name_(std::move(name)), group_(group), plan_(std::move(plan)) {}

  std::string name() const override { return name_; }
  std::string description() const override { return "part " + name_; }
  std::string activity() override { return plan_.activity; }
  RunnableGroup group() const override { return group_; }
  Result<void> Run(const RunScope& scope) override {
    trace_.Add(name_ + " starts");
    if (SleepFor(plan_.ends_after.value_or(1000h), scope.stop) == Wake::kStopped) {
      trace_.Add(name_ + " stops");
      if (SleepFor(plan_.stops_after, scope.abort) == Wake::kStopped) {
        trace_.Add(name_ + " gives up");
        (void)SleepFor(plan_.gives_up_after, {});
      }
    }
    trace_.Add(name_ + " ends");
    return plan_.end();
  }
  Result<void> WaitUntilReady(const StopToken& stop) override {
    if (SleepFor(plan_.ready_after, stop) == Wake::kStopped) return Error::Cancelled("stopped");
    trace_.Add(name_ + " is ready");
    return {};
  }

 private:
  Trace& trace_;
  const std::string name_;
  const RunnableGroup group_;
  const Plan plan_;
};

std::shared_ptr<Part> Make(Trace& trace, std::string name, RunnableGroup group, Part::Plan plan = {}) {
  return std::make_shared<Part>(trace, std::move(name), group, std::move(plan));
}

// From the start to the end, as a manager without an election does it; asked to end after that time.
Result<void> RunFor(RunGroups& groups, Duration span) {
  const StopSource end;
  Thread asker("asker", [&] {
    (void)SleepFor(span, end.token());
    groups.AskToEnd();
  });
  groups.Start();
  groups.StartLeaders();
  groups.AwaitEnd();
  groups.StopWork();
  groups.StopRest();
  end.RequestStop();
  return groups.result();
}

TEST(RunGroups, StartInOrderWhenThoseBeforeAreReadyAndEndInTheReverseOrder) {
  Simulated(
      [] {
        Trace trace;
        RunGroups groups({});
        // Added in any order.
        ASSERT_TRUE(groups.Add(Make(trace, "leader", RunnableGroup::kLeader)));
        ASSERT_TRUE(groups.Add(Make(trace, "cache", RunnableGroup::kCaches, {.ready_after = 2s, .stops_after = 1s})));
        ASSERT_TRUE(groups.Add(Make(trace, "other", RunnableGroup::kOthers, {.ready_after = 1s, .stops_after = 1s})));
        ASSERT_TRUE(groups.Add(Make(trace, "server", RunnableGroup::kServers, {.ready_after = 3s})));
        EXPECT_TRUE(RunFor(groups, 10s));
        std::vector<std::string> lines = trace.lines();
        ASSERT_EQ(lines.size(), 15u);
        EXPECT_THAT(std::vector(lines.begin(), lines.begin() + 7),
                    ElementsAre("server starts", "server is ready", "cache starts", "cache is ready", "other starts",
                                "other is ready", "leader starts"));
        // Leaders and others are asked together.
        EXPECT_THAT(std::vector(lines.begin() + 7, lines.begin() + 11),
                    testing::UnorderedElementsAre("leader stops", "leader ends", "other stops", "other ends"));
        EXPECT_EQ(lines[10], "other ends");
        EXPECT_THAT(std::vector(lines.begin() + 11, lines.end()),
                    ElementsAre("cache stops", "cache ends", "server stops", "server ends"));
      },
      50);
}

TEST(RunGroups, WhatIsAddedWhileTheyRunStartsAtOnce) {
  Simulated([] {
    for (const RunnableGroup group : kAllGroups) {
      Trace trace;
      RunGroups groups({});
      Thread adder("adder", [&] {
        (void)SleepFor(1s, {});
        EXPECT_TRUE(groups.Add(Make(trace, "late", group)));
        (void)SleepFor(1s, {});
        EXPECT_THAT(trace.lines(), ElementsAre("late starts")) << ToString(group);
      });
      EXPECT_TRUE(RunFor(groups, 10s));
      EXPECT_THAT(trace.lines(), ElementsAre("late starts", "late stops", "late ends"));
    }
  });
}

TEST(RunGroups, ALeaderAddedBeforeTheLeadershipStartsWithIt) {
  Simulated([] {
    Trace trace;
    RunGroups groups({});
    groups.Start();
    ASSERT_TRUE(groups.Add(Make(trace, "leader", RunnableGroup::kLeader)));
    (void)SleepFor(1h, {});
    EXPECT_THAT(trace.lines(), IsEmpty());
    groups.StartLeaders();
    (void)SleepFor(1s, {});
    EXPECT_THAT(trace.lines(), ElementsAre("leader starts"));
    groups.StopWork();
    groups.StopRest();
  });
}

TEST(RunGroups, NothingIsAddedAfterTheEnd) {
  Simulated([] {
    Trace trace;
    RunGroups groups({});
    ASSERT_TRUE(RunFor(groups, 1s));
    for (const RunnableGroup group : kAllGroups) {
      const Result<void> added = groups.Add(Make(trace, "late", group));
      ASSERT_FALSE(added);
      EXPECT_EQ(added.error().code(), ErrorCode::kCancelled);
      EXPECT_EQ(added.error().message(), "part late was not added: the manager is stopping");
    }
    EXPECT_THAT(trace.lines(), IsEmpty());
  });
}

TEST(RunGroups, APartMayAddParts) {
  Simulated([] {
    Trace trace;
    RunGroups groups({});
    for (int i = 0; i < 100; ++i) {
      const Part::Plan plan{.ends_after = 1s,
                            .end = [&] { return groups.Add(Make(trace, "child", RunnableGroup::kOthers)); }};
      ASSERT_TRUE(groups.Add(Make(trace, "parent", RunnableGroup::kLeader, plan)));
    }
    EXPECT_TRUE(RunFor(groups, 10s));
    const std::vector<std::string> lines = trace.lines();
    EXPECT_EQ(std::ranges::count(lines, "child ends"), 100);
  });
}

TEST(RunGroups, AFailureInAnyGroupEndsAllWithItsErrorAndName) {
  Simulated([] {
    for (const RunnableGroup group : kAllGroups) {
      Trace trace;
      RunGroups groups({});
      for (const RunnableGroup other : kAllGroups) ASSERT_TRUE(groups.Add(Make(trace, "steady", other)));
      const Part::Plan plan{.ends_after = 5s, .end = [] { return Error(ErrorCode::kUnavailable, "broken"); }};
      ASSERT_TRUE(groups.Add(Make(trace, "weak", group, plan)));
      const TimePoint start = Clock::Now();
      const Result<void> end = RunFor(groups, 1h);
      EXPECT_EQ(Clock::Now() - start, 5s);
      ASSERT_FALSE(end);
      EXPECT_EQ(end.error().code(), ErrorCode::kUnavailable);
      EXPECT_EQ(end.error().message(), "part weak: broken");
      EXPECT_EQ(std::ranges::count(trace.lines(), std::string("steady ends")), 4);
    }
  });
}

TEST(RunGroups, OfSeveralErrorsTheFirstCountsAndTheOthersAreLogged) {
  Simulated([] {
    const auto fails = [](Duration after, std::string message) {
      return Part::Plan{.ends_after = after, .end = [=] { return Error::Internal(message); }};
    };
    Trace trace;
    RunGroups groups({});
    ASSERT_TRUE(groups.Add(Make(trace, "a", RunnableGroup::kLeader, fails(2s, "second"))));
    ASSERT_TRUE(groups.Add(Make(trace, "b", RunnableGroup::kOthers, fails(1s, "first"))));
    ASSERT_TRUE(groups.Add(Make(trace, "c", RunnableGroup::kCaches, fails(3s, "third"))));
    const Result<void> end = RunFor(groups, 1h);
    ASSERT_FALSE(end);
    EXPECT_EQ(end.error().message(), "part b: first");
  });
}

TEST(RunGroups, LaterErrorsAreInTheLog) {
  const ScopedLogCapture log;
  Simulation simulation({.seed = 1});
  const Result<void> done = simulation.Run([] {
    RunGroups groups({});
    groups.Fail(Error::Internal("first"));
    groups.Fail(Error::Internal("second"));
    EXPECT_EQ(groups.result().error().message(), "first");
  });
  ASSERT_TRUE(done) << done.error().message();
  EXPECT_THAT(log.lines(), ElementsAre(AllOf(HasSubstr("\"Another part failed, too\""), HasSubstr("second"))));
}

TEST(RunGroups, AnExceptionIsAnError) {
  Simulated([] {
    for (const bool standard : {true, false}) {
      Trace trace;
      RunGroups groups({});
      const Part::Plan plan{.ends_after = 1s, .end = [&]() -> Result<void> {
                              if (standard) throw std::runtime_error("out of luck");
                              throw 7;
                            }};
      ASSERT_TRUE(groups.Add(Make(trace, "thrower", RunnableGroup::kLeader, plan)));
      const Result<void> end = RunFor(groups, 1h);
      ASSERT_FALSE(end);
      EXPECT_EQ(end.error().code(), ErrorCode::kInternal);
      EXPECT_EQ(end.error().message(), standard ? "part thrower: exception: out of luck"
                                                : "part thrower: exception of a type that is no std::exception");
    }
  });
}

TEST(RunGroups, ToReturnEarlyIsNothing) {
  Simulated([] {
    Trace trace;
    RunGroups groups({});
    for (const RunnableGroup group : kAllGroups) {
      ASSERT_TRUE(groups.Add(Make(trace, "brief", group, {.ends_after = 1s})));
    }
    const TimePoint start = Clock::Now();
    EXPECT_TRUE(RunFor(groups, 1h));
    EXPECT_EQ(Clock::Now() - start, 1h);
  });
}

TEST(RunGroups, ToBeCancelledAfterTheStopIsNoError) {
  Simulated([] {
    const auto with = [](ErrorCode code) { return Part::Plan{.end = [=] { return Error(code, "ended"); }}; };
    for (const ErrorCode code : {ErrorCode::kCancelled, ErrorCode::kInternal}) {
      Trace trace;
      RunGroups groups({});
      ASSERT_TRUE(groups.Add(Make(trace, "part", RunnableGroup::kLeader, with(code))));
      EXPECT_EQ(RunFor(groups, 1s).has_value(), code == ErrorCode::kCancelled);
    }
    Trace trace;
    RunGroups groups({});
    Part::Plan before = with(ErrorCode::kCancelled);
    before.ends_after = 1s;
    ASSERT_TRUE(groups.Add(Make(trace, "part", RunnableGroup::kLeader, before)));
    EXPECT_FALSE(RunFor(groups, 1h));
  });
}

TEST(RunGroups, WorkThatEndsWithinTheGracePeriodIsNotDisturbed) {
  Simulated([] {
    Trace trace;
    RunGroups groups({.grace_period = 30s});
    ASSERT_TRUE(groups.Add(Make(trace, "worker", RunnableGroup::kLeader, {.stops_after = 29s})));
    ASSERT_TRUE(groups.Add(Make(trace, "server", RunnableGroup::kServers, {.ready_after = 1ms})));
    const TimePoint start = Clock::Now();
    EXPECT_TRUE(RunFor(groups, 1s));
    EXPECT_EQ(Clock::Now() - start, 30s);
    // The server answers while others finish.
    EXPECT_THAT(trace.lines(), ElementsAre("server starts", "server is ready", "worker starts", "worker stops",
                                           "worker ends", "server stops", "server ends"));
  });
}

TEST(RunGroups, WorkThatTakesLongerIsToldToGiveUpAndNamed) {
  Simulated([] {
    Trace trace;
    RunGroups groups({.grace_period = 30s});
    const Part::Plan slow{.stops_after = 1h, .gives_up_after = 1s, .activity = "default/web"};
    ASSERT_TRUE(groups.Add(Make(trace, "worker", RunnableGroup::kLeader, slow)));
    ASSERT_TRUE(groups.Add(Make(trace, "cleaner", RunnableGroup::kOthers, {.stops_after = 31s})));
    const TimePoint start = Clock::Now();
    const Result<void> end = RunFor(groups, 1s);
    EXPECT_EQ(Clock::Now() - start, 32s);
    ASSERT_FALSE(end);
    EXPECT_EQ(end.error().code(), ErrorCode::kTimeout);
    EXPECT_EQ(end.error().message(),
              "did not finish within the grace period of 30s: part worker (default/web), part cleaner");
    EXPECT_THAT(trace.lines(), Contains("worker gives up"));
    EXPECT_THAT(trace.lines(), Contains("cleaner gives up"));
  });
}

TEST(RunGroups, AGracePeriodMayBeNoneOrEndless) {
  Simulated([] {
    const auto took = [](Duration grace) {
      Trace trace;
      RunGroups groups({.grace_period = grace});
      EXPECT_TRUE(groups.Add(Make(trace, "worker", RunnableGroup::kLeader, {.stops_after = 100h})));
      const TimePoint start = Clock::Now();
      const Result<void> end = RunFor(groups, 1s);
      EXPECT_EQ(end.has_value(), grace < 0s);
      return Clock::Now() - start;
    };
    EXPECT_EQ(took(0s), 1s);
    EXPECT_EQ(took(-1s), 100h + 1s);
  });
}

TEST(RunGroups, CallsOfAPartEndWhenItIsToldToGiveUp) {
  Simulated([] {
    class Caller final : public Runnable {
     public:
      std::string name() const override { return "caller"; }
      Result<void> Run(const RunScope&) override {
        (void)SleepFor(1000h, EffectiveScope({}).stop);  // as a client would
        return {};
      }
    };
    RunGroups groups({.grace_period = 10s});
    ASSERT_TRUE(groups.Add(std::make_shared<Caller>()));
    const TimePoint start = Clock::Now();
    EXPECT_FALSE(RunFor(groups, 1s));
    EXPECT_EQ(Clock::Now() - start, 11s);
  });
}

TEST(RunGroups, WhoDoesNotGiveUpIsNamedInTheLogAndWaitedFor) {
  const ScopedLogCapture log;
  Simulation simulation({.seed = 1});
  const Result<void> done = simulation.Run([] {
    Trace trace;
    RunGroups groups({.grace_period = 10s});
    const Part::Plan stubborn{.stops_after = 1h, .gives_up_after = 1min, .activity = "default/web"};
    ASSERT_TRUE(groups.Add(Make(trace, "worker", RunnableGroup::kLeader, stubborn)));
    ASSERT_TRUE(groups.Add(Make(trace, "server", RunnableGroup::kServers, {.stops_after = 1h})));
    const TimePoint start = Clock::Now();
    EXPECT_FALSE(RunFor(groups, 1s));
    EXPECT_EQ(Clock::Now() - start, 1s + 10s + 1min + RunGroups::kRestPatience);
  });
  ASSERT_TRUE(done) << done.error().message();
  std::vector<std::string> stuck;
  for (const std::string& line : log.lines()) {
    if (line.find("Stuck") != std::string::npos) stuck.push_back(line);
  }
  EXPECT_THAT(stuck, ElementsAre(AllOf(HasSubstr("part worker (default/web)"), HasSubstr("waited=\"5s\"")),
                                 AllOf(HasSubstr("part worker (default/web)"), HasSubstr("waited=\"35s\""))));
}

TEST(RunGroupsDeathTest, WhoDoesNotGiveUpMayBeLeftBehind) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(Simulated([] {
                Trace trace;
                RunGroups groups({.grace_period = 10s, .exit_when_stuck = true});
                (void)SetLogSink(nullptr);
                ASSERT_TRUE(groups.Add(Make(trace, "worker", RunnableGroup::kLeader,
                                            {.stops_after = 1h, .gives_up_after = 1h, .activity = "default/web"})));
                (void)RunFor(groups, 1s);
              }),
              testing::ExitedWithCode(1), "Stuck.*Exiting.*part worker \\(default/web\\).*waited=\"5s\"");
}

TEST(RunGroups, AskedToEndDuringTheStartNoFurtherGroupStarts) {
  Simulated(
      [] {
        Trace trace;
        RunGroups groups({});
        ASSERT_TRUE(groups.Add(Make(trace, "server", RunnableGroup::kServers, {.ready_after = 1ms})));
        ASSERT_TRUE(groups.Add(Make(trace, "cache", RunnableGroup::kCaches, {.ready_after = 1h})));
        ASSERT_TRUE(groups.Add(Make(trace, "other", RunnableGroup::kOthers)));
        ASSERT_TRUE(groups.Add(Make(trace, "leader", RunnableGroup::kLeader)));
        EXPECT_TRUE(RunFor(groups, 10s));
        EXPECT_THAT(trace.lines(), ElementsAre("server starts", "server is ready", "cache starts", "cache stops",
                                               "cache ends", "server stops", "server ends"));
      },
      20);
}

TEST(RunGroups, OneThatCannotBecomeReadyFails) {
  Simulated([] {
    class Unready final : public Runnable {
     public:
      std::string name() const override { return "unready"; }
      RunnableGroup group() const override { return RunnableGroup::kServers; }
      Result<void> Run(const RunScope& scope) override {
        (void)SleepFor(1000h, scope.stop);
        return {};
      }
      Result<void> WaitUntilReady(const StopToken&) override { throw std::runtime_error("no port"); }
    };
    Trace trace;
    RunGroups groups({});
    ASSERT_TRUE(groups.Add(std::make_shared<Unready>()));
    ASSERT_TRUE(groups.Add(Make(trace, "leader", RunnableGroup::kLeader)));
    const Result<void> end = RunFor(groups, 1h);
    ASSERT_FALSE(end);
    EXPECT_EQ(end.error().message(), "unready: exception: no port");
    EXPECT_THAT(trace.lines(), IsEmpty());
  });
}

TEST(RunGroups, LostLeadershipAbortsLeadersAtOnceAndItsErrorCounts) {
  Simulated(
      [] {
        Trace trace;
        RunGroups groups({.grace_period = 30s});
        const Part::Plan failing{.stops_after = 1h, .end = [] { return Error::Internal("a write was held back"); }};
        ASSERT_TRUE(groups.Add(Make(trace, "leader", RunnableGroup::kLeader, failing)));
        ASSERT_TRUE(groups.Add(Make(trace, "other", RunnableGroup::kOthers, {.stops_after = 20s})));
        groups.Start();
        Thread election("election", [&] {
          groups.StartLeaders();
          (void)SleepFor(5s, {});
          groups.LoseLeadership();
          groups.WaitForLeaders();
          (void)SleepFor(1s, {});
          groups.Fail(Error::Conflict("the lease is another's"), true);
        });
        const TimePoint start = Clock::Now();
        groups.AwaitEnd();
        EXPECT_EQ(Clock::Now() - start, 5s);
        groups.StopWork();
        EXPECT_EQ(Clock::Now() - start, 25s);
        election.Join();
        groups.StopRest();
        ASSERT_FALSE(groups.result());
        EXPECT_EQ(groups.result().error().message(), "the lease is another's");
        const std::vector<std::string> lines = trace.lines();
        EXPECT_THAT(lines, Contains("leader gives up"));
        EXPECT_THAT(lines, testing::Not(Contains("other gives up")));
      },
      20);
}

TEST(RunGroups, DestructionStopsWhatRuns) {
  Simulated([] {
    Trace trace;
    {
      RunGroups groups({});
      ASSERT_TRUE(groups.Add(Make(trace, "server", RunnableGroup::kServers, {.ready_after = 1ms})));
      groups.Start();
      (void)SleepFor(1s, {});
    }
    EXPECT_EQ(trace.lines().front(), "server starts");
    EXPECT_EQ(trace.lines().back(), "server ends");
  });
}

}  // namespace
}  // namespace keelson
