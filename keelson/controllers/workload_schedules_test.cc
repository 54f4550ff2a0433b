// Seeded schedules of the ReplicaSet and Deployment controllers: whatever goes wrong on the way, the objects come to be
// the same, and then nothing is written any more.
//
//   SEEDS=100:200 build/release/bin/keelson_controllers_test --gtest_filter='*WorkloadSchedules*'
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <map>

#include "keelson/api/owner_references.h"
#include "keelson/controllers/deployment_plan.h"
#include "keelson/controllers/deployment_status.h"
#include "keelson/controllers/workloads_test_support.h"
#include "keelson/controlplane/control_plane.h"
#include "keelson/controlplane/run_seeds.h"

namespace keelson::controllers {
namespace {

using namespace std::chrono_literals;
using appsv1::Deployment;
using appsv1::ReplicaSet;
using corev1::Pod;

constexpr uint64_t kSeeds = 1'000;
constexpr int kParts = 8;

class Users {
 public:
  Users(const Client& client, ControllerProcess& workloads, uint64_t seed)
      : client_(client), workloads_(workloads), random_(seed ^ 0x5eed) {}

  void Pause() { workloads_.Pass(std::chrono::milliseconds(random_.Uniform(0, 4000))); }
  void Edit(const std::string& name, const std::function<void(Deployment&)>& change) {
    Pause();
    Modify<Deployment>(client_, {"default", name}, change).value();
  }
  void SetImage(const std::string& name, const std::string& image) {
    Edit(name, [&](Deployment& one) { one.spec.template_.spec.containers[0].image = image; });
  }
  void Scale(const std::string& name, int32_t replicas) {
    Edit(name, [&](Deployment& one) { one.spec.replicas = replicas; });
  }
  // Whichever comes first.
  void DeleteAPod(const std::string& app) {
    Pause();
    const std::vector<Pod> pods = PodsOf(client_, app);
    if (!pods.empty()) (void)client_.Delete(pods[random_.Uniform<size_t>(0, pods.size() - 1)]);
  }
  void Relabel(const std::string& app) {
    Pause();
    const std::vector<Pod> pods = PodsOf(client_, app);
    if (pods.empty()) return;
    Pod pod = pods[0];
    pod.metadata.labels.Set("app", "loose");
    (void)client_.Update(pod);
  }
  // What the garbage collector would do.
  void Delete(const std::string& name) {
    Pause();
    const Deployment deployment = client_.Get<Deployment>({"default", name}).value();
    ASSERT_TRUE(client_.Delete(deployment));
    const std::vector<ReplicaSet> sets = SetsOf(client_, name);
    for (const ReplicaSet& set : sets) (void)client_.Delete(set);
    for (const Pod& pod : PodsOf(client_, name)) (void)client_.Delete(pod);
  }

 private:
  const Client& client_;
  ControllerProcess& workloads_;
  Random random_;
};

std::vector<std::string> StateOf(const Client& client) {
  std::vector<std::string> state;
  const ObjectList<Deployment> deployments = client.List<Deployment>({.namespace_ = "default"}).value();
  for (const Deployment& one : deployments) {
    const appsv1::DeploymentCondition* progress = FindCondition(one.status, "Progressing");
    const appsv1::DeploymentCondition* available = FindCondition(one.status, "Available");
    state.push_back(fmt::format(
        "{}: {} {} {} {} {} {} terminating {} {} {}", one.metadata.name, one.status.replicas,
        one.status.updatedReplicas, one.status.readyReplicas, one.status.availableReplicas,
        one.status.unavailableReplicas, one.status.observedGeneration == one.metadata.generation ? "observed" : "stale",
        one.status.terminatingReplicas.value_or(-1), progress != nullptr ? progress->reason.str() : "?",
        available != nullptr ? available->status.str() : "?"));
  }
  std::map<std::string, int> sets;
  std::map<std::string, std::string> images;  // by name
  const ObjectList<ReplicaSet> all_sets = client.List<ReplicaSet>({.namespace_ = "default"}).value();
  for (const ReplicaSet& set : all_sets) {
    const metav1::OwnerReference* owner = GetControllerOf(set);
    const std::string image = set.spec.template_.spec.containers[0].image.str();
    images[set.metadata.name.str()] = image;
    if (*set.spec.replicas == 0 && set.status.replicas == 0) continue;  // which came to be depends on the schedule
    ++sets[fmt::format("set {} of {}: {} {} {}", image, owner != nullptr ? owner->name.str() : "nobody",
                       *set.spec.replicas, set.status.replicas, set.status.availableReplicas)];
  }
  std::map<std::string, int> pods;
  const ObjectList<Pod> all_pods = client.List<Pod>({.namespace_ = "default"}).value();
  for (const Pod& pod : all_pods) {
    const metav1::OwnerReference* owner = GetControllerOf(pod);
    if (owner == nullptr) continue;
    ++pods[fmt::format("pods {} {} of a set {}", pod.metadata.labels.at("app"),
                       IsActive(pod) && IsReady(pod) ? "ready" : "not ready", images[owner->name.str()])];
  }
  for (const auto& [text, count] : sets) state.push_back(fmt::format("{} x {}", count, text));
  for (const auto& [text, count] : pods) state.push_back(fmt::format("{} x {}", count, text));
  return state;
}

const std::vector<std::string> kExpected = {
    "all: 2 2 2 2 0 observed terminating 0 NewReplicaSetAvailable True",
    "web: 5 5 5 5 0 observed terminating 0 NewReplicaSetAvailable True",
    "1 x set v2 of all: 2 2 2",
    "1 x set v4 of web: 5 5 5",
    "2 x pods all ready of a set v2",
    "5 x pods web ready of a set v4",
};

void RunSchedule(uint64_t seed) {
  Random random(seed);
  const Faults faults = DrawAllFaults(random);
  const bool restart = random.Chance(0.5);
  ControlPlane control_plane;
  const Client client = control_plane.client();
  const ControllerProcess pods = RunPods(client);
  ControllerProcess workloads = RunWorkloads(client, seed, faults);

  Users users(client, workloads, seed);
  Deployment recreated = DeploymentOf("all", 3);
  recreated.spec.strategy.type = "Recreate";
  recreated.spec.template_.spec.nodeName = "node";
  ASSERT_TRUE(client.Create(DeploymentOf("web", 3)));
  ASSERT_TRUE(client.Create(recreated));
  ASSERT_TRUE(client.Create(DeploymentOf("gone", 2)));
  users.DeleteAPod("web");
  users.SetImage("web", "v2");
  users.Scale("web", 6);
  users.SetImage("all", "v2");
  if (restart) workloads.Restart();
  users.SetImage("web", "broken");
  users.DeleteAPod("all");
  users.Relabel("web");
  users.Edit("web", [](Deployment& one) { one.spec.paused = true; });
  users.Scale("web", 4);
  users.SetImage("web", "v4");
  users.Scale("all", 2);
  users.Edit("web", [](Deployment& one) { one.spec.paused = false; });
  users.Scale("web", 5);
  users.Relabel("all");

  workloads.Heal();
  (void)SleepFor(3min, {});
  workloads.Stop();  // else what it had makes anew what is deleted: there is no garbage collector
  users.Delete("gone");
  (void)SleepFor(10s, {});
  for (const Pod& pod : PodsOf(client, "gone")) (void)client.Delete(pod);
  workloads.Start();
  (void)SleepFor(10min, {});
  EXPECT_EQ(StateOf(client), kExpected);
  ExpectNoWrites(workloads);
}

class WorkloadSchedules : public testing::TestWithParam<int> {};

TEST_P(WorkloadSchedules, ComeToTheSameObjectsAndThenWriteNothing) {
  RunSeeds({.count = kSeeds, .part = GetParam(), .parts = kParts}, RunSchedule);
}
INSTANTIATE_TEST_SUITE_P(Seeds, WorkloadSchedules, testing::Range(0, kParts));

}  // namespace
}  // namespace keelson::controllers
