#include "keelson/controlplane/observations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "keelson/api/apps/v1.h"
#include "keelson/client/modify.h"
#include "keelson/controlplane/control_plane.h"
#include "keelson/core/clock.h"
#include "keelson/runtime/event_recorder.h"

namespace keelson {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const ObjectKey kWeb = {.namespace_ = "default", .name = "web"};

corev1::Service Service(const std::string& name) {
  return {.metadata = {.name = name, .namespace_ = "default"}, .spec = {.ports = {{.port = 80}}}};
}

TEST(ConditionOf, IsThatOfThePresentGeneration) {
  const ControlPlane control_plane;
  const Client client = control_plane.client();
  EXPECT_THAT(ConditionOf<corev1::Service>(client, kWeb), HasSubstr("\"web\" not found"));
  client.Create(Service("web")).value();
  EXPECT_EQ(ConditionOf<corev1::Service>(client, kWeb), "nothing is said");

  const auto report = [&](int64_t generation) {
    ModifyStatus<corev1::Service>(client, kWeb, [&](corev1::Service& web) {
      web.status.conditions = {{.type = "Other", .status = "True", .reason = "Other", .message = "of another matter"},
                               {.type = "Ready",
                                .status = "False",
                                .observedGeneration = generation,
                                .lastTransitionTime = metav1::Time(Clock::WallNow()),
                                .reason = "NoPods",
                                .message = "nobody answers"}};
    }).value();
  };
  report(0);
  EXPECT_EQ(ConditionOf<corev1::Service>(client, kWeb), "Ready=False NoPods: nobody answers");
  EXPECT_EQ(ConditionOf<corev1::Service>(client, kWeb, "Steady"), "nothing is said");
  report(7);
  EXPECT_EQ(ConditionOf<corev1::Service>(client, kWeb), "it speaks of an older generation");
}

TEST(EventsOf, AreThoseAboutTheObject) {
  const ControlPlane control_plane;
  const Client client = control_plane.client();
  const corev1::Service web = client.Create(Service("web")).value();
  const corev1::Service other = client.Create(Service("other")).value();
  const corev1::Node node = client.Create(corev1::Node{.metadata = {.name = "web"}}).value();
  {
    EventBroadcaster events({.client = client});
    const EventRecorder recorder = events.RecorderFor("tester");
    recorder.Event(web, EventType::kNormal, "Made", "one");
    recorder.Event(other, EventType::kNormal, "Made", "not about this one");
    recorder.Event(web, EventType::kWarning, "Lost", "two");
    recorder.Event(node, EventType::kNormal, "Found", "of the cluster");
  }
  EXPECT_THAT(EventsOf<corev1::Service>(client, kWeb), ElementsAre("Normal Made", "Warning Lost"));
  EXPECT_EQ(ListEventsOf<corev1::Service>(client, kWeb)[1].message, "two");
  EXPECT_THAT(EventsOf<corev1::Node>(client, {"", "web"}), ElementsAre("Normal Found"));
  EXPECT_THAT(EventsOf<appsv1::Deployment>(client, kWeb), IsEmpty());
}

TEST(ControllersOf, NamesWhatControlsEachObject) {
  const ControlPlane control_plane;
  const Client client = control_plane.client();
  const corev1::Node owner = client.Create(corev1::Node{.metadata = {.name = "node-1"}}).value();
  corev1::Service owned = Service("owned");
  ASSERT_TRUE(SetControllerReference(owner, owned));
  client.Create(owned).value();
  client.Create(Service("web")).value();
  EXPECT_THAT(ControllersOf<corev1::Service>(client, "default"),
              ElementsAre("Service kubernetes of nobody", "Service owned of node-1", "Service web of nobody"));
  EXPECT_THAT(ControllersOf<corev1::Node>(client), ElementsAre("Node node-1 of nobody"));
}

}  // namespace
}  // namespace keelson
