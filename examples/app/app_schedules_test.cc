// Hundreds of seeded schedules: requests, answers and watches are lost, the operator is killed, others meddle. Then
// the objects are the same as ever, and nothing is written any more.
//
//   SEEDS=17:18 build/release/bin/app_operator_test --gtest_filter='*AppSchedules*'     # this seed, with its log
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "app_test_support.h"
#include "keelson/transport/faulty_transport.h"

namespace app {
namespace {

using namespace keelson;
using namespace std::chrono_literals;
using v1beta1::App;

constexpr uint64_t kSeeds = 200;
constexpr int kParts = 4;

App Make(const std::string& name, int32_t replicas, bool service, bool ingress) {
  App app;
  app.metadata = {.name = name, .namespace_ = "default"};
  app.spec = {.image = "nginx:latest", .replicas = replicas, .enable_ingress = ingress, .enable_service = service};
  return app;
}

void RunSchedule(uint64_t seed) {
  Random random(seed);
  const Faults faults = DrawFaults(random);
  SCOPED_TRACE(ToString(faults));
  const auto cluster = StartCluster();
  const Client client = cluster->client();
  OperatorProcess process(client, RunOperator, {.faults = faults, .seed = seed});
  const auto pause = [&] { (void)SleepFor(std::chrono::milliseconds(random.Uniform(0, 3000)), {}); };

  ASSERT_TRUE(client.Create(Make("a", 3, true, true)));
  pause();
  ASSERT_TRUE(client.Create(Make("b", 1, false, true)));  // which cannot be
  pause();
  ASSERT_TRUE(client.Create(Make("gone", 1, true, true)));
  pause();
  Modify<App>(client, {"default", "a"}, [](App& app) { app.spec.enable_ingress = false; }).value();
  if (random.Chance(0.5)) process.Restart();
  pause();
  (void)client.Delete<appsv1::Deployment>({"default", "a"});
  Modify<App>(client, {"default", "b"}, [](App& app) { app.spec.enable_service = true; }).value();
  pause();
  ASSERT_TRUE(client.Delete<App>({"default", "gone"}));
  (void)client.Delete<corev1::Service>({"default", "b"});
  if (random.Chance(0.5)) process.Restart();
  Modify<App>(client, {"default", "a"}, [](App& app) { app.spec.replicas = 2; }).value();
  pause();

  process.Heal();
  Settle(3min);
  EXPECT_EQ(ReadyOf(client, "a"), "Ready=True Available: 2 of 2 replicas are available");
  EXPECT_EQ(ReadyOf(client, "b"), "Ready=True Available: 1 of 1 replicas are available");
  EXPECT_THAT(Parts(client), testing::ElementsAre("Deployment a of a", "Deployment b of b", "Service a of a",
                                                  "Service b of b", "Ingress b of b"));
  EXPECT_EQ(client.List<corev1::Pod>({.namespace_ = "default"})->items.size(), 3u);
  const int64_t settled = process.line().writes();
  Settle(seed % 20 == 0 ? 2h : 10min);
  EXPECT_EQ(process.line().writes(), settled) << "it writes although nothing changes";
}

class AppSchedules : public testing::TestWithParam<int> {};

TEST_P(AppSchedules, ComeToTheSameObjectsAndThenWriteNothing) {
  RunSeeds({.count = kSeeds, .part = GetParam(), .parts = kParts}, RunSchedule);
}
INSTANTIATE_TEST_SUITE_P(Seeds, AppSchedules, testing::Range(0, kParts));

}  // namespace
}  // namespace app
