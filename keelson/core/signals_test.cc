#include "keelson/core/signals.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>

#include "keelson/core/clock.h"
#include "keelson/core/log.h"
#include "keelson/core/simulation.h"

namespace keelson {
namespace {

using namespace std::chrono_literals;

constexpr Duration kLong = 1min;

TEST(StopSignals, EitherSignalRequestsTheStop) {
  const ScopedLogCapture log;
  for (const int signal : {SIGINT, SIGTERM}) {
    const StopSignals signals;
    EXPECT_FALSE(signals.token().StopRequested());
    raise(signal);
    EXPECT_EQ(SleepFor(kLong, signals.token()), Wake::kStopped);
  }
  ASSERT_EQ(log.lines().size(), 2u);
  EXPECT_NE(log.lines()[0].find("signal=\"SIGINT\""), std::string::npos) << log.lines()[0];
  EXPECT_NE(log.lines()[1].find("signal=\"SIGTERM\""), std::string::npos) << log.lines()[1];
}

TEST(StopSignals, SeveralAtATimeShareOneToken) {
  const ScopedLogCapture quiet;
  const StopSignals one;
  {
    const StopSignals other;
  }
  const StopSignals other;
  raise(SIGTERM);
  EXPECT_EQ(SleepFor(kLong, one.token()), Wake::kStopped);
  EXPECT_EQ(SleepFor(kLong, other.token()), Wake::kStopped);
}

TEST(StopSignals, InASimulationTheyAreLeftAlone) {
  Simulation simulation({.seed = 1});
  const Result<void> done = simulation.Run([] {
    const StopSignals signals;
    EXPECT_FALSE(signals.token().StopPossible());
  });
  EXPECT_TRUE(done) << done.error().message();
}

TEST(StopSignalsDeathTest, TheSecondExits) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        const StopSignals signals;
        raise(SIGTERM);
        (void)SleepFor(kLong, signals.token());
        raise(SIGINT);
        _exit(7);
      },
      testing::ExitedWithCode(1), "once more exits at once");
}

TEST(StopSignalsDeathTest, AfterwardsTheyMeanWhatTheyMeantBefore) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        {
          const StopSignals signals;
        }
        raise(SIGTERM);
      },
      testing::KilledBySignal(SIGTERM), "");
}

}  // namespace
}  // namespace keelson
