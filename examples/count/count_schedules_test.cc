// The operator under many seeds: whatever goes wrong on its way to the server, the objects come to be the same, and
// then nothing is written any more.
//
//   SEEDS=7:8 build/release/bin/count_operator_test --gtest_filter='*Schedules*'
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "count_test_support.h"
#include "keelson/controlplane/install_definitions.h"
#include "keelson/transport/faulty_transport.h"

namespace count {
namespace {

using namespace keelson;
using namespace std::chrono_literals;
using testing::ElementsAre;
using v1::Count;

constexpr int kParts = 4;

Count CountOf(const std::string& name, int32_t number, const std::string& pods) {
  return {.metadata = {.name = name, .namespace_ = "default"}, .spec = {.count = number, .name = pods}};
}

void RunSchedule(uint64_t seed) {
  Random random(seed);
  const Faults faults = DrawFaults(random);
  const bool late = random.Chance(0.2);
  SCOPED_TRACE(ToString(faults) + (late ? " late" : ""));
  const auto pause = [&] { (void)SleepFor(std::chrono::milliseconds(random.Uniform(0, 5000)), {}); };

  const auto cluster = StartCluster(!late);
  const Client client = cluster->client();
  OperatorProcess process(client, RunOperator, {.faults = faults, .seed = seed});
  if (late) {
    pause();
    ASSERT_TRUE(InstallDefinitions(client, {COUNT_CONFIG "/crd"}));
  }
  ASSERT_TRUE(client.Create(CountOf("first", 3, "nginx")));
  ASSERT_TRUE(client.Create(CountOf("gone", 2, "short")));
  pause();
  (void)client.Delete<corev1::Pod>({"default", "nginx-1"});
  Modify<Count>(client, {"default", "first"}, [](Count& count) { count.spec.count = 1; }).value();
  if (random.Chance(0.5)) process.Restart();
  pause();
  ASSERT_TRUE(client.Create(CountOf("second", 1, "httpd")));
  ASSERT_TRUE(client.Delete<Count>({"default", "gone"}));
  pause();
  Modify<Count>(client, {"default", "first"}, [](Count& count) { count.spec = {.count = 2, .name = "caddy"}; }).value();
  // The names that the first one gives up are the second one's.
  Modify<Count>(client, {"default", "second"}, [](Count& count) {
    count.spec = {.count = 2, .name = "nginx"};
  }).value();
  if (random.Chance(0.5)) process.Restart();
  pause();
  (void)client.Delete<corev1::Pod>({"default", "caddy-0"});

  process.Heal();
  Settle(2min);
  constexpr const char* kReady = "Ready=True Synced: Count synced successfully";
  EXPECT_EQ(ReadyOf(client, "first"), kReady);
  EXPECT_EQ(ReadyOf(client, "second"), kReady);
  EXPECT_THAT(Pods(client), ElementsAre("caddy-0 runs caddy for first", "caddy-1 runs caddy for first",
                                        "nginx-0 runs nginx for second", "nginx-1 runs nginx for second"));
  const int64_t settled = process.line().writes();
  Settle(seed % 20 == 0 ? 2h : 5min);
  EXPECT_EQ(process.line().writes(), settled) << "it writes although nothing changes";
}

class CountSchedules : public testing::TestWithParam<int> {};

TEST_P(CountSchedules, ComeToTheSamePodsAndThenWriteNothing) {
  RunSeeds({.count = 200, .part = GetParam(), .parts = kParts}, RunSchedule);
}
INSTANTIATE_TEST_SUITE_P(Seeds, CountSchedules, testing::Range(0, kParts));

}  // namespace
}  // namespace count
