#include "keelson/controllers/replica_set_plan.h"

#include <gtest/gtest.h>

#include <functional>

#include "keelson/api/owner_references.h"

namespace keelson::controllers {
namespace {

using namespace std::chrono_literals;
using corev1::Pod;

constexpr int64_t kNow = 1'800'000'000;
const WallTime kWallNow = WallTime(std::chrono::seconds(kNow));

// On a node, running, ready since an hour, made two hours ago.
Pod ReadyPod(const std::string& name) {
  return {
      .metadata = {.name = name, .uid = name, .creationTimestamp = metav1::Time::FromUnix(kNow - 7200)},
      .spec = {.nodeName = "node"},
      .status = {.phase = "Running",
                 .conditions = {
                     {.type = "Ready", .status = "True", .lastTransitionTime = metav1::Time::FromUnix(kNow - 3600)}}}};
}

struct Preference {
  const char* why;
  std::function<void(Pod&)> change;  // makes a pod go before one as ReadyPod makes them
};
const Preference kPreferences[] = {
    {"without a node", [](Pod& pod) { pod.spec.nodeName = ""; }},
    {"pending", [](Pod& pod) { pod.status.phase = "Pending"; }},
    {"unknown", [](Pod& pod) { pod.status.phase = "Unknown"; }},
    {"not ready", [](Pod& pod) { pod.status.conditions[0].status = "False"; }},
    {"cheaper to delete",
     [](Pod& pod) { pod.metadata.annotations.Set("controller.kubernetes.io/pod-deletion-cost", "-10"); }},
    {"on a fuller node", [](Pod& pod) { pod.spec.nodeName = "full"; }},
    {"ready for a shorter time",
     [](Pod& pod) { pod.status.conditions[0].lastTransitionTime = metav1::Time::FromUnix(kNow - 600); }},
    {"restarted", [](Pod& pod) { pod.status.containerStatuses = {{.name = "main", .restartCount = 3}}; }},
    {"with a sidecar that restarted",
     [](Pod& pod) {
       pod.spec.initContainers = {{.name = "side", .restartPolicy = "Always"}};
       pod.status.initContainerStatuses = {{.name = "side", .restartCount = 1}};
     }},
    {"younger", [](Pod& pod) { pod.metadata.creationTimestamp = metav1::Time::FromUnix(kNow - 100); }},
    {"of unknown age", [](Pod& pod) { pod.metadata.creationTimestamp = {}; }},
};

TEST(ReplicaSetPlan, DeletesThoseFirstThatAreMissedLeast) {
  for (const Preference& preference : kPreferences) {
    Pod other = ReadyPod("z");
    preference.change(other);
    std::vector<Pod> pods = {ReadyPod("a"), other, ReadyPod("b")};
    SortForDeletion(pods, {{"node", 1}, {"full", 2}}, kWallNow);
    EXPECT_EQ(pods[0].metadata.name, "z") << preference.why;
  }
}

TEST(ReplicaSetPlan, EachReasonToDeleteWeighsMoreThanThoseBehindIt) {
  // Of those that can be told apart: in the order of the table, from the last to the first.
  std::vector<Pod> pods;
  for (size_t i : {9u, 7u, 6u, 5u, 4u, 3u, 1u, 0u}) {
    Pod pod = ReadyPod("pod-" + std::to_string(i));
    kPreferences[i].change(pod);
    pods.push_back(std::move(pod));
  }
  SortForDeletion(pods, {{"node", 1}, {"full", 2}}, kWallNow);
  std::string order;
  for (const Pod& pod : pods) order += pod.metadata.name.str().substr(4) + " ";
  EXPECT_EQ(order, "0 1 3 4 5 6 7 9 ");
}

TEST(ReplicaSetPlan, AgesOfOnePowerOfTwoGoByUid) {
  std::vector<Pod> pods = {ReadyPod("b"), ReadyPod("a")};
  pods[0].status.conditions[0].lastTransitionTime = metav1::Time::FromUnix(kNow - 3500);
  SortForDeletion(pods, {}, kWallNow);
  EXPECT_EQ(pods[0].metadata.name, "a");
}

TEST(ReplicaSetPlan, DeletionCostsThatAreNoNumbersCountAsNone) {
  for (const char* cost : {"+5", "007", "-0", "much", "3000000000", ""}) {
    std::vector<Pod> pods = {ReadyPod("a"), ReadyPod("b")};
    pods[1].metadata.annotations.Set("controller.kubernetes.io/pod-deletion-cost", cost);
    SortForDeletion(pods, {}, kWallNow);
    EXPECT_EQ(pods[0].metadata.name, "a") << cost;
  }
}

appsv1::ReplicaSet Set(int32_t replicas) {
  return {.metadata = {.name = "web", .namespace_ = "default", .uid = "1", .generation = 4},
          .spec = {.replicas = replicas,
                   .template_ = {.metadata = {.labels = {{"app", "web"}}, .finalizers = {"example.com/held"}}}}};
}

TEST(ReplicaSetPlan, StatusCountsPodsByLabelsReadinessAndTime) {
  appsv1::ReplicaSet set = Set(3);
  set.spec.minReadySeconds = 4000;
  Pod labelled = ReadyPod("a"), unready = ReadyPod("b"), long_ready = ReadyPod("c");
  labelled.metadata.labels = {{"app", "web"}, {"more", "labels"}};
  unready.status.conditions[0].status = "False";
  long_ready.status.conditions[0].lastTransitionTime = metav1::Time::FromUnix(kNow - 4000);
  const ReplicaSetPods pods{.active = {labelled, unready, long_ready}, .terminating = 2};
  const appsv1::ReplicaSetStatus status = StatusOf(set, pods, {}, kWallNow);
  EXPECT_EQ(status.replicas, 3);
  EXPECT_EQ(status.fullyLabeledReplicas, 1);
  EXPECT_EQ(status.readyReplicas, 2);
  EXPECT_EQ(status.availableReplicas, 1);
  EXPECT_EQ(status.terminatingReplicas, 2);
  EXPECT_EQ(status.observedGeneration, 4);
  EXPECT_EQ(NextAvailable(pods.active, 4000, kWallNow), 400s);
  EXPECT_EQ(NextAvailable(pods.active, 0, kWallNow), std::nullopt);
}

TEST(ReplicaSetPlan, AFailureIsAConditionUntilItIsOver) {
  appsv1::ReplicaSet set = Set(2);
  set.status = StatusOf(set, {}, Error::InvalidArgument("no room"), kWallNow);
  ASSERT_EQ(set.status.conditions.size(), 1u);
  EXPECT_EQ(set.status.conditions[0].reason, "FailedCreate");
  EXPECT_EQ(set.status.conditions[0].message, "no room");
  // The first one stays: another error is no change.
  set.status = StatusOf(set, {}, Error::InvalidArgument("still no room"), kWallNow + 1min);
  EXPECT_EQ(set.status.conditions[0].message, "no room");
  set.status = StatusOf(set, {}, {}, kWallNow);
  EXPECT_TRUE(set.status.conditions.empty());
  set.spec.replicas = 0;
  const ReplicaSetPods one{.active = {ReadyPod("a")}};
  EXPECT_EQ(StatusOf(set, one, Error::InvalidArgument("stuck"), kWallNow).conditions.back().reason, "FailedDelete");
}

TEST(ReplicaSetPlan, APodIsTheTemplatesCopyUnderANameToCome) {
  appsv1::ReplicaSet set = Set(1);
  const Pod pod = PodFromTemplate(set, OwnerOf(set)).value();
  EXPECT_EQ(pod.metadata.generateName, "web-");
  EXPECT_EQ(pod.metadata.namespace_, "default");
  EXPECT_EQ(pod.metadata.labels.at("app"), "web");
  EXPECT_EQ(pod.metadata.finalizers.size(), 1u);
  EXPECT_TRUE(IsControlledBy(pod, set));
  set.metadata.name = std::string(253, 'a');
  EXPECT_EQ(PodFromTemplate(set, OwnerOf(set))->metadata.generateName, set.metadata.name) << "no room for the dash";
  set.spec.template_.metadata.labels.clear();
  EXPECT_EQ(PodFromTemplate(set, OwnerOf(set)).error().message(), "unable to create pods, no labels");
}

}  // namespace
}  // namespace keelson::controllers
