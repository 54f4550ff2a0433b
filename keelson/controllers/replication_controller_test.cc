#include "keelson/controllers/replication_controller.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "keelson/api/owner_references.h"
#include "keelson/controllers/workloads_test_support.h"
#include "keelson/controlplane/control_plane.h"

namespace keelson::controllers {
namespace {

using namespace std::chrono_literals;
using corev1::Pod;
using corev1::ReplicationController;
using testing::Each;
using testing::SizeIs;
using testing::StartsWith;

const ObjectKey kWeb{"default", "web"};

// Its selector is what the server makes of the template's labels.
ReplicationController ControllerOf(const std::string& name, int32_t replicas) {
  return {.metadata = {.name = name, .namespace_ = "default"},
          .spec = {.replicas = replicas, .template_ = TemplateOf(name, "v1")}};
}

ControllerProcess RunReplicationControllers(const Client& client) {
  return ControllerProcess(client, [](Manager& manager) { return AddReplicationControllerController(manager); });
}

bool IsSettled(const Client& client, int32_t replicas) {
  const ReplicationController found = client.Get<ReplicationController>(kWeb).value();
  return found.status.observedGeneration == found.metadata.generation && found.status.replicas == replicas &&
         found.status.availableReplicas == replicas && PodsOf(client, "web").size() == static_cast<size_t>(replicas);
}

TEST(ReplicationControllerController, KeepsAsManyPodsOfTheTemplateAsAsked) {
  SimulatedManagers([] {
    ControlPlane control_plane;
    const Client client = control_plane.client();
    const ControllerProcess pods = RunPods(client), process = RunReplicationControllers(client);
    const ReplicationController made = client.Create(ControllerOf("web", 3)).value();
    EXPECT_LT(TimeUntil([&] { return IsSettled(client, 3); }), 5s);
    EXPECT_EQ(client.Get<ReplicationController>(kWeb)->status.fullyLabeledReplicas, 3);
    for (const Pod& pod : PodsOf(client, "web")) {
      EXPECT_EQ(pod.metadata.generateName, "web-");
      const metav1::OwnerReference* owner = GetControllerOf(pod);
      ASSERT_NE(owner, nullptr);
      EXPECT_EQ(owner->kind, "ReplicationController");
      EXPECT_EQ(owner->apiVersion, "v1");
      EXPECT_EQ(owner->uid, made.metadata.uid);
    }
    EXPECT_LT(TimeUntil([&] { return EventsOf(client, "web").size() == 3; }), 5s);
    EXPECT_THAT(EventsOf(client, "web"), Each(StartsWith("SuccessfulCreate: Created pod: web-")));
    const ObjectList<corev1::Event> events = client.List<corev1::Event>({.namespace_ = "default"}).value();
    for (const corev1::Event& event : events) {
      EXPECT_EQ(event.source.component, "replication-controller");
      EXPECT_EQ(event.involvedObject.kind, "ReplicationController");
    }
    Modify<ReplicationController>(client, kWeb, [](ReplicationController& one) { one.spec.replicas = 1; }).value();
    EXPECT_LT(TimeUntil([&] { return IsSettled(client, 1); }), 5s);
  });
}

TEST(ReplicationControllerController, AdoptsOrphansAndReleasesWhatNoLongerMatches) {
  SimulatedManagers([] {
    ControlPlane control_plane;
    const Client client = control_plane.client();
    const corev1::PodTemplateSpec from = TemplateOf("web", "v1");
    ASSERT_TRUE(client.Create(Pod{
        .metadata = {.name = "first", .namespace_ = "default", .labels = from.metadata.labels}, .spec = from.spec}));
    const ControllerProcess pods = RunPods(client), process = RunReplicationControllers(client);
    const ReplicationController made = client.Create(ControllerOf("web", 1)).value();
    EXPECT_LT(TimeUntil([&] { return IsSettled(client, 1); }), 5s);
    EXPECT_TRUE(IsControlledBy(client.Get<Pod>({"default", "first"}).value(), made));

    Modify<Pod>(client, {"default", "first"}, [](Pod& pod) { pod.metadata.labels.Set("app", "other"); }).value();
    EXPECT_LT(TimeUntil([&] { return client.Get<Pod>({"default", "first"})->metadata.ownerReferences.empty(); }), 5s);
    EXPECT_LT(TimeUntil([&] { return IsSettled(client, 1); }), 5s);
  });
}

// A ReplicaSet of the same name and labels is another owner.
TEST(ReplicationControllerController, LeavesAloneWhatAReplicaSetHas) {
  SimulatedManagers([] {
    ControlPlane control_plane;
    const Client client = control_plane.client();
    const ControllerProcess pods = RunPods(client), workloads = RunWorkloads(client);
    ASSERT_TRUE(client.Create(ReplicaSetOf("web", 2)));
    EXPECT_LT(TimeUntil([&] { return PodsOf(client, "web").size() == 2; }), 5s);
    const ControllerProcess process = RunReplicationControllers(client);
    ASSERT_TRUE(client.Create(ControllerOf("web", 1)));
    (void)SleepFor(1min, {});
    EXPECT_THAT(PodsOf(client, "web"), SizeIs(3));
    EXPECT_EQ(client.Get<ReplicationController>(kWeb)->status.replicas, 1);
    EXPECT_EQ(client.Get<appsv1::ReplicaSet>(kWeb)->status.replicas, 2);
  });
}

TEST(ReplicationControllerController, SaysThatPodsCannotBeCreated) {
  SimulatedManagers([] {
    ControlPlane control_plane;
    const Client client = control_plane.client();
    const ControllerProcess process = RunReplicationControllers(client);
    ReplicationController wanted = ControllerOf("web", 2);
    wanted.spec.template_->spec.priorityClassName = "missing";
    ASSERT_TRUE(client.Create(wanted));
    EXPECT_LT(TimeUntil([&] { return !client.Get<ReplicationController>(kWeb)->status.conditions.empty(); }), 5s);
    const ReplicationController failed = client.Get<ReplicationController>(kWeb).value();
    EXPECT_EQ(failed.status.conditions[0].type, "ReplicaFailure");
    EXPECT_EQ(failed.status.conditions[0].reason, "FailedCreate");
    EXPECT_THAT(failed.status.conditions[0].message.str(), testing::HasSubstr("no PriorityClass with name missing"));
  });
}

}  // namespace
}  // namespace keelson::controllers
