// The C++ that docs/leader-election.md shows (tools/check-snippets).
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "keelson/api/coordination/v1.h"
#include "keelson/api/core/v1.h"
#include "keelson/controlplane/control_plane.h"
#include "keelson/core/clock.h"
#include "keelson/core/log.h"
#include "keelson/core/simulation.h"
#include "keelson/core/thread.h"
#include "keelson/runtime/leader_election.h"
#include "keelson/transport/in_process_transport.h"

namespace {

using namespace keelson;
using namespace std::chrono_literals;

const Logger log("guide");

void Work(const Client& client, const StopToken& stop) {
  EXPECT_TRUE(client.Create(corev1::ConfigMap{.metadata = {.name = "work", .namespace_ = "default"}}));
  (void)SleepFor(1h, stop);
}

// snippet: run as leader
Result<void> RunAsLeader(const Client& client, MetricRegistry& registry, const StopToken& stop) {
  KEELSON_TRY(metrics, LeaderElectionMetrics::Create(registry, "my-operator"));
  KEELSON_TRY(elector,
              LeaderElector::Make(client, {.namespace_ = "default", .name = "my-operator", .metrics = metrics}));
  return elector->Run(stop, {.on_started = [&](const Leadership& leading) { Work(client, leading.stop); },
                             .on_new_leader = [](const std::string& who) { log.Info("A new leader", "who", who); }});
}
// end

TEST(LeaderElectionGuide, OneLeadsUntilItIsStopped) {
  const ScopedLogCapture quiet;
  Simulation simulation({.seed = 1});
  const Result<void> done = simulation.Run([&] {
    ControlPlane control_plane;
    MetricRegistry registry;
    StopSource stop;
    Thread replica("replica", [&] { EXPECT_TRUE(RunAsLeader(control_plane.client(), registry, stop.token())); });
    (void)SleepFor(1min, {});
    EXPECT_TRUE(control_plane.client().Get<corev1::ConfigMap>({"default", "work"}));
    stop.RequestStop();
    replica.Join();
    const auto lease = control_plane.client().Get<coordinationv1::Lease>({"default", "my-operator"});
    ASSERT_TRUE(lease);
    EXPECT_EQ(RecordOf(lease->spec).holder, "");
  });
  ASSERT_TRUE(done) << done.error().message();
}

TEST(LeaderElectionGuide, AClientWritesOnlyWhileItLeads) {
  const ScopedLogCapture quiet;
  Simulation simulation({.seed = 1});
  const Result<void> done = simulation.Run([&] {
    ControlPlane control_plane;
    const auto made = LeaderElector::Make(control_plane.client(), {.namespace_ = "default", .name = "my-operator"});
    ASSERT_TRUE(made);
    LeaderElector& elector = **made;
    const auto transport = std::make_shared<InProcessTransport>(
        control_plane.api_server(), Peer{.common_name = "admin", .organizations = {"system:masters"}});
    // snippet: fenced client
    const Client leader_client(std::make_shared<FencedTransport>(transport, elector.fence()));
    // end
    const corev1::ConfigMap map{.metadata = {.name = "work", .namespace_ = "default"}};
    EXPECT_FALSE(leader_client.Create(map));
    StopSource stop;
    EXPECT_TRUE(elector.Run(stop.token(), {.on_started = [&](const Leadership&) {
                              EXPECT_TRUE(leader_client.Create(map));
                              stop.RequestStop();
                            }}));
    EXPECT_FALSE(leader_client.Update(map));
  });
  ASSERT_TRUE(done) << done.error().message();
}

}  // namespace
