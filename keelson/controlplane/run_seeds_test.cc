#include "keelson/controlplane/run_seeds.h"

#include <gmock/gmock.h>
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <vector>

namespace keelson {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Without seeds that somebody has asked for.
class RunSeedsTest : public testing::Test {
 protected:
  void SetUp() override { unsetenv("SEEDS"); }
  void TearDown() override { unsetenv("SEEDS"); }
};

TEST_F(RunSeedsTest, RunsEachSeedOnceInOneOfTheParts) {
  std::vector<uint64_t> ran;
  for (int part = 0; part < 3; ++part) {
    RunSeeds({.count = 7, .part = part, .parts = 3}, [&](uint64_t seed) { ran.push_back(seed); });
  }
  EXPECT_THAT(ran, ElementsAre(0, 1, 2, 3, 4, 5, 6));
}

TEST_F(RunSeedsTest, RunsThoseThatAreAskedFor) {
  setenv("SEEDS", "40:43", 1);
  std::vector<uint64_t> ran;
  RunSeeds({.count = 7}, [&](uint64_t seed) { ran.push_back(seed); });
  EXPECT_THAT(ran, ElementsAre(40, 41, 42));
}

TEST_F(RunSeedsTest, RunsOnVirtualTime) {
  RunSeeds({}, [](uint64_t) {
    const TimePoint begin = Clock::Now();
    Settle();
    EXPECT_EQ(Clock::Now() - begin, std::chrono::minutes(1));
    Settle(std::chrono::hours(100));
    EXPECT_EQ(Clock::Now() - begin, std::chrono::hours(100) + std::chrono::minutes(1));
  });
}

TEST_F(RunSeedsTest, EndsWithTheSeedThatDoesNotEnd) {
  std::vector<uint64_t> ran;
  testing::TestPartResultArray results;
  {
    const testing::ScopedFakeTestPartResultReporter reporter(
        testing::ScopedFakeTestPartResultReporter::INTERCEPT_ALL_THREADS, &results);
    RunSeeds({.count = 5}, [&](uint64_t seed) {
      ran.push_back(seed);
      if (seed == 2) (void)SleepUntil(TimePoint::max(), {});
    });
  }
  ASSERT_EQ(results.size(), 1);
  EXPECT_THAT(results.GetTestPartResult(0).message(), HasSubstr("seed 2: "));
  EXPECT_THAT(ran, ElementsAre(0, 1, 2));
}

}  // namespace
}  // namespace keelson
