// The operator on a whole cluster within this process, on virtual time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ingress_manager_test_support.h"
#include "keelson/api/owner_references.h"
#include "keelson/controlplane/bad_samples.h"
#include "keelson/controlplane/manifests.h"
#include "keelson/controlplane/observations.h"

namespace ingress_manager {
namespace {

using namespace keelson;
using namespace std::chrono_literals;
using corev1::Service;
using networkingv1::Ingress;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

const std::string kSamples = INGRESS_MANAGER_CONFIG "/samples";
constexpr const char* kNone = "ingresses.networking.k8s.io \"web\" not found";
const ObjectKey kWeb{"default", "web"};

struct Cluster {
  const std::unique_ptr<ControlPlane> control_plane =
      ControlPlane::Start({.controllers = {"*"}, .nodes = {"node-1"}}).value();
  const Client client = control_plane->client();
  OperatorProcess process{client, OperatorOf(2)};

  std::vector<std::string> EventsOf(const std::string& name) const {
    return keelson::EventsOf<Service>(client, {"default", name});
  }
};

// In several orders of the threads.
void InACluster(const std::function<void(Cluster&)>& body) {
  RunSeeds({.count = 5}, [&](uint64_t) {
    Cluster cluster;
    body(cluster);
  });
}

TEST(IngressManager, MakesAnIngressToTheFirstPortOfAServiceThatAsksForOne) {
  InACluster([](Cluster& cluster) {
    ASSERT_TRUE(CreateManifests(cluster.client, kSamples + "/web.yaml"));
    Settle();
    const ObjectKey key{"default", "nginx-demo"};
    const Ingress ingress = cluster.client.Get<Ingress>(key).value();
    EXPECT_EQ(RoutesOf(ingress), "nginx-demo.default.example.com/ Prefix → nginx-demo:80");
    EXPECT_TRUE(IsControlledBy(ingress, cluster.client.Get<Service>(key).value()));
    EXPECT_THAT(cluster.EventsOf("nginx-demo"), ElementsAre("Normal IngressCreated"));
    EXPECT_EQ(ListEventsOf<Service>(cluster.client, key)[0].source.component, kControllerName);
    Settle(1h);
    EXPECT_EQ(cluster.client.Get<Ingress>(key)->metadata.resourceVersion, ingress.metadata.resourceVersion);
  });
}

TEST(IngressManager, LeavesOtherServicesAlone) {
  InACluster([](Cluster& cluster) {
    Service plain = ServiceOf("web", 80);
    plain.metadata.annotations = {};
    ASSERT_TRUE(cluster.client.Create(plain));
    Service refused = ServiceOf("refused", 80);
    refused.metadata.annotations.Set(kAnnotation, "false");
    ASSERT_TRUE(cluster.client.Create(refused));
    Settle();
    EXPECT_THAT(cluster.client.List<Ingress>()->items, IsEmpty());
  });
}

TEST(IngressManager, FollowsTheAnnotation) {
  InACluster([](Cluster& cluster) {
    ASSERT_TRUE(cluster.client.Create(ServiceOf("web", 80)));
    for (const char* value : {"false", "", "yes"}) {
      Settle();
      EXPECT_EQ(RoutesOf(cluster.client, "web"), "web.default.example.com/ Prefix → web:80");
      Modify<Service>(cluster.client, kWeb, [&](Service& web) {
        if (*value == '\0') {
          web.metadata.annotations = {};
        } else {
          web.metadata.annotations.Set(kAnnotation, value);
        }
      }).value();
      Settle();
      EXPECT_EQ(RoutesOf(cluster.client, "web"), kNone);
      Modify<Service>(cluster.client, kWeb, [](Service& web) {
        web.metadata.annotations.Set(kAnnotation, "true");
      }).value();
    }
  });
}

TEST(IngressManager, FollowsTheFirstPort) {
  InACluster([](Cluster& cluster) {
    ASSERT_TRUE(cluster.client.Create(ServiceOf("web", 80)));
    Settle();
    Modify<Service>(cluster.client, kWeb, [](Service& web) {
      web.spec.ports = {{.name = "new", .port = 8080}, {.name = "old", .port = 80}};
    }).value();
    Settle();
    EXPECT_EQ(RoutesOf(cluster.client, "web"), "web.default.example.com/ Prefix → web:8080");
  });
}

TEST(IngressManager, BringsBackWhatIsDeletedOrChangedAndKeepsWhatOthersAdd) {
  InACluster([](Cluster& cluster) {
    ASSERT_TRUE(cluster.client.Create(ServiceOf("web", 80)));
    Settle();
    ASSERT_TRUE(cluster.client.Delete<Ingress>(kWeb));
    Settle();
    EXPECT_EQ(RoutesOf(cluster.client, "web"), "web.default.example.com/ Prefix → web:80");
    Modify<Ingress>(cluster.client, kWeb, [](Ingress& ingress) {
      ingress.spec.rules[0].host = "elsewhere.example.com";
      ingress.spec.tls = {{.hosts = {"web.default.example.com"}, .secretName = "certificate"}};
      ingress.metadata.annotations.Set("example.com/note", "mine");
    }).value();
    Settle();
    EXPECT_EQ(RoutesOf(cluster.client, "web"), "web.default.example.com/ Prefix → web:80");
    const Ingress ingress = cluster.client.Get<Ingress>(kWeb).value();
    EXPECT_EQ(ingress.spec.tls[0].secretName, "certificate");
    EXPECT_EQ(ingress.metadata.annotations.at("example.com/note"), "mine");
  });
}

TEST(IngressManager, LeavesNothingBehind) {
  InACluster([](Cluster& cluster) {
    ASSERT_TRUE(cluster.client.Create(ServiceOf("web", 80)));
    Settle();
    ASSERT_TRUE(cluster.client.Delete<Service>(kWeb));
    Settle();
    EXPECT_THAT(cluster.client.List<Ingress>()->items, IsEmpty());
  });
}

TEST(IngressManager, DoesNotTouchAnIngressThatIsNotItsOwnUntilItIsGone) {
  InACluster([](Cluster& cluster) {
    ASSERT_TRUE(CreateManifests(cluster.client, kSamples + "/bad/foreign_ingress.yaml"));
    const ObjectKey key{"default", "foreign"};
    const Ingress foreign = cluster.client.Get<Ingress>(key).value();
    Settle();
    Modify<Service>(cluster.client, key, [](Service& web) { web.metadata.annotations = {}; }).value();
    Settle();
    EXPECT_EQ(cluster.client.Get<Ingress>(key)->metadata.resourceVersion, foreign.metadata.resourceVersion);
    EXPECT_THAT(cluster.EventsOf("foreign"), ElementsAre("Warning IngressExists"));

    Modify<Service>(cluster.client, key, [](Service& web) {
      web.metadata.annotations.Set(kAnnotation, "true");
    }).value();
    ASSERT_TRUE(cluster.client.Delete<Ingress>(key));
    Settle();
    EXPECT_EQ(RoutesOf(cluster.client, "foreign"), "foreign.default.example.com/ Prefix → foreign:80");
  });
}

TEST(IngressManager, TakesAwayAnIngressThatLeadsNowhere) {
  InACluster([](Cluster& cluster) {
    ASSERT_TRUE(cluster.client.Create(ServiceOf("web", 80)));
    Settle();
    Modify<Service>(cluster.client, kWeb, [](Service& web) {
      const std::string type = "ExternalName";
      web.spec = {.type = type, .externalName = "elsewhere.example.com"};
    }).value();
    Settle();
    EXPECT_EQ(RoutesOf(cluster.client, "web"), kNone);
    EXPECT_THAT(cluster.EventsOf("web"), Contains("Warning NoPorts"));
  });
}

TEST(IngressManager, MakesUpForWhatHappenedWhileItWasDown) {
  InACluster([](Cluster& cluster) {
    ASSERT_TRUE(cluster.client.Create(ServiceOf("web", 80)));
    ASSERT_TRUE(cluster.client.Create(ServiceOf("lost", 80)));
    Settle();
    cluster.process.Stop();
    Modify<Service>(cluster.client, kWeb, [](Service& web) { web.metadata.annotations = {}; }).value();
    ASSERT_TRUE(cluster.client.Delete<Ingress>({"default", "lost"}));
    ASSERT_TRUE(cluster.client.Create(ServiceOf("late", 443)));
    cluster.process.Start();
    Settle();
    EXPECT_EQ(RoutesOf(cluster.client, "web"), kNone);
    EXPECT_EQ(RoutesOf(cluster.client, "lost"), "lost.default.example.com/ Prefix → lost:80");
    EXPECT_EQ(RoutesOf(cluster.client, "late"), "late.default.example.com/ Prefix → late:443");
  });
}

// An Ingress of an owner that is gone is deleted at once; who goes on making it by an old cache never comes to rest.
TEST(IngressManager, MakesNothingForAServiceThatOnlyTheCacheHas) {
  InACluster([](Cluster& cluster) {
    ASSERT_TRUE(cluster.client.Create(ServiceOf("web", 80)));
    Settle();
    const int64_t writes = cluster.process.line().writes();
    cluster.process.line().HoldWatches("/services?");
    ASSERT_TRUE(cluster.client.Delete<Service>(kWeb));
    Settle(1s);
    EXPECT_EQ(RoutesOf(cluster.client, "web"), kNone);
    EXPECT_EQ(cluster.process.line().writes(), writes);
  });
}

TEST(IngressManager, RefusesOrWarnsOfWhatIsWrong) {
  InACluster([](Cluster& cluster) {
    // A Service has no condition that would say it.
    EXPECT_THAT(TryBadSamples(cluster.client, kSamples + "/bad", {.condition = ""}), IsEmpty());
  });
}

}  // namespace
}  // namespace ingress_manager
