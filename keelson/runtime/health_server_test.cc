#include "keelson/runtime/health_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <stdexcept>

#include "keelson/api/recorded_cases_test_support.h"
#include "keelson/core/log.h"
#include "keelson/core/simulation.h"
#include "keelson/runtime/server_test_support.h"

namespace keelson {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;

HealthCheck Failing(std::string reason) {
  return [reason]() -> Result<void> { return Error::Internal(reason); };
}
Result<void> Passing() { return {}; }

TEST(HealthServer, AnswersAsControllerRuntimeDoes) {
  const ScopedLogCapture quiet;
  std::unique_ptr<HealthServer> server;
  std::unique_ptr<RunningServer> running;
  std::map<std::string, std::string> served;
  int compared = 0;
  for (const testing::RecordedCase& recorded : testing::ReadRecordedCases("metrics/health.jsonl")) {
    SCOPED_TRACE(recorded.line);
    const std::map<std::string, std::string> checks = recorded["checks"].strings();
    if (server == nullptr || checks != served) {
      running.reset();
      server = std::make_unique<HealthServer>(HealthServerOptions{.bind_address = "127.0.0.1:0"});
      for (const auto& [name, reason] : checks) {
        ASSERT_TRUE(server->live().Add(name, reason.empty() ? HealthCheck(Passing) : Failing(reason)));
      }
      running = std::make_unique<RunningServer>(*server);
      served = checks;
    }
    const RawAnswer answer = Ask(server->port(), recorded["request"].text);
    EXPECT_EQ(answer.status, recorded["status"].integer());
    EXPECT_EQ(answer.body, recorded["body"].text);
    EXPECT_EQ(HeaderOf(answer, "Content-Type"), recorded["type"].text);
    ++compared;
  }
  EXPECT_EQ(compared, 132);
}

TEST(HealthServer, LiveAndReadyAreDifferentThings) {
  HealthServer server({.bind_address = "127.0.0.1:0", .ready_path = "/ready"});
  ASSERT_TRUE(server.ready().Add("cache", Failing("not synced")));
  const RunningServer running(server);
  const ScopedLogCapture log;
  EXPECT_EQ(Ask(server.port(), "/healthz").status, 200);
  EXPECT_EQ(Ask(server.port(), "/ready").status, 500);
  EXPECT_EQ(Ask(server.port(), "/readyz").status, 404);
  // The reason is for those who may read logs.
  EXPECT_THAT(log.lines(), Contains(AllOf(HasSubstr("not synced"), HasSubstr("cache"))));
}

TEST(HealthServer, ChecksAreAddedWhileItRuns) {
  HealthServer server({.bind_address = "127.0.0.1:0"});
  const RunningServer running(server);
  EXPECT_EQ(Ask(server.port(), "/healthz?verbose").body, "[+]ping ok\nhealthz check passed\n");
  ASSERT_TRUE(server.live().Add("late", Passing));
  EXPECT_EQ(Ask(server.port(), "/healthz?verbose").body, "[+]late ok\nhealthz check passed\n");
  EXPECT_EQ(Ask(server.port(), "/healthz/ping").status, 404);
}

TEST(HealthServer, AnExceptionIsAFailure) {
  HealthServer server({.bind_address = "127.0.0.1:0"});
  ASSERT_TRUE(server.live().Add("throws", []() -> Result<void> { throw std::runtime_error("out of luck"); }));
  ASSERT_TRUE(server.live().Add("throws else", []() -> Result<void> { throw 7; }));
  const RunningServer running(server);
  const ScopedLogCapture quiet;
  EXPECT_EQ(Ask(server.port(), "/healthz").body,
            "[-]throws failed: reason withheld\n[-]throws else failed: reason withheld\nhealthz check failed\n");
  EXPECT_EQ(Ask(server.port(), "/healthz/throws").body, "internal server error: the check threw: out of luck\n");
}

TEST(HealthServer, NamesAreUniqueAndCanBeAskedFor) {
  HealthChecks checks;
  ASSERT_TRUE(checks.Add("one", Passing));
  EXPECT_EQ(checks.Add("one", Passing).error().code(), ErrorCode::kAlreadyExists);
  for (const char* name : {"", "a/b", "/", ".", ".."}) {
    EXPECT_EQ(checks.Add(name, Passing).error().code(), ErrorCode::kInvalidArgument) << name;
  }
  EXPECT_EQ(checks.Add("two", nullptr).error().code(), ErrorCode::kInvalidArgument);
}

TEST(HealthServer, OnlyReads) {
  HealthServer server({.bind_address = "127.0.0.1:0"});
  const RunningServer running(server);
  const RawAnswer head = Ask(server.port(), "/healthz", "HEAD");
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(HeaderOf(head, "Content-Length"), "2");
  const RawAnswer deleted = Ask(server.port(), "/healthz", "DELETE");
  EXPECT_EQ(deleted.status, 405);
  EXPECT_EQ(HeaderOf(deleted, "Allow"), "GET, HEAD");
  EXPECT_THAT(Ask(server.port(), "/other").body, AllOf(HasSubstr("/healthz\n"), HasSubstr("/readyz/\n")));
}

TEST(HealthServer, OthersAreAnsweredWhileACheckHangs) {
  HealthServer server({.bind_address = "127.0.0.1:0"});
  Awaited<bool> release;
  Counted entered;
  ASSERT_TRUE(server.live().Add("hangs", [&]() -> Result<void> {
    entered.Add();
    (void)release.Wait();
    return {};
  }));
  ASSERT_TRUE(server.live().Add("other", Passing));
  const RunningServer running(server);
  RawClient hung(server.port());
  hung.Send("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
  ASSERT_TRUE(entered.WaitFor(1));
  EXPECT_EQ(Ask(server.port(), "/healthz/other").body, "ok");
  EXPECT_EQ(Ask(server.port(), "/readyz").body, "ok");
  release.Set(true);
  EXPECT_EQ(hung.ReadAnswer().body, "ok");
}

TEST(HealthServer, WithoutAnAddressThereIsNone) {
  for (const char* address : {"", "0"}) {
    HealthServer server({.bind_address = address});
    EXPECT_TRUE(server.Run({}));
    EXPECT_TRUE(server.WaitUntilReady({}));
    EXPECT_EQ(server.port(), 0);
  }
}

TEST(HealthServer, SaysWhyItCannotListen) {
  HealthServer first({.bind_address = "127.0.0.1:0"});
  const RunningServer running(first);
  HealthServer second({.bind_address = "127.0.0.1:" + std::to_string(first.port())});
  const Result<void> taken = second.Run({});
  ASSERT_FALSE(taken);
  EXPECT_FALSE(second.WaitUntilReady({}));
  HealthServer malformed({.bind_address = "8081"});
  EXPECT_THAT(malformed.Run({}).error().message(), HasSubstr("the address of the health server is \"8081\""));
  HealthServer same({.bind_address = "127.0.0.1:0", .ready_path = "/healthz"});
  EXPECT_EQ(same.Run({}).error().code(), ErrorCode::kAlreadyExists);
  Simulation simulation({.seed = 1});
  EXPECT_TRUE(simulation.Run([] {
    HealthServer simulated({.bind_address = "127.0.0.1:0"});
    EXPECT_EQ(simulated.Run({}).error().code(), ErrorCode::kUnsupported);
  }));
}

TEST(HealthServer, ListensNoMoreOnceStopped) {
  HealthServer server({.bind_address = "127.0.0.1:0"});
  RunningServer running(server);
  EXPECT_NE(server.port(), 0);
  running.Stop();
  EXPECT_EQ(server.port(), 0);
}

}  // namespace
}  // namespace keelson
