// ReplicaSets that are deleted while their controller has not heard of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "keelson/controllers/workloads_test_support.h"
#include "keelson/controlplane/control_plane.h"
#include "keelson/core/clock.h"

namespace keelson::controllers {
namespace {

using namespace std::chrono_literals;
using appsv1::ReplicaSet;
using corev1::Pod;

const ObjectKey kWeb{"default", "web"};

TEST(ReplicaSetDeletion, NoPodTakesThePlaceOfOneThatGoesWithItsReplicaSet) {
  for (const Propagation how : {Propagation::kForeground, Propagation::kBackground}) {
    SimulatedManagers([how] {
      ControlPlane control_plane;
      const Client client = control_plane.client();
      const ControllerProcess workloads = RunWorkloads(client);
      ReplicaSet wanted = ReplicaSetOf("web", 2);
      wanted.spec.template_.metadata.finalizers = {"example.com/hold"};  // each one ever made stays to be counted
      ASSERT_TRUE(client.Create(wanted));
      EXPECT_LT(TimeUntil([&] { return client.Get<ReplicaSet>(kWeb)->status.replicas == 2; }), 5s);
      (void)SleepFor(5s, {});

      workloads.line().HoldWatches("/replicasets?");
      ASSERT_TRUE(client.Delete<ReplicaSet>(kWeb, {.propagation = how}));
      const std::vector<Pod> pods = PodsOf(client, "web");
      for (const Pod& pod : pods) ASSERT_TRUE(client.Delete(pod));  // as the garbage collector does it
      (void)SleepFor(1min, {});
      workloads.line().ReleaseWatches();
      (void)SleepFor(1min, {});
      EXPECT_EQ(PodsOf(client, "web").size(), 2u);
    });
  }
}

TEST(ReplicaSetDeletion, APodThatIsDeletedAloneIsReplaced) {
  SimulatedManagers([] {
    ControlPlane control_plane;
    const Client client = control_plane.client();
    const ControllerProcess workloads = RunWorkloads(client);
    ASSERT_TRUE(client.Create(ReplicaSetOf("web", 2)));
    EXPECT_LT(TimeUntil([&] { return client.Get<ReplicaSet>(kWeb)->status.replicas == 2; }), 5s);
    (void)SleepFor(5s, {});
    workloads.line().HoldWatches("/replicasets?");
    const Pod gone = PodsOf(client, "web")[0];
    ASSERT_TRUE(client.Delete(gone));
    const auto is_replaced = [&] {
      const std::vector<Pod> pods = PodsOf(client, "web");
      return pods.size() == 2 && std::none_of(pods.begin(), pods.end(),
                                              [&](const Pod& pod) { return pod.metadata.uid == gone.metadata.uid; });
    };
    EXPECT_LT(TimeUntil(is_replaced), 5s);
  });
}

}  // namespace
}  // namespace keelson::controllers
