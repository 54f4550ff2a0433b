// Seeded schedules with faults: whatever goes wrong on the way, the replicas end where the metric leads, and then
// nothing is written any more.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "keelson/transport/faulty_transport.h"
#include "scaling_test_support.h"

namespace scaling {
namespace {

using testing::StartsWith;

void RunSchedule(uint64_t seed) {
  Random random(seed);
  const Faults faults = DrawFaults(random);
  SCOPED_TRACE(ToString(faults));
  const auto pause = [&] { Settle(std::chrono::milliseconds(random.Uniform(0, 20'000))); };
  const auto control_plane = ControlPlane::Start({.crds = {SCALING_CONFIG "/crd"}}).value();
  const Client client = control_plane->client();
  SetMetrics metrics(85);
  OperatorProcess process(client, OperatorOf(metrics), {.faults = faults, .seed = seed});

  CreateManifests(client, kSamples + "/scaling.yaml").value();
  pause();
  CreateManifests(client, kSamples + "/target.yaml").value();
  pause();
  SetReplicas(client, random.Uniform(0, 9));
  metrics.Set(random.Uniform(-1, 100));
  pause();
  if (random.Chance(0.5)) process.Restart();
  SetReplicas(client, random.Uniform(2, 5));
  pause();
  if (random.Chance(0.3)) {
    client.Delete<Deployment>(kTarget).value();
    pause();
    CreateManifests(client, kSamples + "/target.yaml").value();
  }
  CreateManifests(client, kSamples + "/bad/same_target.yaml").value();

  process.Heal();
  const bool up = random.Chance(0.5);
  metrics.Set(up ? 85 : 3);
  // Failed requests come again within 1,000 s; a resync looks at them before.
  Settle(10min);
  EXPECT_EQ(ReplicasOf(client), up ? 5 : 2);
  EXPECT_THAT(ReadyOf(client), StartsWith(up ? "Ready=True AtMaximum: " : "Ready=True AtMinimum: "));
  EXPECT_THAT(ReadyOf(client, {"default", "same-target"}), StartsWith("Ready=False TargetTaken: "));
  const int64_t settled = process.line().writes();
  Settle(seed % 10 == 0 ? 2h : 10min);
  EXPECT_EQ(process.line().writes(), settled) << "it writes although nothing changes";
}

TEST(ScalingSchedules, EndWhereTheMetricLeadsAndThenWriteNothing) { RunSeeds({.count = 300}, RunSchedule); }

}  // namespace
}  // namespace scaling
