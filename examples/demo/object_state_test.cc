#include "object_state.h"

#include <gtest/gtest.h>

#include <string>

#include "keelson/codec/yaml_reader.h"

namespace demo {
namespace {

using keelson::Unstructured;

Unstructured Object(std::string_view yaml) { return Unstructured(keelson::ParseYaml(yaml).value()); }

ObjectState Custom(std::string_view yaml) {
  const Unstructured object = Object(yaml);
  return {.applied = {.kind = {"example.com", "v1", "Widget"}, .key = {"default", "one"}, .custom = true},
          .object = object};
}

constexpr std::string_view kReady =
    "metadata: {name: one, generation: 2}\n"
    "status: {conditions: [{type: Ready, status: 'True', reason: Fine, observedGeneration: 2}]}\n";

TEST(ObjectState, ReadyOfItsGenerationHasConverged) {
  const ObjectState state = Custom(kReady);
  EXPECT_EQ(WhyNotConverged(state), std::nullopt);
  EXPECT_EQ(RowOf(state), (Row{.object = "Widget/one", .phase = "Ready", .tone = Tone::kGood}));
}

TEST(ObjectState, ReadyOfAnOlderGenerationHasNot) {
  ObjectState state = Custom(kReady);
  state.object->SetGeneration(3);
  EXPECT_EQ(WhyNotConverged(state), "Ready is True of generation 2, and it is at 3");
  EXPECT_EQ(RowOf(state).phase, "Changing");
}

TEST(ObjectState, SaysWhatTheConditionSays) {
  ObjectState state = Custom(
      "metadata: {name: one, generation: 1}\n"
      "status: {conditions: [{type: Ready, status: 'False', reason: NoNode, message: no node is called x}]}\n");
  EXPECT_EQ(WhyNotConverged(state), "Ready is False: NoNode: no node is called x");
  EXPECT_EQ(RowOf(state).phase, "NoNode");
  EXPECT_EQ(RowOf(state).tone, Tone::kWaiting);
  state.event = keelson::corev1::Event{.reason = "NoNode", .message = "there is none", .type = "Warning"};
  EXPECT_EQ(RowOf(state).tone, Tone::kBad);
  EXPECT_EQ(RowOf(state).event, "NoNode: there is none");
  EXPECT_TRUE(RowOf(state).warning);
}

TEST(ObjectState, APhaseGoesBeforeTheCondition) {
  ObjectState state = Custom(kReady);
  ASSERT_TRUE(state.object->SetNested({"status", "phase"}, "Running"));
  EXPECT_EQ(RowOf(state).phase, "Running");
}

TEST(ObjectState, OneThatNobodyTendsIsNamedSo) {
  ObjectState state = Custom("metadata: {name: one, generation: 1}\n");
  EXPECT_EQ(WhyNotConverged(state), "it has no condition Ready");
  EXPECT_EQ(RowOf(state).phase, "Waiting");
  state.object.reset();
  EXPECT_EQ(WhyNotConverged(state), "it is not there");
  EXPECT_EQ(RowOf(state).phase, "Missing");
}

TEST(ObjectState, AServiceThatAsksForAnIngressNeedsOne) {
  ObjectState state = {.applied = {.kind = {"", "v1", "Service"}, .key = {"default", "web"}},
                       .object = Object("metadata: {name: web}\n")};
  EXPECT_EQ(WhyNotConverged(state), std::nullopt);
  state.object->SetAnnotations({{"ingress/http", "true"}});
  EXPECT_EQ(WhyNotConverged(state), "it asks for an Ingress and has none");
  EXPECT_EQ(RowOf(state).phase, "Waiting");
  state.children = {Object("kind: Ingress\nmetadata: {name: web}\n")};
  EXPECT_EQ(WhyNotConverged(state), std::nullopt);
  EXPECT_EQ(RowOf(state).phase, "Ready");
  EXPECT_EQ(RowOf(state).children, "Ingress web");
}

TEST(ObjectState, ADeploymentNeedsItsReplicas) {
  ObjectState state = {.applied = {.kind = {"apps", "v1", "Deployment"}, .key = {"default", "web"}},
                       .object = Object("metadata: {name: web, generation: 1}\nspec: {replicas: 2}\n"
                                        "status: {observedGeneration: 1, availableReplicas: 1}\n")};
  EXPECT_EQ(WhyNotConverged(state), "1 of 2 replicas are available");
  EXPECT_EQ(RowOf(state).phase, "1/2");
  ASSERT_TRUE(state.object->SetNested({"status", "availableReplicas"}, 2));
  EXPECT_EQ(WhyNotConverged(state), std::nullopt);
  state.object->SetGeneration(2);
  EXPECT_EQ(WhyNotConverged(state), "0 of 2 replicas are available") << "the status is of another generation";
}

TEST(ObjectState, APodHasToRun) {
  ObjectState state = {.applied = {.kind = {"", "v1", "Pod"}, .key = {"default", "web"}},
                       .object = Object("metadata: {name: web}\nstatus: {phase: Pending}\n")};
  EXPECT_EQ(WhyNotConverged(state), "it is not running");
  ASSERT_TRUE(state.object->SetNested({"status", "phase"}, "Running"));
  EXPECT_EQ(WhyNotConverged(state), std::nullopt);
}

TEST(ObjectState, ChildrenOfAKindAreCounted) {
  const Unstructured first = Object(
      "kind: Deployment\nmetadata: {name: a}\nspec: {replicas: 2}\n"
      "status: {availableReplicas: 1}\n");
  const Unstructured second = Object("kind: Deployment\nmetadata: {name: b}\nstatus: {availableReplicas: 1}\n");
  const Unstructured service = Object("kind: Service\nmetadata: {name: a}\n");
  const Unstructured volume = Object("kind: PersistentVolume\nmetadata: {name: v}\nstatus: {phase: Bound}\n");
  EXPECT_EQ(ChildrenText({}), "");
  EXPECT_EQ(ChildrenText({service, first}), "Deployment a 1/2, Service a");
  EXPECT_EQ(ChildrenText({first, second, volume}), "2 Deployments 2/3, PV v Bound");
}

TEST(ObjectState, WhatAllOfAKindAreIsSaidOnce) {
  const Unstructured running = Object("kind: Pod\nmetadata: {name: a}\nstatus: {phase: Running}\n");
  const Unstructured pending = Object("kind: Pod\nmetadata: {name: b}\nstatus: {phase: Pending}\n");
  EXPECT_EQ(ChildrenText({running, running}), "2 Pods Running");
  EXPECT_EQ(ChildrenText({running, pending}), "2 Pods");
  EXPECT_EQ(ChildrenText({Object("kind: Ingress\n"), Object("kind: Ingress\n")}), "2 Ingresses");
}

TEST(ObjectState, ADeploymentIsDeletedBeforeOthers) {
  ObjectState state = Custom(kReady);
  EXPECT_EQ(ChildToDelete(state), nullptr);
  state.children = {Object("kind: PersistentVolume\nmetadata: {name: v}\n")};
  EXPECT_EQ(ChildToDelete(state), nullptr);
  state.children.push_back(Object("kind: Service\nmetadata: {name: s}\n"));
  EXPECT_EQ(ChildToDelete(state)->GetName(), "s");
  state.children.push_back(Object("kind: Deployment\nmetadata: {name: d}\n"));
  EXPECT_EQ(ChildToDelete(state)->GetName(), "d");
}

}  // namespace
}  // namespace demo
