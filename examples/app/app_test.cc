// The operator on a whole cluster in this process, on virtual time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "app_test_support.h"
#include "keelson/api/status_error.h"
#include "keelson/controlplane/bad_samples.h"

namespace app {
namespace {

using namespace keelson;
using namespace std::chrono_literals;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::StartsWith;
using v1beta1::App;

const std::string kSamples = APP_CONFIG "/samples";
const ObjectKey kSample = {.namespace_ = "default", .name = "app-sample"};
constexpr const char* kReady = "Ready=True Available: 3 of 3 replicas are available";

void InCluster(const std::function<void(const Client& client)>& body) {
  RunSeeds({}, [&](uint64_t) {
    const auto cluster = StartCluster();
    body(cluster->client());
  });
}

// With the operator, and config/samples/app.yaml as it should be.
void WithSample(const std::function<void(const Client& client)>& body) {
  InCluster([&](const Client& client) {
    const OperatorProcess process(client, RunOperator);
    ASSERT_TRUE(CreateManifests(client, kSamples + "/app.yaml"));
    Settle();
    ASSERT_EQ(ReadyOf(client, "app-sample"), kReady);
    body(client);
  });
}

TEST(App, OfTheSampleHasADeploymentAndAService) {
  WithSample([](const Client& client) {
    EXPECT_THAT(Parts(client), ElementsAre("Deployment app-sample of app-sample", "Service app-sample of app-sample"));
    const appsv1::Deployment deployment = client.Get<appsv1::Deployment>(kSample).value();
    EXPECT_EQ(deployment.spec.replicas, 3);
    EXPECT_EQ(deployment.spec.template_.spec.containers[0].image, "nginx:latest");
    EXPECT_EQ(client.Get<App>(kSample)->status.readyReplicas, 3);
    EXPECT_EQ(client.Get<corev1::Endpoints>(kSample)->subsets[0].addresses.size(), 3u) << "of the Service";
    EXPECT_THAT(EventsOf<App>(client, kSample), ElementsAre("Normal Created", "Normal Created", "Normal Available"));
  });
}

TEST(App, HasTheIngressThatItsSwitchSays) {
  InCluster([](const Client& client) {
    const OperatorProcess process(client, RunOperator);
    ASSERT_TRUE(CreateManifests(client, kSamples + "/public.yaml"));
    Settle();
    EXPECT_EQ(ReadyOf(client, "app-public"), "Ready=True Available: 2 of 2 replicas are available");
    const networkingv1::Ingress ingress = client.Get<networkingv1::Ingress>({"default", "app-public"}).value();
    EXPECT_EQ(ingress.spec.rules[0].host, "app-public.example.com");
    EXPECT_EQ(ingress.spec.rules[0].http->paths[0].backend.service->name, "app-public");

    Modify<App>(client, {"default", "app-public"}, [](App& app) { app.spec.enable_ingress = false; }).value();
    Settle();
    EXPECT_THAT(Parts(client), ElementsAre("Deployment app-public of app-public", "Service app-public of app-public"));
    Modify<App>(client, {"default", "app-public"}, [](App& app) { app.spec.enable_service = false; }).value();
    Settle();
    EXPECT_THAT(Parts(client), ElementsAre("Deployment app-public of app-public"));
    EXPECT_THAT(EventsOf<App>(client, {"default", "app-public"}), Contains("Normal Deleted"));
    Modify<App>(client, {"default", "app-public"}, [](App& app) {
      app.spec.enable_service = app.spec.enable_ingress = true;
    }).value();
    Settle();
    EXPECT_EQ(Parts(client).size(), 3u);
    EXPECT_EQ(ReadyOf(client, "app-public"), "Ready=True Available: 2 of 2 replicas are available");
  });
}

TEST(App, IsNotReadyUntilItsChangeIsRolledOut) {
  WithSample([](const Client& client) {
    // No room for any more Pods: the two nodes take none.
    for (const char* name : {"node-1", "node-2"}) {
      Modify<corev1::Node>(client, {"", name}, [](corev1::Node& node) { node.spec.unschedulable = true; }).value();
    }
    Settle();
    Modify<App>(client, kSample, [](App& app) { app.spec.image = "nginx:1.29"; }).value();
    Settle();
    EXPECT_EQ(ReadyOf(client, "app-sample"), "Ready=False Progressing: 1 of 3 replicas are updated");
    Settle(15min);
    EXPECT_THAT(ReadyOf(client, "app-sample"), StartsWith("Ready=False RolloutStuck: 1 of 3 replicas are updated: "));
    EXPECT_THAT(EventsOf<App>(client, kSample), Contains("Warning RolloutStuck"));
    Modify<App>(client, kSample, [](App& app) { app.spec.image = "nginx:latest"; }).value();
    Settle();
    EXPECT_EQ(ReadyOf(client, "app-sample"), kReady);
  });
}

TEST(App, PutsRightWhatOthersChange) {
  WithSample([](const Client& client) {
    Modify<appsv1::Deployment>(client, kSample, [](appsv1::Deployment& deployment) {
      deployment.spec.replicas = 1;
      deployment.spec.template_.spec.containers[0].image = "other:1";
      deployment.metadata.labels = {};
      deployment.metadata.annotations.Set("note", "by hand");
    }).value();
    Modify<corev1::Service>(client, kSample, [](corev1::Service& service) {
      service.spec.ports[0].port = 8080;
      service.spec.selector.Set("color", "blue");
    }).value();
    Settle();
    const appsv1::Deployment deployment = client.Get<appsv1::Deployment>(kSample).value();
    EXPECT_EQ(deployment.spec.replicas, 3);
    EXPECT_EQ(deployment.spec.template_.spec.containers[0].image, "nginx:latest");
    EXPECT_TRUE(deployment.metadata.labels.contains(kAppLabel));
    EXPECT_TRUE(deployment.metadata.annotations.contains("note")) << "what the App does not decide stays";
    const corev1::Service service = client.Get<corev1::Service>(kSample).value();
    EXPECT_EQ(service.spec.ports[0].port, 80);
    EXPECT_FALSE(service.spec.selector.contains("color"));
    EXPECT_EQ(ReadyOf(client, "app-sample"), kReady);
  });
}

TEST(App, MakesAgainWhatOthersDelete) {
  WithSample([](const Client& client) {
    ASSERT_TRUE(client.Delete<appsv1::Deployment>(kSample));
    ASSERT_TRUE(client.Delete<corev1::Service>(kSample));
    Settle();
    EXPECT_EQ(Parts(client).size(), 2u);
    EXPECT_EQ(ReadyOf(client, "app-sample"), kReady);
  });
}

TEST(App, ComesToRest) {
  WithSample([](const Client& client) {
    const auto versions = [&] {
      return std::vector{client.Get<App>(kSample)->metadata.resourceVersion.str(),
                         client.Get<appsv1::Deployment>(kSample)->metadata.resourceVersion.str(),
                         client.Get<corev1::Service>(kSample)->metadata.resourceVersion.str()};
    };
    const std::vector<std::string> settled = versions();
    Settle(2h);
    EXPECT_EQ(versions(), settled) << "nothing changed, and yet it wrote";
  });
}

TEST(App, IsLookedAfterByTheNextOperatorToo) {
  InCluster([](const Client& client) {
    {
      const OperatorProcess first(client, RunOperator);
      ASSERT_TRUE(CreateManifests(client, kSamples + "/app.yaml"));
      Settle(1s);
    }
    ASSERT_TRUE(client.Delete<corev1::Service>(kSample));
    Modify<App>(client, kSample, [](App& app) { app.spec.enable_ingress = true; }).value();
    const OperatorProcess second(client, RunOperator);
    Settle();
    EXPECT_EQ(Parts(client).size(), 3u);
    EXPECT_EQ(ReadyOf(client, "app-sample"), kReady);
  });
}

TEST(App, LeavesNothingBehind) {
  WithSample([](const Client& client) {
    ASSERT_TRUE(client.Delete<App>(kSample));
    Settle();
    EXPECT_TRUE(IsNotFound(client.Get<App>(kSample).error()));
    EXPECT_THAT(Parts(client), IsEmpty());
    EXPECT_EQ(client.List<corev1::Pod>()->items.size(), 0u);
  });
}

// A part of an owner that is gone is deleted at once; who goes on making it by an old cache never comes to rest.
TEST(App, ThatIsGoneGetsNoPartsWhateverTheCacheSays) {
  InCluster([](const Client& client) {
    const OperatorProcess process(client, RunOperator);
    ASSERT_TRUE(CreateManifests(client, kSamples + "/app.yaml"));
    Settle();
    const int64_t writes = process.line().writes();
    process.line().HoldWatches("/apps?");
    ASSERT_TRUE(client.Delete<App>(kSample));
    Settle(1s);
    EXPECT_THAT(Parts(client), IsEmpty());
    EXPECT_EQ(process.line().writes(), writes);
  });
}

TEST(App, LeavesObjectsOfOthersAlone) {
  InCluster([](const Client& client) {
    const OperatorProcess process(client, RunOperator);
    const corev1::Service foreign{.metadata = {.name = "app-sample", .namespace_ = "default"},
                                  .spec = {.ports = {{.port = 1234}}}};
    ASSERT_TRUE(client.Create(foreign));
    ASSERT_TRUE(CreateManifests(client, kSamples + "/app.yaml"));
    Settle();
    EXPECT_THAT(ReadyOf(client, "app-sample"),
                StartsWith("Ready=False ResourceExists: Service default/app-sample is there"));
    EXPECT_THAT(EventsOf<App>(client, kSample), Contains("Warning ResourceExists"));
    Modify<App>(client, kSample, [](App& app) { app.spec.enable_service = false; }).value();
    Settle();
    EXPECT_EQ(ReadyOf(client, "app-sample"), kReady);
    EXPECT_EQ(client.Get<corev1::Service>(kSample)->spec.ports[0].port, 1234) << "not ours, so not deleted";

    // Once it is out of the way the App gets its own.
    Modify<App>(client, kSample, [](App& app) { app.spec.enable_service = true; }).value();
    Settle();
    ASSERT_TRUE(client.Delete<corev1::Service>(kSample));
    Settle(2min);
    EXPECT_EQ(ReadyOf(client, "app-sample"), kReady);
    EXPECT_THAT(Parts(client), Contains("Service app-sample of app-sample"));
  });
}

TEST(App, OfBadSamplesIsRefusedOrSaysWhy) {
  InCluster([](const Client& client) {
    const OperatorProcess process(client, RunOperator);
    EXPECT_THAT(TryBadSamples(client, kSamples + "/bad"), IsEmpty());
  });
}

// By status: what the Deployment's controller saw last.
TEST(ReadyOf, FollowsTheRollout) {
  appsv1::Deployment deployment{.metadata = {.generation = 2}, .spec = {.replicas = 2}};
  const auto ready = [&] {
    const metav1::Condition condition = ReadyOf(deployment);
    return fmt::format("{} {}", condition.status, condition.reason);
  };
  appsv1::DeploymentStatus& status = deployment.status;
  status = {.observedGeneration = 1, .replicas = 2, .updatedReplicas = 2, .availableReplicas = 2};
  EXPECT_EQ(ready(), "False Progressing") << "it has not seen the change yet";
  status.observedGeneration = 2;
  EXPECT_EQ(ready(), "True Available");
  status.replicas = 3;
  EXPECT_EQ(ready(), "False Progressing") << "one of the old template is left";
  status = {.observedGeneration = 2, .replicas = 2, .updatedReplicas = 1, .availableReplicas = 2};
  EXPECT_EQ(ready(), "False Progressing");
  status = {.observedGeneration = 2, .replicas = 2, .updatedReplicas = 2, .availableReplicas = 1};
  EXPECT_EQ(ready(), "False Progressing");
  status.conditions = {{.type = "Progressing", .status = "False", .reason = "ProgressDeadlineExceeded"}};
  EXPECT_EQ(ready(), "False RolloutStuck");
  deployment.spec.replicas = 0;
  status = {.observedGeneration = 2};
  EXPECT_EQ(ready(), "True Available");
}

}  // namespace
}  // namespace app
