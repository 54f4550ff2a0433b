#include "keelson/client/retry_transport.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "keelson/client/request_metrics.h"
#include "keelson/client/scripted_transport_test_support.h"
#include "keelson/core/simulation.h"
#include "keelson/core/thread.h"

namespace keelson {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

// The body runs on virtual time.
void Simulate(const std::function<void()>& body, uint64_t seed = 1) {
  Simulation simulation({.seed = seed});
  const Result<void> result = simulation.Run(body);
  ASSERT_TRUE(result) << result.error().message();
}

// How often a request was sent that got `first` each time it would have been repeated once.
size_t TimesSent(const HttpRequest& request, const ScriptedOutcome& first) {
  size_t times = 0;
  Simulate([&] {
    auto server = std::make_shared<ScriptedTransport>();
    server->Then(first);
    RetryTransport transport(server);
    (void)transport.Send(request, {});
    times = server->requests().size();
  });
  return times;
}

const Headers kSoon = {{"Retry-After", "1"}};
const std::vector<std::string> kMethods = {"GET", "HEAD", "PUT", "DELETE", "POST", "PATCH"};

TEST(RetryTransport, ThrottledRequestsAreSentAgainWhateverTheirMethod) {
  for (const std::string& method : kMethods) {
    EXPECT_EQ(TimesSent({.method = method}, Answer(429, kSoon)), 2) << method;
    EXPECT_EQ(TimesSent({.method = method}, Answer(503, kSoon)), 2) << method;
  }
}

TEST(RetryTransport, AnswersWithoutRetryAfterAreFinal) {
  for (const int status : {429, 500, 502, 503, 504}) EXPECT_EQ(TimesSent({}, Answer(status)), 1) << status;
}

TEST(RetryTransport, RetryAfterMeansNothingWithOtherStatuses) {
  for (const int status : {200, 202, 301, 400, 401, 403, 404, 409}) {
    EXPECT_EQ(TimesSent({}, Answer(status, kSoon)), 1) << status;
  }
}

TEST(RetryTransport, CreateIsNotRepeatedWhenTheServerMayHaveDoneIt) {
  for (const int status : {500, 502, 504}) {
    EXPECT_EQ(TimesSent({.method = "POST"}, Answer(status, kSoon)), 1) << status;
    EXPECT_EQ(TimesSent({.method = "GET"}, Answer(status, kSoon)), 2) << status;
    EXPECT_EQ(TimesSent({.method = "PUT"}, Answer(status, kSoon)), 2) << status;
    EXPECT_EQ(TimesSent({.method = "DELETE"}, Answer(status, kSoon)), 2) << status;
  }
}

TEST(RetryTransport, JsonPatchIsNotRepeatedWhenTheServerMayHaveDoneIt) {
  const auto patch = [](const std::string& type) {
    return HttpRequest{.method = "PATCH", .headers = {{"Content-Type", type}}};
  };
  EXPECT_EQ(TimesSent(patch("application/json-patch+json"), Answer(500, kSoon)), 1);
  EXPECT_EQ(TimesSent(patch("application/merge-patch+json"), Answer(500, kSoon)), 2);
  EXPECT_EQ(TimesSent(patch("application/apply-patch+yaml"), Answer(500, kSoon)), 2);
}

TEST(RetryTransport, LostConnectionIsTriedAgainForReadsOnly) {
  for (const std::string& method : kMethods) {
    const size_t expected = method == "GET" || method == "HEAD" ? 2 : 1;
    EXPECT_EQ(TimesSent({.method = method}, Lost(true)), expected) << method;
  }
}

TEST(RetryTransport, RequestThatNeverLeftIsSentAgainWhateverItsMethod) {
  for (const std::string& method : kMethods) {
    EXPECT_EQ(TimesSent({.method = method}, Fails(TransportFailure::kRefused, false)), 2) << method;
    EXPECT_EQ(TimesSent({.method = method}, Fails(TransportFailure::kResolve, false)), 2) << method;
  }
}

TEST(RetryTransport, TlsFailuresAndPlainErrorsAreFinal) {
  EXPECT_EQ(TimesSent({}, Fails(TransportFailure::kTls, false)), 1);
  EXPECT_EQ(TimesSent({}, [](const HttpRequest&) { return Error(ErrorCode::kTimeout, "late"); }), 1);
  EXPECT_EQ(TimesSent({}, [](const HttpRequest&) { return Error::Cancelled("stopped"); }), 1);
  EXPECT_EQ(TimesSent({}, [](const HttpRequest&) { return Error(ErrorCode::kUnauthorized, "no plugin"); }), 1);
}

TEST(RetryTransport, WaitsAsLongAsTheServerAsks) {
  Simulate([] {
    auto server = std::make_shared<ScriptedTransport>();
    server->Then(Answer(429, {{"Retry-After", "7"}}));
    RetryTransport transport(server, {.jitter = 0.5});
    ASSERT_TRUE(transport.Send({}, {}));
    const Duration waited = server->times()[1] - server->times()[0];
    EXPECT_GE(waited, 7s);
    EXPECT_LE(waited, 10500ms);
  });
}

TEST(RetryTransport, WaitsUntilTheDateThatTheServerNames) {
  Simulate([] {
    auto server = std::make_shared<ScriptedTransport>();
    server->Then(Answer(503, {{"Retry-After", "Wed, 01 Jan 2025 00:00:20 GMT"}}));
    RetryTransport transport(server, {.jitter = 0});
    ASSERT_TRUE(transport.Send({}, {}));
    EXPECT_EQ(server->times()[1] - server->times()[0], 20s);
  });
}

TEST(RetryTransport, BackoffDoublesUpToItsBoundAndAttemptsEnd) {
  Simulate([] {
    auto server = std::make_shared<ScriptedTransport>();
    for (int i = 0; i < 100; ++i) server->Then(Answer(503, {{"Retry-After", "0"}}, "try " + std::to_string(i)));
    RetryTransport transport(server, {.max_retries = 6, .initial_backoff = 100ms, .max_backoff = 1s, .jitter = 0});
    Result<HttpResponse> answer = transport.Send({}, {});
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 503);
    EXPECT_EQ(ReadAll(*answer->body, 100).value(), "try 6");  // the last answer whole, as it came
    std::vector<Duration> waits;
    const std::vector<TimePoint> times = server->times();
    for (size_t i = 1; i < times.size(); ++i) waits.push_back(times[i] - times[i - 1]);
    EXPECT_EQ(waits, (std::vector<Duration>{100ms, 200ms, 400ms, 800ms, 1s, 1s}));
  });
}

TEST(RetryTransport, UnreachableServerIsGivenUpSooner) {
  Simulate([] {
    auto server = std::make_shared<ScriptedTransport>();
    for (int i = 0; i < 100; ++i) server->Then(Fails(TransportFailure::kRefused, false));
    RetryTransport transport(server);
    const Result<HttpResponse> answer = transport.Send({}, {});
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().message(), "scripted failure");
    EXPECT_EQ(server->requests().size(), 5);
  });
}

TEST(RetryTransport, BodyAndHeadersGoAgainAsTheyWere) {
  Simulate([] {
    auto server = std::make_shared<ScriptedTransport>();
    server->Then(Answer(429, kSoon)).Then(Answer(201));
    RetryTransport transport(server, {.max_retries = 1});
    const Result<HttpResponse> answer =
        transport.Send({.method = "POST", .target = "/x", .headers = {{"A", "b"}}, .body = "content"}, {});
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 201);
    ASSERT_EQ(server->requests().size(), 2);
    for (const HttpRequest& request : server->requests()) {
      EXPECT_EQ(request.method + " " + request.target + " " + request.body, "POST /x content");
      EXPECT_EQ(*request.headers.Find("A"), "b");
    }
  });
}

TEST(RetryTransport, DeadlineDuringTheWaitGivesTheAnswerAtOnce) {
  Simulate([] {
    auto server = std::make_shared<ScriptedTransport>();
    server->Then(Answer(429, {{"Retry-After", "30"}}, "busy"));
    RetryTransport transport(server);
    const TimePoint start = Clock::Now();
    Result<HttpResponse> answer = transport.Send({}, {.deadline = start + 10s});
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 429);
    EXPECT_EQ(ReadAll(*answer->body, 100).value(), "busy");
    EXPECT_EQ(Clock::Now(), start);
  });
}

TEST(RetryTransport, LongRetryAfterIsLeftToTheCaller) {
  EXPECT_EQ(TimesSent({}, Answer(503, {{"Retry-After", "61"}})), 1);
  EXPECT_EQ(TimesSent({}, Answer(503, {{"Retry-After", "60"}})), 2);
}

TEST(RetryTransport, StopEndsTheWait) {
  Simulate([] {
    auto server = std::make_shared<ScriptedTransport>();
    server->Then(Answer(429, {{"Retry-After", "30"}}));
    RetryTransport transport(server);
    StopSource stop;
    const TimePoint start = Clock::Now();
    const Thread stopper("stopper", [&] {
      (void)SleepFor(3s, {});
      stop.RequestStop();
    });
    const Result<HttpResponse> answer = transport.Send({}, {.stop = stop.token()});
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code(), ErrorCode::kCancelled);
    EXPECT_EQ(Clock::Now() - start, 3s);
    EXPECT_EQ(server->requests().size(), 1);
  });
}

TEST(RetryTransport, RetriesAreCounted) {
  Simulate([] {
    MetricRegistry registry;
    auto server = std::make_shared<ScriptedTransport>();
    server->Then(Answer(429, kSoon)).Then(Lost(true)).Then(Answer(200));
    RetryTransport transport(server, {}, RequestMetrics::Create(registry, "h:1").value());
    ASSERT_TRUE(transport.Send({}, {}));
    const std::string text = registry.Render();
    EXPECT_THAT(text, HasSubstr(R"(rest_client_request_retries_total{code="200",host="h:1",verb="GET"} 1)"));
    EXPECT_THAT(text, HasSubstr(R"(rest_client_request_retries_total{code="<error>",host="h:1",verb="GET"} 1)"));
    EXPECT_THAT(text, testing::Not(HasSubstr(R"(retries_total{code="429")")));
  });
}

TEST(ParseRetryAfter, ReadsSeconds) {
  const WallTime now{};
  EXPECT_EQ(ParseRetryAfter("0", now), Duration(0s));
  EXPECT_EQ(ParseRetryAfter(" 120 ", now), Duration(120s));
  EXPECT_EQ(ParseRetryAfter("99999999999999999999999", now), Duration(24h * 365));
  for (const char* bad : {"", " ", "-1", "1.5", "1s", "+1", "0x1", "1 2"}) {
    EXPECT_EQ(ParseRetryAfter(bad, now), std::nullopt) << bad;
  }
}

TEST(ParseRetryAfter, ReadsHttpDates) {
  const WallTime now(std::chrono::sys_days(std::chrono::year(1994) / 11 / 6) + 8h + 49min);
  EXPECT_EQ(ParseRetryAfter("Sun, 06 Nov 1994 08:49:37 GMT", now), Duration(37s));
  EXPECT_EQ(ParseRetryAfter("Sun, 06 Nov 1994 08:48:37 GMT", now), Duration(0s));
  EXPECT_EQ(ParseRetryAfter("Fri, 31 Dec 9999 23:59:59 GMT", now), Duration(24h * 365));
  EXPECT_EQ(ParseRetryAfter("Sat, 01 Jan 0000 00:00:00 GMT", now), Duration(0s));
  for (const char* bad : {"Sun, 06 Nov 1994 08:49:37", "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:49:37 GMT",
                          "Sun, 31 Feb 1994 08:49:37 GMT", "Sun, 06 Foo 1994 08:49:37 GMT", "Sunday, 06-Nov-94",
                          "Sun, 06 Nov 1994 08:49:37 GMT+1"}) {
    EXPECT_EQ(ParseRetryAfter(bad, now), std::nullopt) << bad;
  }
}

}  // namespace
}  // namespace keelson
