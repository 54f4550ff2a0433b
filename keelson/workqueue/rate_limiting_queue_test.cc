#include "keelson/workqueue/rate_limiting_queue.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "keelson/core/simulation.h"

namespace keelson {
namespace {

using std::chrono_literals::operator""s;
using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""ns;

void Simulate(const std::function<void()>& body) {
  Simulation simulation({.seed = 7});
  const auto result = simulation.Run(body);
  EXPECT_TRUE(result) << result.error().message();
}

TEST(ExponentialRateLimiter, DoublesForEachKeyUntilForgotten) {
  ExponentialRateLimiter<std::string> limiter(1ms, 1s);
  for (const Duration delay : {1ms, 2ms, 4ms, 8ms, 16ms}) EXPECT_EQ(limiter.When("a"), delay);
  EXPECT_EQ(limiter.NumRequeues("a"), 5);
  EXPECT_EQ(limiter.When("b"), 1ms);
  limiter.Forget("a");
  EXPECT_EQ(limiter.NumRequeues("a"), 0);
  EXPECT_EQ(limiter.NumRequeues("b"), 1);
  EXPECT_EQ(limiter.When("a"), 1ms);
}

TEST(ExponentialRateLimiter, StaysAtItsMaximumAndNeverOverflows) {
  ExponentialRateLimiter<std::string> limiter(1ms, 1000s);
  for (int i = 0; i < 5; ++i) limiter.When("a");
  EXPECT_EQ(limiter.When("a"), 32ms);
  for (int i = 0; i < 1000; ++i) limiter.When("a");
  EXPECT_EQ(limiter.When("a"), 1000s);

  ExponentialRateLimiter<std::string> unbounded(3ns, Duration::max());
  for (int i = 0; i < 200; ++i) EXPECT_GT(unbounded.When("a"), 0s);
  EXPECT_EQ(unbounded.When("a"), Duration::max());
}

TEST(FastSlowRateLimiter, IsFastAtFirst) {
  FastSlowRateLimiter<std::string> limiter(5ms, 10s, 3);
  for (const Duration delay : {Duration(5ms), Duration(5ms), Duration(5ms), Duration(10s), Duration(10s)}) {
    EXPECT_EQ(limiter.When("a"), delay);
  }
  EXPECT_EQ(limiter.NumRequeues("a"), 5);
  EXPECT_EQ(limiter.When("b"), 5ms);
  limiter.Forget("a");
  EXPECT_EQ(limiter.When("a"), 5ms);
}

TEST(BucketRateLimiter, LetsABurstThroughThenItsRate) {
  Simulate([] {
    BucketRateLimiter<std::string> limiter(10, 3);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(limiter.When("a"), 0s);
    EXPECT_EQ(limiter.When("b"), 100ms);
    EXPECT_EQ(limiter.When("c"), 200ms);
    EXPECT_EQ(limiter.NumRequeues("a"), 0);
    SleepFor(250ms, {});
    EXPECT_NEAR(std::chrono::duration<double>(limiter.When("a")).count(), 0.05, 1e-6);
    SleepFor(100s, {});
    for (int i = 0; i < 3; ++i) EXPECT_EQ(limiter.When("a"), 0s) << "no more than the burst is saved";
    EXPECT_GT(limiter.When("a"), 0s);
  });
}

TEST(MaxOfRateLimiter, TakesTheLongestDelayAndTheHighestCount) {
  std::vector<std::unique_ptr<RateLimiter<std::string>>> limiters;
  limiters.push_back(std::make_unique<FastSlowRateLimiter<std::string>>(5ms, 3s, 2));
  limiters.push_back(std::make_unique<ExponentialRateLimiter<std::string>>(1ms, 1000s));
  MaxOfRateLimiter<std::string> limiter(std::move(limiters));
  EXPECT_EQ(limiter.When("a"), 5ms);
  EXPECT_EQ(limiter.When("a"), 5ms);
  EXPECT_EQ(limiter.When("a"), 3s);
  for (int i = 0; i < 10; ++i) limiter.When("a");
  EXPECT_EQ(limiter.When("a"), 8192ms);
  EXPECT_EQ(limiter.NumRequeues("a"), 14);
  limiter.Forget("a");
  EXPECT_EQ(limiter.NumRequeues("a"), 0);
  EXPECT_EQ(limiter.When("a"), 5ms);
}

TEST(MaxWaitRateLimiter, BoundsTheDelay) {
  MaxWaitRateLimiter<std::string> limiter(std::make_unique<FastSlowRateLimiter<std::string>>(5ms, 3s, 1), 1s);
  EXPECT_EQ(limiter.When("a"), 5ms);
  EXPECT_EQ(limiter.When("a"), 1s);
  EXPECT_EQ(limiter.NumRequeues("a"), 2);
  limiter.Forget("a");
  EXPECT_EQ(limiter.When("a"), 5ms);
}

TEST(RateLimitingQueue, FailingKeyComesLaterEachTimeUntilForgotten) {
  Simulate([] {
    RateLimitingQueue<std::string> queue({}, std::make_unique<ExponentialRateLimiter<std::string>>(1s, 60s));
    TimePoint before = Clock::Now();
    for (const Duration delay : {1s, 2s, 4s, 8s}) {
      queue.AddRateLimited("a");
      EXPECT_EQ(queue.Get()->key, "a");
      EXPECT_EQ(Clock::Now() - before, delay);
      before = Clock::Now();
    }
    EXPECT_EQ(queue.NumRequeues("a"), 4);
    queue.Forget("a");
    EXPECT_EQ(queue.NumRequeues("a"), 0);
    queue.AddRateLimited("a");
    EXPECT_TRUE(queue.Get());
    EXPECT_EQ(Clock::Now() - before, 1s);
  });
}

TEST(RateLimitingQueue, DefaultIsThatOfControllers) {
  Simulate([] {
    auto limiter = DefaultRateLimiter<std::string>();
    EXPECT_EQ(limiter->When("a"), 5ms);
    EXPECT_EQ(limiter->When("a"), 10ms);
    for (int i = 0; i < 98; ++i) limiter->When("b" + std::to_string(i));
    EXPECT_EQ(limiter->When("fresh"), 100ms) << "the bucket's hundred are gone";
    for (int i = 0; i < 40; ++i) limiter->When("a");
    EXPECT_EQ(limiter->When("a"), 1000s);
  });
}

}  // namespace
}  // namespace keelson
