#include "pipeline_parts.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tuple>

#include "keelson/api/compare.h"

namespace pipeline {
namespace {

using namespace keelson;
using testing::HasSubstr;
using v1beta1::Pipeline;
using v1beta1::PipelineSpec;

Pipeline TwoSteps() {
  Pipeline pipeline;
  pipeline.metadata.name = "faces";
  pipeline.spec.modelStorage = {.type = "nfs", .csiParameter = {{"server", "10.0.0.5"}, {"share", "/models"}}};
  pipeline.spec.steps = {
      {.image = "detect:1", .location = "north", .model = "detect", .args = {{"listenPort", "9080"}, {"batch", "4"}}},
      {.image = "crop:1", .location = "south", .model = "crop", .args = {}}};
  return pipeline;
}

std::string ReasonOf(const PipelineSpec& spec) {
  const std::optional<Problem> problem = ProblemOf(spec);
  return problem ? fmt::format("{}: {}", problem->reason, problem->message) : "";
}

TEST(PipelineParts, ASpecIsToSayWhereTheModelsAre) {
  PipelineSpec spec = TwoSteps().spec;
  EXPECT_EQ(ReasonOf(spec), "");
  spec.modelStorage.csiParameter = {{"share", "/models"}};
  EXPECT_EQ(ReasonOf(spec), "InvalidStorage: spec.modelStorage.csiParameter: nfs needs \"server\", found \"\"");
  spec.modelStorage.csiParameter = {{"server", "10.0.0.5"}, {"share", "models"}};
  EXPECT_THAT(ReasonOf(spec), HasSubstr("nfs needs \"share\", a path from the root, found \"models\""));
  spec.modelStorage = {.type = "hostPath", .csiParameter = {{"share", "/models"}}};
  EXPECT_THAT(ReasonOf(spec), HasSubstr("hostPath needs \"path\""));
  spec.modelStorage.csiParameter = {{"path", "/models"}};
  EXPECT_EQ(ReasonOf(spec), "");
}

TEST(PipelineParts, AListenPortIsANumberOfAPort) {
  PipelineSpec spec = TwoSteps().spec;
  for (const char* bad : {"", "0", "65536", "-1", "http", "80 ", "80a", "99999999999999999999"}) {
    spec.steps[0].args["listenPort"] = bad;
    EXPECT_THAT(ReasonOf(spec), HasSubstr("InvalidStep: spec.steps[model=detect].args.listenPort")) << bad;
  }
  spec.steps[0].args["listenPort"] = "65535";
  EXPECT_EQ(ReasonOf(spec), "");
  EXPECT_EQ(PortOf(spec.steps[0]), 65535);
  EXPECT_EQ(PortOf(spec.steps[1]), 80);
}

TEST(PipelineParts, AStepRunsAtItsLocationWithItsArgumentsAndTheModels) {
  appsv1::Deployment deployment;
  FillDeployment(TwoSteps(), 0, deployment);
  const corev1::PodSpec& pod = deployment.spec.template_.spec;
  const corev1::Container& server = pod.containers[0];
  EXPECT_EQ(server.image, "detect:1");
  EXPECT_EQ(server.args, (List<String>{"--batch=4", "--listenPort=9080"}));
  EXPECT_EQ(server.ports[0].containerPort, 9080);
  EXPECT_EQ(server.volumeMounts[0].mountPath, "/models");
  EXPECT_TRUE(server.volumeMounts[0].readOnly);
  EXPECT_EQ(pod.volumes[0].persistentVolumeClaim->claimName, "faces-models");
  const corev1::NodeSelector& nodes = *pod.affinity->nodeAffinity->requiredDuringSchedulingIgnoredDuringExecution;
  ASSERT_EQ(nodes.nodeSelectorTerms.size(), 2u);
  EXPECT_EQ(nodes.nodeSelectorTerms[0].matchFields[0].values[0], "north");
  EXPECT_EQ(nodes.nodeSelectorTerms[1].matchExpressions[0].values[0], "north");
}

TEST(PipelineParts, TheOrderOfStepsDoesNotChangeTheirPods) {
  Pipeline pipeline = TwoSteps();
  appsv1::Deployment before;
  FillDeployment(pipeline, 1, before);
  EXPECT_EQ(*before.metadata.labels.find(kStepLabel), "2");
  pipeline.spec.steps.erase(pipeline.spec.steps.begin());
  appsv1::Deployment after = before;
  FillDeployment(pipeline, 0, after);
  EXPECT_EQ(*after.metadata.labels.find(kStepLabel), "1");
  EXPECT_TRUE(Equal(before.spec, after.spec)) << "and so their Pods are not replaced";
}

TEST(PipelineParts, ASecondFillChangesNothing) {
  const Pipeline pipeline = TwoSteps();
  corev1::PersistentVolumeClaim claim{.metadata = {.name = "faces-models", .uid = "1"}};
  corev1::PersistentVolume volume;
  appsv1::Deployment deployment;
  corev1::Service service;
  const auto fill = [&] {
    FillClaim(pipeline, claim);
    FillVolume(pipeline, claim, volume);
    FillDeployment(pipeline, 0, deployment);
    FillService(pipeline, 0, service);
  };
  fill();
  const auto before = std::tuple(claim, volume, deployment, service);
  fill();
  EXPECT_TRUE(Equal(std::get<0>(before), claim));
  EXPECT_TRUE(Equal(std::get<1>(before), volume));
  EXPECT_TRUE(Equal(std::get<2>(before), deployment));
  EXPECT_TRUE(Equal(std::get<3>(before), service));
}

TEST(PipelineParts, AVolumeIsForTheClaimThatThereIsNow) {
  corev1::PersistentVolume volume;
  FillVolume(TwoSteps(), {.metadata = {.name = "faces-models", .namespace_ = "pipeline", .uid = "1"}}, volume);
  EXPECT_EQ(volume.spec.nfs->server, "10.0.0.5");
  EXPECT_EQ(volume.spec.nfs->path, "/models");
  EXPECT_EQ(volume.spec.persistentVolumeReclaimPolicy, "Retain");
  volume.metadata.uid = "9";
  FillVolume(TwoSteps(), {.metadata = {.name = "faces-models", .namespace_ = "pipeline", .uid = "2"}}, volume);
  EXPECT_EQ(volume.spec.claimRef->uid, "2");
}

TEST(PipelineParts, AVolumeCannotMove) {
  Pipeline pipeline = TwoSteps();
  corev1::PersistentVolume volume;
  FillVolume(pipeline, {}, volume);
  EXPECT_FALSE(ProblemOf(pipeline, volume));
  pipeline.spec.modelStorage.csiParameter["share"] = "/others";
  EXPECT_EQ(ProblemOf(pipeline, volume)->reason, "StorageChanged");
  pipeline.spec.modelStorage = {.type = "hostPath", .csiParameter = {{"path", "/models"}}};
  EXPECT_EQ(ProblemOf(pipeline, volume)->reason, "StorageChanged");
}

}  // namespace
}  // namespace pipeline
