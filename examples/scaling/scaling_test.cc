#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>

#include "keelson/api/core/v1.h"
#include "keelson/codec/yaml_reader.h"
#include "keelson/controlplane/bad_samples.h"
#include "keelson/core/log.h"
#include "keelson/core/simulation.h"
#include "keelson/transport/handler.h"
#include "keelson/transport/in_process_transport.h"
#include "scaling_test_support.h"

namespace scaling {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

// The policy ----------------------------------------------------------------------------------------------------------

TEST(Decide, KeepsBoundsThenFollowsTheMetricStepByStep) {
  const v1::ScalingSpec spec{.targetDeployment = "web",
                             .minReplicas = 2,
                             .maxReplicas = 7,
                             .step = 2,
                             .scaleUp = 80,
                             .scaleDown = 30,
                             .stabilizationSeconds = 60};
  const struct {
    Observation seen;
    Decision decision;
  } cases[] = {
      // The bounds hold whatever is measured, and at once.
      {{.replicas = 1, .metric = 50}, {.replicas = 2, .reason = kOutOfBounds}},
      {{.replicas = 0, .since_last_step = 1s}, {.replicas = 2, .reason = kOutOfBounds}},
      {{.replicas = 9, .metric = 99, .since_last_step = 1s}, {.replicas = 7, .reason = kOutOfBounds}},
      // Thresholds themselves are within.
      {{.replicas = 4, .metric = 50}, {.replicas = 4, .reason = kWithinThresholds}},
      {{.replicas = 4, .metric = 80}, {.replicas = 4, .reason = kWithinThresholds}},
      {{.replicas = 4, .metric = 30}, {.replicas = 4, .reason = kWithinThresholds}},
      {{.replicas = 4}, {.replicas = 4, .reason = kMetricUnavailable}},
      // Steps, the last one as far as the bound.
      {{.replicas = 4, .metric = 81}, {.replicas = 6, .reason = kAboveThreshold}},
      {{.replicas = 6, .metric = 81}, {.replicas = 7, .reason = kAboveThreshold}},
      {{.replicas = 7, .metric = 81}, {.replicas = 7, .reason = kAtMaximum}},
      {{.replicas = 5, .metric = 29}, {.replicas = 3, .reason = kBelowThreshold}},
      {{.replicas = 3, .metric = 29}, {.replicas = 2, .reason = kBelowThreshold}},
      {{.replicas = 2, .metric = 0}, {.replicas = 2, .reason = kAtMinimum}},
      // Between two steps lies the stabilisation time, up or down.
      {{.replicas = 4, .metric = 81, .since_last_step = 20s}, {4, kAboveThreshold, 40s}},
      {{.replicas = 4, .metric = 9, .since_last_step = 59s}, {4, kBelowThreshold, 1s}},
      {{.replicas = 4, .metric = 81, .since_last_step = 60s}, {.replicas = 6, .reason = kAboveThreshold}},
      {{.replicas = 7, .metric = 81, .since_last_step = 20s}, {.replicas = 7, .reason = kAtMaximum}},
      // The clock was set back.
      {{.replicas = 4, .metric = 81, .since_last_step = -1h}, {.replicas = 6, .reason = kAboveThreshold}},
  };
  for (const auto& [seen, decision] : cases) {
    EXPECT_EQ(Decide(spec, seen), decision) << seen.replicas << " replicas at " << seen.metric.value_or(-1) << "%";
  }
}

TEST(Decide, AHugeStepEndsAtTheBound) {
  v1::ScalingSpec spec;
  spec.maxReplicas = spec.step = 2'147'483'647;
  EXPECT_EQ(Decide(spec, {.replicas = 5, .metric = 90}).replicas, 2'147'483'647);
  EXPECT_EQ(Decide(spec, {.replicas = 5, .metric = 10}).replicas, 0);
}

// Where metrics come from ---------------------------------------------------------------------------------------------

Deployment Target() {
  Deployment target{.metadata = {.name = "scaling-target", .namespace_ = "default"}};
  target.spec.selector = metav1::LabelSelector{.matchLabels = {{"app", "scaling-target"}}};
  target.spec.template_.spec.containers = {
      {.name = "web", .resources = {.requests = {{"cpu", "100m"}, {"memory", "64Mi"}}}},
      {.name = "side", .resources = {.requests = {{"cpu", "100m"}}}},
  };
  return target;
}

// As metrics-server serves it; here the kind is a custom one of the same name.
constexpr std::string_view kPodMetrics = R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: pods.metrics.k8s.io
  annotations: {api-approved.kubernetes.io: "unapproved, for a test"}
spec:
  group: metrics.k8s.io
  names: {kind: PodMetrics, listKind: PodMetricsList, plural: pods, singular: pod}
  scope: Namespaced
  versions:
  - name: v1beta1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
)";

void Measure(const Client& client, const std::string& pod, const std::string& app, const char* cpu) {
  Unstructured metrics;
  metrics.SetGvk({"metrics.k8s.io", "v1beta1", "PodMetrics"});
  metrics.SetNamespace("default");
  metrics.SetName(pod);
  metrics.SetLabels({{"app", app}});
  metrics
      .SetNested({"containers"},
                 Json::Array({Json::Object({{"name", "web"}, {"usage", Json::Object({{"cpu", cpu}})}}),
                              Json::Object({{"name", "side"}, {"usage", Json::Object({{"cpu", "50m"}})}})}))
      .value();
  client.Create(metrics).value();
}

TEST(MetricsFromCluster, GivesTheUseOfAllPodsInPercentOfTheirRequests) {
  ControlPlane control_plane;
  const Client client = control_plane.client();
  const std::unique_ptr<MetricsSource> source = MetricsFromCluster(client);
  EXPECT_FALSE(source->Read(Target(), v1::MetricType::cpu)) << "nobody serves metrics";

  client.Create(Unstructured(ParseYaml(kPodMetrics).value())).value();
  EXPECT_THAT(source->Read(Target(), v1::MetricType::cpu).error().message(), HasSubstr("measured yet"));
  Measure(client, "one", "scaling-target", "150m");
  Measure(client, "two", "scaling-target", "89500u");
  Measure(client, "other", "other", "8");
  // 150 + 50 + 89.5 + 50 of 400.
  EXPECT_EQ(source->Read(Target(), v1::MetricType::cpu).value(), 85);
  EXPECT_THAT(source->Read(Target(), v1::MetricType::memory).error().message(),
              HasSubstr("container side requests no memory"));
}

TEST(MetricsFromFile, ReadsJsonAndYamlAnewEachTime) {
  const std::string path = testing::TempDir() + "scaling_metrics";
  const std::unique_ptr<MetricsSource> source = MetricsFromFile(path);
  const auto read = [&](std::string_view text) {
    std::ofstream(path) << text;
    return source->Read(Target(), v1::MetricType::cpu);
  };
  EXPECT_EQ(read(R"({"default/scaling-target": {"cpu": 85}})").value(), 85);
  EXPECT_EQ(read("default/scaling-target: {cpu: 29.6}").value(), 30);
  EXPECT_EQ(MetricsFromFile(SCALING_CONFIG "/metrics.yaml")->Read(Target(), v1::MetricType::cpu).value(), 85);
  EXPECT_THAT(read("default/other: {cpu: 29}").error().message(), HasSubstr("\"default/scaling-target\", cpu"));
  EXPECT_THAT(read("default/scaling-target: {cpu: much}").error().message(), HasSubstr("expected a number"));
  EXPECT_THAT(read("{").error().message(), HasSubstr("YAML line"));
  std::filesystem::remove(path);
  EXPECT_THAT(source->Read(Target(), v1::MetricType::cpu).error().message(), HasSubstr(path));
}

class Page final : public HttpHandler {
 public:
  void Handle(ServerRequest request, std::shared_ptr<ResponseWriter> response) override {
    response->Start(request.path == "/metrics" ? 200 : 404, {});
    response->Write(R"({"default/scaling-target": {"memory": 41}})");
    response->Finish();
  }
};

TEST(MetricsFromUrl, ReadsTheDocumentOfAServer) {
  Page page;
  const auto transport = std::make_shared<InProcessTransport>(page);
  EXPECT_EQ(MetricsFromTransport(transport, "/metrics")->Read(Target(), v1::MetricType::memory).value(), 41);
  EXPECT_THAT(MetricsFromTransport(transport, "/other")->Read(Target(), v1::MetricType::memory).error().message(),
              HasSubstr("answered 404"));
  EXPECT_THAT(MetricsFromUrl("metrics.example.com").error().message(), HasSubstr("expected a URL"));
}

// The operator --------------------------------------------------------------------------------------------------------

// A cluster on which Deployments come up, the operator, and the metric that it sees.
struct World {
  const std::unique_ptr<ControlPlane> cluster =
      ControlPlane::Start({.crds = {SCALING_CONFIG "/crd"}, .controllers = {"*"}, .nodes = {"node-1", "node-2"}})
          .value();
  const Client client = cluster->client();
  SetMetrics metrics{50};
  OperatorProcess process{client, OperatorOf(metrics)};

  // How often an event of that reason was told about a Scaling.
  int32_t TimesTold(const std::string& reason) const {
    int32_t times = 0;
    for (const corev1::Event& event : ListEventsOf<Scaling>(client, kExample)) {
      if (event.reason == reason) times += event.count;
    }
    return times;
  }
};

void InWorld(const std::function<void(World& world)>& body) {
  RunSeeds({}, [&](uint64_t) {
    World world;
    CreateManifests(world.client, kSamples + "/target.yaml").value();
    body(world);
  });
}

// With config/samples/scaling.yaml, whose metric is at 50%.
void WithSample(const std::function<void(World& world)>& body) {
  InWorld([&](World& world) {
    CreateManifests(world.client, kSamples + "/scaling.yaml").value();
    Settle(10s);
    ASSERT_THAT(ReadyOf(world.client), StartsWith("Ready=True WithinThresholds: "));
    body(world);
  });
}

TEST(Scaling, TheSampleIsScaledToWhereTheMetricLeads) {
  WithSample([](World& world) {
    EXPECT_EQ(ReplicasOf(world.client), 2) << "one replica is below the bounds";
    EXPECT_EQ(world.client.Get<Deployment>(kTarget)->status.availableReplicas, 2);

    world.metrics.Set(85);
    Settle(31s);  // a resync has come
    EXPECT_GT(ReplicasOf(world.client), 2);
    Settle(30s);
    EXPECT_EQ(world.client.Get<Deployment>(kTarget)->status.availableReplicas, 5);
    EXPECT_THAT(ReadyOf(world.client), StartsWith("Ready=True AtMaximum: cpu is at 85%, above 80%"));
    const Scaling scaling = world.client.Get<Scaling>(kExample).value();
    EXPECT_EQ(scaling.status.replicas, 5);
    EXPECT_EQ(scaling.status.currentMetric, 85);
    EXPECT_EQ(world.TimesTold("ScaledUp"), 3);

    world.metrics.Set(3);
    Settle(2min);
    EXPECT_EQ(ReplicasOf(world.client), 2);
    EXPECT_THAT(ReadyOf(world.client), StartsWith("Ready=True AtMinimum: "));
    EXPECT_EQ(world.TimesTold("ScaledDown"), 3);

    const metav1::ObjectMeta settled = world.client.Get<Scaling>(kExample)->metadata;
    Settle(30min);
    EXPECT_EQ(world.client.Get<Scaling>(kExample)->metadata.resourceVersion, settled.resourceVersion) << "it wrote";
  });
}

TEST(Scaling, StepsKeepTheStabilisationTimeAcrossRestarts) {
  InWorld([](World& world) {
    world.metrics.Set(95);
    Scaling slow;
    slow.metadata = {.name = "example", .namespace_ = "default"};
    slow.spec = {.targetDeployment = "scaling-target",
                 .minReplicas = 1,
                 .maxReplicas = 9,
                 .step = 2,
                 .stabilizationSeconds = 300};
    world.client.Create(slow).value();
    for (int i = 0; i < 5; ++i) {
      Settle(50s);
      EXPECT_EQ(ReplicasOf(world.client), 3) << "process " << i;
      world.process.Restart();
    }
    Settle(55s);
    EXPECT_EQ(ReplicasOf(world.client), 5);
    EXPECT_THAT(ReadyOf(world.client), StartsWith("Ready=True AboveThreshold: "));
  });
}

TEST(Scaling, WhatOthersDoToTheTargetIsKeptWithinBounds) {
  WithSample([](World& world) {
    SetReplicas(world.client, 8);
    Settle(1s);
    EXPECT_EQ(ReplicasOf(world.client), 5);
    SetReplicas(world.client, 4);
    Settle(1min);
    EXPECT_EQ(ReplicasOf(world.client), 4) << "within its bounds, and the metric is as it should be";
    SetReplicas(world.client, 0);
    Settle(1s);
    EXPECT_EQ(ReplicasOf(world.client), 2);
    EXPECT_THAT(ReadyOf(world.client), StartsWith("Ready=True WithinThresholds: "));

    world.client.Delete<Deployment>(kTarget).value();
    Settle(5s);
    EXPECT_THAT(ReadyOf(world.client), StartsWith("Ready=False TargetNotFound: "));
    EXPECT_EQ(world.TimesTold("TargetNotFound"), 1);
    CreateManifests(world.client, kSamples + "/target.yaml").value();
    Settle(5s);
    EXPECT_THAT(ReadyOf(world.client), StartsWith("Ready=True WithinThresholds: "));
    EXPECT_EQ(ReplicasOf(world.client), 2);
  });
}

TEST(Scaling, WhatSomebodyElseDidIsNotTold) {
  WithSample([](World& world) {
    const int32_t bounded = world.TimesTold("Bounded");
    world.process.line().HoldWatches("/deployments?");  // the cache goes on having two replicas
    SetReplicas(world.client, 4);
    world.metrics.Set(85);
    Settle(31s);  // a resync has come
    EXPECT_EQ(ReplicasOf(world.client), 4);
    EXPECT_EQ(world.TimesTold("ScaledUp"), 0);
    Modify<Scaling>(world.client, kExample, [](Scaling& scaling) { scaling.spec.minReplicas = 3; }).value();
    Settle(5s);
    EXPECT_EQ(ReplicasOf(world.client), 4);
    EXPECT_EQ(world.TimesTold("Bounded"), bounded);

    world.process.line().ReleaseWatches();
    Settle(1min);
    EXPECT_EQ(ReplicasOf(world.client), 5);
    EXPECT_EQ(world.TimesTold("ScaledUp"), 1);
    EXPECT_THAT(ReadyOf(world.client), StartsWith("Ready=True AtMaximum: "));
  });
}

TEST(Scaling, WithoutAMetricItSaysSoKeepsTheBoundsAndTriesAgain) {
  WithSample([](World& world) {
    world.metrics.Set(-1);
    SetReplicas(world.client, 1);
    Settle(5min);
    EXPECT_EQ(ReplicasOf(world.client), 2);
    EXPECT_THAT(ReadyOf(world.client), StartsWith("Ready=False MetricUnavailable: "));
    EXPECT_EQ(world.TimesTold("MetricUnavailable"), 1) << "it is told once";
    world.metrics.Set(50);
    Settle(11s);
    EXPECT_THAT(ReadyOf(world.client), StartsWith("Ready=True WithinThresholds: "));
  });
}

TEST(Scaling, DeletedItLeavesTheTargetAloneAndToTheNext) {
  WithSample([](World& world) {
    CreateManifests(world.client, kSamples + "/bad/same_target.yaml").value();
    Settle(5s);
    const ObjectKey second = {"default", "same-target"};
    EXPECT_THAT(ReadyOf(world.client, second), StartsWith("Ready=False TargetTaken: "));
    world.client.Delete<Scaling>(kExample).value();
    Settle(5s);
    EXPECT_THAT(ReadyOf(world.client, second), StartsWith("Ready=True WithinThresholds: "));
    world.client.Delete<Scaling>(second).value();
    SetReplicas(world.client, 40);
    Settle(1min);
    EXPECT_EQ(ReplicasOf(world.client), 40);
    EXPECT_TRUE(world.client.List<Scaling>()->items.empty());
  });
}

TEST(Scaling, BadSamplesEndAsTheySay) {
  WithSample([](World& world) {
    EXPECT_THAT(TryBadSamples(world.client, kSamples + "/bad"), IsEmpty());
    EXPECT_THAT(ReadyOf(world.client), StartsWith("Ready=True WithinThresholds: ")) << "the good one does not mind";
  });
}

TEST(Scaling, TheLogShowsWhatTheListerHoldsEveryFiveSeconds) {
  const ScopedLogCapture log({.verbosity = 2});
  Simulation simulation({.seed = 1});
  const Result<void> run = simulation.Run([] {
    const World world;
    CreateManifests(world.client, kSamples + "/scaling.yaml").value();
    Settle(21s);
  });
  ASSERT_TRUE(run) << run.error().message();
  int listed = 0;
  for (const std::string& line : log.lines()) {
    if (line.find("\"Listed\"") == std::string::npos) continue;
    ++listed;
    EXPECT_THAT(line, HasSubstr("scaling=\"default/example\" target=\"scaling-target\" min=2 max=5"));
  }
  EXPECT_GE(listed, 4);  // the first may come before the list
  EXPECT_LE(listed, 5);
}

}  // namespace
}  // namespace scaling
