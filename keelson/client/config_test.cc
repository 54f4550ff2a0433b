#include "keelson/client/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "keelson/client/scripted_transport_test_support.h"
#include "keelson/client/transport_family.h"
#include "keelson/core/log.h"
#include "keelson/core/simulation.h"
#include "keelson/transport/in_process_transport.h"
#include "keelson/transport/test_certificates_test_support.h"

namespace keelson {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

void Simulate(const std::function<void()>& body) {
  Simulation simulation({.seed = 1});
  const Result<void> result = simulation.Run(body);
  ASSERT_TRUE(result) << result.error().message();
}

TEST(DefaultUserAgent, NamesProgramMachineAndLibrary) {
  EXPECT_THAT(DefaultUserAgent("demo", "1.2.3"),
              testing::MatchesRegex("demo/1\\.2\\.3 \\(linux/[a-z0-9]+\\) keelson/[0-9]+\\.[0-9]+\\.[0-9]+"));
  EXPECT_THAT(DefaultUserAgent(), HasSubstr("/unknown (linux/"));
}

TEST(WrapTransport, StacksEverythingThatTheConfigurationAsksFor) {
  const ScopedLogCapture log;
  Simulate([&] {
    MetricRegistry registry;
    auto server = std::make_shared<ScriptedTransport>();
    server->Then(Answer(429, {{"Retry-After", "1"}})).Then(Answer(200, {{"Warning", "299 - \"old\""}}));
    const Result<std::shared_ptr<Transport>> transport =
        WrapTransport(server, {.server = "https://user@10.0.0.1:6443/prefix",
                               .bearer_token = "abc",
                               .impersonate = {.user = "jane"},
                               .user_agent = "demo/1",
                               .qps = 0.1,
                               .burst = 1,
                               .timeout = 1h,
                               .retry = {.jitter = 0},
                               .metrics = &registry});
    ASSERT_TRUE(transport) << transport.error().message();
    const TimePoint start = Clock::Now();
    ASSERT_TRUE((*transport)->Send({.target = "/api"}, {}));
    ASSERT_EQ(server->requests().size(), 2);
    EXPECT_EQ(server->HeaderOfEach("Authorization"), (std::vector<std::string>(2, "Bearer abc")));
    EXPECT_EQ(server->HeaderOfEach("Impersonate-User"), (std::vector<std::string>(2, "jane")));
    EXPECT_EQ(server->HeaderOfEach("User-Agent"), (std::vector<std::string>(2, "demo/1")));
    // A repeated request is held to the rate too.
    EXPECT_EQ(std::chrono::round<std::chrono::milliseconds>(server->times()[1] - start), 10s);
    EXPECT_EQ(server->deadlines()[0], start + 1h);
    const std::string text = registry.Render();
    EXPECT_THAT(text, HasSubstr(R"(rest_client_requests_total{code="200",host="10.0.0.1:6443",method="GET"} 1)"));
    EXPECT_THAT(text, HasSubstr(R"(rest_client_requests_total{code="429",host="10.0.0.1:6443",method="GET"} 1)"));
    EXPECT_THAT(text, HasSubstr(R"(rest_client_request_retries_total{code="200",host="10.0.0.1:6443",verb="GET"} 1)"));
    EXPECT_THAT(text,
                HasSubstr(R"(rest_client_rate_limiter_duration_seconds_count{host="10.0.0.1:6443",verb="GET"} 2)"));
  });
  ASSERT_EQ(log.lines().size(), 1);
  EXPECT_THAT(log.lines()[0], HasSubstr("old"));
}

TEST(TransportFamily, SharesItsRateAndPutsAWrapperBelowRetries) {
  class Counting final : public Transport {
   public:
    Counting(std::shared_ptr<Transport> inner, int& calls) : inner_(std::move(inner)), calls_(calls) {}
    Result<HttpResponse> Send(HttpRequest request, const CallScope& scope) override {
      ++calls_;
      return inner_->Send(std::move(request), scope);
    }

   private:
    const std::shared_ptr<Transport> inner_;
    int& calls_;
  };
  Simulate([&] {
    auto server = std::make_shared<ScriptedTransport>();
    server->Then(Answer(429, {{"Retry-After", "1"}}));
    const TransportFamily family =
        TransportFamily::Over(server, {.bearer_token = "abc", .qps = 0.1, .burst = 1, .retry = {.jitter = 0}}).value();
    int calls = 0;
    const std::shared_ptr<Transport> wrapped =
        family.NewTransport([&](auto inner) { return std::make_shared<Counting>(std::move(inner), calls); });
    const std::shared_ptr<Transport> plain = family.NewTransport();
    const TimePoint start = Clock::Now();
    ASSERT_TRUE(wrapped->Send({.target = "/api"}, {}));
    EXPECT_EQ(calls, 2) << "each try passes it";
    ASSERT_TRUE(plain->Send({.target = "/api"}, {}));
    EXPECT_EQ(calls, 2);
    EXPECT_EQ(server->HeaderOfEach("Authorization"), (std::vector<std::string>(3, "Bearer abc")));
    EXPECT_EQ(std::chrono::round<std::chrono::milliseconds>(server->times()[2] - start), 20s) << "one rate for both";
  });
}

TEST(WrapTransport, TimeoutSparesStreamsAndNeverExtendsADeadline) {
  Simulate([] {
    auto server = std::make_shared<ScriptedTransport>();
    const auto transport = WrapTransport(server, {.timeout = 1min}).value();
    const TimePoint now = Clock::Now();
    ASSERT_TRUE(transport->Send({}, {}));
    ASSERT_TRUE(transport->Send({.streaming = true}, {}));
    ASSERT_TRUE(transport->Send({}, {.deadline = now + 1s}));
    EXPECT_EQ(server->deadlines(), (std::vector<TimePoint>{now + 1min, TimePoint::max(), now + 1s}));
  });
}

TEST(WrapTransport, FirstKindOfCredentialCounts) {
  TemporaryDirectory directory;
  const std::string file = directory.Write("token", "from-file");
  const ExecPlugin plugin{
      .config = {.command = "false", .apiVersion = "client.authentication.k8s.io/v1", .interactiveMode = "Never"}};
  const auto header = [](const ClientConfig& config) {
    auto server = std::make_shared<ScriptedTransport>();
    (void)WrapTransport(server, config).value()->Send({}, {});
    return server->requests().empty() ? "not sent" : server->HeaderOfEach("Authorization")[0];
  };
  EXPECT_EQ(header({.bearer_token = "t", .bearer_token_file = file, .username = "u", .exec = plugin}),
            "Bearer from-file");
  EXPECT_EQ(header({.bearer_token = "t", .username = "u", .exec = plugin}), "Bearer t");
  EXPECT_EQ(header({.username = "u", .exec = plugin}), "Basic dTo=");
  EXPECT_EQ(header({.exec = plugin}), "not sent");
  EXPECT_EQ(header({.tls = {.certificate = {.text = "c"}}, .exec = plugin}), "-");
  EXPECT_EQ(header({}), "-");
}

TEST(WrapTransport, UnusableConfigurationIsAnErrorAtOnce) {
  auto server = std::make_shared<ScriptedTransport>();
  EXPECT_FALSE(WrapTransport(server, {.bearer_token = "a b"}));
  EXPECT_FALSE(WrapTransport(server, {.bearer_token_file = "/no/such/file"}));
  EXPECT_FALSE(WrapTransport(server, {.exec = ExecPlugin{}}));
  EXPECT_FALSE(WrapTransport(server, {.impersonate = {.groups = {"g"}}}));
}

TEST(WrapTransport, StreamsOfTheServerArePassedOnPieceByPiece) {
  Simulate([] {
    class Ticker : public HttpHandler {
     public:
      std::shared_ptr<ResponseWriter> response;
      void Handle(ServerRequest, std::shared_ptr<ResponseWriter> writer) override {
        writer->Start(200, {});
        writer->Write("one");
        response = std::move(writer);
      }
    } handler;
    MetricRegistry registry;
    const auto transport =
        WrapTransport(std::make_shared<InProcessTransport>(handler), {.bearer_token = "t", .metrics = &registry})
            .value();
    Result<HttpResponse> answer = transport->Send({.streaming = true}, {});
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->body->Next().value(), "one");
    handler.response->Write("two");
    EXPECT_EQ(answer->body->Next().value(), "two");
    handler.response->Finish();
    EXPECT_EQ(answer->body->Next().value(), "");
  });
}

}  // namespace
}  // namespace keelson
