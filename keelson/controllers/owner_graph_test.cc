#include "keelson/controllers/owner_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace keelson::controllers {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

ObjectPlace MapAt(const String& namespace_, const String& name) {
  return {.kind = "ConfigMap", .api_version = "v1", .namespace_ = namespace_, .name = name, .uid = "uid-" + name};
}
metav1::OwnerReference To(const ObjectPlace& owner, bool blocking = false) {
  metav1::OwnerReference reference{
      .apiVersion = owner.api_version, .kind = owner.kind, .name = owner.name, .uid = owner.uid};
  if (blocking) reference.blockOwnerDeletion = true;
  return reference;
}
metav1::ObjectMeta OwnedBy(List<metav1::OwnerReference> owners) { return {.ownerReferences = std::move(owners)}; }
metav1::ObjectMeta Deleting(List<String> finalizers) {
  metav1::ObjectMeta metadata{.finalizers = std::move(finalizers)};
  metadata.deletionTimestamp = metav1::Time();
  return metadata;
}

const ObjectPlace kOwner = MapAt("default", "owner");
const ObjectPlace kChild = MapAt("default", "child");

TEST(OwnerGraph, AnOwnerThatWasSeenNeedsNoLook) {
  OwnerGraph graph;
  EXPECT_THAT(graph.Observe(kOwner, {}).look, IsEmpty());
  EXPECT_THAT(graph.Observe(kChild, OwnedBy({To(kOwner)})).look, IsEmpty());
  EXPECT_THAT(graph.Find("uid-owner")->dependents, ElementsAre("uid-child"));
}

TEST(OwnerGraph, AnOwnerThatNobodyHasSeenIsVirtualAndLookedAt) {
  OwnerGraph graph;
  EXPECT_THAT(graph.Observe(kChild, OwnedBy({To(kOwner)})).look, ElementsAre("uid-owner"));
  ASSERT_NE(graph.Find("uid-owner"), nullptr);
  EXPECT_FALSE(graph.Find("uid-owner")->observed);
  EXPECT_EQ(graph.Find("uid-owner")->place, kOwner);
  EXPECT_THAT(graph.Observe(kOwner, {}).look, IsEmpty());
  EXPECT_TRUE(graph.Find("uid-owner")->observed);
  EXPECT_THAT(graph.Find("uid-owner")->dependents, ElementsAre("uid-child"));
}

TEST(OwnerGraph, DependentsAreLookedAtWhenTheirOwnerGoes) {
  OwnerGraph graph;
  graph.Observe(kOwner, {});
  graph.Observe(kChild, OwnedBy({To(kOwner)}));
  const GraphEffects effects = graph.Forget("uid-owner");
  EXPECT_THAT(effects.look, ElementsAre("uid-child"));
  EXPECT_THAT(effects.absent, ElementsAre(kOwner));
  EXPECT_EQ(graph.Find("uid-owner"), nullptr);
  EXPECT_EQ(graph.size(), 1u);
}

TEST(OwnerGraph, AVirtualOwnerThatTheServerDeniesIsTreatedAsGone) {
  OwnerGraph graph;
  graph.Observe(kChild, OwnedBy({To(kOwner)}));
  const GraphEffects effects = graph.Deny(kOwner);
  EXPECT_THAT(effects.look, ElementsAre("uid-child"));
  EXPECT_THAT(effects.absent, ElementsAre(kOwner));
  EXPECT_EQ(graph.Find("uid-owner"), nullptr);
}

TEST(OwnerGraph, AnOwnerThatWasSeenMeanwhileIsNotDenied) {
  OwnerGraph graph;
  graph.Observe(kChild, OwnedBy({To(kOwner)}));
  graph.Observe(kOwner, {});
  EXPECT_THAT(graph.Deny(kOwner).look, IsEmpty());
  EXPECT_NE(graph.Find("uid-owner"), nullptr);
}

TEST(OwnerGraph, AVirtualOwnerIsForgottenWithTheLastThatRefersToIt) {
  OwnerGraph graph;
  graph.Observe(kChild, OwnedBy({To(kOwner)}));
  graph.Forget("uid-child");
  EXPECT_EQ(graph.size(), 0u);
  graph.Observe(kChild, OwnedBy({To(kOwner)}));
  graph.Observe(kChild, {});
  EXPECT_EQ(graph.size(), 1u);
}

TEST(OwnerGraph, AnOwnerOfAnotherNamespaceIsToldWhicheverIsSeenFirst) {
  const ObjectPlace far = MapAt("far", "owner");
  const ObjectPlace as_referred = MapAt("default", "owner");
  {
    OwnerGraph graph;
    graph.Observe(far, {});
    const GraphEffects effects = graph.Observe(kChild, OwnedBy({To(far)}));
    EXPECT_THAT(effects.foreign_owners, ElementsAre(Pair(kChild, as_referred)));
    EXPECT_THAT(effects.look, ElementsAre("uid-child"));
  }
  {
    OwnerGraph graph;
    EXPECT_THAT(graph.Observe(kChild, OwnedBy({To(far)})).foreign_owners, IsEmpty());
    const GraphEffects effects = graph.Observe(far, {});
    EXPECT_THAT(effects.foreign_owners, ElementsAre(Pair(kChild, as_referred)));
    EXPECT_THAT(effects.look, ElementsAre("uid-child"));
    EXPECT_EQ(graph.Find("uid-owner")->place, far);
  }
}

TEST(OwnerGraph, ANamespacedOwnerOfAClusterScopedObjectIsToldToo) {
  const ObjectPlace cluster_scoped{.kind = "Node", .api_version = "v1", .name = "n", .uid = "uid-n"};
  OwnerGraph graph;
  graph.Observe(kOwner, {});
  const GraphEffects effects = graph.Observe(cluster_scoped, OwnedBy({To(kOwner)}));
  EXPECT_THAT(effects.foreign_owners, ElementsAre(Pair(cluster_scoped, MapAt("", "owner"))));
}

TEST(OwnerGraph, AClusterScopedOwnerOwnsInEveryNamespace) {
  const ObjectPlace node{.kind = "Node", .api_version = "v1", .name = "n", .uid = "uid-n"};
  OwnerGraph graph;
  graph.Observe(node, {});
  const GraphEffects effects = graph.Observe(kChild, OwnedBy({To(node)}));
  EXPECT_THAT(effects.look, IsEmpty());
  EXPECT_THAT(effects.foreign_owners, IsEmpty());
}

TEST(OwnerGraph, DependentsThatDisagreeAboutTheirOwnerAreJudgedEachByItsOwnReference) {
  OwnerGraph graph;
  metav1::OwnerReference wrong = To(kOwner);
  wrong.kind = "Secret";
  const ObjectPlace other = MapAt("default", "other");
  graph.Observe(kChild, OwnedBy({wrong}));
  EXPECT_THAT(graph.Observe(other, OwnedBy({To(kOwner)})).look, ElementsAre("uid-other"));

  // No Secret has that uid: who said so is looked at, and the owner is looked for as a ConfigMap.
  ObjectPlace secret = kOwner;
  secret.kind = "Secret";
  ASSERT_EQ(graph.Find("uid-owner")->place, secret);
  const GraphEffects effects = graph.Deny(secret);
  EXPECT_THAT(effects.look, ElementsAre("uid-child"));
  EXPECT_THAT(effects.absent, ElementsAre(secret));
  EXPECT_THAT(effects.look_later, ElementsAre("uid-owner"));
  EXPECT_EQ(graph.Find("uid-owner")->place, kOwner);

  // Seen as what it is, it stays, whatever is found out about the wrong place.
  EXPECT_THAT(graph.Observe(kOwner, {}).look, IsEmpty());
  EXPECT_THAT(graph.Deny(secret).look, ElementsAre("uid-child"));
  EXPECT_NE(graph.Find("uid-owner"), nullptr);
}

TEST(OwnerGraph, AnAbsentClusterScopedOwnerIsAbsentForAllNamespacesAtOnce) {
  OwnerGraph graph;
  const ObjectPlace there = MapAt("there", "elsewhere");
  ObjectPlace node{.kind = "Node", .api_version = "v1", .name = "n", .uid = "uid-n"};
  graph.Observe(kChild, OwnedBy({To(node)}));
  graph.Observe(there, OwnedBy({To(node)}));
  const GraphEffects effects = graph.Deny(node);
  EXPECT_THAT(effects.look, UnorderedElementsAre("uid-child", "uid-elsewhere"));
  EXPECT_THAT(effects.absent, ElementsAre(node));
  EXPECT_EQ(graph.Find("uid-n"), nullptr);
}

TEST(OwnerGraph, ForegroundDeletionLooksAtDependentsAndAtTheOwnerWhenTheLastThatBlocksIsGone) {
  OwnerGraph graph;
  const ObjectPlace second = MapAt("default", "second");
  const ObjectPlace free = MapAt("default", "free");
  graph.Observe(kOwner, {});
  graph.Observe(kChild, OwnedBy({To(kOwner, true)}));
  graph.Observe(second, OwnedBy({To(kOwner, true)}));
  graph.Observe(free, OwnedBy({To(kOwner)}));
  EXPECT_THAT(graph.Observe(kOwner, Deleting({"foregroundDeletion"})).look,
              UnorderedElementsAre("uid-child", "uid-second", "uid-free", "uid-owner"));
  // Only the beginning counts.
  EXPECT_THAT(graph.Observe(kOwner, Deleting({"foregroundDeletion", "more"})).look, IsEmpty());
  EXPECT_EQ(graph.BlockingDependents(*graph.Find("uid-owner")).size(), 2u);
  EXPECT_THAT(graph.Forget("uid-child").look, IsEmpty());
  EXPECT_THAT(graph.Forget("uid-second").look, ElementsAre("uid-owner"));
}

TEST(OwnerGraph, ADependentThatComesDuringForegroundDeletionIsLookedAt) {
  OwnerGraph graph;
  graph.Observe(kOwner, Deleting({"foregroundDeletion"}));
  EXPECT_THAT(graph.Observe(kChild, OwnedBy({To(kOwner, true)})).look, ElementsAre("uid-child"));
}

TEST(OwnerGraph, AnOwnerIsLookedAtWhenADependentStopsBlockingIt) {
  OwnerGraph graph;
  graph.Observe(kOwner, {});
  graph.Observe(kChild, OwnedBy({To(kOwner, true)}));
  graph.Observe(kOwner, Deleting({"foregroundDeletion"}));
  EXPECT_THAT(graph.Observe(kChild, OwnedBy({To(kOwner)})).look, testing::Contains(String("uid-owner")));
  graph.Observe(kChild, OwnedBy({To(kOwner, true)}));
  EXPECT_THAT(graph.Observe(kChild, {}).look, ElementsAre("uid-owner"));
  EXPECT_THAT(graph.Find("uid-owner")->dependents, IsEmpty());
}

TEST(OwnerGraph, OrphaningLooksAtTheOwnerAlone) {
  OwnerGraph graph;
  graph.Observe(kOwner, {});
  graph.Observe(kChild, OwnedBy({To(kOwner, true)}));
  EXPECT_THAT(graph.Observe(kOwner, Deleting({"orphan"})).look, ElementsAre("uid-owner"));
  EXPECT_TRUE(graph.Find("uid-owner")->waits_for_orphaning());
}

TEST(OwnerGraph, OwnersInACycleAreFoundAndGoOneAfterTheOther) {
  OwnerGraph graph;
  graph.Observe(kOwner, OwnedBy({To(kChild)}));
  graph.Observe(kChild, OwnedBy({To(kOwner)}));
  EXPECT_THAT(graph.Forget("uid-owner").look, ElementsAre("uid-child"));
  EXPECT_THAT(graph.Forget("uid-child").look, IsEmpty());
  EXPECT_EQ(graph.size(), 0u);
}

TEST(OwnerGraph, AnObjectThatOwnsItselfGoesLikeAnyOther) {
  OwnerGraph graph;
  EXPECT_THAT(graph.Observe(kOwner, OwnedBy({To(kOwner)})).look, IsEmpty());
  graph.Forget("uid-owner");
  EXPECT_EQ(graph.size(), 0u);
}

TEST(OwnerGraph, WhatAListLacksIsGone) {
  OwnerGraph graph;
  graph.Observe(kOwner, {});
  graph.Observe(kChild, OwnedBy({To(kOwner)}));
  graph.Observe({.kind = "Secret", .api_version = "v1", .namespace_ = "default", .name = "s", .uid = "uid-s"}, {});
  EXPECT_THAT(graph.ForgetOthers("v1", "ConfigMap", {"uid-child"}).look, ElementsAre("uid-child"));
  EXPECT_EQ(graph.Find("uid-owner"), nullptr);
  EXPECT_NE(graph.Find("uid-s"), nullptr);
}

TEST(OwnerGraph, OwnersOfAKindThatIsNoLongerWatchedBecomeVirtual) {
  OwnerGraph graph;
  ObjectPlace widget{
      .kind = "Widget", .api_version = "example.com/v1", .namespace_ = "default", .name = "w", .uid = "uid-w"};
  ObjectPlace lonely = widget;
  lonely.uid = "uid-lonely";
  graph.Observe(widget, {});
  graph.Observe(lonely, {});
  graph.Observe(kChild, OwnedBy({To(widget)}));
  EXPECT_THAT(graph.Unwatch("example.com/v1", "Widget").look, ElementsAre("uid-w"));
  EXPECT_FALSE(graph.Find("uid-w")->observed);
  EXPECT_EQ(graph.Find("uid-lonely"), nullptr);
}

TEST(OwnerGraph, PlacesAreShownAsUpstreamShowsThem) {
  EXPECT_EQ(ToString(kOwner), "[v1/ConfigMap, namespace: default, name: owner, uid: uid-owner]");
}

}  // namespace
}  // namespace keelson::controllers
