// The operator on a whole cluster in this process, on virtual time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "app_test_support.h"
#include "keelson/api/status_error.h"
#include "keelson/core/log.h"
#include "keelson/core/simulation.h"

namespace app {
namespace {

using namespace keelson;
using namespace std::chrono_literals;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;
using v1beta1::App;

const ObjectKey kSample = {.namespace_ = "default", .name = "app-sample"};
constexpr const char* kReady = "Ready=True Available: 3 of 3 replicas are available";

void InCluster(const std::function<void(const Client& client)>& body) {
  const ScopedLogCapture quiet;
  Simulation simulation({.seed = 1});
  const Result<void> run = simulation.Run([&] {
    const auto cluster = StartCluster();
    body(cluster->client());
  });
  ASSERT_TRUE(run) << run.error().message();
}

// With the operator, and config/samples/app.yaml as it should be.
void WithSample(const std::function<void(const Client& client)>& body) {
  InCluster([&](const Client& client) {
    const Operator running(client);
    ASSERT_TRUE(client.Create(ReadSample("app.yaml").object));
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
    EXPECT_THAT(EventsOf(client, "app-sample"), ElementsAre("Normal Created", "Normal Created", "Normal Available"));
  });
}

TEST(App, HasTheIngressThatItsSwitchSays) {
  InCluster([](const Client& client) {
    const Operator running(client);
    ASSERT_TRUE(client.Create(ReadSample("public.yaml").object));
    Settle();
    EXPECT_EQ(ReadyOf(client, "app-public"), "Ready=True Available: 2 of 2 replicas are available");
    const networkingv1::Ingress ingress = client.Get<networkingv1::Ingress>({"default", "app-public"}).value();
    EXPECT_EQ(ingress.spec.rules[0].host, "app-public.example.com");
    EXPECT_EQ(ingress.spec.rules[0].http->paths[0].backend.service->name, "app-public");

    Change<App>(client, "app-public", [](App& app) { app.spec.enable_ingress = false; });
    Settle();
    EXPECT_THAT(Parts(client), ElementsAre("Deployment app-public of app-public", "Service app-public of app-public"));
    Change<App>(client, "app-public", [](App& app) { app.spec.enable_service = false; });
    Settle();
    EXPECT_THAT(Parts(client), ElementsAre("Deployment app-public of app-public"));
    EXPECT_THAT(EventsOf(client, "app-public"), Contains("Normal Deleted"));
    Change<App>(client, "app-public", [](App& app) { app.spec.enable_service = app.spec.enable_ingress = true; });
    Settle();
    EXPECT_EQ(Parts(client).size(), 3u);
    EXPECT_EQ(ReadyOf(client, "app-public"), "Ready=True Available: 2 of 2 replicas are available");
  });
}

TEST(App, IsNotReadyUntilItsChangeIsRolledOut) {
  WithSample([](const Client& client) {
    // No room for any more Pods: the two nodes take none.
    for (const char* name : {"node-1", "node-2"}) {
      corev1::Node node = client.Get<corev1::Node>({"", name}).value();
      node.spec.unschedulable = true;
      ASSERT_TRUE(client.Update(node));
    }
    Change<App>(client, "app-sample", [](App& app) { app.spec.image = "nginx:1.29"; });
    Settle();
    EXPECT_EQ(ReadyOf(client, "app-sample"), "Ready=False Progressing: 1 of 3 replicas are updated");
    (void)SleepFor(15min, {});
    EXPECT_THAT(ReadyOf(client, "app-sample"), StartsWith("Ready=False RolloutStuck: 1 of 3 replicas are updated: "));
    EXPECT_THAT(EventsOf(client, "app-sample"), Contains("Warning RolloutStuck"));
    Change<App>(client, "app-sample", [](App& app) { app.spec.image = "nginx:latest"; });
    Settle();
    EXPECT_EQ(ReadyOf(client, "app-sample"), kReady);
  });
}

TEST(App, PutsRightWhatOthersChange) {
  WithSample([](const Client& client) {
    Change<appsv1::Deployment>(client, "app-sample", [](appsv1::Deployment& deployment) {
      deployment.spec.replicas = 1;
      deployment.spec.template_.spec.containers[0].image = "other:1";
      deployment.metadata.labels = {};
      deployment.metadata.annotations.Set("note", "by hand");
    });
    Change<corev1::Service>(client, "app-sample", [](corev1::Service& service) {
      service.spec.ports[0].port = 8080;
      service.spec.selector.Set("color", "blue");
    });
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
    (void)SleepFor(2h, {});
    EXPECT_EQ(versions(), settled) << "nothing changed, and yet it wrote";
  });
}

TEST(App, IsLookedAfterByTheNextOperatorToo) {
  InCluster([](const Client& client) {
    {
      const Operator first(client);
      ASSERT_TRUE(client.Create(ReadSample("app.yaml").object));
      (void)SleepFor(1s, {});
    }
    ASSERT_TRUE(client.Delete<corev1::Service>(kSample));
    Change<App>(client, "app-sample", [](App& app) { app.spec.enable_ingress = true; });
    const Operator second(client);
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
  InCluster([](const Client& stale) {
    ASSERT_TRUE(stale.Create(ReadSample("app.yaml").object));
    const auto present = StartCluster();
    const Client live = present->client();  // of a server that has no such App
    const EventBroadcaster events({});
    AppReconciler reconciler(stale, live, events.RecorderFor("app-controller"));
    Context context;
    const Result<Outcome> outcome = reconciler.Reconcile(context, kSample);
    ASSERT_FALSE(outcome);
    EXPECT_TRUE(IsConflict(outcome.error())) << "so that it is tried again, later and later";
    EXPECT_THAT(Parts(stale), IsEmpty());
  });
}

TEST(App, LeavesObjectsOfOthersAlone) {
  InCluster([](const Client& client) {
    const Operator running(client);
    const corev1::Service foreign{.metadata = {.name = "app-sample", .namespace_ = "default"},
                                  .spec = {.ports = {{.port = 1234}}}};
    ASSERT_TRUE(client.Create(foreign));
    ASSERT_TRUE(client.Create(ReadSample("app.yaml").object));
    Settle();
    EXPECT_THAT(ReadyOf(client, "app-sample"), StartsWith("Ready=False ResourceExists: Service app-sample is there"));
    EXPECT_THAT(EventsOf(client, "app-sample"), Contains("Warning ResourceExists"));
    Change<App>(client, "app-sample", [](App& app) { app.spec.enable_service = false; });
    Settle();
    EXPECT_EQ(ReadyOf(client, "app-sample"), kReady);
    EXPECT_EQ(client.Get<corev1::Service>(kSample)->spec.ports[0].port, 1234) << "not ours, so not deleted";

    // Once it is out of the way the App gets its own.
    Change<App>(client, "app-sample", [](App& app) { app.spec.enable_service = true; });
    Settle();
    ASSERT_TRUE(client.Delete<corev1::Service>(kSample));
    (void)SleepFor(2min, {});
    EXPECT_EQ(ReadyOf(client, "app-sample"), kReady);
    EXPECT_THAT(Parts(client), Contains("Service app-sample of app-sample"));
  });
}

TEST(App, OfBadSamplesIsRefusedOrSaysWhy) {
  InCluster([](const Client& client) {
    const Operator running(client);
    int samples = 0;
    for (const auto& file : std::filesystem::directory_iterator(APP_CONFIG "/samples/bad")) {
      const Sample sample = ReadSample("bad/" + file.path().filename().string());
      const std::string name = sample.object.GetName();
      SCOPED_TRACE(name);
      ++samples;
      const Result<Unstructured> created = client.Create(sample.object);
      if (const std::string rejected = "# rejected: "; sample.first_line.starts_with(rejected)) {
        ASSERT_FALSE(created);
        EXPECT_THAT(created.error().message(), HasSubstr(sample.first_line.substr(rejected.size())));
        continue;
      }
      const std::string accepted = "# accepted: ";
      ASSERT_THAT(sample.first_line, StartsWith(accepted));
      const std::string reason = sample.first_line.substr(accepted.size());
      ASSERT_TRUE(created) << created.error().message();
      Settle();
      EXPECT_THAT(ReadyOf(client, name), StartsWith("Ready=False " + reason + ": "));
      EXPECT_THAT(EventsOf(client, name), Contains("Warning " + reason));
    }
    EXPECT_GE(samples, 4);
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
