#include "keelson/controllers/garbage_collector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "keelson/api/status_error.h"
#include "keelson/controllers/garbage_collector_test_support.h"
#include "keelson/controlplane/control_plane.h"

namespace keelson::controllers {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using namespace std::chrono_literals;

const GroupVersionKind kWidget{"example.com", "v1", "Widget"};
const GroupVersionKind kPlanet{"example.com", "v1", "Planet"};

void Pass(Duration time) { (void)SleepFor(time, {}); }

// The body on virtual time, with a collector that has seen everything.
void Collecting(const std::function<void(const Maps& maps, ControllerProcess& collector)>& body) {
  SimulatedManagers([&] {
    ControlPlane control_plane;
    const Maps maps(control_plane.client());
    ControllerProcess collector(control_plane.client(), Collector());
    Pass(20s);
    body(maps, collector);
  });
}

TEST(GarbageCollector, DependentsGoAfterTheirOwner) {
  Collecting([](const Maps& maps, ControllerProcess&) {
    const auto owner = maps.Make("owner");
    const auto child = maps.Make("child", {OwnedBy(owner)});
    maps.Make("grandchild", {OwnedBy(child)});
    maps.Make("stranger");
    Pass(1s);
    EXPECT_THAT(maps.All(), ElementsAre("child < owner", "grandchild < child", "owner", "stranger"));
    maps.Delete("owner");
    EXPECT_LT(TimeUntil([&] { return maps.All().size() == 1; }), 1s);
    EXPECT_THAT(maps.All(), ElementsAre("stranger"));
  });
}

TEST(GarbageCollector, WhatWasThereBeforeItBeganIsJudgedToo) {
  SimulatedManagers([] {
    ControlPlane control_plane;
    const Maps maps(control_plane.client());
    const auto owner = maps.Make("owner");
    const auto lost = maps.Make("lost");
    maps.Make("child", {OwnedBy(owner)});
    maps.Make("garbage", {OwnedBy(lost)});
    maps.Delete("lost");
    ControllerProcess collector(control_plane.client(), Collector());
    Pass(20s);
    EXPECT_THAT(maps.All(), ElementsAre("child < owner", "owner"));
  });
}

TEST(GarbageCollector, AnOwnerThatNeverWasOrThatHasAnotherUidIsAbsent) {
  Collecting([](const Maps& maps, ControllerProcess&) {
    const auto owner = maps.Make("owner");
    metav1::OwnerReference another_uid = OwnedBy(owner);
    another_uid.uid = "00000000-0000-0000-0000-000000000001";
    metav1::OwnerReference another_name = OwnedBy(owner);
    another_name.name = "nobody";
    metav1::OwnerReference another_kind = OwnedBy(owner);
    another_kind.kind = "Secret";
    maps.Make("by-uid", {another_uid});
    maps.Make("by-name", {another_name});
    maps.Make("by-kind", {another_kind});
    maps.Make("right", {OwnedBy(owner)});
    Pass(10s);
    EXPECT_THAT(maps.All(), ElementsAre("owner", "right < owner"));
  });
}

TEST(GarbageCollector, AnObjectStaysWithItsLastOwnerAndLosesReferencesToTheOthers) {
  Collecting([](const Maps& maps, ControllerProcess&) {
    const auto first = maps.Make("first");
    const auto second = maps.Make("second");
    maps.Make("child", {OwnedBy(first), OwnedBy(second)});
    maps.Delete("first");
    Pass(1s);
    EXPECT_THAT(maps.All(), ElementsAre("child < second", "second"));
    maps.Delete("second");
    Pass(1s);
    EXPECT_THAT(maps.All(), IsEmpty());
  });
}

TEST(GarbageCollector, ForegroundDeletionWaitsForThoseThatBlock) {
  Collecting([](const Maps& maps, ControllerProcess&) {
    const auto owner = maps.Make("owner");
    maps.Make("slow", {OwnedBy(owner, true)}, "default", {"example.com/wait"});
    maps.Make("quick", {OwnedBy(owner, true)});
    maps.Make("slow-free", {OwnedBy(owner)}, "default", {"example.com/wait"});
    Pass(1s);
    maps.Delete("owner", Propagation::kForeground);
    Pass(10s);
    EXPECT_THAT(maps.All(), ElementsAre("owner (deleting)", "slow < owner (deleting)", "slow-free < owner (deleting)"));
    corev1::ConfigMap slow = maps.Get("slow");
    slow.metadata.finalizers = {};
    ASSERT_TRUE(maps.client().Update(slow));
    Pass(1s);
    EXPECT_THAT(maps.All(), ElementsAre("slow-free < owner (deleting)"));
  });
}

TEST(GarbageCollector, ForegroundDeletionGoesDownTheTree) {
  Collecting([](const Maps& maps, ControllerProcess&) {
    const auto owner = maps.Make("owner");
    const auto child = maps.Make("child", {OwnedBy(owner, true)});
    maps.Make("leaf", {OwnedBy(child, true)}, "default", {"example.com/wait"});
    Pass(1s);
    maps.Delete("owner", Propagation::kForeground);
    Pass(10s);
    EXPECT_THAT(maps.All(), ElementsAre("child < owner (deleting)", "leaf < child (deleting)", "owner (deleting)"));
    corev1::ConfigMap leaf = maps.Get("leaf");
    leaf.metadata.finalizers = {};
    ASSERT_TRUE(maps.client().Update(leaf));
    Pass(1s);
    EXPECT_THAT(maps.All(), IsEmpty());
  });
}

TEST(GarbageCollector, ADependentWithAnotherOwnerOutlivesAForegroundDeletionAndDoesNotBlockIt) {
  Collecting([](const Maps& maps, ControllerProcess&) {
    const auto owner = maps.Make("owner");
    const auto stays = maps.Make("stays");
    maps.Make("child", {OwnedBy(owner, true), OwnedBy(stays)});
    Pass(1s);
    maps.Delete("owner", Propagation::kForeground);
    Pass(1s);
    EXPECT_THAT(maps.All(), ElementsAre("child < stays", "stays"));
  });
}

TEST(GarbageCollector, ACycleIsDeletedInTheForegroundToo) {
  for (const Propagation propagation : {Propagation::kForeground, Propagation::kBackground}) {
    Collecting([&](const Maps& maps, ControllerProcess&) {
      corev1::ConfigMap a = maps.Make("a");
      const auto b = maps.Make("b", {OwnedBy(a, true)});
      const auto c = maps.Make("c", {OwnedBy(b, true)});
      a.metadata.ownerReferences = {OwnedBy(c, true)};
      ASSERT_TRUE(maps.client().Update(a));
      Pass(1s);
      EXPECT_THAT(maps.All(), ElementsAre("a < c", "b < a", "c < b"));
      maps.Delete("a", propagation);
      Pass(10s);
      EXPECT_THAT(maps.All(), IsEmpty());
    });
  }
}

TEST(GarbageCollector, OrphansLoseTheirOwnerAndStay) {
  Collecting([](const Maps& maps, ControllerProcess&) {
    const auto owner = maps.Make("owner");
    const auto other = maps.Make("other");
    maps.Make("one", {OwnedBy(owner)});
    maps.Make("two", {OwnedBy(owner), OwnedBy(other)});
    Pass(1s);
    maps.Delete("owner", Propagation::kOrphan);
    Pass(1min);
    EXPECT_THAT(maps.All(), ElementsAre("one", "other", "two < other"));
  });
}

TEST(GarbageCollector, ADependentThatSaysHowItsOwnGoIsObeyed) {
  Collecting([](const Maps& maps, ControllerProcess&) {
    const auto owner = maps.Make("owner");
    const auto child = maps.Make("child", {OwnedBy(owner)}, "default", {"orphan"});
    maps.Make("grandchild", {OwnedBy(child)});
    Pass(1s);
    maps.Delete("owner");
    Pass(1min);
    EXPECT_THAT(maps.All(), ElementsAre("grandchild"));
  });
}

TEST(GarbageCollector, AnOwnerInAnotherNamespaceIsNoneAndAnEventSaysSo) {
  for (const bool owner_first : {true, false}) {
    SimulatedManagers([&] {
      ControlPlane control_plane;
      const Maps maps(control_plane.client());
      ASSERT_TRUE(maps.client().Create(corev1::Namespace{.metadata = {.name = "far"}}));
      const auto owner = maps.Make("owner", {}, "far");
      std::optional<ControllerProcess> collector;
      if (owner_first) {
        collector.emplace(control_plane.client(), Collector());
        Pass(20s);
      }
      const auto child = maps.Make("child", {OwnedBy(owner)});
      if (!owner_first) collector.emplace(control_plane.client(), Collector());
      Pass(20s);
      EXPECT_FALSE(maps.Has("child"));
      EXPECT_TRUE(maps.Has("owner", "far"));
      const ObjectList<corev1::Event> events = maps.client().List<corev1::Event>({.namespace_ = "default"}).value();
      ASSERT_EQ(events.size(), 1u);
      const corev1::Event& event = *events.begin();
      EXPECT_EQ(event.type, "Warning");
      EXPECT_EQ(event.reason, "OwnerRefInvalidNamespace");
      EXPECT_EQ(event.message.str(), "ownerRef [v1/ConfigMap, namespace: default, name: owner, uid: " +
                                         owner.metadata.uid.str() + "] does not exist in namespace \"default\"");
      EXPECT_EQ(event.involvedObject.name, "child");
      EXPECT_EQ(event.involvedObject.uid, child.metadata.uid);
      EXPECT_EQ(event.source.component, "garbage-collector-controller");
    });
  }
}

TEST(GarbageCollector, AClusterScopedObjectWithANamespacedOwnerStaysAndAnEventSaysSo) {
  Collecting([](const Maps& maps, ControllerProcess&) {
    const auto owner = maps.Make("owner");
    corev1::Namespace dependent{.metadata = {.name = "dependent", .ownerReferences = {OwnedBy(owner)}}};
    ASSERT_TRUE(maps.client().Create(dependent));
    Pass(10s);
    maps.Delete("owner");
    Pass(10s);
    EXPECT_FALSE(maps.client().Get<corev1::Namespace>({"", "dependent"}).value().metadata.deletionTimestamp);
    const ObjectList<corev1::Event> events = maps.client().List<corev1::Event>().value();
    ASSERT_EQ(events.size(), 1u);
    EXPECT_EQ(events.begin()->reason, "OwnerRefInvalidNamespace");
    EXPECT_EQ(events.begin()->involvedObject.name, "dependent");
  });
}

TEST(GarbageCollector, AClusterScopedOwnerOwnsInAllNamespaces) {
  Collecting([](const Maps& maps, ControllerProcess&) {
    ASSERT_TRUE(maps.client().Create(Definition("Planet", "planets", "Cluster")));
    ASSERT_TRUE(maps.client().Create(corev1::Namespace{.metadata = {.name = "far"}}));
    Pass(1s);
    const Unstructured planet = maps.client().Create(Object(kPlanet, {"", "earth"})).value();
    maps.Make("here", {OwnedBy(planet)});
    maps.Make("there", {OwnedBy(planet)}, "far");
    Pass(10s);
    EXPECT_THAT(maps.All(), ElementsAre("here < earth", "there < earth"));
    ASSERT_TRUE(maps.client().Delete(kPlanet, {"", "earth"}));
    Pass(1s);
    EXPECT_THAT(maps.All(), IsEmpty());
  });
}

TEST(GarbageCollector, KindsThatAreInstalledLaterOwnAndAreOwned) {
  Collecting([](const Maps& maps, ControllerProcess&) {
    ASSERT_TRUE(maps.client().Create(Definition("Widget", "widgets")));
    Pass(2s);
    const auto owner = maps.Make("owner");
    Unstructured widget = Object(kWidget, {"default", "widget"});
    widget.SetOwnerReferences({OwnedBy(owner)});
    widget = maps.client().Create(widget).value();
    maps.Make("child", {OwnedBy(widget)});
    Pass(2s);
    EXPECT_THAT(maps.All(), ElementsAre("child < widget", "owner"));
    maps.Delete("owner");
    Pass(2s);
    EXPECT_THAT(maps.All(), IsEmpty());
    EXPECT_FALSE(maps.client().Get(kWidget, {"default", "widget"}));
  });
}

TEST(GarbageCollector, AnOwnerOfAKindThatIsNotServedIsWaitedForAndThenJudged) {
  Collecting([](const Maps& maps, ControllerProcess& collector) {
    metav1::OwnerReference owner{.apiVersion = "example.com/v1",
                                 .kind = "Widget",
                                 .name = "widget",
                                 .uid = "00000000-0000-0000-0000-000000000001"};
    maps.Make("child", {owner});
    Pass(1min);
    EXPECT_THAT(maps.All(), ElementsAre("child < widget"));
    const int64_t reads = collector.line().reads();
    Pass(2min);
    EXPECT_EQ(collector.line().reads(), reads) << "it asks although nothing changes";
    ASSERT_TRUE(maps.client().Create(Definition("Widget", "widgets")));
    Pass(10s);
    EXPECT_THAT(maps.All(), IsEmpty());
  });
}

TEST(GarbageCollector, WhatAKindOwnedGoesWhenTheKindIsRemoved) {
  Collecting([](const Maps& maps, ControllerProcess&) {
    ASSERT_TRUE(maps.client().Create(Definition("Widget", "widgets")));
    Pass(2s);
    const Unstructured widget = maps.client().Create(Object(kWidget, {"default", "widget"})).value();
    maps.Make("child", {OwnedBy(widget)});
    Pass(20s);
    EXPECT_THAT(maps.All(), ElementsAre("child < widget"));
    ASSERT_TRUE(maps.client().Delete(GroupVersionKind{"apiextensions.k8s.io", "v1", "CustomResourceDefinition"},
                                     ObjectKey{"", "widgets.example.com"}));
    Pass(20s);
    EXPECT_THAT(maps.All(), IsEmpty());
  });
}

TEST(GarbageCollector, AsksAndWritesNothingWhenNothingChanges) {
  Collecting([](const Maps& maps, ControllerProcess& collector) {
    const auto owner = maps.Make("owner");
    maps.Make("child", {OwnedBy(owner)});
    Pass(20s);
    const int64_t reads = collector.line().reads();
    const int64_t writes = collector.line().writes();
    Pass(4min);
    EXPECT_EQ(collector.line().reads(), reads);
    EXPECT_EQ(collector.line().writes(), writes);
  });
}

TEST(GarbageCollector, ADependentIsDeletedByOneRequest) {
  Collecting([](const Maps& maps, ControllerProcess& collector) {
    const auto owner = maps.Make("owner");
    for (int i = 0; i < 20; ++i) maps.Make("child-" + std::to_string(i), {OwnedBy(owner)});
    Pass(20s);
    const int64_t reads = collector.line().reads();
    const int64_t writes = collector.line().writes();
    maps.Delete("owner");
    Pass(20s);
    EXPECT_THAT(maps.All(), IsEmpty());
    EXPECT_EQ(collector.line().reads(), reads);
    EXPECT_EQ(collector.line().writes() - writes, 20);
  });
}

}  // namespace
}  // namespace keelson::controllers
