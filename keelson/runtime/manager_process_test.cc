// Managers as programs have them: with flags, sockets and signals.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "keelson/api/coordination/v1.h"
#include "keelson/api/core/v1.h"
#include "keelson/controlplane/control_plane.h"
#include "keelson/core/semaphore.h"
#include "keelson/runtime/manager.h"
#include "keelson/runtime/manager_test_support.h"
#include "keelson/runtime/server_test_support.h"

namespace keelson {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Longer than anything here takes.
constexpr Duration kLong = 1min;

// Until stop, unless that takes too long.
bool Await(const StopToken& stop) { return SleepFor(kLong, stop) == Wake::kStopped; }

// Where FromFlags finds a server.
class ListeningControlPlane {
 public:
  ListeningControlPlane() : plane_(ControlPlane::Start({.listen = ListenOptions{}}).value()) {
    std::string pattern = testing::TempDir() + "keelson-manager-XXXXXX";
    directory_ = mkdtemp(pattern.data());
    std::ofstream(kubeconfig()) << plane_->kubeconfig().value();
  }
  ~ListeningControlPlane() { std::filesystem::remove_all(directory_); }

  std::string kubeconfig() const { return directory_ + "/kubeconfig"; }
  Client client() const { return plane_->client(); }

 private:
  const std::unique_ptr<ControlPlane> plane_;
  std::string directory_;
};

Result<Manager> FromWords(std::vector<std::string> words, ManagerOptions options = {}) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  return Manager::FromFlags(static_cast<int>(argv.size()), argv.data(), std::move(options));
}

TEST(ManagerProcess, IsMadeFromFlagsAndReachesItsServerBySockets) {
  const ScopedLogCapture quiet;
  const ListeningControlPlane plane;
  Manager manager =
      FromWords({"/bin/op", "--kubeconfig=" + plane.kubeconfig(), "one", "--leader-elect", "--leader-election-id=op",
                 "--leader-election-namespace=default", "--kube-api-qps=1000", "--workers=3", "two"})
          .value();
  EXPECT_THAT(manager.arguments(), ElementsAre("one", "two"));
  EXPECT_EQ(manager.options().controllers.workers, 3);
  EXPECT_TRUE(manager.options().exit_when_stuck);
  const corev1::ConfigMap map{.metadata = {.name = "map", .namespace_ = "default"}};
  const Result<corev1::ConfigMap> early = manager.client().Create(map);
  ASSERT_FALSE(early);
  EXPECT_EQ(early.error().code(), ErrorCode::kCancelled) << early.error().message();

  Running running(manager);
  ASSERT_TRUE(Await(manager.elected()));
  EXPECT_TRUE(manager.client().Create(map));
  EXPECT_EQ(plane.client().Get<coordinationv1::Lease>({"default", "op"})->spec.holderIdentity.value(),
            manager.options().leader_election->identity);
  EXPECT_TRUE(running.Stop());
  EXPECT_EQ(plane.client().Get<coordinationv1::Lease>({"default", "op"})->spec.holderIdentity.value(), "");
  EXPECT_TRUE(plane.client().Get<corev1::ConfigMap>({"default", "map"}));
  EXPECT_THAT(manager.metrics().Render(), HasSubstr("rest_client_requests_total{code=\"201\""));
}

TEST(ManagerProcess, FlagsThatCannotBeAreErrors) {
  const auto refusal = [](std::vector<std::string> words) {
    const Result<Manager> made = FromWords(std::move(words));
    return made ? "" : made.error().message();
  };
  EXPECT_THAT(refusal({"op", "--kubeconfg=x"}), HasSubstr("did you mean --kubeconfig?"));
  EXPECT_THAT(refusal({"op", "-v=much"}), HasSubstr("much"));
  EXPECT_THAT(refusal({"op", "--kubeconfig=/no/such/file"}), HasSubstr("/no/such/file"));
}

TEST(ManagerProcess, ServesHealthAndMetricsAndIsNotReadyWhileItEnds) {
  const ScopedLogCapture quiet;
  const ControlPlane control_plane;
  Manager manager = Manager::Make(control_plane.client(),
                                  {.leader_election = LeaderElectionOptions{.namespace_ = "default", .name = "op"},
                                   .metrics = {.bind_address = "127.0.0.1:0"},
                                   .health = {.bind_address = "127.0.0.1:0"}})
                        .value();
  ASSERT_TRUE(manager.AddHealthCheck("ping", []() -> Result<void> { return {}; }));
  EXPECT_FALSE(manager.AddHealthCheck("ping", []() -> Result<void> { return {}; }));
  std::atomic<bool> warm = false;
  ASSERT_TRUE(manager.AddReadyCheck("warm", [&]() -> Result<void> {
    if (!warm) return Error::Internal("cold");
    return {};
  }));
  class Hello final : public HttpHandler {
    void Handle(ServerRequest, std::shared_ptr<ResponseWriter> response) override {
      Respond(*response, 200, "text/plain", "hello");
    }
  };
  ASSERT_TRUE(manager.AddMetricsHandler("/hello", std::make_shared<Hello>()));
  Semaphore draining(0);
  const StopSource finish;
  ASSERT_TRUE(manager.Add("slow", [&](const RunScope& scope) -> Result<void> {
    EXPECT_TRUE(Await(scope.stop));
    draining.Release();
    EXPECT_TRUE(Await(finish.token()));
    return {};
  }));
  Running running(manager);
  ASSERT_TRUE(Await(manager.elected()));
  const uint16_t health = manager.health_port(), metrics = manager.metrics_port();
  ASSERT_NE(health, 0);
  ASSERT_NE(metrics, 0);
  EXPECT_EQ(Ask(health, "/healthz").status, 200);
  EXPECT_THAT(Ask(health, "/healthz?verbose").body, HasSubstr("[+]leaderElection ok"));
  EXPECT_EQ(Ask(health, "/readyz").status, 500);
  warm = true;
  EXPECT_EQ(Ask(health, "/readyz").status, 200);
  EXPECT_THAT(Ask(metrics, "/metrics").body, HasSubstr("leader_election_master_status{name=\"op\"} 1"));
  EXPECT_EQ(Ask(metrics, "/hello").body, "hello");

  running.RequestStop();
  ASSERT_EQ(draining.AcquireFor(kLong, {}), Wake::kReady);
  EXPECT_EQ(Ask(health, "/healthz").status, 200);
  const auto ready = Ask(health, "/readyz");
  EXPECT_EQ(ready.status, 500);
  EXPECT_THAT(ready.body, HasSubstr("[-]shutdown failed"));
  EXPECT_EQ(Ask(metrics, "/metrics").status, 200);
  finish.RequestStop();
  EXPECT_TRUE(running.Join());
  EXPECT_EQ(manager.health_port(), 0);
}

TEST(ManagerProcess, APortThatIsTakenEndsIt) {
  const ScopedLogCapture quiet;
  const ControlPlane control_plane;
  HealthServer other({.bind_address = "127.0.0.1:0"});
  const RunningServer running(other);
  const std::string taken = "127.0.0.1:" + std::to_string(other.port());
  Manager manager = Manager::Make(control_plane.client(), {.health = {.bind_address = taken}}).value();
  bool started = false;
  ASSERT_TRUE(manager.Add("part", [&](const RunScope&) -> Result<void> {
    started = true;
    return {};
  }));
  const Result<void> end = manager.Run(StopToken());
  ASSERT_FALSE(end);
  EXPECT_THAT(end.error().message(), testing::StartsWith("health server: "));
  EXPECT_FALSE(started);
}

// What becomes of a program that gets these signals; the exit status is 40 + that of Run.
void RunAndRaise(int first, std::optional<int> second) {
  const ControlPlane control_plane;
  Manager manager = Manager::Make(control_plane.client()).value();
  (void)manager.Add("signaller", [&](const RunScope& scope) -> Result<void> {
    kill(getpid(), first);
    if (!Await(scope.stop)) _exit(70);
    if (second) {
      kill(getpid(), *second);
      (void)Await(StopToken());
    }
    return {};
  });
  _exit(40 + manager.Run());
}

TEST(ManagerProcessDeathTest, TheFirstSignalStopsItInGoodOrder) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(RunAndRaise(SIGTERM, {}), testing::ExitedWithCode(40), "Asked to stop(.|\n)*Stopped");
  EXPECT_EXIT(RunAndRaise(SIGINT, {}), testing::ExitedWithCode(40), "Asked to stop(.|\n)*Stopped");
}

TEST(ManagerProcessDeathTest, TheSecondSignalEndsItAtOnce) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(RunAndRaise(SIGTERM, SIGTERM), testing::ExitedWithCode(1), "Asked to stop");
  EXPECT_EXIT(RunAndRaise(SIGTERM, SIGINT), testing::ExitedWithCode(1), "Asked to stop");
}

TEST(ManagerProcessDeathTest, AFailureIsAStatusAndALine) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        const ControlPlane control_plane;
        Manager manager = Manager::Make(control_plane.client()).value();
        (void)manager.Add("weak", [](const RunScope&) -> Result<void> { return Error::Internal("broken"); });
        _exit(40 + manager.Run());
      },
      testing::ExitedWithCode(41), "\"Ended by an error\" err(or)?=\"weak: broken\"");
}

TEST(ManagerProcessDeathTest, HelpIsPrintedAndExits) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT((void)FromWords({"/usr/bin/op", "--help"}), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace keelson
