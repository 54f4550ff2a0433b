// The operator on a whole cluster within this process, on virtual time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>

#include "ingress_manager_test_support.h"
#include "keelson/api/owner_references.h"
#include "keelson/codec/unstructured.h"
#include "keelson/codec/yaml_reader.h"
#include "keelson/controlplane/control_plane.h"
#include "keelson/core/clock.h"
#include "keelson/core/simulation.h"

namespace ingress_manager {
namespace {

using namespace keelson;
using namespace std::chrono_literals;
using corev1::Service;
using networkingv1::Ingress;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string kSamples = INGRESS_MANAGER_CONFIG "/samples";
constexpr const char* kNone = "ingresses.networking.k8s.io \"web\" not found";
const ObjectKey kWeb{"default", "web"};

struct Cluster {
  const std::unique_ptr<ControlPlane> control_plane =
      ControlPlane::Start({.controllers = {"*"}, .nodes = {"node-1"}}).value();
  const Client client = control_plane->client();
  std::optional<Operator> op{std::in_place, client};

  // "Warning NoPorts", of one Service.
  std::vector<std::string> EventsOf(const std::string& name) const {
    std::vector<std::string> events;
    const ObjectList<corev1::Event> all = client.List<corev1::Event>({.namespace_ = "default"}).value();
    for (const corev1::Event& event : all) {
      if (event.involvedObject.kind != "Service" || event.involvedObject.name != name) continue;
      EXPECT_EQ(event.source.component, kControllerName);
      events.push_back(event.type.str() + " " + event.reason.str());
    }
    return events;
  }
};

void Settle() { (void)SleepFor(1min, {}); }

// In several orders of the threads.
void InACluster(const std::function<void(Cluster&)>& body) {
  for (uint64_t seed = 0; seed < 5; ++seed) {
    const ScopedLogCapture log;
    Simulation simulation({.seed = seed});
    const Result<void> run = simulation.Run([&] {
      Cluster cluster;
      body(cluster);
    });
    ASSERT_TRUE(run) << "seed " << seed << ": " << run.error().message();
  }
}

std::string TextOf(const std::string& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file.is_open()) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

// Creates the objects of a manifest in namespace default. Gives the last one, or what was wrong.
Result<Unstructured> Create(const Client& client, const std::string& manifest) {
  Unstructured last;
  KEELSON_TRY(documents, SplitYamlToJson(manifest));
  for (const std::string& document : documents) {
    KEELSON_TRY(object, Unstructured::Parse(document));
    KEELSON_TRY(created, client.Scope("default").Create(object));
    last = std::move(created);
  }
  return last;
}

TEST(IngressManager, MakesAnIngressToTheFirstPortOfAServiceThatAsksForOne) {
  InACluster([](Cluster& cluster) {
    ASSERT_TRUE(Create(cluster.client, TextOf(kSamples + "/web.yaml")));
    Settle();
    const ObjectKey key{"default", "nginx-demo"};
    const Ingress ingress = cluster.client.Get<Ingress>(key).value();
    EXPECT_EQ(RoutesOf(ingress), "nginx-demo.default.example.com/ Prefix → nginx-demo:80");
    EXPECT_TRUE(IsControlledBy(ingress, cluster.client.Get<Service>(key).value()));
    EXPECT_THAT(cluster.EventsOf("nginx-demo"), ElementsAre("Normal IngressCreated"));
    (void)SleepFor(1h, {});
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
      Change<Service>(cluster.client, "web", [&](Service& web) {
        if (*value == '\0') {
          web.metadata.annotations = {};
        } else {
          web.metadata.annotations.Set(kAnnotation, value);
        }
      });
      Settle();
      EXPECT_EQ(RoutesOf(cluster.client, "web"), kNone);
      Change<Service>(cluster.client, "web", [](Service& web) { web.metadata.annotations.Set(kAnnotation, "true"); });
    }
  });
}

TEST(IngressManager, FollowsTheFirstPort) {
  InACluster([](Cluster& cluster) {
    ASSERT_TRUE(cluster.client.Create(ServiceOf("web", 80)));
    Settle();
    Change<Service>(cluster.client, "web", [](Service& web) {
      web.spec.ports = {{.name = "new", .port = 8080}, {.name = "old", .port = 80}};
    });
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
    Change<Ingress>(cluster.client, "web", [](Ingress& ingress) {
      ingress.spec.rules[0].host = "elsewhere.example.com";
      ingress.spec.tls = {{.hosts = {"web.default.example.com"}, .secretName = "certificate"}};
      ingress.metadata.annotations.Set("example.com/note", "mine");
    });
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
    ASSERT_TRUE(Create(cluster.client, TextOf(kSamples + "/bad/foreign_ingress.yaml")));
    const ObjectKey key{"default", "foreign"};
    const Ingress foreign = cluster.client.Get<Ingress>(key).value();
    Settle();
    Change<Service>(cluster.client, "foreign", [](Service& web) { web.metadata.annotations = {}; });
    Settle();
    EXPECT_EQ(cluster.client.Get<Ingress>(key)->metadata.resourceVersion, foreign.metadata.resourceVersion);
    EXPECT_THAT(cluster.EventsOf("foreign"), ElementsAre("Warning IngressExists"));

    Change<Service>(cluster.client, "foreign", [](Service& web) { web.metadata.annotations.Set(kAnnotation, "true"); });
    ASSERT_TRUE(cluster.client.Delete<Ingress>(key));
    Settle();
    EXPECT_EQ(RoutesOf(cluster.client, "foreign"), "foreign.default.example.com/ Prefix → foreign:80");
  });
}

TEST(IngressManager, TakesAwayAnIngressThatLeadsNowhere) {
  InACluster([](Cluster& cluster) {
    ASSERT_TRUE(cluster.client.Create(ServiceOf("web", 80)));
    Settle();
    Change<Service>(cluster.client, "web", [](Service& web) {
      const std::string type = "ExternalName";
      web.spec = {.type = type, .externalName = "elsewhere.example.com"};
    });
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
    cluster.op.reset();
    Change<Service>(cluster.client, "web", [](Service& web) { web.metadata.annotations = {}; });
    ASSERT_TRUE(cluster.client.Delete<Ingress>({"default", "lost"}));
    ASSERT_TRUE(cluster.client.Create(ServiceOf("late", 443)));
    cluster.op.emplace(cluster.client);
    Settle();
    EXPECT_EQ(RoutesOf(cluster.client, "web"), kNone);
    EXPECT_EQ(RoutesOf(cluster.client, "lost"), "lost.default.example.com/ Prefix → lost:80");
    EXPECT_EQ(RoutesOf(cluster.client, "late"), "late.default.example.com/ Prefix → late:443");
  });
}

TEST(IngressManager, RefusesOrWarnsOfWhatIsWrong) {
  InACluster([](Cluster& cluster) {
    int samples = 0;
    for (const auto& file : std::filesystem::directory_iterator(kSamples + "/bad")) {
      SCOPED_TRACE(file.path());
      const std::string manifest = TextOf(file.path());
      const std::string first = manifest.substr(0, manifest.find('\n'));
      const Result<Unstructured> created = Create(cluster.client, manifest);
      Settle();
      ++samples;
      if (first.starts_with("# rejected: ")) {
        ASSERT_FALSE(created);
        EXPECT_THAT(created.error().message(), HasSubstr(first.substr(12)));
      } else {
        ASSERT_TRUE(first.starts_with("# accepted: ")) << first;
        ASSERT_TRUE(created) << created.error().message();
        EXPECT_THAT(cluster.EventsOf(created->GetName()), Contains("Warning " + first.substr(12)));
      }
    }
    EXPECT_EQ(samples, 3);
  });
}

}  // namespace
}  // namespace ingress_manager
