// Seeded schedules with faults: whatever goes wrong on the way, the replicas end where the metric leads, and then
// nothing is written any more.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "keelson/runtime/schedules_test_support.h"
#include "scaling_test_support.h"

namespace scaling {
namespace {

void RunSchedule(uint64_t seed) {
  Random random(seed);
  const Faults faults = DrawFaults(random);
  SCOPED_TRACE(ToString(faults));
  const auto pause = [&] { Wait(std::chrono::milliseconds(random.Uniform(0, 20'000))); };
  const auto control_plane = ControlPlane::Start({.crds = {SCALING_CONFIG "/crd"}}).value();
  const Client client = control_plane->client();
  SetMetrics metrics(85);
  auto line = std::make_shared<FaultyTransport>(client.rest().transport(), seed, faults);
  std::optional<Operator> process(std::in_place, Client(line), metrics);

  Make(client, "samples/scaling.yaml").value();
  pause();
  Make(client, "samples/target.yaml").value();
  pause();
  SetReplicas(client, random.Uniform(0, 9));
  metrics.Set(random.Uniform(-1, 100));
  pause();
  if (random.Chance(0.5)) {
    process.reset();
    line = std::make_shared<FaultyTransport>(client.rest().transport(), seed + 1, faults);
    process.emplace(Client(line), metrics);
  }
  SetReplicas(client, random.Uniform(2, 5));
  pause();
  if (random.Chance(0.3)) {
    client.Delete<Deployment>(kTarget).value();
    pause();
    Make(client, "samples/target.yaml").value();
  }
  Make(client, "samples/bad/same_target.yaml").value();

  line->Heal();
  const bool up = random.Chance(0.5);
  metrics.Set(up ? 85 : 3);
  // Failed requests come again within 1,000 s; a resync looks at them before.
  Wait(10min);
  EXPECT_EQ(ReplicasOf(client), up ? 5 : 2);
  EXPECT_EQ(ReadyOf(client), up ? "True AtMaximum" : "True AtMinimum");
  EXPECT_EQ(ReadyOf(client, {"default", "same-target"}), "False TargetTaken");
  const int64_t settled = line->writes();
  Wait(seed % 10 == 0 ? 2h : 10min);
  EXPECT_EQ(line->writes(), settled) << "it writes although nothing changes";
}

TEST(ScalingSchedules, EndWhereTheMetricLeadsAndThenWriteNothing) { RunSeeds({.count = 300}, RunSchedule); }

}  // namespace
}  // namespace scaling
