#include "keelson/controllers/scheduler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

#include "keelson/api/events/v1.h"
#include "keelson/api/storage/v1.h"
#include "keelson/controllers/controller_process_test_support.h"
#include "keelson/controllers/pod_conditions.h"
#include "keelson/controlplane/control_plane.h"
#include "keelson/controlplane/run_seeds.h"

namespace keelson::controllers {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

// A control plane with a scheduler, and what users do there.
class Bench {
 public:
  explicit Bench(uint64_t seed = 0, const Faults& faults = {})
      : client_(control_plane_.client()),
        process_(client_, [](Manager& manager) { return AddSchedulerController(manager); }, seed, faults) {}

  void AddNode(const std::string& name, const char* cpu = "4") {
    corev1::Node node;
    node.metadata.name = name;
    node.metadata.labels = {{"kubernetes.io/hostname", name}};
    node.status.allocatable = {{"cpu", cpu}, {"memory", "8Gi"}, {"pods", "110"}};
    ASSERT_TRUE(client_.Create(node));
    ChangeNode(name, [](corev1::Node& made) { made.spec.taints = {}; });
  }
  void ChangeNode(const std::string& name, const std::function<void(corev1::Node&)>& change) {
    Modify<corev1::Node>(client_, {"", name}, change).value();
  }
  static corev1::Pod PodOf(const std::string& name, const char* cpu = "100m") {
    corev1::Pod pod;
    pod.metadata.name = name;
    pod.metadata.namespace_ = "default";
    corev1::Container container{.name = "c", .image = "image"};
    container.resources.requests = {{"cpu", cpu}};
    pod.spec.containers.push_back(container);
    return pod;
  }
  void AddPod(const std::string& name, const char* cpu = "100m") { AddPod(PodOf(name, cpu)); }
  void AddPod(const corev1::Pod& pod) {
    const Result<corev1::Pod> made = client_.Create(pod);
    ASSERT_TRUE(made) << made.error().message();
  }
  corev1::Pod Get(const std::string& name) { return client_.Get<corev1::Pod>({"default", name}).value(); }
  std::string NodeOf(const std::string& name) { return Get(name).spec.nodeName.str(); }
  std::vector<std::string> Events(const std::string& pod) {
    std::vector<std::string> events;
    const ObjectList<eventsv1::Event> list = client_.List<eventsv1::Event>().value();
    for (const eventsv1::Event& event : list) {
      if (event.regarding.name == pod) {
        events.push_back(event.type + " " + event.reason.str() + " " + event.action.str() + ": " + event.note.str());
      }
    }
    return events;
  }

  Client& client() { return client_; }
  ControllerProcess& process() { return process_; }
  FaultyTransport& line() { return process_.line(); }

 private:
  ControlPlane control_plane_;
  Client client_;
  ControllerProcess process_;
};

TEST(Scheduler, GivesPodsToNodesAndSaysSo) {
  SimulatedManagers([] {
    Bench bench;
    bench.AddNode("a");
    bench.AddNode("b");
    bench.AddPod("first");
    (void)SleepFor(1s, {});
    bench.AddPod("second");
    (void)SleepFor(1s, {});
    EXPECT_EQ(bench.NodeOf("first"), "a");
    EXPECT_EQ(bench.NodeOf("second"), "b");
    EXPECT_TRUE(IsPodConditionTrue(bench.Get("first").status, "PodScheduled"));
    EXPECT_THAT(bench.Events("first"),
                ElementsAre("Normal Scheduled Binding: Successfully assigned default/first to a"));
  });
}

TEST(Scheduler, LeavesPodsOfOthersAndGatedOnesAlone) {
  SimulatedManagers([] {
    Bench bench;
    bench.AddNode("a");
    corev1::Pod others = Bench::PodOf("others"), gated = Bench::PodOf("gated");
    others.spec.schedulerName = "another";
    gated.spec.schedulingGates = {{.name = "example.com/wait"}};
    bench.AddPod(others);
    bench.AddPod(gated);
    (void)SleepFor(1min, {});
    EXPECT_EQ(bench.NodeOf("others"), "");
    EXPECT_EQ(bench.NodeOf("gated"), "");
    gated = bench.Get("gated");
    gated.spec.schedulingGates.clear();
    ASSERT_TRUE(bench.client().Update(gated));
    (void)SleepFor(1s, {});
    EXPECT_EQ(bench.NodeOf("gated"), "a");
  });
}

TEST(Scheduler, SaysWhyAPodHasNoNodeAndTriesAgainWhenThatChanges) {
  SimulatedManagers([] {
    Bench bench;
    bench.AddPod("p", "2");
    (void)SleepFor(10s, {});
    const corev1::PodCondition* condition = nullptr;
    corev1::Pod pod = bench.Get("p");
    condition = FindPodCondition(pod.status, "PodScheduled");
    ASSERT_NE(condition, nullptr);
    EXPECT_EQ(condition->status, "False");
    EXPECT_EQ(condition->reason, "Unschedulable");
    EXPECT_EQ(condition->message, "no nodes available to schedule pods");

    bench.AddNode("a", "1");
    (void)SleepFor(10s, {});
    const std::string message =
        "0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: 0/1 nodes are "
        "available: 1 Preemption is not helpful for scheduling.";
    pod = bench.Get("p");
    EXPECT_EQ(FindPodCondition(pod.status, "PodScheduled")->message, message);
    // Of events that are alike the first is told, and how many there were.
    EXPECT_THAT(bench.Events("p"),
                ElementsAre("Warning FailedScheduling Scheduling: no nodes available to schedule pods"));

    (void)SleepFor(1h, {});
    const int64_t before = bench.line().writes();
    (void)SleepFor(1h, {});
    EXPECT_EQ(bench.line().writes(), before) << "nothing changed, so nothing is to be said";

    bench.AddNode("b", "2");
    EXPECT_LE(TimeUntil([&] { return bench.NodeOf("p") == "b"; }), 11s);
    bench.AddPod("q", "2");
    (void)SleepFor(10s, {});
    EXPECT_EQ(bench.NodeOf("q"), "");
    // A pod that goes makes room.
    ASSERT_TRUE(bench.client().Delete<corev1::Pod>({"default", "p"}, {.grace_period = 0s}));
    EXPECT_LE(TimeUntil([&] { return bench.NodeOf("q") == "b"; }), 11s);
  });
}

TEST(Scheduler, ACordonEnds) {
  SimulatedManagers([] {
    Bench bench;
    bench.AddNode("a");
    bench.ChangeNode("a", [](corev1::Node& node) { node.spec.unschedulable = true; });
    (void)SleepFor(1s, {});
    bench.AddPod("p");
    (void)SleepFor(10s, {});
    EXPECT_EQ(bench.NodeOf("p"), "");
    bench.ChangeNode("a", [](corev1::Node& node) { node.spec.unschedulable = false; });
    EXPECT_LE(TimeUntil([&] { return bench.NodeOf("p") == "a"; }), 11s);
  });
}

TEST(Scheduler, APodOfTheSameNameIsAnotherPod) {
  SimulatedManagers(
      [] {
        Bench bench;
        bench.AddNode("a", "1");
        for (int round = 0; round < 5; ++round) {
          bench.AddPod("p", "1");
          EXPECT_LE(TimeUntil([&] { return bench.NodeOf("p") == "a"; }), 15s) << round;
          ASSERT_TRUE(bench.client().Delete<corev1::Pod>({"default", "p"}, {.grace_period = 0s}));
        }
      },
      20);
}

TEST(Scheduler, AVolumeIsMadeForTheNodeBeforeThePodIsBound) {
  SimulatedManagers([] {
    Bench bench;
    bench.AddNode("a");
    bench.AddNode("b");
    storagev1::StorageClass local;
    local.metadata.name = "local";
    local.provisioner = "example.com/local";
    local.volumeBindingMode = String("WaitForFirstConsumer");
    ASSERT_TRUE(bench.client().Create(local));
    corev1::Pod pod = Bench::PodOf("p");
    corev1::Volume volume;
    volume.name = "data";
    volume.persistentVolumeClaim = corev1::PersistentVolumeClaimVolumeSource{.claimName = "data"};
    pod.spec.volumes.push_back(volume);
    bench.AddPod(pod);
    (void)SleepFor(5s, {});
    EXPECT_EQ(FindPodCondition(bench.Get("p").status, "PodScheduled")->message,
              "0/2 nodes are available: persistentvolumeclaim \"data\" not found. not found");
    corev1::PersistentVolumeClaim claim;
    claim.metadata = {.name = "data", .namespace_ = "default"};
    claim.spec.storageClassName = String("local");
    claim.spec.accessModes = {"ReadWriteOnce"};
    claim.spec.resources.requests = {{"storage", "1Gi"}};
    ASSERT_TRUE(bench.client().Create(claim));
    (void)SleepFor(15s, {});
    claim = bench.client().Get<corev1::PersistentVolumeClaim>({"default", "data"}).value();
    ASSERT_NE(claim.metadata.annotations.find("volume.kubernetes.io/selected-node"), nullptr);
    const std::string node = claim.metadata.annotations.find("volume.kubernetes.io/selected-node")->str();
    EXPECT_EQ(bench.NodeOf("p"), "");

    corev1::PersistentVolume made;
    made.metadata.name = "pv";
    made.spec.capacity = {{"storage", "1Gi"}};
    made.spec.accessModes = {"ReadWriteOnce"};
    made.spec.hostPath = corev1::HostPathVolumeSource{.path = "/data"};
    ASSERT_TRUE(bench.client().Create(made));
    claim.spec.volumeName = "pv";
    claim.metadata.annotations.Set("pv.kubernetes.io/bind-completed", "yes");
    ASSERT_TRUE(bench.client().Update(claim));
    (void)SleepFor(2s, {});
    EXPECT_EQ(bench.NodeOf("p"), node);
  });
}

TEST(Scheduler, FreeVolumesDecideWhereAPodGoes) {
  SimulatedManagers([] {
    Bench bench;
    bench.AddNode("a");
    bench.AddNode("b");
    storagev1::StorageClass local;
    local.metadata.name = "local";
    local.provisioner = "kubernetes.io/no-provisioner";
    local.volumeBindingMode = String("WaitForFirstConsumer");
    ASSERT_TRUE(bench.client().Create(local));
    corev1::PersistentVolumeClaim claim;
    claim.metadata = {.name = "data", .namespace_ = "default"};
    claim.spec.storageClassName = String("local");
    claim.spec.accessModes = {"ReadWriteOnce"};
    claim.spec.resources.requests = {{"storage", "2Gi"}};
    ASSERT_TRUE(bench.client().Create(claim));
    corev1::Pod pod = Bench::PodOf("p");
    corev1::Volume volume;
    volume.name = "data";
    volume.persistentVolumeClaim = corev1::PersistentVolumeClaimVolumeSource{.claimName = "data"};
    pod.spec.volumes.push_back(volume);
    bench.AddPod(pod);
    (void)SleepFor(5s, {});
    EXPECT_THAT(
        FindPodCondition(bench.Get("p").status, "PodScheduled")->message.str(),
        testing::StartsWith("0/2 nodes are available: 2 node(s) didn't find available persistent volumes to bind."));

    const auto add_disk = [&](const char* name, const char* size, const char* node) {
      corev1::PersistentVolume disk;
      disk.metadata.name = name;
      disk.spec.capacity = {{"storage", size}};
      disk.spec.accessModes = {"ReadWriteOnce"};
      disk.spec.storageClassName = "local";
      disk.spec.local = corev1::LocalVolumeSource{.path = "/disk"};
      disk.spec.nodeAffinity = corev1::VolumeNodeAffinity{
          .required = corev1::NodeSelector{
              .nodeSelectorTerms = {
                  {.matchExpressions = {{.key = "kubernetes.io/hostname", .operator_ = "In", .values = {node}}}}}}};
      disk = bench.client().Create(disk).value();
      disk.status.phase = "Available";
      ASSERT_TRUE(bench.client().Status().Update(disk));
    };
    add_disk("small", "1Gi", "a");
    add_disk("right", "3Gi", "b");
    (void)SleepFor(15s, {});
    const auto reserved_for = [&](const char* name) {
      const corev1::PersistentVolume disk = bench.client().Get<corev1::PersistentVolume>({"", name}).value();
      return disk.spec.claimRef ? disk.spec.claimRef->name.str() : "nobody";
    };
    EXPECT_EQ(reserved_for("small"), "nobody");
    EXPECT_EQ(reserved_for("right"), "data");
    claim = bench.client().Get<corev1::PersistentVolumeClaim>({"default", "data"}).value();
    EXPECT_FALSE(claim.metadata.annotations.contains("volume.kubernetes.io/selected-node"));
    EXPECT_EQ(bench.NodeOf("p"), "");

    claim.spec.volumeName = "right";
    claim.metadata.annotations.Set("pv.kubernetes.io/bind-completed", "yes");
    ASSERT_TRUE(bench.client().Update(claim));
    (void)SleepFor(2s, {});
    EXPECT_EQ(bench.NodeOf("p"), "b");
  });
}

// Whatever goes wrong on the way: every pod that fits has a node in the end, no node is overfull, and nothing is
// written any more.
void RunSchedule(uint64_t seed) {
  Random random(seed);
  const Faults faults = DrawAllFaults(random);
  Bench bench(seed, faults);
  const auto pause = [&] { bench.process().Pass(std::chrono::milliseconds(random.Uniform(0, 2000))); };
  bench.AddNode("a", "1");
  for (int i = 0; i < 6; ++i) {
    bench.AddPod("p" + std::to_string(i), "500m");
    pause();
  }
  if (random.Chance(0.5)) bench.process().Restart();
  ASSERT_TRUE(bench.client().Delete<corev1::Pod>({"default", "p0"}, {.grace_period = 0s}));
  bench.AddPod("p0", "500m");
  bench.AddNode("b", "1");
  pause();
  bench.AddNode("c", "1");
  bench.process().Heal();
  (void)SleepFor(kTimeToSettle, {});
  std::map<std::string, int> pods;
  for (int i = 0; i < 6; ++i) ++pods[bench.NodeOf("p" + std::to_string(i))];
  EXPECT_THAT(pods, UnorderedElementsAre(std::pair("a", 2), std::pair("b", 2), std::pair("c", 2)));
  ExpectNoWrites(bench.process());
}

constexpr int kParts = 4;
class SchedulerSchedules : public testing::TestWithParam<int> {};

TEST_P(SchedulerSchedules, SettleUnderFaults) {
  RunSeeds({.count = 1'000, .part = GetParam(), .parts = kParts}, RunSchedule);
}
INSTANTIATE_TEST_SUITE_P(Seeds, SchedulerSchedules, testing::Range(0, kParts));

}  // namespace
}  // namespace keelson::controllers
