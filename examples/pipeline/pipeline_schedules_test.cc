// Hundreds of seeded schedules: requests, answers and watches are lost, the operator is killed, others meddle. Then
// the objects are the same as ever, and nothing is written any more.
//
//   SEEDS=17:18 build/release/bin/pipeline_operator_test --gtest_filter='*PipelineSchedules*'   # this seed, with its
//   log
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "keelson/transport/faulty_transport.h"
#include "pipeline_test_support.h"

namespace pipeline {
namespace {

using namespace keelson;
using namespace std::chrono_literals;
using v1beta1::Pipeline;

constexpr uint64_t kSeeds = 200;
constexpr int kParallel = 4;

// One of these steps at each of the locations.
Pipeline Make(const std::string& name, const std::vector<std::string>& locations) {
  Pipeline pipeline;
  pipeline.metadata.name = name;
  pipeline.spec.modelStorage = {.type = "hostPath", .csiParameter = {{"path", "/" + name}}};
  for (size_t i = 0; i < locations.size(); ++i) {
    pipeline.spec.steps.push_back(
        {.image = "nginx:latest", .location = locations[i], .model = fmt::format("{}-{}", name, i + 1), .args = {}});
  }
  return pipeline;
}

void RunSchedule(uint64_t seed) {
  Random random(seed);
  const Faults faults = DrawFaults(random);
  SCOPED_TRACE(ToString(faults));
  const auto cluster = StartCluster();
  const Client client = cluster->client();
  OperatorProcess process(client, RunOperator, {.faults = faults, .seed = seed});
  const auto pause = [&] { (void)SleepFor(std::chrono::milliseconds(random.Uniform(0, 3000)), {}); };

  ASSERT_TRUE(client.Create(Make("a", {"node-1", "node-2", "node-1"})));
  pause();
  ASSERT_TRUE(client.Create(Make("b", {"nowhere"})));
  pause();
  ASSERT_TRUE(client.Create(Make("gone", {"node-1"})));
  pause();
  Modify<Pipeline>(client, OfCluster("a"), [](Pipeline& pipeline) {
    pipeline.spec.steps.erase(pipeline.spec.steps.begin() + 1);
  }).value();
  if (random.Chance(0.5)) process.Restart();
  pause();
  (void)client.Delete<appsv1::Deployment>(Part("a-1"));
  (void)client.Delete<corev1::PersistentVolumeClaim>(Part(random.Chance(0.5) ? "a-models" : "b-models"));
  Modify<Pipeline>(client, OfCluster("b"), [](Pipeline& pipeline) {
    pipeline.spec.steps[0].location = "node-2";
  }).value();
  pause();
  ASSERT_TRUE(client.Delete<Pipeline>(OfCluster("gone")));
  pause();
  (void)client.Delete<corev1::Service>(Part("b-1"));
  if (random.Chance(0.5)) process.Restart();
  pause();

  process.Heal();
  Settle(3min);
  EXPECT_EQ(StateOf(client, "a"), "Running, Ready=True Running: 2 of 2 steps run");
  EXPECT_EQ(StateOf(client, "b"), "Running, Ready=True Running: 1 of 1 steps run");
  EXPECT_THAT(Parts(client),
              testing::ElementsAre("PersistentVolume a-models of a", "PersistentVolume b-models of b",
                                   "PersistentVolumeClaim a-models of a", "PersistentVolumeClaim b-models of b",
                                   "Deployment a-1 of a", "Deployment a-3 of a", "Deployment b-1 of b",
                                   "Service a-1 of a", "Service a-3 of a", "Service b-1 of b"));
  EXPECT_EQ(client.List<Pipeline>()->items.size(), 2u);
  EXPECT_EQ(client.List<corev1::Pod>({.namespace_ = std::string(kNamespace)})->items.size(), 3u);
  const int64_t settled = process.line().writes();
  Settle(seed % 20 == 0 ? 2h : 10min);
  EXPECT_EQ(process.line().writes(), settled) << "it writes although nothing changes";
}

class PipelineSchedules : public testing::TestWithParam<int> {};

TEST_P(PipelineSchedules, ComeToTheSameObjectsAndThenWriteNothing) {
  RunSeeds({.count = kSeeds, .part = GetParam(), .parts = kParallel}, RunSchedule);
}
INSTANTIATE_TEST_SUITE_P(Seeds, PipelineSchedules, testing::Range(0, kParallel));

}  // namespace
}  // namespace pipeline
