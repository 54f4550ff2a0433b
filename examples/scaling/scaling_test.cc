#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <vector>

#include "keelson/api/status_error.h"
#include "keelson/core/log.h"
#include "keelson/core/simulation.h"
#include "keelson/transport/handler.h"
#include "keelson/transport/in_process_transport.h"
#include "scaling_test_support.h"

namespace scaling {
namespace {

using testing::HasSubstr;

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
  EXPECT_EQ(read(ReadConfig("metrics.yaml")).value(), 85);
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

// With a control plane whose Deployments come up, in virtual time.
void RunWithControlPlane(const std::function<void(ControlPlane& control_plane, const Client& client)>& test) {
  Simulation simulation({.seed = 1});
  const Result<void> run = simulation.Run([&] {
    const auto control_plane =
        ControlPlane::Start({.crds = {SCALING_CONFIG "/crd"}, .controllers = {"*"}, .nodes = {"node-1", "node-2"}})
            .value();
    test(*control_plane, control_plane->client());
  });
  ASSERT_TRUE(run) << run.error().message();
}

TEST(Scaling, TheSampleIsScaledToWhereTheMetricLeads) {
  RunWithControlPlane([](ControlPlane&, const Client& client) {
    Make(client, "samples/target.yaml").value();
    Make(client, "samples/scaling.yaml").value();
    SetMetrics metrics(50);
    const Operator process(client, metrics);
    Wait(10s);
    EXPECT_EQ(ReplicasOf(client), 2) << "one replica is below the bounds";
    EXPECT_EQ(client.Get<Deployment>(kTarget)->status.availableReplicas, 2);
    EXPECT_EQ(ReadyOf(client), "True WithinThresholds");

    metrics.Set(85);
    Wait(31s);  // a resync has come
    EXPECT_GT(ReplicasOf(client), 2);
    Wait(30s);
    EXPECT_EQ(client.Get<Deployment>(kTarget)->status.availableReplicas, 5);
    EXPECT_EQ(ReadyOf(client), "True AtMaximum");
    const Scaling scaling = client.Get<Scaling>(kExample).value();
    EXPECT_EQ(scaling.status.replicas, 5);
    EXPECT_EQ(scaling.status.currentMetric, 85);
    EXPECT_EQ(EventsOf(client, "example", "Normal", "ScaledUp"), 3);

    metrics.Set(3);
    Wait(2min);
    EXPECT_EQ(ReplicasOf(client), 2);
    EXPECT_EQ(ReadyOf(client), "True AtMinimum");
    EXPECT_EQ(EventsOf(client, "example", "Normal", "ScaledDown"), 3);

    const metav1::ObjectMeta settled = client.Get<Scaling>(kExample)->metadata;
    Wait(30min);
    EXPECT_EQ(client.Get<Scaling>(kExample)->metadata.resourceVersion, settled.resourceVersion) << "it wrote";
  });
}

TEST(Scaling, StepsKeepTheStabilisationTimeAcrossRestarts) {
  RunWithControlPlane([](ControlPlane&, const Client& client) {
    Make(client, "samples/target.yaml").value();
    Scaling slow;
    slow.metadata = {.name = "example", .namespace_ = "default"};
    slow.spec = {.targetDeployment = "scaling-target",
                 .minReplicas = 1,
                 .maxReplicas = 9,
                 .step = 2,
                 .stabilizationSeconds = 300};
    client.Create(slow).value();
    SetMetrics metrics(95);
    for (int i = 0; i < 5; ++i) {
      const Operator process(client, metrics);
      Wait(50s);
      EXPECT_EQ(ReplicasOf(client), 3) << "process " << i;
    }
    const Operator process(client, metrics);
    Wait(55s);
    EXPECT_EQ(ReplicasOf(client), 5);
    EXPECT_EQ(ReadyOf(client), "True AboveThreshold");
  });
}

TEST(Scaling, WhatOthersDoToTheTargetIsKeptWithinBounds) {
  RunWithControlPlane([](ControlPlane&, const Client& client) {
    Make(client, "samples/target.yaml").value();
    Make(client, "samples/scaling.yaml").value();
    SetMetrics metrics(50);
    const Operator process(client, metrics);
    Wait(10s);
    SetReplicas(client, 8);
    Wait(1s);
    EXPECT_EQ(ReplicasOf(client), 5);
    SetReplicas(client, 4);
    Wait(1min);
    EXPECT_EQ(ReplicasOf(client), 4) << "within its bounds, and the metric is as it should be";
    SetReplicas(client, 0);
    Wait(1s);
    EXPECT_EQ(ReplicasOf(client), 2);
    EXPECT_EQ(ReadyOf(client), "True WithinThresholds");

    client.Delete<Deployment>(kTarget).value();
    Wait(5s);
    EXPECT_EQ(ReadyOf(client), "False TargetNotFound");
    EXPECT_EQ(EventsOf(client, "example", "Warning", "TargetNotFound"), 1);
    Make(client, "samples/target.yaml").value();
    Wait(5s);
    EXPECT_EQ(ReadyOf(client), "True WithinThresholds");
    EXPECT_EQ(ReplicasOf(client), 2);
  });
}

TEST(Scaling, WithoutAMetricItSaysSoKeepsTheBoundsAndTriesAgain) {
  RunWithControlPlane([](ControlPlane&, const Client& client) {
    Make(client, "samples/target.yaml").value();
    Make(client, "samples/scaling.yaml").value();
    SetMetrics metrics(-1);
    const Operator process(client, metrics);
    Wait(5min);
    EXPECT_EQ(ReplicasOf(client), 2);
    EXPECT_EQ(ReadyOf(client), "False MetricUnavailable");
    EXPECT_EQ(EventsOf(client, "example", "Warning", "MetricUnavailable"), 1) << "it is told once";
    metrics.Set(50);
    Wait(11s);
    EXPECT_EQ(ReadyOf(client), "True WithinThresholds");
  });
}

TEST(Scaling, DeletedItLeavesTheTargetAloneAndToTheNext) {
  RunWithControlPlane([](ControlPlane&, const Client& client) {
    Make(client, "samples/target.yaml").value();
    Make(client, "samples/scaling.yaml").value();
    SetMetrics metrics(50);
    const Operator process(client, metrics);
    Wait(2s);
    Make(client, "samples/bad/same_target.yaml").value();
    Wait(5s);
    const ObjectKey second = {"default", "same-target"};
    EXPECT_EQ(ReadyOf(client, second), "False TargetTaken");
    client.Delete<Scaling>(kExample).value();
    Wait(5s);
    EXPECT_EQ(ReadyOf(client, second), "True WithinThresholds");
    client.Delete<Scaling>(second).value();
    SetReplicas(client, 40);
    Wait(1min);
    EXPECT_EQ(ReplicasOf(client), 40);
    EXPECT_TRUE(client.List<Scaling>()->items.empty());
  });
}

// "# rejected: part of the message" or "# accepted: Reason", the first line of each bad sample.
TEST(Scaling, BadSamplesEndAsTheySay) {
  RunWithControlPlane([](ControlPlane&, const Client& client) {
    Make(client, "samples/target.yaml").value();
    Make(client, "samples/scaling.yaml").value();
    SetMetrics metrics(50);
    const Operator process(client, metrics);
    Wait(2s);
    size_t samples = 0;
    for (const auto& entry : std::filesystem::directory_iterator(SCALING_CONFIG "/samples/bad")) {
      const std::string file = "samples/bad/" + entry.path().filename().string();
      SCOPED_TRACE(file);
      ++samples;
      const std::string text = ReadConfig(file);
      const std::string line = text.substr(0, text.find('\n'));
      const std::string expected = line.substr(std::string("# rejected: ").size());
      const Result<Unstructured> made = Make(client, file);
      if (line.starts_with("# rejected: ")) {
        ASSERT_FALSE(made);
        EXPECT_TRUE(IsInvalid(made.error()));
        EXPECT_THAT(made.error().message(), HasSubstr(expected));
        continue;
      }
      ASSERT_TRUE(line.starts_with("# accepted: ")) << line;
      ASSERT_TRUE(made) << made.error().message();
      Wait(5s);
      EXPECT_EQ(ReadyOf(client, made->GetKey()), "False " + expected);
      EXPECT_EQ(EventsOf(client, made->GetName(), "Warning", expected), 1);
    }
    EXPECT_EQ(samples, 4u);
    EXPECT_EQ(ReadyOf(client), "True WithinThresholds") << "the good one does not mind";
  });
}

TEST(Scaling, TheLogShowsWhatTheListerHoldsEveryFiveSeconds) {
  const ScopedLogCapture log({.verbosity = 2});
  RunWithControlPlane([](ControlPlane&, const Client& client) {
    Make(client, "samples/scaling.yaml").value();
    SetMetrics metrics(50);
    const Operator process(client, metrics);
    Wait(21s);
  });
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
