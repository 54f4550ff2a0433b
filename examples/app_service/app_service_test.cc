// The operator on a whole cluster within this process, on virtual time: Deployments roll out, Pods get ready, and what
// belongs to a deleted object goes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <optional>

#include "app_service_test_support.h"
#include "keelson/api/autoscaling/v1.h"
#include "keelson/api/core/v1.h"
#include "keelson/api/owner_references.h"
#include "keelson/api/status_error.h"
#include "keelson/client/subresources.h"
#include "keelson/controlplane/bad_samples.h"
#include "keelson/controlplane/manifests.h"

namespace app_service {
namespace {

using namespace keelson;
using namespace std::chrono_literals;
using appsv1::Deployment;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;
using v1alpha1::AppService;

const std::string kConfig = APP_SERVICE_CONFIG;
const std::string kSamples = kConfig + "/samples";
const ObjectKey kExample{"default", "example"};

// A cluster that runs Deployments, and the operator on it.
struct Cluster {
  const std::unique_ptr<ControlPlane> control_plane =
      ControlPlane::Start({.crds = {kConfig + "/crd"}, .controllers = {"*"}, .nodes = {"node-1"}}).value();
  const Client client = control_plane->client();
  std::optional<OperatorProcess> process{std::in_place, client, OperatorOf(2)};

  AppService Make(const std::string& name, const std::string& deployment, int32_t replicas) const {
    AppService app_service;
    app_service.metadata = {.name = name, .namespace_ = "default"};
    app_service.spec = {.deploymentName = deployment, .replicas = replicas};
    return client.Create(app_service).value();
  }
  std::vector<std::string> EventsOf(const std::string& name) const {
    return keelson::EventsOf<AppService>(client, {"default", name});
  }
};

// In several orders of the threads.
void InACluster(const std::function<void(Cluster&)>& body) {
  RunSeeds({.count = 5}, [&](uint64_t) {
    Cluster cluster;
    body(cluster);
  });
}

TEST(AppService, OwnsADeploymentAndReportsItsPods) {
  InACluster([](Cluster& cluster) {
    ASSERT_TRUE(CreateManifests(cluster.client, kSamples + "/app_service.yaml"));
    Settle();
    const AppService app_service = cluster.client.Get<AppService>(kExample).value();
    const Deployment deployment = cluster.client.Get<Deployment>(kExample).value();
    EXPECT_TRUE(IsControlledBy(deployment, app_service));
    EXPECT_EQ(deployment.spec.replicas, 2);
    EXPECT_EQ(deployment.status.availableReplicas, 2);
    EXPECT_EQ(app_service.status.availableReplicas, 2);
    EXPECT_EQ(ReadyOf(cluster.client, "example"), "Ready=True Synced: 2 of 2 replicas are available");
    EXPECT_THAT(cluster.EventsOf("example"), ElementsAre("Normal Synced"));
    EXPECT_EQ(ListEventsOf<AppService>(cluster.client, kExample)[0].source.component, kControllerName);

    Settle(1h);
    EXPECT_EQ(cluster.client.Get<AppService>(kExample)->metadata.resourceVersion, app_service.metadata.resourceVersion)
        << "nothing changed, and yet it wrote";
    EXPECT_EQ(cluster.client.Get<Deployment>(kExample)->metadata.resourceVersion, deployment.metadata.resourceVersion);
  });
}

TEST(AppService, GetsBackADeploymentThatIsDeleted) {
  InACluster([](Cluster& cluster) {
    cluster.Make("example", "example", 2);
    Settle();
    const String uid = cluster.client.Get<Deployment>(kExample)->metadata.uid;
    ASSERT_TRUE(cluster.client.Delete<Deployment>(kExample));
    Settle();
    EXPECT_NE(cluster.client.Get<Deployment>(kExample)->metadata.uid, uid);
    EXPECT_THAT(ReadyOf(cluster.client, "example"), StartsWith("Ready=True Synced: "));
  });
}

TEST(AppService, UndoesWhatOthersDoToItsDeploymentAndLeavesAloneWhatItHasNoOpinionOf) {
  InACluster([](Cluster& cluster) {
    cluster.Make("example", "example", 2);
    Settle();
    Modify<Deployment>(cluster.client, kExample, [](Deployment& deployment) {
      deployment.spec.replicas = 7;
      deployment.spec.template_.spec.containers[0].image = "httpd";
      deployment.spec.minReadySeconds = 3;
    }).value();
    Settle();
    const Deployment deployment = cluster.client.Get<Deployment>(kExample).value();
    EXPECT_EQ(deployment.spec.replicas, 2);
    EXPECT_EQ(deployment.spec.template_.spec.containers[0].image, "nginx:latest");
    EXPECT_EQ(deployment.spec.minReadySeconds, 3);
    EXPECT_THAT(ReadyOf(cluster.client, "example"), StartsWith("Ready=True Synced: "));
  });
}

TEST(AppService, IsScaledAsDeploymentsAre) {
  InACluster([](Cluster& cluster) {
    cluster.Make("example", "example", 1);
    Settle();
    auto scale = GetScale<AppService>(cluster.client, kExample).value();
    EXPECT_EQ(scale.status.replicas, 1);
    scale.spec.replicas = 4;
    ASSERT_TRUE(UpdateScale<AppService>(cluster.client, kExample, scale));
    Settle();
    EXPECT_EQ(cluster.client.Get<Deployment>(kExample)->status.availableReplicas, 4);
    EXPECT_EQ(cluster.client.Get<AppService>(kExample)->status.availableReplicas, 4);
    EXPECT_THAT(ReadyOf(cluster.client, "example"), StartsWith("Ready=True Synced: "));
  });
}

TEST(AppService, LeavesNothingBehind) {
  InACluster([](Cluster& cluster) {
    cluster.Make("example", "example", 2);
    Settle();
    ASSERT_TRUE(cluster.client.Delete<AppService>(kExample));
    Settle();
    EXPECT_THAT(cluster.client.List<Deployment>()->items, IsEmpty());
    EXPECT_THAT(cluster.client.List<appsv1::ReplicaSet>()->items, IsEmpty());
    EXPECT_THAT(cluster.client.List<corev1::Pod>()->items, IsEmpty());
  });
}

TEST(AppService, DoesNotTouchADeploymentThatIsNotItsOwnUntilItIsGone) {
  InACluster([](Cluster& cluster) {
    ASSERT_TRUE(CreateManifests(cluster.client, kSamples + "/bad/foreign_deployment.yaml"));
    Settle();
    const ObjectKey key{"default", "foreign"};
    Deployment foreign = cluster.client.Get<Deployment>(key).value();
    EXPECT_EQ(foreign.metadata.generation, 1);
    EXPECT_THAT(foreign.metadata.ownerReferences, IsEmpty());
    EXPECT_THAT(ReadyOf(cluster.client, "wants-foreign"), StartsWith("Ready=False ErrResourceExists: "));
    EXPECT_EQ(cluster.client.Get<AppService>({"default", "wants-foreign"})->status.availableReplicas, 0);
    EXPECT_THAT(cluster.EventsOf("wants-foreign"), ElementsAre("Warning ErrResourceExists"));

    ASSERT_TRUE(cluster.client.Delete<Deployment>(key));
    Settle();
    EXPECT_EQ(cluster.client.Get<Deployment>(key)->spec.replicas, 3);
    EXPECT_THAT(ReadyOf(cluster.client, "wants-foreign"), StartsWith("Ready=True Synced: "));
  });
}

TEST(AppService, SharesItsDeploymentWithNoOther) {
  InACluster([](Cluster& cluster) {
    cluster.Make("first", "example", 1);
    Settle();
    cluster.Make("second", "example", 3);
    Settle();
    EXPECT_THAT(ReadyOf(cluster.client, "first"), StartsWith("Ready=True Synced: "));
    EXPECT_THAT(ReadyOf(cluster.client, "second"), StartsWith("Ready=False ErrResourceExists: "));
    EXPECT_EQ(cluster.client.Get<Deployment>(kExample)->spec.replicas, 1);

    ASSERT_TRUE(cluster.client.Delete<AppService>({"default", "first"}));
    Settle();
    EXPECT_THAT(ReadyOf(cluster.client, "second"), StartsWith("Ready=True Synced: "));
    EXPECT_EQ(cluster.client.Get<Deployment>(kExample)->spec.replicas, 3);
  });
}

TEST(AppService, KeepsTheDeploymentThatItBeganWith) {
  InACluster([](Cluster& cluster) {
    AppService app_service = cluster.Make("example", "example", 1);
    app_service.spec.deploymentName = "other";
    const Result<AppService> changed = cluster.client.Update(app_service);
    ASSERT_FALSE(changed);
    EXPECT_THAT(changed.error().message(), HasSubstr("cannot be exchanged for another"));
  });
}

// A server that takes no Deployments: a quota, a webhook, a role that is too small.
class NoDeployments final : public Transport {
 public:
  explicit NoDeployments(std::shared_ptr<Transport> inner) : inner_(std::move(inner)) {}
  Result<HttpResponse> Send(HttpRequest request, const CallScope& scope) override {
    if (request.method != "POST" || request.target.find("/deployments") == std::string::npos) {
      return inner_->Send(std::move(request), scope);
    }
    return HttpResponse{
        .status = 403,
        .headers = {{"Content-Type", "application/json"}},
        .body = StreamOf(R"({"kind":"Status","apiVersion":"v1","status":"Failure","message":"no more Deployments",)"
                         R"("reason":"Forbidden","code":403})")};
  }

 private:
  const std::shared_ptr<Transport> inner_;
};

TEST(AppService, SaysWhenTheServerRefusesItsDeploymentAndTriesAgain) {
  InACluster([](Cluster& cluster) {
    const auto line = std::make_shared<NoDeployments>(cluster.client.rest().transport());
    cluster.process.emplace(Client(line), OperatorOf(2));
    cluster.Make("example", "example", 2);
    Settle();
    EXPECT_THAT(ReadyOf(cluster.client, "example"),
                AllOf(StartsWith("Ready=False ErrRefused: "), HasSubstr("no more Deployments")));
    EXPECT_THAT(cluster.EventsOf("example"), ElementsAre("Warning ErrRefused"));
    cluster.process.emplace(cluster.client, OperatorOf(2));
    Settle();
    EXPECT_THAT(ReadyOf(cluster.client, "example"), StartsWith("Ready=True Synced: "));
  });
}

TEST(AppService, IsCaredForAgainByANewOperatorAndKeepsRunningWithoutOne) {
  InACluster([](Cluster& cluster) {
    cluster.Make("example", "example", 2);
    cluster.Make("other", "other", 1);
    Settle();
    cluster.process->Stop();
    ASSERT_TRUE(cluster.client.Delete<Deployment>(kExample));
    Modify<AppService>(cluster.client, {"default", "other"}, [](AppService& other) {
      other.spec.replicas = 3;
    }).value();
    ASSERT_TRUE(cluster.client.Get<Deployment>({"default", "other"}));
    Settle();
    EXPECT_EQ(ReadyOf(cluster.client, "other"), "it speaks of an older generation");
    cluster.process->Start();
    Settle();
    EXPECT_THAT(ReadyOf(cluster.client, "example"), StartsWith("Ready=True Synced: "));
    EXPECT_THAT(ReadyOf(cluster.client, "other"), StartsWith("Ready=True Synced: "));
    EXPECT_EQ(cluster.client.Get<Deployment>({"default", "other"})->status.availableReplicas, 3);
  });
}

// A Deployment of an owner that is gone is deleted at once; who goes on making it by an old cache never comes to rest.
TEST(AppService, ThatIsGoneGetsNoDeploymentWhateverTheCacheSays) {
  InACluster([](Cluster& cluster) {
    cluster.Make("example", "example", 2);
    Settle();
    const int64_t writes = cluster.process->line().writes();
    cluster.process->line().HoldWatches("/appservices?");
    ASSERT_TRUE(cluster.client.Delete<AppService>(kExample));
    Settle(1s);
    EXPECT_THAT(cluster.client.List<Deployment>()->items, IsEmpty());
    EXPECT_EQ(cluster.process->line().writes(), writes);
  });
}

TEST(AppService, ThatIsWrongIsRefusedOrSaysSo) {
  InACluster([](Cluster& cluster) { EXPECT_THAT(TryBadSamples(cluster.client, kSamples + "/bad"), IsEmpty()); });
}

}  // namespace
}  // namespace app_service
