// The operator on a whole cluster in this process, on virtual time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "keelson/api/finalizers.h"
#include "keelson/api/status_error.h"
#include "keelson/controlplane/bad_samples.h"
#include "keelson/controlplane/manifests.h"
#include "pipeline_test_support.h"

namespace pipeline {
namespace {

using namespace keelson;
using namespace std::chrono_literals;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::StartsWith;
using v1beta1::Phase;
using v1beta1::Pipeline;

const std::string kSamples = PIPELINE_CONFIG "/samples";
const ObjectKey kSample = OfCluster("facedetection");
constexpr const char* kRunning = "Running, Ready=True Running: 2 of 2 steps run";

const std::vector<std::string> kParts = {"PersistentVolume facedetection-models of facedetection",
                                         "PersistentVolumeClaim facedetection-models of facedetection",
                                         "Deployment facedetection-1 of facedetection",
                                         "Deployment facedetection-2 of facedetection",
                                         "Service facedetection-1 of facedetection",
                                         "Service facedetection-2 of facedetection"};

void InACluster(const std::function<void(const Client& client)>& body) {
  RunSeeds({}, [&](uint64_t) {
    const auto cluster = StartCluster();
    body(cluster->client());
  });
}

// With the operator, and config/samples/pipeline.yaml as it should be.
void WithSample(const std::function<void(const Client& client)>& body) {
  InACluster([&](const Client& client) {
    const OperatorProcess process(client, RunOperator);
    ASSERT_TRUE(CreateManifests(client, kSamples + "/pipeline.yaml"));
    Settle();
    ASSERT_EQ(StateOf(client, "facedetection"), kRunning);
    ASSERT_EQ(Parts(client), kParts);
    body(client);
  });
}

std::string NodeOf(const Client& client, const std::string& model) {
  const auto pods =
      client.List<corev1::Pod>({.namespace_ = std::string(kNamespace), .labels = *labels::Parse("model=" + model)});
  return pods->items.size() == 1 ? pods->items[0].spec.nodeName.str() : fmt::format("{} Pods", pods->items.size());
}

TEST(Pipeline, OfTheSampleRunsWhereItsStepsSay) {
  WithSample([](const Client& client) {
    EXPECT_EQ(NodeOf(client, "facedetection-1"), "node-1");
    EXPECT_EQ(NodeOf(client, "facedetection-2"), "node-2");
    EXPECT_EQ(client.Get<corev1::Service>(Part("facedetection-1"))->spec.ports[0].port, 9080);
    EXPECT_EQ(client.Get<corev1::Endpoints>(Part("facedetection-2"))->subsets[0].addresses.size(), 1u);
    const v1beta1::DetailPhase detail = *client.Get<Pipeline>(kSample)->status.detailPhase;
    EXPECT_EQ(detail.pvPhase, "Bound");
    EXPECT_EQ(detail.pvcPhase, "Bound");
    ASSERT_EQ(detail.stepsPhase.size(), 2u);
    EXPECT_EQ(detail.stepsPhase[1].model, "facedetection-2");
    EXPECT_EQ(detail.stepsPhase[1].deploymentPhase, kStepRunning);
    EXPECT_THAT(EventsOf<Pipeline>(client, kSample), Contains("Normal Running"));
  });
}

TEST(Pipeline, ComesToRest) {
  WithSample([](const Client& client) {
    const auto versions = [&] {
      return std::vector{
          client.Get<Pipeline>(kSample)->metadata.resourceVersion.str(),
          client.Get<corev1::PersistentVolume>(OfCluster("facedetection-models"))->metadata.resourceVersion.str(),
          client.Get<appsv1::Deployment>(Part("facedetection-1"))->metadata.resourceVersion.str(),
          client.Get<corev1::Service>(Part("facedetection-1"))->metadata.resourceVersion.str()};
    };
    const std::vector<std::string> settled = versions();
    Settle(2h);
    EXPECT_EQ(versions(), settled) << "nothing changed, and yet it wrote";
  });
}

TEST(Pipeline, FollowsItsSteps) {
  WithSample([](const Client& client) {
    const std::string pod =
        client.List<corev1::Pod>({.labels = *labels::Parse("model=facedetection-2")})->items[0].metadata.uid.str();
    Modify<Pipeline>(client, kSample, [](Pipeline& pipeline) {
      pipeline.spec.steps.erase(pipeline.spec.steps.begin());
      pipeline.spec.steps.push_back(
          {.image = "nginx:latest", .location = "node-1", .model = "facedetection-3", .args = {}});
    }).value();
    Settle();
    EXPECT_EQ(StateOf(client, "facedetection"), kRunning);
    EXPECT_THAT(Parts(client),
                ElementsAre(kParts[0], kParts[1], "Deployment facedetection-2 of facedetection",
                            "Deployment facedetection-3 of facedetection", "Service facedetection-2 of facedetection",
                            "Service facedetection-3 of facedetection"));
    EXPECT_EQ(
        client.List<corev1::Pod>({.labels = *labels::Parse("model=facedetection-2")})->items[0].metadata.uid.str(), pod)
        << "that it is the first step now does not restart it";
  });
}

TEST(Pipeline, WaitsForANodeAtItsLocation) {
  WithSample([](const Client& client) {
    Modify<Pipeline>(client, kSample, [](Pipeline& pipeline) { pipeline.spec.steps[1].location = "hall-3"; }).value();
    Settle(30min);
    EXPECT_EQ(StateOf(client, "facedetection"),
              "Creating, Ready=False LocationNotFound: step facedetection-2: no node is named hall-3 or has label "
              "distri-infer.ndsl.cn/location=hall-3");
    EXPECT_THAT(EventsOf<Pipeline>(client, kSample), Contains("Warning LocationNotFound"));
    Modify<corev1::Node>(client, OfCluster("node-1"), [](corev1::Node& node) {
      node.metadata.labels.Set(kLocationLabel, "hall-3");
    }).value();
    Settle();
    EXPECT_EQ(StateOf(client, "facedetection"), kRunning);
    EXPECT_EQ(NodeOf(client, "facedetection-2"), "node-1");
  });
}

TEST(Pipeline, IsDegradedWhileAStepIsLost) {
  WithSample([](const Client& client) {
    Modify<corev1::Node>(client, OfCluster("node-1"), [](corev1::Node& node) {
      node.spec.unschedulable = true;
    }).value();
    ASSERT_TRUE(client.DeleteAllOf<corev1::Pod>(
        {.namespace_ = std::string(kNamespace), .labels = *labels::Parse("model=facedetection-1")}));
    Settle();
    EXPECT_EQ(StateOf(client, "facedetection"), "Degraded, Ready=False StepLost: step facedetection-1 no longer runs");
    EXPECT_THAT(EventsOf<Pipeline>(client, kSample), Contains("Warning StepLost"));
    Modify<corev1::Node>(client, OfCluster("node-1"), [](corev1::Node& node) {
      node.spec.unschedulable = false;
    }).value();
    Settle();
    EXPECT_EQ(StateOf(client, "facedetection"), kRunning);
  });
}

TEST(Pipeline, PutsRightWhatOthersChange) {
  WithSample([](const Client& client) {
    Modify<appsv1::Deployment>(client, Part("facedetection-1"), [](appsv1::Deployment& deployment) {
      deployment.spec.replicas = 4;
      deployment.spec.template_.spec.affinity = {};
      deployment.spec.template_.spec.containers[0].args = {};
    }).value();
    Modify<corev1::Service>(client, Part("facedetection-1"), [](corev1::Service& service) {
      service.spec.ports[0].port = 1234;
    }).value();
    Settle();
    EXPECT_EQ(client.Get<appsv1::Deployment>(Part("facedetection-1"))->spec.replicas, 1);
    EXPECT_EQ(client.Get<corev1::Service>(Part("facedetection-1"))->spec.ports[0].port, 9080);
    EXPECT_EQ(NodeOf(client, "facedetection-1"), "node-1");
    EXPECT_EQ(StateOf(client, "facedetection"), kRunning);
  });
}

TEST(Pipeline, MakesAgainWhatOthersDelete) {
  WithSample([](const Client& client) {
    ASSERT_TRUE(client.Delete<appsv1::Deployment>(Part("facedetection-1")));
    ASSERT_TRUE(client.Delete<corev1::Service>(Part("facedetection-2")));
    Settle();
    EXPECT_EQ(Parts(client), kParts);
    EXPECT_EQ(StateOf(client, "facedetection"), kRunning);
  });
}

// Storage in use is held by the cluster until nobody uses it any more.
TEST(Pipeline, MakesItsStorageAgainToo) {
  WithSample([](const Client& client) {
    const ObjectKey claim = Part("facedetection-models"), volume = OfCluster("facedetection-models");
    const String first = client.Get<corev1::PersistentVolumeClaim>(claim)->metadata.uid;
    ASSERT_TRUE(client.Delete<corev1::PersistentVolumeClaim>(claim));
    Settle();
    EXPECT_NE(client.Get<corev1::PersistentVolumeClaim>(claim)->metadata.uid, first);
    EXPECT_EQ(client.Get<corev1::PersistentVolume>(volume)->status.phase, "Bound");
    EXPECT_EQ(StateOf(client, "facedetection"), kRunning);

    const String second = client.Get<corev1::PersistentVolume>(volume)->metadata.uid;
    ASSERT_TRUE(client.Delete<corev1::PersistentVolume>(volume));
    Settle();
    EXPECT_NE(client.Get<corev1::PersistentVolume>(volume)->metadata.uid, second);
    EXPECT_EQ(StateOf(client, "facedetection"), kRunning);
    EXPECT_EQ(Parts(client), kParts);

    ASSERT_TRUE(client.Delete<corev1::Namespace>(OfCluster(std::string(kNamespace))));
    Settle(5min);
    EXPECT_EQ(StateOf(client, "facedetection"), kRunning);
    EXPECT_EQ(Parts(client), kParts);
  });
}

TEST(Pipeline, GoesStepsFirst) {
  WithSample([](const Client& client) {
    // Its Pods take half a minute to end; meanwhile they have their models.
    Modify<appsv1::Deployment>(client, Part("facedetection-1"), [](appsv1::Deployment& deployment) {
      deployment.spec.template_.metadata.annotations.Set("keelson.dev/pod-stop-delay", "25s");
    }).value();
    Settle();
    ASSERT_EQ(StateOf(client, "facedetection"), kRunning);
    ASSERT_TRUE(client.Delete<Pipeline>(kSample));
    Settle(10s);
    EXPECT_EQ(StateOf(client, "facedetection"), "Deleting, Ready=False Deleting: steps go first, then their models");
    EXPECT_THAT(Parts(client), ElementsAre(kParts[0], kParts[1], kParts[2])) << "the storage and the slow step";
    EXPECT_FALSE(IsBeingDeleted(*client.Get<corev1::PersistentVolumeClaim>(Part("facedetection-models"))));
    Settle();
    EXPECT_TRUE(IsNotFound(client.Get<Pipeline>(kSample).error()));
    EXPECT_THAT(Parts(client), IsEmpty());
    EXPECT_EQ(client.List<corev1::Pod>()->items.size(), 0u);
  });
}

TEST(Pipeline, LeavesItsPartsWhereItIsToldTo) {
  WithSample([](const Client& client) {
    ASSERT_TRUE(client.Delete<Pipeline>(kSample, {.propagation = Propagation::kOrphan}));
    Settle();
    EXPECT_TRUE(IsNotFound(client.Get<Pipeline>(kSample).error()));
    EXPECT_EQ(Parts(client).size(), 6u);
    EXPECT_THAT(Parts(client), Contains("Deployment facedetection-1 of nobody"));
  });
}

TEST(Pipeline, IsLookedAfterByTheNextOperatorToo) {
  InACluster([](const Client& client) {
    {
      const OperatorProcess first(client, RunOperator);
      ASSERT_TRUE(CreateManifests(client, kSamples + "/pipeline.yaml"));
      Settle(1s);
    }
    ASSERT_TRUE(client.Delete<appsv1::Deployment>(Part("facedetection-1")));
    {
      const OperatorProcess second(client, RunOperator);
      Settle();
      EXPECT_EQ(StateOf(client, "facedetection"), kRunning);
      EXPECT_EQ(Parts(client), kParts);
    }
    ASSERT_TRUE(client.Delete<Pipeline>(kSample));
    Settle();
    EXPECT_EQ(Parts(client), kParts) << "the finalizer waits for an operator";
    const OperatorProcess third(client, RunOperator);
    Settle();
    EXPECT_THAT(Parts(client), IsEmpty());
  });
}

TEST(Pipeline, LeavesObjectsOfOthersAlone) {
  WithSample([](const Client& client) {
    Pipeline other;
    other.metadata.name = "other";
    other.spec = client.Get<Pipeline>(kSample)->spec;
    other.spec.steps.erase(other.spec.steps.begin());
    ASSERT_TRUE(client.Create(other));
    Settle();
    EXPECT_THAT(StateOf(client, "other"),
                StartsWith("Failed, Ready=False ResourceExists: Deployment pipeline/facedetection-2 is there already"));
    EXPECT_THAT(EventsOf<Pipeline>(client, OfCluster("other")), Contains("Warning ResourceExists"));
    ASSERT_TRUE(client.Delete<Pipeline>(OfCluster("other")));
    Settle();
    EXPECT_EQ(Parts(client), kParts);
    EXPECT_EQ(StateOf(client, "facedetection"), kRunning);
  });
}

TEST(Pipeline, SaysThatItsStorageCannotMove) {
  WithSample([](const Client& client) {
    const auto share = [&](const std::string& path) {
      Modify<Pipeline>(client, kSample, [&](Pipeline& pipeline) {
        pipeline.spec.modelStorage.csiParameter["share"] = path;
      }).value();
      Settle();
    };
    share("/others");
    EXPECT_THAT(StateOf(client, "facedetection"), StartsWith("Failed, Ready=False StorageChanged: "));
    share("/models");
    EXPECT_EQ(StateOf(client, "facedetection"), kRunning);
  });
}

// Who goes on making parts by an old cache makes them for nobody.
TEST(Pipeline, ThatGoesGetsNoPartsWhateverTheCacheSays) {
  InACluster([](const Client& client) {
    const OperatorProcess process(client, RunOperator);
    ASSERT_TRUE(CreateManifests(client, kSamples + "/pipeline.yaml"));
    Settle();
    const int64_t writes = process.line().writes();
    process.line().HoldWatches("/pipelines?");
    ASSERT_TRUE(client.Delete<Pipeline>(kSample));
    ASSERT_TRUE(client.Delete<appsv1::Deployment>(Part("facedetection-1")));
    Settle();
    EXPECT_EQ(process.line().writes(), writes);
    process.line().ReleaseWatches();
    Settle();
    EXPECT_THAT(Parts(client), IsEmpty());
    EXPECT_TRUE(IsNotFound(client.Get<Pipeline>(kSample).error()));
  });
}

TEST(Pipeline, OfBadSamplesIsRefusedOrSaysWhy) {
  InACluster([](const Client& client) {
    const OperatorProcess process(client, RunOperator);
    EXPECT_THAT(TryBadSamples(client, kSamples + "/bad"), IsEmpty());
  });
}

}  // namespace
}  // namespace pipeline
