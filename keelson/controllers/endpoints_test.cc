#include "keelson/controllers/endpoints.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "keelson/api/discovery/v1.h"
#include "keelson/client/ignore_not_found.h"
#include "keelson/controllers/endpoint_pods.h"
#include "keelson/controllers/endpoint_slices.h"
#include "keelson/controllers/endpoints_subsets.h"
#include "keelson/controllers/services_test_support.h"
#include "keelson/controlplane/control_plane.h"
#include "keelson/controlplane/run_seeds.h"
#include "keelson/core/random.h"

namespace keelson::controllers {
namespace {

using corev1::Endpoints;
using corev1::Service;
using discoveryv1::EndpointSlice;
using testing::ElementsAre;
using testing::IsEmpty;

Result<void> AddBoth(Manager& manager) {
  KEELSON_RETURN_IF_ERROR(AddEndpointsController(manager));
  return AddEndpointSlicesController(manager);
}

std::string TextOf(const List<corev1::EndpointSubset>& subsets) {
  std::string text;
  for (const corev1::EndpointSubset& subset : subsets) {
    if (!text.empty()) text += " | ";
    for (const corev1::EndpointAddress& address : subset.addresses) text += address.ip.str() + " ";
    for (const corev1::EndpointAddress& address : subset.notReadyAddresses) text += "(" + address.ip.str() + ") ";
    text += "at";
    for (const corev1::EndpointPort& port : subset.ports) text += fmt::format(" {}:{}", port.name, port.port);
  }
  return text;
}

std::string EndpointsOf(const Client& client, const std::string& name) {
  const Result<Endpoints> endpoints = client.Get<Endpoints>({"default", name});
  return endpoints ? TextOf(endpoints->subsets) : "none";
}

// "10.0.0.1 ready n1 zone-a" of each endpoint of the Service, sorted; "IPv4 nothing" of a slice without.
std::vector<std::string> SlicesOf(const Client& client, const std::string& service) {
  std::vector<std::string> texts;
  const ObjectList<EndpointSlice> slices =
      client.List<EndpointSlice>({.labels = labels::FromSet({{"kubernetes.io/service-name", service}})}).value();
  for (const EndpointSlice& slice : slices) {
    std::string ports;
    for (const discoveryv1::EndpointPort& port : slice.ports) ports += fmt::format(" {}:{}", *port.name, *port.port);
    if (slice.endpoints.empty()) texts.push_back(slice.addressType.str() + " nothing" + ports);
    for (const discoveryv1::Endpoint& endpoint : slice.endpoints) {
      std::string text = endpoint.addresses[0].str();
      if (*endpoint.conditions.ready) text += " ready";
      if (*endpoint.conditions.serving) text += " serving";
      if (*endpoint.conditions.terminating) text += " terminating";
      if (endpoint.zone) text += " " + endpoint.zone->str();
      texts.push_back(text + ports);
    }
  }
  std::sort(texts.begin(), texts.end());
  return texts;
}

TEST(Endpoints, FollowPodsOfTheService) {
  SimulatedManagers([] {
    const ControlPlane control_plane;
    const Actors actors(control_plane.client());
    ControllerProcess process(control_plane.client(), AddBoth);
    actors.MakeNode("n1", "zone-a");
    actors.MakeService("web");
    Settle();
    EXPECT_EQ(EndpointsOf(actors.client(), "web"), "");
    EXPECT_THAT(SlicesOf(actors.client(), "web"), ElementsAre("IPv4 nothing"));

    actors.MakePod("a", "web", "10.0.0.1");
    actors.MakePod("b", "web", "10.0.0.2", false);
    actors.MakePod("c", "web", "");
    actors.MakePod("d", "other", "10.0.0.4");
    Settle();
    EXPECT_EQ(EndpointsOf(actors.client(), "web"), "10.0.0.1 (10.0.0.2) at http:8080");
    EXPECT_THAT(SlicesOf(actors.client(), "web"),
                ElementsAre("10.0.0.1 ready serving zone-a http:8080", "10.0.0.2 zone-a http:8080"));

    const Endpoints endpoints = actors.client().Get<Endpoints>({"default", "web"}).value();
    EXPECT_EQ(endpoints.metadata.labels,
              (Map<String>{{"team", "blue"}, {"endpoints.kubernetes.io/managed-by", "endpoint-controller"}}));
    const corev1::EndpointAddress& address = endpoints.subsets[0].addresses[0];
    EXPECT_EQ(*address.nodeName, "n1");
    EXPECT_EQ(address.targetRef->kind, "Pod");
    EXPECT_EQ(address.targetRef->name, "a");
    EXPECT_EQ(address.targetRef->uid, actors.client().Get<corev1::Pod>({"default", "a"})->metadata.uid);
    EXPECT_TRUE(endpoints.metadata.annotations.contains(kLastChangeTriggerTime));

    // Readiness, labels, the end of a pod.
    actors.SetPod("b", "10.0.0.2", true);
    Modify<corev1::Pod>(actors.client(), {"default", "d"}, [](corev1::Pod& pod) {
      pod.metadata.labels = {{"app", "web"}};
    }).value();
    ASSERT_TRUE(actors.client().Delete<corev1::Pod>({"default", "a"}));
    Settle();
    EXPECT_EQ(EndpointsOf(actors.client(), "web"), "10.0.0.2 10.0.0.4 at http:8080");
    EXPECT_THAT(SlicesOf(actors.client(), "web"),
                ElementsAre("10.0.0.1 serving terminating zone-a http:8080", "10.0.0.2 ready serving zone-a http:8080",
                            "10.0.0.4 ready serving zone-a http:8080"));

    const int64_t writes = process.line().writes();
    (void)SleepFor(std::chrono::hours(1), {});
    EXPECT_EQ(process.line().writes(), writes);
  });
}

TEST(Endpoints, SliceNamesItsServiceAsOwner) {
  SimulatedManagers([] {
    const ControlPlane control_plane;
    const Actors actors(control_plane.client());
    const ControllerProcess process(control_plane.client(), AddBoth);
    const Service service = actors.MakeService("web", [](Service& made) { made.spec.clusterIP = "None"; });
    Settle();
    const ObjectList<EndpointSlice> slices =
        actors.client()
            .List<EndpointSlice>(
                {.namespace_ = "default", .labels = labels::FromSet({{"kubernetes.io/service-name", "web"}})})
            .value();
    ASSERT_EQ(slices.items.size(), 1u);
    const metav1::ObjectMeta& metadata = slices.items[0].metadata;
    EXPECT_EQ(metadata.generateName, "web-");
    EXPECT_EQ(metadata.labels,
              (Map<String>{{"team", "blue"},
                           {"kubernetes.io/service-name", "web"},
                           {"endpointslice.kubernetes.io/managed-by", "endpointslice-controller.k8s.io"},
                           {"service.kubernetes.io/headless", ""}}));
    ASSERT_EQ(metadata.ownerReferences.size(), 1u);
    EXPECT_EQ(metadata.ownerReferences[0].uid, service.metadata.uid);
    EXPECT_TRUE(*metadata.ownerReferences[0].controller);
    EXPECT_TRUE(*metadata.ownerReferences[0].blockOwnerDeletion);
    EXPECT_EQ(metadata.annotations.at(kLastChangeTriggerTime), service.metadata.creationTimestamp.ToString());
    EXPECT_EQ(actors.client().Get<Endpoints>({"default", "web"})->metadata.labels.at(kHeadless), "");
  });
}

TEST(Endpoints, ServiceThatPublishesAllHasThemReady) {
  SimulatedManagers([] {
    const ControlPlane control_plane;
    const Actors actors(control_plane.client());
    const ControllerProcess process(control_plane.client(), AddBoth);
    actors.MakeService("db", [](Service& service) {
      service.spec.clusterIP = "None";
      service.spec.publishNotReadyAddresses = true;
      service.spec.ports = {};
    });
    // The node is not there, which does not matter to such a Service.
    actors.MakePod("db-0", "db", "10.0.0.1", false, "gone", [](corev1::Pod& pod) {
      pod.spec.hostname = "db-0";
      pod.spec.subdomain = "db";
    });
    Settle();
    EXPECT_EQ(EndpointsOf(actors.client(), "db"), "10.0.0.1 at");
    EXPECT_EQ(actors.client().Get<Endpoints>({"default", "db"})->subsets[0].addresses[0].hostname, "db-0");
    EXPECT_THAT(SlicesOf(actors.client(), "db"), ElementsAre("10.0.0.1 ready"));
  });
}

TEST(Endpoints, PodOfMissingNodeIsInSlicesWhenTheNodeComes) {
  SimulatedManagers([] {
    const ControlPlane control_plane;
    const Actors actors(control_plane.client());
    const ControllerProcess process(control_plane.client(), AddBoth);
    actors.MakeService("web");
    actors.MakePod("a", "web", "10.0.0.1", true, "late");
    Settle();
    EXPECT_THAT(SlicesOf(actors.client(), "web"), ElementsAre("IPv4 nothing"));
    EXPECT_THAT(actors.EventsOn("web"),
                testing::Contains("FailedToUpdateEndpointSlices: Error updating Endpoint Slices for Service "
                                  "default/web: skipping Pod a for Service default/web: Node late Not Found"));
    actors.MakeNode("late", "z");
    Settle();
    EXPECT_THAT(SlicesOf(actors.client(), "web"), ElementsAre("10.0.0.1 ready serving z http:8080"));
    Modify<corev1::Node>(actors.client(), {"", "late"}, [](corev1::Node& node) {
      node.metadata.labels.Set("topology.kubernetes.io/zone", "y");
    }).value();
    Settle();
    EXPECT_THAT(SlicesOf(actors.client(), "web"), ElementsAre("10.0.0.1 ready serving y http:8080"));
  });
}

TEST(Endpoints, GoWithTheirServiceAndStayWithoutOne) {
  SimulatedManagers([] {
    const ControlPlane control_plane;
    const Actors actors(control_plane.client());
    const ControllerProcess process(control_plane.client(), AddBoth);
    Endpoints made_by_hand;
    made_by_hand.metadata = {.name = "manual", .namespace_ = "default"};
    actors.Make(made_by_hand);
    made_by_hand.metadata.name = "bare";
    actors.Make(made_by_hand);
    actors.MakeService("web");
    actors.MakeService("bare", [](Service& service) { service.spec.selector = {}; });
    Settle();
    EXPECT_EQ(EndpointsOf(actors.client(), "web"), "");
    EXPECT_THAT(SlicesOf(actors.client(), "bare"), IsEmpty());
    ASSERT_TRUE(actors.client().Delete<Service>({"default", "web"}));
    ASSERT_TRUE(actors.client().Delete<Service>({"default", "bare"}));
    Settle();
    EXPECT_EQ(EndpointsOf(actors.client(), "web"), "none");
    EXPECT_EQ(EndpointsOf(actors.client(), "bare"), "none");
    EXPECT_EQ(EndpointsOf(actors.client(), "manual"), "");
  });
}

TEST(Endpoints, AreRemovedWhenTheServiceWentWhileNobodyLooked) {
  SimulatedManagers([] {
    const ControlPlane control_plane;
    const Actors actors(control_plane.client());
    {
      const ControllerProcess process(control_plane.client(), AddBoth);
      actors.MakeService("web");
      Settle();
    }
    ASSERT_TRUE(actors.client().Delete<Service>({"default", "web"}));
    EXPECT_EQ(EndpointsOf(actors.client(), "web"), "");
    const ControllerProcess process(control_plane.client(), AddBoth);
    Settle();
    EXPECT_EQ(EndpointsOf(actors.client(), "web"), "none");
  });
}

TEST(Endpoints, WhatOthersSpoilIsSetRight) {
  SimulatedManagers([] {
    const ControlPlane control_plane;
    const Actors actors(control_plane.client());
    const ControllerProcess process(control_plane.client(), AddBoth);
    actors.MakeNode("n1");
    actors.MakeService("web");
    actors.MakePod("a", "web", "10.0.0.1");
    Settle();
    Modify<Endpoints>(actors.client(), {"default", "web"}, [](Endpoints& endpoints) {
      endpoints.subsets = {};
    }).value();
    ASSERT_TRUE(actors.client().DeleteAllOf<EndpointSlice>({.namespace_ = "default"}));
    Settle();
    EXPECT_EQ(EndpointsOf(actors.client(), "web"), "10.0.0.1 at http:8080");
    EXPECT_THAT(SlicesOf(actors.client(), "web"), ElementsAre("10.0.0.1 ready serving http:8080"));
    ASSERT_TRUE(actors.client().Delete<Endpoints>({"default", "web"}));
    Settle();
    EXPECT_EQ(EndpointsOf(actors.client(), "web"), "10.0.0.1 at http:8080");
  });
}

constexpr int kParts = 4;
class EndpointsSchedules : public testing::TestWithParam<int> {};

TEST_P(EndpointsSchedules, EndInTheSameObjectsAndThenWriteNothing) {
  RunSeeds({.count = 1'000, .part = GetParam(), .parts = kParts}, [](uint64_t seed) {
    Random random(seed);
    const Faults faults = DrawAllFaults(random);
    const ControlPlane control_plane;
    const Actors actors(control_plane.client());
    ControllerProcess process(control_plane.client(), AddBoth, seed, faults);
    const auto pause = [&] { process.Pass(std::chrono::milliseconds(random.Uniform(0, 2000))); };
    actors.MakeService("web");
    pause();
    actors.MakePod("a", "web", "10.0.0.1");
    actors.MakeNode("n1", "z");
    pause();
    actors.MakePod("b", "web", "10.0.0.2", false);
    actors.MakeService("gone");
    pause();
    if (random.Chance(0.5)) process.Restart();
    actors.SetPod("b", "10.0.0.2", true);
    ASSERT_TRUE(actors.client().Delete<Service>({"default", "gone"}));
    Modify<Service>(actors.client(), {"default", "web"}, [](Service& service) {
      service.metadata.labels = {{"team", "red"}};
    }).value();
    pause();
    actors.SetPod("a", "10.0.0.1", false);
    pause();
    process.Heal();
    (void)SleepFor(std::chrono::minutes(3), {});
    EXPECT_EQ(EndpointsOf(actors.client(), "web"), "10.0.0.2 (10.0.0.1) at http:8080");
    EXPECT_EQ(EndpointsOf(actors.client(), "gone"), "none");
    EXPECT_THAT(SlicesOf(actors.client(), "web"),
                ElementsAre("10.0.0.1 z http:8080", "10.0.0.2 ready serving z http:8080"));
    const ObjectList<EndpointSlice> slices =
        actors.client()
            .List<EndpointSlice>({.labels = labels::FromSet({{"kubernetes.io/service-name", "web"}})})
            .value();
    EXPECT_EQ(slices.items.size(), 1u);
    EXPECT_EQ(slices.items[0].metadata.labels.at("team"), "red");
    ExpectNoWrites(process);
  });
}
INSTANTIATE_TEST_SUITE_P(Seeds, EndpointsSchedules, testing::Range(0, kParts));

// Ports and subsets as kube-controller-manager orders them, by recorded hashes.
TEST(GoHash, IsFnv1aOf128Bits) {
  EXPECT_EQ(GoHash(""), "6c62272e07bb014262b821756295c58d");
  EXPECT_EQ(GoHash("a"), "d228cb696f1a8caf78912b704e4a8964");
}

TEST(Repacked, AddressesWithTheSamePortsAreTogether) {
  const auto subset = [](const char* ip, bool ready, int32_t port) {
    corev1::EndpointSubset made;
    (ready ? made.addresses : made.notReadyAddresses).push_back(corev1::EndpointAddress{.ip = ip});
    made.ports = {corev1::EndpointPort{.name = "p", .port = port, .protocol = "TCP"}};
    return made;
  };
  EXPECT_EQ(TextOf(Repacked({subset("2", true, 80), subset("1", true, 80)})), "1 2 at p:80");
  EXPECT_EQ(TextOf(Repacked({subset("1", true, 80), subset("1", false, 80)})), "(1) at p:80");
  const List<corev1::EndpointSubset> two = Repacked({subset("1", true, 80), subset("2", true, 81)});
  EXPECT_EQ(two.size(), 2u);
  const List<corev1::EndpointSubset> one = Repacked({subset("1", true, 80), subset("1", true, 81)});
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one[0].ports.size(), 2u);
}

TEST(Truncate, LeavesOutWhatIsNotReadyFirst) {
  List<corev1::EndpointSubset> subsets;
  for (int i = 0; i < 2; ++i) {
    corev1::EndpointSubset& subset = subsets.emplace_back();
    for (int n = 0; n < 400; ++n) subset.addresses.push_back({.ip = std::to_string(n)});
    for (int n = 0; n < 300; ++n) subset.notReadyAddresses.push_back({.ip = std::to_string(n)});
  }
  ASSERT_TRUE(Truncate(subsets));
  EXPECT_EQ(subsets[0].addresses.size() + subsets[1].addresses.size(), 800u);
  EXPECT_EQ(subsets[0].notReadyAddresses.size(), 100u);
  EXPECT_EQ(subsets[1].notReadyAddresses.size(), 100u);
  EXPECT_FALSE(Truncate(subsets));
}

}  // namespace
}  // namespace keelson::controllers
