#include "keelson/client/exec_credential.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "keelson/client/auth_transport.h"
#include "keelson/client/request_metrics.h"
#include "keelson/client/scripted_transport_test_support.h"
#include "keelson/core/simulation.h"
#include "keelson/transport/test_certificates_test_support.h"

namespace keelson {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using Values = std::vector<std::string>;

void Simulate(const std::function<void()>& body, uint64_t seed = 1) {
  Simulation simulation({.seed = seed});
  const Result<void> result = simulation.Run(body);
  ASSERT_TRUE(result) << result.error().message();
}

std::string Granting(const std::string& status, const std::string& version = "v1") {
  return R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/)" + version + R"(","status":)" +
         status + "}";
}

std::string Token(const std::string& token, const std::string& expires = "") {
  return Granting(R"({"token":")" + token + "\"" +
                  (expires.empty() ? "" : R"(,"expirationTimestamp":")" + expires + "\"") + "}");
}

clientcmdv1::ExecConfig Config(const std::string& command = "login") {
  return {.command = command, .apiVersion = "client.authentication.k8s.io/v1", .interactiveMode = "Never"};
}

// A plugin that gives tokens t1, t2, … and counts its runs.
struct FakePlugin {
  std::function<Result<ExecPluginOutput>(int run)> answer = [](int run) -> Result<ExecPluginOutput> {
    return ExecPluginOutput{.text = Token("t" + std::to_string(run))};
  };
  Duration takes{};
  int runs = 0;
  int at_once = 0;
  int most_at_once = 0;
  std::vector<ExecPluginCall> calls = {};

  ExecCredentialOptions Options(clientcmdv1::ExecConfig config = Config()) {
    return {.plugin = {.config = std::move(config)},
            .run =
                [this](const ExecPluginCall& call, const StopToken& stop) {
                  most_at_once = std::max(most_at_once, ++at_once);
                  const int run = ++runs;
                  calls.push_back(call);
                  (void)SleepFor(takes, stop);
                  --at_once;
                  return answer(run);
                },
            .stdin_is_terminal = [] { return false; }};
  }
};

std::string ErrorOf(FakePlugin& plugin, clientcmdv1::ExecConfig config = Config()) {
  auto credentials = ExecCredentials::Create(plugin.Options(std::move(config))).value();
  const Result<Credential> credential = credentials->Get({});
  return credential ? "accepted" : credential.error().message();
}

TEST(ExecCredentials, TokenIsKeptUntilItExpires) {
  Simulate([] {
    FakePlugin plugin;
    plugin.answer = [](int run) -> Result<ExecPluginOutput> {
      return ExecPluginOutput{.text = Token("t" + std::to_string(run), "2025-01-01T00:10:00Z")};
    };
    auto server = std::make_shared<ScriptedTransport>();
    AuthTransport transport(server, {.credentials = ExecCredentials::Create(plugin.Options()).value()});
    ASSERT_TRUE(transport.Send({}, {}));
    (void)SleepFor(9min + 59s, {});
    ASSERT_TRUE(transport.Send({}, {}));
    EXPECT_EQ(plugin.runs, 1);
    (void)SleepFor(2s, {});
    ASSERT_TRUE(transport.Send({}, {}));
    EXPECT_EQ(plugin.runs, 2);
    EXPECT_EQ(server->HeaderOfEach("Authorization"), (Values{"Bearer t1", "Bearer t1", "Bearer t2"}));
  });
}

TEST(ExecCredentials, RefusedTokenIsRenewedAndTheRequestSentOnceMore) {
  Simulate([] {
    FakePlugin plugin;
    auto server = std::make_shared<ScriptedTransport>();
    server->Then(Answer(401)).Then(Answer(200)).Then(Answer(401)).Then(Answer(401));
    AuthTransport transport(server, {.credentials = ExecCredentials::Create(plugin.Options()).value()});
    EXPECT_EQ(transport.Send({}, {}).value().status, 200);
    EXPECT_EQ(transport.Send({}, {}).value().status, 401);
    EXPECT_EQ(server->HeaderOfEach("Authorization"), (Values{"Bearer t1", "Bearer t2", "Bearer t2", "Bearer t3"}));
  });
}

TEST(ExecCredentials, PluginThatHasNothingNewLeavesTheRefusal) {
  Simulate([] {
    FakePlugin plugin;
    plugin.answer = [](int) -> Result<ExecPluginOutput> { return ExecPluginOutput{.text = Token("same")}; };
    auto server = std::make_shared<ScriptedTransport>();
    server->Then(Answer(401));
    AuthTransport transport(server, {.credentials = ExecCredentials::Create(plugin.Options()).value()});
    EXPECT_EQ(transport.Send({}, {}).value().status, 401);
    EXPECT_EQ(server->requests().size(), 1);
    EXPECT_EQ(plugin.runs, 2);
  });
}

TEST(ExecCredentials, ManyThreadsNeedOneRun) {
  for (uint64_t seed = 0; seed < 30; ++seed) {
    Simulate(
        [] {
          FakePlugin plugin;
          plugin.takes = 5s;
          auto server = std::make_shared<ScriptedTransport>();
          for (int i = 0; i < 8; ++i) server->Then(Answer(401));  // every thread's first request is refused
          AuthTransport transport(server, {.credentials = ExecCredentials::Create(plugin.Options()).value()});
          std::vector<Thread> threads;
          for (int i = 0; i < 8; ++i) {
            threads.emplace_back("sender", [&] { EXPECT_EQ(transport.Send({}, {}).value().status, 200); });
          }
          for (Thread& thread : threads) thread.Join();
          EXPECT_EQ(plugin.runs, 2);
          EXPECT_EQ(plugin.most_at_once, 1);
        },
        seed);
  }
}

TEST(ExecCredentials, RequestThatCannotWaitLeavesThePluginToTheOthers) {
  Simulate([] {
    FakePlugin plugin;
    plugin.takes = 10s;
    auto credentials = ExecCredentials::Create(plugin.Options()).value();
    const TimePoint start = Clock::Now();
    const Result<Credential> hasty = credentials->Get({.deadline = start + 1s});
    ASSERT_FALSE(hasty);
    EXPECT_EQ(hasty.error().code(), ErrorCode::kTimeout);
    EXPECT_EQ(Clock::Now() - start, 1s);
    StopSource stop;
    stop.RequestStop();
    const Result<Credential> stopped = credentials->Get({.stop = stop.token()});
    ASSERT_FALSE(stopped);
    EXPECT_EQ(stopped.error().code(), ErrorCode::kCancelled);
    EXPECT_EQ(credentials->Get({}).value().authorization, "Bearer t1");
    EXPECT_EQ(Clock::Now() - start, 10s);
    EXPECT_EQ(plugin.runs, 1);
  });
}

TEST(ExecCredentials, DestructionEndsAPluginThatRuns) {
  Simulate([] {
    FakePlugin plugin;
    plugin.takes = 1h;
    const TimePoint start = Clock::Now();
    {
      auto credentials = ExecCredentials::Create(plugin.Options()).value();
      ASSERT_FALSE(credentials->Get({.deadline = start + 1s}));
    }
    EXPECT_EQ(Clock::Now() - start, 1s);
  });
}

TEST(ExecCredentials, FailureIsToldToAllWhoWaitAndTriedAgainLater) {
  Simulate([] {
    FakePlugin plugin;
    plugin.takes = 1s;
    plugin.answer = [](int run) -> Result<ExecPluginOutput> {
      if (run == 1) return ExecPluginOutput{.exit_code = 3};
      return ExecPluginOutput{.text = Token("good")};
    };
    auto credentials = ExecCredentials::Create(plugin.Options()).value();
    Thread other("other", [&] {
      (void)SleepFor(500ms, {});
      EXPECT_FALSE(credentials->Get({}));
    });
    const Result<Credential> failed = credentials->Get({});
    other.Join();
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().code(), ErrorCode::kUnauthorized);
    EXPECT_THAT(failed.error().message(), AllOf(HasSubstr("login"), HasSubstr("exit code 3")));
    EXPECT_EQ(plugin.runs, 1);
    EXPECT_EQ(credentials->Get({}).value().authorization, "Bearer good");
  });
}

TEST(ExecCredentials, CertificateIsPutToUseBeforeTheRequestAndAgainOnlyWhenItChanges) {
  Simulate([] {
    FakePlugin plugin;
    plugin.answer = [](int run) -> Result<ExecPluginOutput> {
      const std::string number = run < 3 ? "1" : "2";
      return ExecPluginOutput{
          .text = Granting(R"({"clientCertificateData":"cert)" + number + R"(","clientKeyData":"key)" + number +
                           R"(","expirationTimestamp":"2025-01-01T00:00:0)" + std::to_string(run) + R"(Z"})")};
    };
    Values used;
    auto server = std::make_shared<ScriptedTransport>();
    ExecCredentialOptions options = plugin.Options();
    options.use_certificate = [&](PemSource certificate, PemSource key) -> Result<void> {
      used.push_back(certificate.text + "+" + key.text + " after " + std::to_string(server->requests().size()));
      return {};
    };
    AuthTransport transport(server, {.credentials = ExecCredentials::Create(std::move(options)).value()});
    for (int i = 0; i < 3; ++i) {
      ASSERT_TRUE(transport.Send({}, {}));
      (void)SleepFor(1100ms, {});
    }
    EXPECT_EQ(used, (Values{"cert1+key1 after 0", "cert2+key2 after 2"}));
    EXPECT_EQ(server->HeaderOfEach("Authorization"), (Values{"-", "-", "-"}));
  });
}

TEST(ExecCredentials, UnusableCertificateIsAnError) {
  Simulate([] {
    FakePlugin plugin;
    plugin.answer = [](int) -> Result<ExecPluginOutput> {
      return ExecPluginOutput{.text = Granting(R"({"clientCertificateData":"c","clientKeyData":"k"})")};
    };
    EXPECT_THAT(ErrorOf(plugin), HasSubstr("certificate"));
  });
}

TEST(ExecCredentials, OutputThatIsNoCredentialIsExplainedWithoutShowingIt) {
  Simulate([] {
    const auto error_of = [](const std::string& output) {
      FakePlugin plugin;
      plugin.answer = [&](int) -> Result<ExecPluginOutput> { return ExecPluginOutput{.text = output}; };
      return ErrorOf(plugin);
    };
    EXPECT_THAT(error_of("hunter2"), AllOf(HasSubstr("not JSON"), Not(HasSubstr("hunter2"))));
    EXPECT_THAT(error_of("[]"), HasSubstr("expected ExecCredential"));
    EXPECT_THAT(error_of(R"({"kind":"Secret","apiVersion":"v1"})"),
                AllOf(HasSubstr("\"Secret\""), HasSubstr("expected ExecCredential")));
    EXPECT_THAT(error_of(Granting("{}", "v1beta1")),
                AllOf(HasSubstr("io/v1beta1\""), HasSubstr("of client.authentication.k8s.io/v1")));
    EXPECT_THAT(error_of(Granting("null")), HasSubstr("without a status"));
    EXPECT_THAT(error_of(Granting("{}")), HasSubstr("neither a token nor"));
    EXPECT_THAT(error_of(Granting(R"({"clientKeyData":"hunter2"})")),
                AllOf(HasSubstr("only one of"), Not(HasSubstr("hunter2"))));
    EXPECT_THAT(error_of(Granting(R"({"token":["hunter2"]})")), AllOf(HasSubstr("status"), Not(HasSubstr("hunter2"))));
    EXPECT_THAT(error_of(Granting(R"({"token":"hunter2\nX: y"})")),
                AllOf(HasSubstr("bearer token"), Not(HasSubstr("hunter2"))));
  });
}

TEST(ExecCredentials, PluginFindsItsTaskInTheEnvironment) {
  Simulate([] {
    for (const std::string version : {"v1", "v1beta1"}) {
      FakePlugin plugin;
      plugin.answer = [&](int) -> Result<ExecPluginOutput> {
        return ExecPluginOutput{.text = Granting(R"({"token":"t"})", version)};
      };
      clientcmdv1::ExecConfig config = Config("/bin/login");
      config.apiVersion = "client.authentication.k8s.io/" + version;
      config.args = {"get", "token"};
      config.env = {{.name = "REGION", .value = "north"}};
      config.provideClusterInfo = true;
      ExecCredentialOptions options = plugin.Options(config);
      options.plugin.cluster_config = RawExtension(R"({"audience":"x"})");
      options.cluster = {.server = "https://s:1", .tlsServerName = "n", .certificateAuthorityData = "CA"};
      ASSERT_TRUE(ExecCredentials::Create(std::move(options)).value()->Get({}));
      ASSERT_EQ(plugin.calls.size(), 1);
      const ExecPluginCall& call = plugin.calls[0];
      EXPECT_EQ(call.command, "/bin/login");
      EXPECT_EQ(call.arguments, (Values{"get", "token"}));
      EXPECT_FALSE(call.interactive);
      ASSERT_EQ(call.environment.size(), 2);
      EXPECT_EQ(call.environment[0], std::make_pair(std::string("REGION"), std::string("north")));
      EXPECT_EQ(call.environment[1].first, "KUBERNETES_EXEC_INFO");
      EXPECT_EQ(call.environment[1].second,
                R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/)" + version +
                    R"(","spec":{"cluster":{"server":"https://s:1","tls-server-name":"n",)" +
                    R"("certificate-authority-data":"Q0E=","config":{"audience":"x"}},"interactive":false}})");
    }
  });
}

TEST(ExecCredentials, ClusterIsToldOnlyToThoseWhoAsk) {
  Simulate([] {
    FakePlugin plugin;
    ExecCredentialOptions options = plugin.Options();
    options.cluster = {.server = "https://s:1"};
    ASSERT_TRUE(ExecCredentials::Create(std::move(options)).value()->Get({}));
    EXPECT_EQ(
        plugin.calls[0].environment[0].second,
        R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","spec":{"interactive":false}})");
  });
}

TEST(ExecCredentials, InteractiveModeDecidesWhoReadsTheTerminal) {
  Simulate([] {
    const auto outcome = [](const std::string& mode, bool terminal) {
      FakePlugin plugin;
      clientcmdv1::ExecConfig config = Config();
      config.interactiveMode = mode;
      ExecCredentialOptions options = plugin.Options(config);
      options.stdin_is_terminal = [=] { return terminal; };
      const Result<Credential> credential = ExecCredentials::Create(std::move(options)).value()->Get({});
      if (!credential) return credential.error().message();
      EXPECT_THAT(plugin.calls[0].environment.back().second,
                  HasSubstr(plugin.calls[0].interactive ? R"("interactive":true)" : R"("interactive":false)"));
      return std::string(plugin.calls[0].interactive ? "interactive" : "alone");
    };
    EXPECT_EQ(outcome("Never", true), "alone");
    EXPECT_EQ(outcome("IfAvailable", true), "interactive");
    EXPECT_EQ(outcome("IfAvailable", false), "alone");
    EXPECT_EQ(outcome("Always", true), "interactive");
    EXPECT_THAT(outcome("Always", false), HasSubstr("not a terminal"));
  });
}

TEST(ExecCredentials, ConfigurationIsCheckedFirst) {
  const auto error_of = [](clientcmdv1::ExecConfig config) {
    const auto made = ExecCredentials::Create({.plugin = {.config = std::move(config)}});
    return made ? std::string("accepted") : made.error().message();
  };
  EXPECT_EQ(error_of(Config()), "accepted");
  EXPECT_THAT(error_of(Config("")), HasSubstr("no command"));
  clientcmdv1::ExecConfig config = Config();
  config.apiVersion = "client.authentication.k8s.io/v1alpha1";
  EXPECT_THAT(error_of(config), AllOf(HasSubstr("v1alpha1"), HasSubstr("expected client.authentication.k8s.io/v1 or")));
  config = Config();
  config.interactiveMode = "";
  EXPECT_THAT(error_of(config), HasSubstr("interactiveMode"));
  config.apiVersion = "client.authentication.k8s.io/v1beta1";
  EXPECT_EQ(error_of(config), "accepted");
}

TEST(ExecCredentials, MissingProgramShowsTheInstallHintMadeHarmless) {
  clientcmdv1::ExecConfig config = Config("keelson-no-such-plugin");
  config.installHint = "get it from\nexample.com \x1b[31mnow";
  MetricRegistry registry;
  const auto credentials =
      ExecCredentials::Create({.plugin = {.config = config}, .metrics = RequestMetrics::Create(registry, "h").value()})
          .value();
  const Result<Credential> credential = credentials->Get({});
  ASSERT_FALSE(credential);
  EXPECT_THAT(credential.error().message(),
              AllOf(HasSubstr("keelson-no-such-plugin"), HasSubstr("must be installed"),
                    HasSubstr("get it from\nexample.com U+001B[31mnow"), Not(HasSubstr("\x1b"))));
  EXPECT_THAT(registry.Render(),
              HasSubstr(R"(rest_client_exec_plugin_call_total{call_status="plugin_not_found_error",code="1"} 1)"));
}

// Real programs from here on.

std::string WriteProgram(const TemporaryDirectory& directory, const std::string& name, const std::string& script) {
  const std::string path = directory.Write(name, "#!/bin/sh\n" + script);
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  return path;
}

TEST(ExecPlugin, RealProgramGivesAToken) {
  TemporaryDirectory directory;
  clientcmdv1::ExecConfig config = Config(WriteProgram(
      directory, "login",
      "printf '{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/v1\",\"status\":'\n"
      "printf '{\"token\":\"%s-%s\"}}' \"$1\" \"$REGION\"\n"
      "printf '%s' \"$KUBERNETES_EXEC_INFO\" > \"$(dirname \"$0\")/info\"\n"));
  config.args = {"a b$(id)"};
  config.env = {{.name = "REGION", .value = "north"}};
  auto credentials = ExecCredentials::Create({.plugin = {.config = config}}).value();
  EXPECT_FALSE(credentials->Get({}));  // the argument came through as it was, and has a blank
  config.args = {"$HOME"};
  credentials = ExecCredentials::Create({.plugin = {.config = config}}).value();
  EXPECT_EQ(credentials->Get({}).value().authorization, "Bearer $HOME-north");
  std::ifstream info(directory.Path("info"));
  std::stringstream text;
  text << info.rdbuf();
  EXPECT_EQ(text.str(),
            R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","spec":{"interactive":false}})");
}

TEST(ExecPlugin, ProgramThatHangsIsKilled) {
  TemporaryDirectory directory;
  auto credentials =
      ExecCredentials::Create(
          {.plugin = {.config = Config(WriteProgram(directory, "hang", "sleep 1000 & sleep 1000\n"))}, .timeout = 50ms})
          .value();
  const Result<Credential> credential = credentials->Get({});
  ASSERT_FALSE(credential);
  EXPECT_EQ(credential.error().code(), ErrorCode::kTimeout);
  EXPECT_THAT(credential.error().message(), HasSubstr("was killed"));
}

TEST(ExecPlugin, ProgramIsKilledWhenItsCredentialsAreNoLongerWanted) {
  TemporaryDirectory directory;
  auto credentials =
      ExecCredentials::Create({.plugin = {.config = Config(WriteProgram(directory, "hang", "sleep 1000\n"))}}).value();
  EXPECT_FALSE(credentials->Get({.deadline = Clock::Now() + 20ms}));
  const TimePoint start = Clock::Now();
  credentials.reset();
  EXPECT_LT(Clock::Now() - start, 30s);
}

TEST(ExecPlugin, ProgramsCannotRunInsideASimulation) {
  Simulate([] {
    const auto credentials = ExecCredentials::Create({.plugin = {.config = Config("true")}}).value();
    const Result<Credential> credential = credentials->Get({});
    ASSERT_FALSE(credential);
    EXPECT_THAT(credential.error().message(), HasSubstr("inside a simulation"));
  });
}

}  // namespace
}  // namespace keelson
