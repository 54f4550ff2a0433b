// Many seeded schedules: whatever goes wrong between the operator and the server, and whenever it is killed, the
// objects come to be the same, and then nothing is written any more.
//
//   SEEDS=100:200 build/release/bin/app_service_operator_test --gtest_filter=*Schedules*     # these seeds only
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "app_service_test_support.h"
#include "keelson/api/owner_references.h"
#include "keelson/transport/faulty_transport.h"

namespace app_service {
namespace {

using namespace keelson;
using namespace std::chrono_literals;
using appsv1::Deployment;
using v1alpha1::AppService;

class Users {
 public:
  Users(const Client& client, uint64_t seed) : client_(client), random_(seed ^ 0x5eed) {}

  void Make(const std::string& name, const std::string& deployment, int32_t replicas) {
    Pause();
    AppService app_service;
    app_service.metadata = {.name = name, .namespace_ = "default"};
    app_service.spec = {.deploymentName = deployment, .replicas = replicas};
    ASSERT_TRUE(client_.Create(app_service));
  }
  void Scale(const std::string& name, int32_t replicas) {
    Pause();
    ASSERT_TRUE(Modify<AppService>(client_, {"default", name},
                                   [&](AppService& app_service) { app_service.spec.replicas = replicas; }));
  }
  void Delete(const std::string& name) {
    Pause();
    ASSERT_TRUE(client_.Delete<AppService>({"default", name}));
  }
  // Those who should not, of what is there at that time.
  void Tamper(const std::string& deployment) {
    Pause();
    Result<Deployment> found = client_.Get<Deployment>({"default", deployment});
    if (!found) return;
    found->spec.replicas = 9;
    (void)client_.Update(*found);
  }
  void Remove(const std::string& deployment) {
    Pause();
    (void)client_.Delete<Deployment>({"default", deployment});
  }
  void Pause() { (void)SleepFor(std::chrono::milliseconds(random_.Uniform(0, 3000)), {}); }

 private:
  const Client& client_;
  Random random_;
};

std::vector<std::string> StateOf(const Client& client) {
  std::vector<std::string> state;
  const ObjectList<AppService> app_services = client.List<AppService>().value();
  for (const AppService& one : app_services) {
    const std::string name = one.metadata.name.str();
    state.push_back(fmt::format("{} has {}: {}", name, one.status.availableReplicas, ReadyOf(client, name)));
  }
  const ObjectList<Deployment> deployments = client.List<Deployment>().value();
  for (const Deployment& one : deployments) {
    const metav1::OwnerReference* owner = GetControllerOf(one);
    state.push_back(fmt::format("Deployment {} of {}: {} of {}", one.metadata.name,
                                owner ? owner->name.str() : "nobody", one.status.availableReplicas,
                                one.spec.replicas.value_or(-1)));
  }
  return state;
}

const std::vector<std::string> kExpected = {
    "again has 1: Ready=True Synced: 1 of 1 replicas are available",
    "first has 3: Ready=True Synced: 3 of 3 replicas are available",
    "second has 0: Ready=False ErrResourceExists: Deployment \"shared\" exists already and is not managed by this "
    "AppService",
    "Deployment again of again: 1 of 1",
    "Deployment shared of first: 3 of 3",
};

void RunSchedule(uint64_t seed) {
  Random random(seed);
  const Faults faults = DrawFaults(random);
  const int workers = random.Uniform(1, 4);
  SCOPED_TRACE(fmt::format("{} workers {}", ToString(faults), workers));
  const auto control_plane =
      ControlPlane::Start({.crds = {APP_SERVICE_CONFIG "/crd"},
                           .controllers = {"garbage-collector-controller", "deployment-controller",
                                           "replicaset-controller", "scheduler", "kubelet"},
                           .nodes = {"node-1"}})
          .value();
  const Client client = control_plane->client();
  OperatorProcess process(client, OperatorOf(workers), {.faults = faults, .seed = seed});
  Users users(client, seed);
  users.Make("first", "shared", 1);
  users.Make("again", "again", 2);
  users.Tamper("shared");
  if (random.Chance(0.7)) process.Restart();
  users.Scale("first", 4);
  users.Delete("again");
  users.Remove("shared");
  users.Make("gone", "gone", 1);
  if (random.Chance(0.7)) process.Restart();
  users.Scale("first", 3);
  users.Make("again", "again", 1);
  users.Delete("gone");
  users.Tamper("shared");
  users.Remove("again");
  process.Heal();
  Settle(3min);
  users.Make("second", "shared", 5);
  Settle(2min);
  EXPECT_EQ(StateOf(client), kExpected);
  const int64_t settled = process.line().writes();
  Settle(5min);
  EXPECT_EQ(process.line().writes(), settled) << "it writes although nothing changes";
}

class AppServiceSchedules : public testing::TestWithParam<int> {};

TEST_P(AppServiceSchedules, ComeToTheSameObjectsAndThenWriteNothing) {
  RunSeeds({.count = 240, .part = GetParam(), .parts = 4}, RunSchedule);
}
INSTANTIATE_TEST_SUITE_P(Seeds, AppServiceSchedules, testing::Range(0, 4));

}  // namespace
}  // namespace app_service
