#include "keelson/controllers/kubelet.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <set>

#include "keelson/api/coordination/v1.h"
#include "keelson/controllers/controller_process_test_support.h"
#include "keelson/controllers/pod_addresses.h"
#include "keelson/controllers/pod_conditions.h"
#include "keelson/controllers/scheduler.h"
#include "keelson/controlplane/control_plane.h"
#include "keelson/controlplane/run_seeds.h"

namespace keelson::controllers {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsSupersetOf;

// A control plane with nodes and a scheduler, and what users do there.
class Bench {
 public:
  explicit Bench(KubeletOptions options = {}, uint64_t seed = 0, const Faults& faults = {})
      : client_(control_plane_.client()),
        process_(
            client_,
            [options = std::move(options)](Manager& manager) -> Result<void> {
              KEELSON_RETURN_IF_ERROR(AddSchedulerController(manager));
              return AddKubelet(manager, options);
            },
            seed, faults) {}

  static corev1::Pod PodOf(const std::string& name, const std::map<std::string, std::string>& script = {}) {
    corev1::Pod pod;
    pod.metadata.name = name;
    pod.metadata.namespace_ = "default";
    for (const auto& [key, value] : script) pod.metadata.annotations.Set("keelson.dev/pod-" + key, value);
    pod.spec.containers.push_back({.name = "c", .image = "image"});
    return pod;
  }
  void AddPod(const corev1::Pod& pod) {
    const Result<corev1::Pod> made = client_.Create(pod);
    ASSERT_TRUE(made) << made.error().message();
  }
  corev1::Pod Get(const std::string& name) { return client_.Get<corev1::Pod>({"default", name}).value(); }
  bool Ready(const std::string& name) { return IsPodConditionTrue(Get(name).status, "Ready"); }
  bool Gone(const std::string& name) { return !client_.Get<corev1::Pod>({"default", name}); }
  std::vector<std::string> Events(const std::string& pod) {
    std::vector<std::string> events;
    const ObjectList<corev1::Event> list = client_.List<corev1::Event>().value();
    for (const corev1::Event& event : list) {
      if (event.involvedObject.name != pod || event.source.component != "kubelet") continue;
      events.push_back(event.reason + " " + event.involvedObject.fieldPath.str() + " by " + event.source.host.str());
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

TEST(Kubelet, NodesAreReadyAndTheirLeasesRenewed) {
  SimulatedManagers([] {
    Bench bench({.nodes = 2, .labels = {{"zone", "z"}}});
    (void)SleepFor(1s, {});
    const ObjectList<corev1::Node> nodes = bench.client().List<corev1::Node>().value();
    ASSERT_EQ(nodes.items.size(), 2u);
    const corev1::Node& node = nodes.items[0];
    EXPECT_EQ(node.metadata.name, "node-1");
    EXPECT_EQ(*node.metadata.labels.find("kubernetes.io/hostname"), "node-1");
    EXPECT_EQ(*node.metadata.labels.find("zone"), "z");
    EXPECT_TRUE(node.spec.taints.empty());
    EXPECT_EQ(node.spec.podCIDR, "10.244.0.0/24");
    EXPECT_EQ(node.status.conditions[3].type, "Ready");
    EXPECT_EQ(node.status.conditions[3].status, "True");
    EXPECT_EQ(node.status.addresses[0].address, "172.18.0.2");
    const auto renewed = [&] {
      return bench.client().Get<coordinationv1::Lease>({"kube-node-lease", "node-2"})->spec.renewTime->ToTimePoint();
    };
    const auto first = renewed();
    (void)SleepFor(10s, {});
    EXPECT_EQ(renewed() - first, 10s);
    // Nothing else is written while nothing happens.
    const int64_t before = bench.line().writes();
    (void)SleepFor(1h, {});
    EXPECT_EQ(bench.line().writes(), before);
    EXPECT_EQ(renewed() - first, 1h + 10s);
  });
}

TEST(Kubelet, ACordonedNodeIsTaintedAsLongAsItIsCordoned) {
  SimulatedManagers([] {
    Bench bench({.nodes = 1});
    (void)SleepFor(1s, {});
    const auto cordon = [&](bool cordoned) {
      Modify<corev1::Node>(bench.client(), {"", "node-1"}, [&](corev1::Node& node) {
        node.spec.unschedulable = cordoned;
      }).value();
      (void)SleepFor(1s, {});
      return bench.client().Get<corev1::Node>({"", "node-1"}).value();
    };
    const corev1::Node node = cordon(true);
    ASSERT_EQ(node.spec.taints.size(), 1u);
    EXPECT_EQ(node.spec.taints[0].key, "node.kubernetes.io/unschedulable");
    EXPECT_EQ(node.spec.taints[0].effect, "NoSchedule");
    EXPECT_EQ(*node.metadata.annotations.find("node.alpha.kubernetes.io/ttl"), "0");
    EXPECT_TRUE(cordon(false).spec.taints.empty());
  });
  SimulatedManagers([] {
    Bench bench({.nodes = 1, .node_upkeep = false});
    (void)SleepFor(1s, {});
    Modify<corev1::Node>(bench.client(), {"", "node-1"}, [](corev1::Node& node) {
      node.spec.unschedulable = true;
    }).value();
    (void)SleepFor(1s, {});
    // That of a new node, which somebody else takes away.
    const corev1::Node node = bench.client().Get<corev1::Node>({"", "node-1"}).value();
    ASSERT_EQ(node.spec.taints.size(), 1u);
    EXPECT_EQ(node.spec.taints[0].key, "node.kubernetes.io/not-ready");
  });
}

TEST(Kubelet, ANodeNamesImagesThatCannotBeHad) {
  SimulatedManagers([] {
    Bench bench({.nodes = 1});
    (void)SleepFor(1s, {});
    Modify<corev1::Node>(bench.client(), {"", "node-1"}, [](corev1::Node& node) {
      node.metadata.annotations.Set(String(kMissingImages), "other:1,web:404");
    }).value();
    (void)SleepFor(1s, {});
    for (const char* image : {"web:404", "web:4"}) {
      corev1::Pod pod{
          .metadata = {.name = image == std::string_view("web:4") ? "good" : "bad", .namespace_ = "default"},
          .spec = {.containers = {{.name = "app", .image = image}}, .nodeName = "node-1"}};
      ASSERT_TRUE(bench.client().Create(pod));
    }
    (void)SleepFor(5s, {});
    EXPECT_EQ(bench.client().Get<corev1::Pod>({"default", "good"})->status.phase, "Running");
    const corev1::Pod bad = bench.client().Get<corev1::Pod>({"default", "bad"}).value();
    EXPECT_EQ(bad.status.phase, "Pending");
    ASSERT_TRUE(bad.status.containerStatuses[0].state.waiting);
    EXPECT_EQ(bad.status.containerStatuses[0].state.waiting->reason, "ErrImagePull");
    EXPECT_EQ(bad.status.containerStatuses[0].state.waiting->message, "web:404: not found");
  });
}

TEST(Kubelet, ANodeThatIsDeletedStaysAway) {
  SimulatedManagers([] {
    Bench bench({.nodes = 1});
    (void)SleepFor(1s, {});
    ASSERT_TRUE(bench.client().Delete<corev1::Node>({"", "node-1"}));
    (void)SleepFor(1min, {});
    EXPECT_FALSE(bench.client().Get<corev1::Node>({"", "node-1"}));
    bench.process().Restart();
    (void)SleepFor(1s, {});
    EXPECT_TRUE(bench.client().Get<corev1::Node>({"", "node-1"}));
  });
}

TEST(Kubelet, PodsRunAreReadyAndEndWhenDeleted) {
  SimulatedManagers([] {
    Bench bench({.nodes = 1});
    bench.AddPod(Bench::PodOf("web"));
    EXPECT_LE(TimeUntil([&] { return bench.Ready("web"); }), 2s);
    const corev1::Pod pod = bench.Get("web");
    EXPECT_EQ(pod.status.phase, "Running");
    EXPECT_EQ(pod.status.podIP, "10.244.0.2");
    EXPECT_EQ(pod.status.hostIP, "172.18.0.2");
    EXPECT_TRUE(pod.status.containerStatuses[0].ready);
    (void)SleepFor(1s, {});
    EXPECT_THAT(bench.Events("web"),
                IsSupersetOf({"Pulled spec.containers{c} by node-1", "Created spec.containers{c} by node-1",
                              "Started spec.containers{c} by node-1"}));
    ASSERT_TRUE(bench.client().Delete<corev1::Pod>({"default", "web"}));
    EXPECT_LE(TimeUntil([&] { return bench.Gone("web"); }), 1s);
    (void)SleepFor(1s, {});
    EXPECT_THAT(bench.Events("web"), testing::Contains("Killing spec.containers{c} by node-1"));
  });
}

TEST(Kubelet, AGracePeriodIsGiven) {
  SimulatedManagers([] {
    Bench bench({.nodes = 1});
    bench.AddPod(Bench::PodOf("slow", {{"stop-delay", "1h"}}));
    (void)TimeUntil([&] { return bench.Ready("slow"); });
    ASSERT_TRUE(bench.client().Delete<corev1::Pod>({"default", "slow"}, {.grace_period = 20s}));
    const Duration took = TimeUntil([&] { return bench.Gone("slow"); });
    EXPECT_GE(took, 19s);
    EXPECT_LE(took, 21s);
  });
}

TEST(Kubelet, PodsCrashAndComplete) {
  SimulatedManagers([] {
    Bench bench({.nodes = 1});
    bench.AddPod(Bench::PodOf("crash", {{"exit-code", "1"}}));
    corev1::Pod once = Bench::PodOf("once", {{"exit-after", "5s"}});
    once.spec.restartPolicy = "Never";
    bench.AddPod(once);
    (void)SleepFor(8s, {});
    EXPECT_EQ(bench.Get("once").status.phase, "Succeeded");
    corev1::Pod crash = bench.Get("crash");
    EXPECT_EQ(crash.status.containerStatuses[0].state.waiting->reason, "CrashLoopBackOff");
    (void)SleepFor(1h, {});
    crash = bench.Get("crash");
    EXPECT_EQ(crash.status.phase, "Running");
    // After 0, 10, 20, 40, 80, 160 seconds and then every five minutes.
    EXPECT_EQ(crash.status.containerStatuses[0].restartCount, 16);
  });
}

TEST(Kubelet, EachPodHasAnAddressOfItsOwnAlsoAfterARestart) {
  SimulatedManagers([] {
    Bench bench({.nodes = 1});
    for (int i = 0; i < 10; ++i) bench.AddPod(Bench::PodOf("a" + std::to_string(i)));
    (void)SleepFor(5s, {});
    bench.process().Restart();
    for (int i = 0; i < 10; ++i) bench.AddPod(Bench::PodOf("b" + std::to_string(i)));
    (void)SleepFor(5s, {});
    std::set<std::string> addresses;
    const ObjectList<corev1::Pod> pods = bench.client().List<corev1::Pod>().value();
    for (const corev1::Pod& pod : pods) addresses.insert(pod.status.podIP.str());
    EXPECT_EQ(addresses.size(), 20u);
    EXPECT_FALSE(addresses.contains(""));
  });
}

TEST(PodAddresses, AreGivenOnceAndAgainWhenFree) {
  PodAddresses addresses;
  addresses.Take(0, "x", "10.244.0.3");
  EXPECT_EQ(addresses.Give(0, "a"), "10.244.0.2");
  EXPECT_EQ(addresses.Give(0, "b"), "10.244.0.4");
  EXPECT_EQ(addresses.Give(0, "a"), "10.244.0.2");
  EXPECT_EQ(addresses.Give(1, "c"), "10.244.1.2");
  addresses.Release("a");
  for (int i = 0; i < 250; ++i) addresses.Give(0, "p" + std::to_string(i));
  EXPECT_EQ(addresses.Give(0, "last"), "10.244.0.2");
}

// Whatever goes wrong on the way: the pods come to be the same, and then nothing is written any more.
void RunSchedule(uint64_t seed) {
  Random random(seed);
  const Faults faults = DrawAllFaults(random);
  Bench bench({.nodes = 2}, seed, faults);
  const auto pause = [&] { bench.process().Pass(std::chrono::milliseconds(random.Uniform(0, 2000))); };
  bench.AddPod(Bench::PodOf("web"));
  pause();
  bench.AddPod(Bench::PodOf("crash", {{"exit-code", "1"}, {"exits", "3"}}));
  corev1::Pod once = Bench::PodOf("once", {{"exit-after", "5s"}});
  once.spec.restartPolicy = "Never";
  bench.AddPod(once);
  bench.AddPod(Bench::PodOf("gone"));
  pause();
  if (random.Chance(0.5)) bench.process().Restart();
  pause();
  ASSERT_TRUE(bench.client().Delete<corev1::Pod>({"default", "gone"}));
  corev1::Pod init = Bench::PodOf("init");
  init.spec.initContainers = {{.name = "i", .image = "image"}};
  bench.AddPod(init);
  pause();
  bench.process().Heal();
  (void)SleepFor(kTimeToSettle, {});
  std::vector<std::string> state;
  const ObjectList<corev1::Pod> pods = bench.client().List<corev1::Pod>().value();
  for (const corev1::Pod& pod : pods) {
    state.push_back(fmt::format("{} {} ready {} restarts {}", pod.metadata.name.view(), pod.status.phase.view(),
                                IsPodConditionTrue(pod.status, "Ready"), pod.status.containerStatuses[0].restartCount));
  }
  EXPECT_THAT(state, ElementsAre("crash Running ready true restarts 3", "init Running ready true restarts 0",
                                 "once Succeeded ready false restarts 0", "web Running ready true restarts 0"));
  ExpectNoWrites(bench.process());
}

constexpr int kParts = 8;
class KubeletSchedules : public testing::TestWithParam<int> {};

TEST_P(KubeletSchedules, SettleUnderFaults) {
  RunSeeds({.count = 1'000, .part = GetParam(), .parts = kParts}, RunSchedule);
}
INSTANTIATE_TEST_SUITE_P(Seeds, KubeletSchedules, testing::Range(0, kParts));

}  // namespace
}  // namespace keelson::controllers
