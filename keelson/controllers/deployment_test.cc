#include "keelson/controllers/deployment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "keelson/controllers/deployment_plan.h"
#include "keelson/controllers/deployment_status.h"
#include "keelson/controllers/workloads_test_support.h"
#include "keelson/controlplane/control_plane.h"

namespace keelson::controllers {
namespace {

using namespace std::chrono_literals;
using appsv1::Deployment;
using appsv1::ReplicaSet;
using corev1::Pod;
using testing::Contains;
using testing::MatchesRegex;

const ObjectKey kWeb{"default", "web"};

Deployment Get(const Client& client) { return client.Get<Deployment>(kWeb).value(); }
bool IsRolledOut(const Client& client) {
  const Deployment now = Get(client);
  return IsComplete(now, now.status) && now.status.unavailableReplicas == 0 &&
         FindCondition(now.status, "Progressing")->reason == "NewReplicaSetAvailable";
}
std::string ReasonOf(const Client& client, std::string_view type) {
  const Deployment now = Get(client);
  const appsv1::DeploymentCondition* condition = FindCondition(now.status, type);
  return condition != nullptr ? condition->status.str() + " " + condition->reason.str() : "";
}
void SetImage(const Client& client, const std::string& image) {
  Modify<Deployment>(client, kWeb, [&](Deployment& one) {
    one.spec.template_.spec.containers[0].image = image;
  }).value();
}
// By image: "v1" → 2.
std::map<std::string, int32_t> Sizes(const Client& client) {
  std::map<std::string, int32_t> sizes;
  for (const ReplicaSet& set : SetsOf(client, "web")) {
    sizes[set.spec.template_.spec.containers[0].image.str()] = *set.spec.replicas;
  }
  return sizes;
}
ReplicaSet SetOf(const Client& client, const std::string& image) {
  for (const ReplicaSet& set : SetsOf(client, "web")) {
    if (set.spec.template_.spec.containers[0].image == image) return set;
  }
  ADD_FAILURE() << "no ReplicaSet of image " << image;
  return {};
}

template <class T>
std::string AnnotationOf(const T& object, std::string_view key) {
  const String* value = object.metadata.annotations.find(key);
  return value != nullptr ? value->str() : "(none)";
}

TEST(DeploymentController, RollsOutATemplateWithinSurgeAndUnavailability) {
  SimulatedManagers(
      [] {
        ControlPlane control_plane;
        const Client client = control_plane.client();
        const ControllerProcess pods = RunPods(client), workloads = RunWorkloads(client);
        ASSERT_TRUE(client.Create(DeploymentOf("web", 4)));
        EXPECT_LT(TimeUntil([&] { return IsRolledOut(client); }), 10s);
        const Deployment first = Get(client);
        EXPECT_EQ(first.metadata.annotations.at(kRevision), "1");
        EXPECT_EQ(ReasonOf(client, "Available"), "True MinimumReplicasAvailable");
        const std::string v1 = SetOf(client, "v1").metadata.name.str();
        EXPECT_EQ(FindCondition(first.status, "Progressing")->message,
                  "ReplicaSet \"" + v1 + "\" has successfully progressed.");

        SetImage(client, "v2");
        int most = 0, least_ready = 4;
        EXPECT_LT(TimeUntil([&] {
                    int present = 0, ready = 0;
                    for (const Pod& pod : PodsOf(client, "web")) {
                      present += IsActive(pod);
                      ready += IsActive(pod) && IsReady(pod);
                    }
                    most = std::max(most, present);
                    least_ready = std::min(least_ready, ready);
                    return IsRolledOut(client) && AnnotationOf(Get(client), kRevision) == "2";
                  }),
                  30s);
        EXPECT_EQ(most, 5);         // a quarter more, rounded up
        EXPECT_EQ(least_ready, 3);  // a quarter less, rounded down
        EXPECT_EQ(Sizes(client), (std::map<std::string, int32_t>{{"v1", 0}, {"v2", 4}}));
        const std::string v2 = SetOf(client, "v2").metadata.name.str();
        // How many at a time depends on which pods are ready first.
        const std::vector<std::string> events = EventsOf(client, "web");
        ASSERT_GE(events.size(), 6u);
        EXPECT_EQ(events[0], "ScalingReplicaSet: Scaled up replica set " + v1 + " from 0 to 4");
        EXPECT_EQ(events[1], "ScalingReplicaSet: Scaled up replica set " + v2 + " from 0 to 1");
        EXPECT_EQ(events[2], "ScalingReplicaSet: Scaled down replica set " + v1 + " from 4 to 3");
        EXPECT_EQ(events[3], "ScalingReplicaSet: Scaled up replica set " + v2 + " from 1 to 2");
        EXPECT_THAT(events, Contains(MatchesRegex("ScalingReplicaSet: Scaled up replica set " + v2 + " from . to 4")));
        EXPECT_THAT(events,
                    Contains(MatchesRegex("ScalingReplicaSet: Scaled down replica set " + v1 + " from . to 0")));
        for (const ReplicaSet& set : SetsOf(client, "web")) {
          EXPECT_EQ(set.metadata.annotations.at(kDesiredReplicas), "4");
          EXPECT_EQ(set.metadata.annotations.at(kMaxReplicas), "5");
          EXPECT_EQ(set.metadata.labels.at(kPodTemplateHash).str(), set.metadata.name.str().substr(4));
        }
      },
      20);
}

TEST(DeploymentController, NeedsNoOtherControllerBesideIt) {
  SimulatedManagers([] {
    ControlPlane control_plane;
    const Client client = control_plane.client();
    const ControllerProcess process(client, [](Manager& manager) { return AddDeploymentController(manager); });
    ASSERT_TRUE(client.Create(DeploymentOf("web", 3)));
    EXPECT_LT(TimeUntil([&] { return Sizes(client) == std::map<std::string, int32_t>{{"v1", 3}}; }), 5s);
  });
}

TEST(DeploymentController, BackToAnOldTemplateIsANewRevisionOfItsReplicaSet) {
  SimulatedManagers([] {
    ControlPlane control_plane;
    const Client client = control_plane.client();
    const ControllerProcess pods = RunPods(client), workloads = RunWorkloads(client);
    Deployment wanted = DeploymentOf("web", 2);
    wanted.metadata.annotations.Set("kubernetes.io/change-cause", "made");
    ASSERT_TRUE(client.Create(wanted));
    for (const char* image : {"v2", "v1", "v2", "v1"}) {
      EXPECT_LT(TimeUntil([&] { return IsRolledOut(client); }), 30s);
      SetImage(client, image);
      (void)SleepFor(1s, {});
    }
    EXPECT_LT(TimeUntil([&] { return IsRolledOut(client); }), 30s);
    EXPECT_EQ(AnnotationOf(Get(client), kRevision), "5");
    EXPECT_EQ(AnnotationOf(SetOf(client, "v1"), kRevision), "5");
    EXPECT_EQ(AnnotationOf(SetOf(client, "v1"), kRevisionHistory), "1,3");
    EXPECT_EQ(AnnotationOf(SetOf(client, "v2"), kRevision), "4");
    EXPECT_EQ(AnnotationOf(SetOf(client, "v2"), kRevisionHistory), "2");
    EXPECT_EQ(AnnotationOf(SetOf(client, "v1"), "kubernetes.io/change-cause"), "made");
  });
}

TEST(DeploymentController, KeepsNoMoreHistoryThanAsked) {
  SimulatedManagers([] {
    ControlPlane control_plane;
    const Client client = control_plane.client();
    const ControllerProcess pods = RunPods(client), workloads = RunWorkloads(client);
    Deployment wanted = DeploymentOf("web", 1);
    wanted.spec.revisionHistoryLimit = 1;
    ASSERT_TRUE(client.Create(wanted));
    for (const char* image : {"v2", "v3", "v4"}) {
      EXPECT_LT(TimeUntil([&] { return IsRolledOut(client); }), 30s);
      SetImage(client, image);
      (void)SleepFor(1s, {});
    }
    EXPECT_LT(TimeUntil([&] { return IsRolledOut(client) && SetsOf(client, "web").size() == 2; }), 30s);
    EXPECT_EQ(Sizes(client), (std::map<std::string, int32_t>{{"v3", 0}, {"v4", 1}}));
  });
}

TEST(DeploymentController, RecreateEndsAllOldPodsBeforeItMakesNewOnes) {
  SimulatedManagers([] {
    ControlPlane control_plane;
    const Client client = control_plane.client();
    const ControllerProcess pods = RunPods(client), workloads = RunWorkloads(client);
    Deployment wanted = DeploymentOf("web", 3);
    wanted.spec.strategy.type = "Recreate";
    wanted.spec.template_.spec.nodeName = "node";
    ASSERT_TRUE(client.Create(wanted));
    EXPECT_LT(TimeUntil([&] { return IsRolledOut(client); }), 10s);
    SetImage(client, "v2");
    bool both = false;
    EXPECT_LT(TimeUntil([&] {
                std::map<std::string, int> images;
                for (const Pod& pod : PodsOf(client, "web")) ++images[pod.spec.containers[0].image.str()];
                both |= images.size() > 1;
                return IsRolledOut(client) && images["v2"] == 3;
              }),
              30s);
    EXPECT_FALSE(both);
    EXPECT_EQ(Sizes(client), (std::map<std::string, int32_t>{{"v1", 0}, {"v2", 3}}));
  });
}

TEST(DeploymentController, PausedItScalesButDoesNotRollOut) {
  SimulatedManagers([] {
    ControlPlane control_plane;
    const Client client = control_plane.client();
    const ControllerProcess pods = RunPods(client), workloads = RunWorkloads(client);
    ASSERT_TRUE(client.Create(DeploymentOf("web", 2)));
    EXPECT_LT(TimeUntil([&] { return IsRolledOut(client); }), 10s);
    Modify<Deployment>(client, kWeb, [](Deployment& one) { one.spec.paused = true; }).value();
    EXPECT_LT(TimeUntil([&] { return ReasonOf(client, "Progressing") == "Unknown DeploymentPaused"; }), 5s);
    SetImage(client, "v2");
    Modify<Deployment>(client, kWeb, [](Deployment& one) { one.spec.replicas = 5; }).value();
    EXPECT_LT(TimeUntil([&] { return Get(client).status.availableReplicas == 5; }), 10s);
    (void)SleepFor(1h, {});
    EXPECT_EQ(Sizes(client), (std::map<std::string, int32_t>{{"v1", 5}}));
    EXPECT_EQ(Get(client).status.updatedReplicas, 0);
    Modify<Deployment>(client, kWeb, [](Deployment& one) { one.spec.paused = false; }).value();
    EXPECT_LT(TimeUntil([&] { return IsRolledOut(client); }), 30s);
    EXPECT_EQ(Sizes(client), (std::map<std::string, int32_t>{{"v1", 0}, {"v2", 5}}));
  });
}

TEST(DeploymentController, SaysWhenARolloutGetsNowhereAndWhenItIsHelped) {
  SimulatedManagers([] {
    ControlPlane control_plane;
    const Client client = control_plane.client();
    const ControllerProcess pods = RunPods(client), workloads = RunWorkloads(client);
    Deployment wanted = DeploymentOf("web", 4);
    wanted.spec.progressDeadlineSeconds = 60;
    ASSERT_TRUE(client.Create(wanted));
    EXPECT_LT(TimeUntil([&] { return IsRolledOut(client); }), 10s);
    SetImage(client, "broken");
    const Duration took =
        TimeUntil([&] { return ReasonOf(client, "Progressing") == "False ProgressDeadlineExceeded"; }, 10min);
    EXPECT_GT(took, 59s);
    EXPECT_LT(took, 70s);
    EXPECT_EQ(FindCondition(Get(client).status, "Progressing")->message,
              "ReplicaSet \"" + SetOf(client, "broken").metadata.name.str() + "\" has timed out progressing.");
    // What works stays.
    EXPECT_EQ(Sizes(client), (std::map<std::string, int32_t>{{"broken", 2}, {"v1", 3}}));
    EXPECT_EQ(ReasonOf(client, "Available"), "True MinimumReplicasAvailable");
    SetImage(client, "v1");
    EXPECT_LT(TimeUntil([&] { return IsRolledOut(client); }), 30s);
    EXPECT_EQ(Sizes(client), (std::map<std::string, int32_t>{{"broken", 0}, {"v1", 4}}));
  });
}

TEST(DeploymentController, ScaledInTheMiddleOfARolloutAllItsReplicaSetsGrow) {
  SimulatedManagers([] {
    ControlPlane control_plane;
    const Client client = control_plane.client();
    const ControllerProcess pods = RunPods(client), workloads = RunWorkloads(client);
    Deployment wanted = DeploymentOf("web", 10);
    wanted.spec.strategy.rollingUpdate = appsv1::RollingUpdateDeployment{.maxUnavailable = 2, .maxSurge = 3};
    ASSERT_TRUE(client.Create(wanted));
    EXPECT_LT(TimeUntil([&] { return IsRolledOut(client); }), 10s);
    SetImage(client, "broken");
    EXPECT_LT(TimeUntil([&] { return Sizes(client) == std::map<std::string, int32_t>{{"broken", 5}, {"v1", 8}}; }),
              10s);
    Modify<Deployment>(client, kWeb, [](Deployment& one) { one.spec.replicas = 30; }).value();
    EXPECT_LT(TimeUntil([&] { return Sizes(client) == std::map<std::string, int32_t>{{"broken", 13}, {"v1", 20}}; }),
              10s);
  });
}

TEST(DeploymentController, AHashThatIsTakenIsCounted) {
  SimulatedManagers([] {
    ControlPlane control_plane;
    const Client client = control_plane.client();
    std::string name;
    {
      const ControllerProcess workloads = RunWorkloads(client);
      ASSERT_TRUE(client.Create(DeploymentOf("web", 1)));
      EXPECT_LT(TimeUntil([&] { return Get(client).status.replicas == 1; }), 10s);
      name = SetOf(client, "v1").metadata.name.str();
      ASSERT_TRUE(client.Delete<Deployment>(kWeb));
      ASSERT_TRUE(client.Delete<ReplicaSet>({"default", name}));
    }
    ReplicaSet taken = ReplicaSetOf("other", 0);
    taken.metadata.name = name;
    ASSERT_TRUE(client.Create(taken));
    const ControllerProcess pods = RunPods(client), workloads = RunWorkloads(client);
    ASSERT_TRUE(client.Create(DeploymentOf("web", 1)));
    EXPECT_LT(TimeUntil([&] { return IsRolledOut(client); }), 30s);
    EXPECT_EQ(Get(client).status.collisionCount, 1);
    EXPECT_NE(SetOf(client, "v1").metadata.name, name);
  });
}

}  // namespace
}  // namespace keelson::controllers
