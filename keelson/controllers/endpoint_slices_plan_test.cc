#include "keelson/controllers/endpoint_slices_plan.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace keelson::controllers {
namespace {

using discoveryv1::EndpointSlice;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

corev1::Service Web() {
  corev1::Service service;
  service.metadata = {.name = "web", .namespace_ = "default", .uid = "u1"};
  service.spec.clusterIP = "10.96.0.1";
  service.spec.ipFamilies = {"IPv4"};
  service.spec.selector = {{"app", "web"}};
  service.spec.ports = {corev1::ServicePort{.name = "http", .protocol = "TCP", .port = 80, .targetPort = 8080}};
  return service;
}

PodInZone PodOf(int number, const std::string& zone = "z") {
  PodInZone made;
  made.zone = zone;
  made.pod.metadata = {.name = "p" + std::to_string(number), .namespace_ = "default"};
  made.pod.spec.nodeName = "n";
  const std::string ip = fmt::format("10.0.{}.{}", number / 250, number % 250);
  made.pod.status.podIP = ip;
  made.pod.status.podIPs = {corev1::PodIP{.ip = ip}, corev1::PodIP{.ip = fmt::format("fd00::{:x}", number + 1)}};
  made.pod.status.conditions = {corev1::PodCondition{.type = "Ready", .status = "True"}};
  return made;
}

std::vector<PodInZone> Pods(int from, int to) {
  std::vector<PodInZone> pods;
  for (int i = from; i < to; ++i) pods.push_back(PodOf(i));
  return pods;
}

// As if the server had taken the slices of the plan.
std::vector<EndpointSlice> Named(std::vector<EndpointSlice> slices) {
  for (size_t i = 0; i < slices.size(); ++i) slices[i].metadata.name = "s" + std::to_string(i);
  return slices;
}

std::vector<size_t> SizesOf(const std::vector<EndpointSlice>& slices) {
  std::vector<size_t> sizes;
  for (const EndpointSlice& slice : slices) sizes.push_back(slice.endpoints.size());
  return sizes;
}

TEST(PlanSlices, ServiceWithoutPodsHasAnEmptySlice) {
  const SlicePlan plan = PlanSlices(Web(), {}, {}, 100);
  EXPECT_THAT(SizesOf(plan.create), ElementsAre(0u));
  EXPECT_TRUE(plan.create[0].ports.empty());
  EXPECT_TRUE(PlanSlices(Web(), {}, Named(plan.create), 100).empty());
}

TEST(PlanSlices, EmptySliceIsFilledAndEmptiedAgain) {
  const std::vector<EndpointSlice> empty = Named(PlanSlices(Web(), {}, {}, 100).create);
  const SlicePlan filled = PlanSlices(Web(), Pods(0, 3), empty, 100);
  EXPECT_THAT(filled.create, IsEmpty());
  EXPECT_THAT(filled.remove, IsEmpty());
  ASSERT_THAT(SizesOf(filled.update), ElementsAre(3u));
  EXPECT_EQ(filled.update[0].metadata.name, "s0");
  EXPECT_EQ(*filled.update[0].ports[0].port, 8080);
  const SlicePlan emptied = PlanSlices(Web(), {}, filled.update, 100);
  ASSERT_THAT(SizesOf(emptied.update), ElementsAre(0u));
  EXPECT_TRUE(emptied.update[0].ports.empty());
}

TEST(PlanSlices, ManyPodsAreInSlicesOfAHundred) {
  const SlicePlan plan = PlanSlices(Web(), Pods(0, 250), {}, 100);
  EXPECT_THAT(SizesOf(plan.create), ElementsAre(100u, 100u, 50u));
  EXPECT_TRUE(PlanSlices(Web(), Pods(0, 250), Named(plan.create), 100).empty());
}

TEST(PlanSlices, NewPodsGoWhereTheyFillBest) {
  const std::vector<EndpointSlice> existing = Named(PlanSlices(Web(), Pods(0, 250), {}, 100).create);
  const SlicePlan one_slice = PlanSlices(Web(), Pods(0, 260), existing, 100);
  EXPECT_THAT(SizesOf(one_slice.update), ElementsAre(60u));
  EXPECT_THAT(one_slice.create, IsEmpty());
  // Sixty do not fit into any that is there, whatever room there is.
  const SlicePlan new_slice = PlanSlices(Web(), Pods(0, 310), existing, 100);
  EXPECT_THAT(new_slice.update, IsEmpty());
  EXPECT_THAT(SizesOf(new_slice.create), ElementsAre(60u));
}

TEST(PlanSlices, SlicesThatAreWrittenAnywayAreFilledFirst) {
  const std::vector<EndpointSlice> existing = Named(PlanSlices(Web(), Pods(0, 250), {}, 100).create);
  std::vector<PodInZone> pods = Pods(1, 260);  // one of the first slice goes, ten come
  const SlicePlan plan = PlanSlices(Web(), pods, existing, 100);
  EXPECT_THAT(plan.create, IsEmpty());
  EXPECT_THAT(SizesOf(plan.update), UnorderedElementsAre(100u, 59u));
}

TEST(PlanSlices, SliceWhosePodsAreGoneGoes) {
  const std::vector<EndpointSlice> existing = Named(PlanSlices(Web(), Pods(0, 101), {}, 100).create);
  ASSERT_EQ(existing.size(), 2u);
  std::vector<PodInZone> kept;
  for (const PodInZone& pod : Pods(0, 101)) {
    for (const discoveryv1::Endpoint& endpoint : existing[0].endpoints) {
      if (endpoint.targetRef->name == pod.pod.metadata.name) kept.push_back(pod);
    }
  }
  const SlicePlan plan = PlanSlices(Web(), kept, existing, 100);
  EXPECT_THAT(plan.update, IsEmpty());
  ASSERT_EQ(plan.remove.size(), 1u);
  EXPECT_EQ(plan.remove[0].metadata.name, "s1");
}

TEST(PlanSlices, PodsWithOtherPortsAreInAnotherSlice) {
  corev1::Service service = Web();
  service.spec.ports[0].targetPort = "web";
  std::vector<PodInZone> pods = Pods(0, 3);
  for (int i = 0; i < 2; ++i) {
    pods[i].pod.spec.containers = {corev1::Container{
        .name = "c", .ports = {corev1::ContainerPort{.name = "web", .containerPort = 80 + i, .protocol = "TCP"}}}};
  }
  const SlicePlan plan = PlanSlices(service, pods, {}, 100);
  std::vector<std::string> ports;
  for (const EndpointSlice& slice : plan.create) {
    ports.push_back(slice.ports.empty() ? "none" : std::to_string(*slice.ports[0].port));
  }
  EXPECT_THAT(ports, UnorderedElementsAre("80", "81", "none"));
}

TEST(PlanSlices, EachFamilyHasSlicesOfItsOwn) {
  corev1::Service service = Web();
  service.spec.ipFamilies = {"IPv4", "IPv6"};
  const SlicePlan both = PlanSlices(service, Pods(0, 1), {}, 100);
  ASSERT_EQ(both.create.size(), 2u);
  EXPECT_EQ(both.create[0].endpoints[0].addresses[0], "10.0.0.0");
  EXPECT_EQ(both.create[1].addressType, "IPv6");
  EXPECT_EQ(both.create[1].endpoints[0].addresses[0], "fd00::1");
  const SlicePlan single = PlanSlices(Web(), Pods(0, 1), Named(both.create), 100);
  ASSERT_EQ(single.remove.size(), 1u);
  EXPECT_EQ(single.remove[0].addressType, "IPv6");
  EXPECT_THAT(single.update, IsEmpty());
}

TEST(PlanSlices, SliceOfAnEarlierServiceOfThatNameIsReplaced) {
  const std::vector<EndpointSlice> existing = Named(PlanSlices(Web(), Pods(0, 2), {}, 100).create);
  corev1::Service reborn = Web();
  reborn.metadata.uid = "u2";
  const SlicePlan plan = PlanSlices(reborn, Pods(0, 2), existing, 100);
  EXPECT_THAT(SizesOf(plan.create), ElementsAre(2u));
  EXPECT_THAT(plan.update, IsEmpty());
  EXPECT_EQ(plan.remove.size(), 1u);
}

TEST(PlanSlices, LabelsOfTheServiceAreFollowed) {
  const std::vector<EndpointSlice> existing = Named(PlanSlices(Web(), Pods(0, 2), {}, 100).create);
  corev1::Service labelled = Web();
  labelled.metadata.labels = {{"team", "blue"}, {"kubernetes.io/service-name", "mine"}};
  const SlicePlan plan = PlanSlices(labelled, Pods(0, 2), existing, 100);
  ASSERT_EQ(plan.update.size(), 1u);
  EXPECT_EQ(plan.update[0].metadata.labels.at("team"), "blue");
  EXPECT_EQ(plan.update[0].metadata.labels.at("kubernetes.io/service-name"), "web");
  EXPECT_TRUE(PlanSlices(labelled, Pods(0, 2), plan.update, 100).empty());
}

TEST(PlanSlices, TrafficThatIsToStayCloseHasHints) {
  corev1::Service service = Web();
  service.spec.trafficDistribution = String("PreferSameNode");
  const SlicePlan plan = PlanSlices(service, Pods(0, 1), {}, 100);
  ASSERT_TRUE(plan.create[0].endpoints[0].hints);
  EXPECT_EQ(plan.create[0].endpoints[0].hints->forZones[0].name, "z");
  EXPECT_EQ(plan.create[0].endpoints[0].hints->forNodes[0].name, "n");
  const std::vector<EndpointSlice> existing = Named(plan.create);
  EXPECT_TRUE(PlanSlices(service, Pods(0, 1), existing, 100).empty());
  const SlicePlan without = PlanSlices(Web(), Pods(0, 1), existing, 100);
  ASSERT_EQ(without.update.size(), 1u);
  EXPECT_FALSE(without.update[0].endpoints[0].hints);
}

TEST(PlanSlices, AppProtocolAndEndOfPods) {
  corev1::Service service = Web();
  service.spec.ports[0].appProtocol = String("kubernetes.io/h2c");
  std::vector<PodInZone> pods = Pods(0, 2);
  pods[0].pod.status.phase = "Succeeded";
  pods[1].pod.metadata.deletionTimestamp = metav1::Time::FromUnix(1);
  const SlicePlan plan = PlanSlices(service, pods, {}, 100);
  ASSERT_THAT(SizesOf(plan.create), ElementsAre(1u));
  EXPECT_EQ(*plan.create[0].ports[0].appProtocol, "kubernetes.io/h2c");
  EXPECT_FALSE(*plan.create[0].endpoints[0].conditions.ready);
  EXPECT_TRUE(*plan.create[0].endpoints[0].conditions.serving);
  EXPECT_TRUE(*plan.create[0].endpoints[0].conditions.terminating);
}

}  // namespace
}  // namespace keelson::controllers
