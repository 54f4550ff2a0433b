#include "keelson/runtime/metrics_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "keelson/controlplane/control_plane.h"
#include "keelson/core/log.h"
#include "keelson/runtime/server_test_support.h"
#include "keelson/transport/certificate_authority.h"
#include "keelson/transport/in_process_transport.h"
#include "keelson/transport/internal/gzip_inflater.h"
#include "keelson/transport/socket_transport.h"

namespace keelson {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(MetricsServer, ShowsTheRegistryAndTheProcess) {
  MetricRegistry registry;
  registry.AddCounter({.name = "apples_total", .help = "Apples.", .labels = {"kind"}})->With({"boskoop"}).Increment(3);
  MetricsServer server({.bind_address = "127.0.0.1:0"}, registry);
  const RunningServer running(server);
  const RawAnswer answer = Ask(server.port(), "/metrics");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(HeaderOf(answer, "Content-Type"), "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_EQ(HeaderOf(answer, "Content-Encoding"), "");
  EXPECT_THAT(answer.body, AllOf(HasSubstr("# TYPE apples_total counter\napples_total{kind=\"boskoop\"} 3\n"),
                                 HasSubstr("\nprocess_resident_memory_bytes ")));
}

TEST(MetricsServer, CompressesForWhoAsksForIt) {
  MetricRegistry registry;
  MetricsServer server({.bind_address = "127.0.0.1:0"}, registry);
  const RunningServer running(server);
  const RawAnswer answer = Ask(server.port(), "/metrics", "GET", "Accept-Encoding: gzip\r\n");
  EXPECT_EQ(HeaderOf(answer, "Content-Encoding"), "gzip");
  EXPECT_EQ(HeaderOf(answer, "Vary"), "Accept-Encoding");
  internal::GzipInflater inflater;
  std::string text;
  for (std::string_view rest = answer.body; !inflater.complete();) {
    const Result<std::string_view> part = inflater.Next(rest);
    ASSERT_TRUE(part) << part.error().message();
    text += *part;
  }
  EXPECT_THAT(text, HasSubstr("process_cpu_seconds_total"));
}

TEST(MetricsServer, OnlyReadsAndSaysWhatThereIs) {
  MetricRegistry registry;
  MetricsServer server({.bind_address = "127.0.0.1:0"}, registry);
  const RunningServer running(server);
  const RawAnswer head = Ask(server.port(), "/metrics", "HEAD");
  EXPECT_EQ(head.status, 200);
  EXPECT_GT(std::stoi(HeaderOf(head, "Content-Length")), 100);
  EXPECT_EQ(Ask(server.port(), "/metrics", "POST").status, 405);
  const RawAnswer other = Ask(server.port(), "/");
  EXPECT_EQ(other.status, 404);
  EXPECT_THAT(other.body, AllOf(HasSubstr("  /metrics\n"), Not(HasSubstr("/debug/"))));
  // Profiling is off unless asked for.
  EXPECT_EQ(Ask(server.port(), "/debug/threads").status, 404);
  for (const char* path : {"/../metrics", "//metrics", "/./metrics", "/x/%2e%2e/metrics", "/%zz"}) {
    EXPECT_EQ(Ask(server.port(), path).status, 400) << path;
  }
  EXPECT_EQ(Ask(server.port(), "/%6detrics").status, 200);
}

TEST(MetricsServer, ServesMorePaths) {
  MetricRegistry registry;
  MetricsServer server({.bind_address = "127.0.0.1:0"}, registry);
  const auto echo = std::make_shared<FunctionHandler>(Echo);
  ASSERT_TRUE(server.AddHandler("/mine", echo));
  ASSERT_TRUE(server.AddHandler("/below/", echo));
  EXPECT_EQ(server.AddHandler("/metrics", echo).error().code(), ErrorCode::kAlreadyExists);
  EXPECT_EQ(server.AddHandler("mine", echo).error().code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(server.AddHandler("/null", nullptr).error().code(), ErrorCode::kInvalidArgument);
  const RunningServer running(server);
  EXPECT_EQ(Ask(server.port(), "/mine?a=b", "POST").body, "POST /mine ?a=b\n");
  EXPECT_EQ(Ask(server.port(), "/below/x/y").body, "GET /below/x/y ?\n");
  EXPECT_EQ(Ask(server.port(), "/below").status, 404);
  EXPECT_EQ(Ask(server.port(), "/mine/x").status, 404);
}

TEST(MetricsServer, AHandlerThatThrowsEndsOnlyItsAnswer) {
  MetricRegistry registry;
  MetricsServer server({.bind_address = "127.0.0.1:0"}, registry);
  ASSERT_TRUE(server.AddHandler(
      "/throws", std::make_shared<FunctionHandler>(
                     [](ServerRequest, std::shared_ptr<ResponseWriter>) { throw std::runtime_error("out of luck"); })));
  const RunningServer running(server);
  const ScopedLogCapture log;
  (void)Ask(server.port(), "/throws");
  EXPECT_TRUE(Eventually([&] { return !log.lines().empty(); }));
  EXPECT_THAT(log.lines(), ::testing::Contains(HasSubstr("out of luck")));
  EXPECT_EQ(Ask(server.port(), "/metrics").status, 200);
}

TEST(MetricsServer, TellsAboutThreadsAndMemoryWhenAskedTo) {
  MetricRegistry registry;
  MetricsServer server({.bind_address = "127.0.0.1:0", .profiling = true}, registry);
  const RunningServer running(server);
  // The thread that answers is one of them, and it runs.
  EXPECT_THAT(Ask(server.port(), "/debug/threads").body, AllOf(HasSubstr("  metrics 1\n"), HasSubstr("  runs ")));
  EXPECT_THAT(Ask(server.port(), "/debug/memory").body, HasSubstr("resident, anonymous"));
  const RawAnswer profile = Ask(server.port(), "/debug/profile?seconds=0.05");
  EXPECT_EQ(profile.status, 200);
  EXPECT_THAT(profile.body, AllOf(HasSubstr("perf record"), HasSubstr("  metrics 1\n")));
  for (const char* seconds : {"", "x", "0", "-1", "nan", "inf", "1s", "1e9"}) {
    EXPECT_EQ(Ask(server.port(), std::string("/debug/profile?seconds=") + seconds).status, 400) << seconds;
  }
}

TEST(MetricsServer, AProfileIsOneAtATimeAndEndsWithTheServer) {
  MetricRegistry registry;
  MetricsServer server({.bind_address = "127.0.0.1:0", .profiling = true}, registry);
  RunningServer running(server);
  RawClient first(server.port());
  first.Send("GET /debug/profile?seconds=60 HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_TRUE(Eventually([&] { return Ask(server.port(), "/debug/profile?seconds=x").status == 503; }));
  const TimePoint start = Clock::Now();
  running.Stop();
  EXPECT_LT(Clock::Now() - start, kPatience);
  const RawAnswer answer = first.ReadAnswer();
  EXPECT_EQ(answer.status, 200);
  EXPECT_TRUE(answer.complete);
}

// Knows two tokens, and leaves everything else to an API server.
class TokenServer final : public Transport {
 public:
  explicit TokenServer(ControlPlane& control_plane)
      : rest_(control_plane.api_server(), Peer{.address = "in-process",
                                               .tls = false,
                                               .common_name = "metrics",
                                               .organizations = {"system:masters"},
                                               .certificate_pem = {}}) {}
  Result<HttpResponse> Send(HttpRequest request, const CallScope& scope) override {
    if (!request.target.ends_with("/tokenreviews")) return rest_.Send(std::move(request), scope);
    std::string user;
    if (request.body.find("\"admins-token\"") != std::string::npos) user = R"("alice","groups":["system:masters"])";
    if (request.body.find("\"bobs-token\"") != std::string::npos) user = R"("bob","groups":["dev"])";
    if (user.empty()) return rest_.Send(std::move(request), scope);
    return HttpResponse{.status = 201,
                        .headers = {{"Content-Type", "application/json"}},
                        .body = StreamOf(R"({"kind":"TokenReview","apiVersion":"authentication.k8s.io/v1","status":)"
                                         R"({"authenticated":true,"user":{"username":)" +
                                         user + "}}}")};
  }

 private:
  InProcessTransport rest_;
};

struct Fetched {
  int status = 0;
  std::string body;
  Headers headers;
};

Fetched Fetch(uint16_t port, const std::string& path, const std::string& token, TlsClientOptions tls) {
  const auto transport =
      SocketTransport::Create({.server = "https://127.0.0.1:" + std::to_string(port), .tls = std::move(tls)}).value();
  HttpRequest request{.target = path};
  if (!token.empty()) request.headers.Add("Authorization", "Bearer " + token);
  Result<HttpResponse> response = transport->Send(std::move(request), {});
  if (!response) return {.status = 0, .body = response.error().message(), .headers = {}};
  std::string body = ReadAll(*response->body, 1 << 20).value_or("cut");
  return {.status = response->status, .body = std::move(body), .headers = response->headers};
}

class SecureMetricsServer : public ::testing::Test {
 protected:
  static TlsClientOptions Unverified() { return {.insecure_skip_verify = true}; }

  ControlPlane control_plane_;
  const Client reviewer_{std::make_shared<TokenServer>(control_plane_)};
  MetricRegistry registry_;
};

TEST_F(SecureMetricsServer, LetsInWhomTheApiServerLetsIn) {
  MetricsServer server({.bind_address = "127.0.0.1:0", .secure = true, .profiling = true}, registry_, reviewer_);
  std::string seen = "nothing";
  ASSERT_TRUE(server.AddHandler(
      "/mine", std::make_shared<FunctionHandler>([&](ServerRequest request, std::shared_ptr<ResponseWriter> response) {
        const std::string_view* header = request.headers.Find("Authorization");
        seen = header == nullptr ? "none" : *header;
        Echo(std::move(request), std::move(response));
      })));
  const RunningServer running(server);
  const Fetched allowed = Fetch(server.port(), "/metrics", "admins-token", Unverified());
  EXPECT_EQ(allowed.status, 200) << allowed.body;
  EXPECT_THAT(allowed.body, HasSubstr("process_open_fds"));

  for (const char* path : {"/metrics", "/mine", "/debug/threads", "/nowhere"}) {
    SCOPED_TRACE(path);
    const Fetched nobody = Fetch(server.port(), path, "", Unverified());
    EXPECT_EQ(nobody.status, 401);
    EXPECT_EQ(nobody.body, "Unauthorized\n");
    ASSERT_NE(nobody.headers.Find("WWW-Authenticate"), nullptr);
    // The API server does not know this one.
    EXPECT_EQ(Fetch(server.port(), path, "strangers-token", Unverified()).status, 401);
    const Fetched bob = Fetch(server.port(), path, "bobs-token", Unverified());
    EXPECT_EQ(bob.status, 403);
    EXPECT_EQ(bob.body, "Authorization denied for user bob\n");
  }
  EXPECT_EQ(seen, "nothing");
  EXPECT_EQ(Fetch(server.port(), "/mine", "admins-token", Unverified()).status, 200);
  EXPECT_EQ(seen, "none");
  EXPECT_EQ(Fetch(server.port(), "/nowhere", "admins-token", Unverified()).status, 404);
  // It is TLS and nothing else.
  EXPECT_NE(Ask(server.port(), "/metrics").status, 200);
  // Its certificate proves nothing.
  EXPECT_EQ(Fetch(server.port(), "/metrics", "admins-token", {}).status, 0);
}

TEST_F(SecureMetricsServer, ShowsTheCertificateItIsGiven) {
  const CertificateAuthority authority = CertificateAuthority::Make().value();
  const CertifiedKey own = authority.IssueServing("metrics", {"127.0.0.1"}).value();
  MetricsServer server({.bind_address = "127.0.0.1:0",
                        .secure = true,
                        .tls = TlsServerOptions{.certificate = {.text = own.certificate}, .key = {.text = own.key}}},
                       registry_, reviewer_);
  const RunningServer running(server);
  const Fetched fetched = Fetch(server.port(), "/metrics", "admins-token", {.ca = {.text = authority.certificate()}});
  EXPECT_EQ(fetched.status, 200) << fetched.body;
}

TEST_F(SecureMetricsServer, IsA500WhileTheApiServerIsAway) {
  const ScopedLogCapture log;
  const Client away(
      std::shared_ptr<Transport>(SocketTransport::Create({.server = "http://127.0.0.1:1"}).value().release()));
  MetricsServer server({.bind_address = "127.0.0.1:0", .secure = true}, registry_, away);
  const RunningServer running(server);
  const Fetched fetched = Fetch(server.port(), "/metrics", "admins-token", Unverified());
  EXPECT_EQ(fetched.status, 500);
  EXPECT_EQ(fetched.body, "Authentication failed\n");
  EXPECT_THAT(log.lines(), ::testing::Each(Not(HasSubstr("admins-token"))));
}

TEST_F(SecureMetricsServer, RefusesSettingsThatDoNotFit) {
  MetricsServer alone({.bind_address = "127.0.0.1:0", .secure = true}, registry_);
  EXPECT_THAT(alone.Run({}).error().message(), HasSubstr("needs a client"));
  EXPECT_FALSE(alone.WaitUntilReady({}));
  MetricsServer plain({.bind_address = "127.0.0.1:0", .tls = TlsServerOptions{}}, registry_);
  EXPECT_THAT(plain.Run({}).error().message(), HasSubstr("not secure"));
  MetricsServer broken({.bind_address = "127.0.0.1:0",
                        .secure = true,
                        .tls = TlsServerOptions{.certificate = {.text = "x"}, .key = {.text = "y"}}},
                       registry_, reviewer_);
  EXPECT_FALSE(broken.Run({}));
  MetricsServer off({}, registry_);
  EXPECT_TRUE(off.Run({}));
  EXPECT_TRUE(off.WaitUntilReady({}));
}

}  // namespace
}  // namespace keelson
