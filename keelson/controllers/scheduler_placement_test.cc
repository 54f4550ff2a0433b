#include "keelson/controllers/scheduler_placement.h"

#include <gtest/gtest.h>

#include "keelson/api/object.h"

namespace keelson::controllers {
namespace {

corev1::Node NodeOf(const std::string& name, const char* cpu = "4", const char* pods = "110") {
  corev1::Node node;
  node.metadata.name = name;
  node.metadata.labels = {{"kubernetes.io/hostname", name}};
  node.status.allocatable = {{"cpu", cpu}, {"memory", "8Gi"}, {"pods", pods}};
  return node;
}

corev1::Pod PodOf(const std::string& name, const char* cpu = "") {
  corev1::Pod pod;
  pod.metadata.name = name;
  pod.metadata.namespace_ = "default";
  pod.metadata.labels = {{"app", "web"}};
  corev1::Container container{.name = "c"};
  if (*cpu != 0) container.resources.requests = {{"cpu", cpu}};
  pod.spec.containers.push_back(container);
  return pod;
}

corev1::PodAffinityTerm Term(const std::string& app, const std::string& key) {
  return {.labelSelector = metav1::LabelSelector{.matchLabels = {{"app", app}}}, .topologyKey = key};
}

class Placing : public testing::Test {
 protected:
  void Add(const corev1::Node& node) { nodes_[node.metadata.name.str()].SetNode(node); }
  void Put(corev1::Pod pod, const std::string& node) {
    pod.spec.nodeName = node;
    nodes_[node].Place(pod);
  }
  std::string Where(const corev1::Pod& pod) { return PlacePod(pod, nodes_, {}).node; }
  std::string Why(const corev1::Pod& pod) { return PlacePod(pod, nodes_, {}).message; }

  NodeStates nodes_;
};

const std::string kNotHelpful =
    " no new claims to deallocate, preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.";
const std::string kNoVictims =
    " no new claims to deallocate, preemption: 0/1 nodes are available: 1 No preemption victims found for incoming "
    "pod.";

TEST_F(Placing, WithoutNodesThereIsNoPlace) {
  EXPECT_EQ(Why(PodOf("p")), "no nodes available to schedule pods");
  Put(PodOf("q"), "gone");  // a pod may name a node that there is not
  EXPECT_EQ(Why(PodOf("p")), "no nodes available to schedule pods");
}

TEST_F(Placing, TheNodeWithMostLeftGetsThePodAndTiesGoByPodsThenName) {
  Add(NodeOf("b"));
  Add(NodeOf("a"));
  EXPECT_EQ(Where(PodOf("p")), "a");
  Put(PodOf("p"), "a");
  EXPECT_EQ(Where(PodOf("q")), "b");
  Put(PodOf("q", "2"), "b");
  EXPECT_EQ(Where(PodOf("r")), "a");
}

TEST_F(Placing, ResourcesAndTheNumberOfPodsAreLimits) {
  Add(NodeOf("a", "1", "2"));
  EXPECT_EQ(Where(PodOf("p", "1")), "a");
  EXPECT_EQ(Why(PodOf("p", "1001m")), "0/1 nodes are available: 1 Insufficient cpu." + kNotHelpful);
  Put(PodOf("q", "500m"), "a");
  EXPECT_EQ(Where(PodOf("p", "500m")), "a");
  EXPECT_EQ(Why(PodOf("p", "501m")), "0/1 nodes are available: 1 Insufficient cpu." + kNoVictims);
  Put(PodOf("r"), "a");
  EXPECT_EQ(Why(PodOf("p")), "0/1 nodes are available: 1 Too many pods." + kNoVictims);
  corev1::Pod gpu = PodOf("g");
  gpu.spec.containers[0].resources.requests = {{"example.com/gpu", "1"}};
  EXPECT_EQ(Why(gpu), "0/1 nodes are available: 1 Insufficient example.com/gpu, 1 Too many pods." + kNotHelpful);
}

TEST_F(Placing, InitContainersCountAtTheirLargestAndThoseThatStayAddUp) {
  corev1::Pod pod = PodOf("p", "100m");
  corev1::Container init{.name = "i"}, stays{.name = "s", .restartPolicy = String("Always")};
  init.resources.requests = {{"cpu", "1"}};
  stays.resources.requests = {{"cpu", "300m"}};
  pod.spec.initContainers = {stays, init};
  EXPECT_EQ(RequestsOf(pod).milli_cpu, 1300);
  pod.spec.initContainers = {init, stays};
  EXPECT_EQ(RequestsOf(pod).milli_cpu, 1000);
  pod.spec.overhead = {{"cpu", "50m"}};
  EXPECT_EQ(RequestsOf(pod).milli_cpu, 1050);
}

TEST_F(Placing, WhatKeepsAPodAwayIsSaidForEachNode) {
  corev1::Node cordoned = NodeOf("cordoned"), tainted = NodeOf("tainted"), other = NodeOf("other");
  cordoned.spec.unschedulable = true;
  tainted.spec.taints = {{.key = "k", .value = "v", .effect = "NoSchedule"}};
  Add(cordoned);
  Add(tainted);
  Add(other);
  corev1::Pod pod = PodOf("p");
  pod.spec.nodeSelector = {{"disk", "ssd"}};
  EXPECT_EQ(Why(pod),
            "0/3 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, 1 node(s) had untolerated "
            "taint(s), 1 node(s) were unschedulable. no new claims to deallocate, preemption: 0/3 nodes are available: "
            "3 Preemption is not helpful for scheduling.");
  pod.spec.preemptionPolicy = String("Never");
  EXPECT_TRUE(
      Why(pod).ends_with(" no new claims to deallocate, preemption: not eligible due to preemptionPolicy=Never."));
}

TEST_F(Placing, TolerationsAreByKeyValueAndEffect) {
  corev1::Node node = NodeOf("a");
  node.spec.taints = {{.key = "k", .value = "v", .effect = "NoSchedule"}};
  Add(node);
  struct Case {
    corev1::Toleration toleration;
    bool tolerated;
  };
  const Case cases[] = {
      {{.key = "k", .operator_ = "Equal", .value = "v", .effect = "NoSchedule"}, true},
      {{.key = "k", .value = "v"}, true},
      {{.key = "k", .operator_ = "Equal", .value = "w"}, false},
      {{.key = "k", .operator_ = "Exists"}, true},
      {{.operator_ = "Exists"}, true},
      {{.key = "k", .operator_ = "Exists", .effect = "NoExecute"}, false},
      {{.key = "other", .operator_ = "Exists"}, false},
  };
  for (const Case& one : cases) {
    corev1::Pod pod = PodOf("p");
    pod.spec.tolerations = {one.toleration};
    EXPECT_EQ(!Where(pod).empty(), one.tolerated) << one.toleration.key << " " << one.toleration.operator_;
  }
}

TEST_F(Placing, NodeAffinityRequiresAndPrefers) {
  corev1::Node a = NodeOf("a"), b = NodeOf("b");
  a.metadata.labels.Set("zone", "1");
  b.metadata.labels.Set("zone", "2");
  b.metadata.labels.Set("size", "10");
  Add(a);
  Add(b);
  struct Case {
    corev1::NodeSelectorRequirement requirement;
    std::string node;
  };
  const Case cases[] = {
      {{.key = "zone", .operator_ = "In", .values = {"2", "3"}}, "b"},
      {{.key = "zone", .operator_ = "NotIn", .values = {"1"}}, "b"},
      {{.key = "size", .operator_ = "Exists"}, "b"},
      {{.key = "size", .operator_ = "DoesNotExist"}, "a"},
      {{.key = "size", .operator_ = "Gt", .values = {"9"}}, "b"},
      {{.key = "size", .operator_ = "Gt", .values = {"10"}}, ""},
      {{.key = "size", .operator_ = "Lt", .values = {"11"}}, "b"},
  };
  for (const Case& one : cases) {
    corev1::Pod pod = PodOf("p");
    corev1::NodeSelector selector{.nodeSelectorTerms = {{.matchExpressions = {one.requirement}}}};
    pod.spec.affinity.Ensure().nodeAffinity.Ensure().requiredDuringSchedulingIgnoredDuringExecution = selector;
    EXPECT_EQ(Where(pod), one.node) << one.requirement.operator_;
  }
  corev1::Pod prefers = PodOf("p");
  prefers.spec.affinity.Ensure().nodeAffinity.Ensure().preferredDuringSchedulingIgnoredDuringExecution = {
      {.weight = 1, .preference = {.matchExpressions = {{.key = "size", .operator_ = "Exists"}}}}};
  EXPECT_EQ(Where(prefers), "b");

  corev1::Pod named = PodOf("p");
  named.spec.affinity.Ensure().nodeAffinity.Ensure().requiredDuringSchedulingIgnoredDuringExecution =
      corev1::NodeSelector{
          .nodeSelectorTerms = {{.matchFields = {{.key = "metadata.name", .operator_ = "In", .values = {"b"}}}}}};
  EXPECT_EQ(Where(named), "b");
  corev1::Node full = NodeOf("b", "4", "0");
  Add(full);
  EXPECT_EQ(Why(named),
            "0/2 nodes are available: 1 Too many pods, 1 node(s) didn't satisfy plugin(s) [NodeAffinity]. no new "
            "claims to deallocate, preemption: 0/2 nodes are available: 1 No preemption victims found for incoming "
            "pod, 1 Preemption is not helpful for "
            "scheduling.");
}

TEST_F(Placing, TaintsThatPreferOthersAreGivenWayTo) {
  corev1::Node a = NodeOf("a");
  a.spec.taints = {{.key = "k", .effect = "PreferNoSchedule"}};
  Add(a);
  EXPECT_EQ(Where(PodOf("p")), "a");
  Add(NodeOf("b"));
  Put(PodOf("q", "1"), "b");
  EXPECT_EQ(Where(PodOf("p")), "b");
}

TEST_F(Placing, AHostPortIsTakenOnce) {
  Add(NodeOf("a"));
  corev1::Pod pod = PodOf("p");
  pod.spec.containers[0].ports = {{.hostPort = 80, .containerPort = 80, .protocol = "TCP"}};
  EXPECT_EQ(Where(pod), "a");
  Put(pod, "a");
  pod.metadata.name = "q";
  EXPECT_EQ(Why(pod),
            "0/1 nodes are available: 1 node(s) didn't have free ports for the requested pod ports." + kNoVictims);
  pod.spec.containers[0].ports[0].protocol = "UDP";
  EXPECT_EQ(Where(pod), "a");
}

TEST_F(Placing, PodsKeepTogetherAndApart) {
  for (const char* name : {"a", "b"}) Add(NodeOf(name));
  corev1::Pod near = PodOf("near");
  near.metadata.labels = {{"app", "near"}};
  near.spec.affinity.Ensure().podAffinity.Ensure().requiredDuringSchedulingIgnoredDuringExecution = {
      Term("db", "kubernetes.io/hostname")};
  EXPECT_EQ(PlacePod(near, nodes_, {}).hindrances, kByOtherPods);
  EXPECT_TRUE(Why(near).starts_with("0/2 nodes are available: 2 node(s) didn't match pod affinity rules."));
  corev1::Pod db = PodOf("db");
  db.metadata.labels = {{"app", "db"}};
  Put(db, "b");
  EXPECT_EQ(Where(near), "b");

  corev1::Pod apart = PodOf("apart");
  apart.metadata.labels = {{"app", "apart"}};
  apart.spec.affinity.Ensure().podAntiAffinity.Ensure().requiredDuringSchedulingIgnoredDuringExecution = {
      Term("apart", "kubernetes.io/hostname"), Term("db", "kubernetes.io/hostname")};
  EXPECT_EQ(Where(apart), "a");
  Put(apart, "a");
  apart.metadata.name = "apart-2";
  EXPECT_TRUE(Why(apart).starts_with("0/2 nodes are available: 2 node(s) didn't match pod anti-affinity rules."));
  // Those who are there keep others away as well.
  corev1::Pod db2 = PodOf("db-2");
  db2.metadata.labels = {{"app", "db"}};
  EXPECT_EQ(Where(db2), "b");
  db2.spec.nodeSelector = {{"kubernetes.io/hostname", "a"}};
  EXPECT_TRUE(Why(db2).starts_with(
      "0/2 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, 1 node(s) didn't satisfy existing "
      "pods anti-affinity rules."));
  // Another namespace is none of their business.
  db2.metadata.namespace_ = "other";
  EXPECT_EQ(Where(db2), "a");
}

TEST_F(Placing, TheFirstOfAGroupThatKeepsTogetherFindsAPlace) {
  Add(NodeOf("a"));
  corev1::Pod first = PodOf("first");
  first.spec.affinity.Ensure().podAffinity.Ensure().requiredDuringSchedulingIgnoredDuringExecution = {
      Term("web", "kubernetes.io/hostname")};
  EXPECT_EQ(Where(first), "a");
}

TEST_F(Placing, PodsAreSpreadOverDomains) {
  for (const char* name : {"a", "b", "c"}) {
    corev1::Node node = NodeOf(name);
    if (std::string(name) != "c") node.metadata.labels.Set("zone", std::string("zone-") + name);
    Add(node);
  }
  corev1::Pod pod = PodOf("p");
  pod.spec.topologySpreadConstraints = {{.maxSkew = 1,
                                         .topologyKey = "zone",
                                         .whenUnsatisfiable = "DoNotSchedule",
                                         .labelSelector = metav1::LabelSelector{.matchLabels = {{"app", "web"}}}}};
  Put(PodOf("x"), "a");
  EXPECT_EQ(Where(pod), "b");
  corev1::Node b = NodeOf("b", "4", "0");
  b.metadata.labels.Set("zone", "zone-b");
  Add(b);
  EXPECT_EQ(
      Why(pod),
      "0/3 nodes are available: 1 Too many pods, 1 node(s) didn't match pod topology spread constraints, 1 "
      "node(s) didn't match pod topology spread constraints (missing required label). no new claims to deallocate, "
      "preemption: 0/3 nodes are available: 1 Preemption is not helpful for scheduling, 2 No preemption victims found "
      "for incoming pod.");
  pod.spec.topologySpreadConstraints[0].whenUnsatisfiable = "ScheduleAnyway";
  EXPECT_NE(Where(pod), "");
}

TEST_F(Placing, VolumesSayWhereAPodCanBe) {
  for (const char* name : {"a", "b"}) Add(NodeOf(name));
  PlacementOptions options;
  options.volumes.refusal = "pod has unbound immediate PersistentVolumeClaims";
  EXPECT_EQ(PlacePod(PodOf("p"), nodes_, options).message,
            "0/2 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found");
  options.volumes = {};
  options.volumes.reachable_from = {
      {.nodeSelectorTerms = {
           {.matchExpressions = {{.key = "kubernetes.io/hostname", .operator_ = "In", .values = {"b"}}}}}}};
  EXPECT_EQ(PlacePod(PodOf("p"), nodes_, options).node, "b");
  options.volumes = {};
  options.volumes.possible_on = [](const corev1::Node& node) { return node.metadata.name == "b"; };
  EXPECT_EQ(PlacePod(PodOf("p"), nodes_, options).node, "b");
  options.volumes.possible_on = [](const corev1::Node&) { return false; };
  EXPECT_EQ(PlacePod(PodOf("p"), nodes_, options).message,
            "0/2 nodes are available: 2 node(s) didn't find available persistent volumes to bind. no new claims to "
            "deallocate, preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.");
}

}  // namespace
}  // namespace keelson::controllers
