#include "keelson/client/rate_limit_transport.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "keelson/client/request_metrics.h"
#include "keelson/client/scripted_transport_test_support.h"
#include "keelson/core/simulation.h"
#include "keelson/core/thread.h"

namespace keelson {
namespace {

using namespace std::chrono_literals;

void Simulate(const std::function<void()>& body, uint64_t seed = 1) {
  Simulation simulation({.seed = seed});
  const Result<void> result = simulation.Run(body);
  ASSERT_TRUE(result) << result.error().message();
}

TEST(RateLimitTransport, BurstGoesAtOnceAndTheRestAtTheRate) {
  Simulate([] {
    auto server = std::make_shared<ScriptedTransport>();
    RateLimitTransport transport(server, {.qps = 10, .burst = 3});
    const TimePoint start = Clock::Now();
    for (int i = 0; i < 6; ++i) ASSERT_TRUE(transport.Send({}, {}));
    std::vector<Duration> at;
    for (const TimePoint time : server->times()) {
      at.push_back(std::chrono::round<std::chrono::milliseconds>(time - start));
    }
    EXPECT_EQ(at, (std::vector<Duration>{0ms, 0ms, 0ms, 100ms, 200ms, 300ms}));
  });
}

TEST(RateLimitTransport, TokensComeBackUpToTheBurst) {
  Simulate([] {
    auto server = std::make_shared<ScriptedTransport>();
    RateLimitTransport transport(server, {.qps = 10, .burst = 2});
    for (int i = 0; i < 2; ++i) ASSERT_TRUE(transport.Send({}, {}));
    (void)SleepFor(1h, {});
    const TimePoint start = Clock::Now();
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(transport.Send({}, {}));
    EXPECT_EQ(std::chrono::round<std::chrono::milliseconds>(Clock::Now() - start), 100ms);
  });
}

TEST(RateLimitTransport, ManyThreadsTogetherKeepTheRate) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Simulate(
        [] {
          auto server = std::make_shared<ScriptedTransport>();
          RateLimitTransport transport(server, {.qps = 100, .burst = 1});
          const TimePoint start = Clock::Now();
          {
            std::vector<Thread> threads;
            for (int i = 0; i < 5; ++i) {
              threads.emplace_back("sender", [&] {
                for (int j = 0; j < 4; ++j) EXPECT_TRUE(transport.Send({}, {}));
              });
            }
            for (Thread& thread : threads) thread.Join();
          }
          EXPECT_EQ(server->requests().size(), 20);
          EXPECT_EQ(std::chrono::round<std::chrono::milliseconds>(Clock::Now() - start), 190ms);
        },
        seed);
  }
}

TEST(RateLimitTransport, RequestThatCannotGoInTimeFailsAtOnceAndTakesNoToken) {
  Simulate([] {
    auto server = std::make_shared<ScriptedTransport>();
    RateLimitTransport transport(server, {.qps = 1, .burst = 1});
    ASSERT_TRUE(transport.Send({}, {}));
    const TimePoint start = Clock::Now();
    const Result<HttpResponse> refused = transport.Send({}, {.deadline = start + 500ms});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code(), ErrorCode::kTimeout);
    EXPECT_THAT(refused.error().message(), testing::HasSubstr("rate limit"));
    EXPECT_EQ(Clock::Now(), start);
    ASSERT_TRUE(transport.Send({}, {}));
    EXPECT_EQ(std::chrono::round<std::chrono::milliseconds>(Clock::Now() - start), 1s);
  });
}

TEST(RateLimitTransport, StopEndsTheWaitAndGivesTheTokenBack) {
  Simulate([] {
    auto server = std::make_shared<ScriptedTransport>();
    RateLimitTransport transport(server, {.qps = 0.1, .burst = 1});
    ASSERT_TRUE(transport.Send({}, {}));
    const TimePoint start = Clock::Now();
    StopSource stop;
    const Thread stopper("stopper", [&] {
      (void)SleepFor(1s, {});
      stop.RequestStop();
    });
    const Result<HttpResponse> cancelled = transport.Send({}, {.stop = stop.token()});
    ASSERT_FALSE(cancelled);
    EXPECT_EQ(cancelled.error().code(), ErrorCode::kCancelled);
    EXPECT_EQ(Clock::Now() - start, 1s);
    ASSERT_TRUE(transport.Send({}, {}));
    EXPECT_EQ(std::chrono::round<std::chrono::milliseconds>(Clock::Now() - start), 10s);
  });
}

TEST(RateLimitTransport, WaitsAreMeasured) {
  Simulate([] {
    MetricRegistry registry;
    auto server = std::make_shared<ScriptedTransport>();
    RateLimitTransport transport(server, {.qps = 1, .burst = 1}, RequestMetrics::Create(registry, "h:1").value());
    for (int i = 0; i < 2; ++i) ASSERT_TRUE(transport.Send({.method = "PUT"}, {}));
    EXPECT_THAT(registry.Render(),
                testing::HasSubstr(R"(rest_client_rate_limiter_duration_seconds_count{host="h:1",verb="PUT"} 2)"));
    EXPECT_THAT(registry.Render(),
                testing::HasSubstr(R"(rest_client_rate_limiter_duration_seconds_sum{host="h:1",verb="PUT"} 1)"));
  });
}

}  // namespace
}  // namespace keelson
