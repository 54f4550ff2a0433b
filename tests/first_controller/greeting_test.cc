#include <gtest/gtest.h>

#include "greeting_reconciler.h"
#include "keelson/api/core/v1.h"
#include "keelson/api/status_error.h"
#include "keelson/client/modify.h"
#include "keelson/controlplane/control_plane.h"
#include "keelson/controlplane/observations.h"
#include "keelson/controlplane/operator_process.h"
#include "keelson/controlplane/run_seeds.h"

using namespace keelson;
using namespace std::chrono_literals;
using hello::v1::Greeting;

const ObjectKey kKey = {.namespace_ = "default", .name = "world"};

Greeting World() { return {.metadata = {.name = "world", .namespace_ = "default"}, .spec = {.who = "World"}}; }

// One reconcile at a time, called by hand.
TEST(Greeting, IsKeptInAConfigMap) {
  auto control_plane = ControlPlane::Start({.crds = {CRDS}}).value();
  const Client client = control_plane->client();
  EventBroadcaster events({.client = client});
  hello::GreetingReconciler reconciler(client, events.RecorderFor("greeting-controller"));
  Context context;

  client.Create(World()).value();
  EXPECT_EQ(reconciler.Reconcile(context, kKey).value(), Outcome::Done());
  EXPECT_EQ(*client.Get<corev1::ConfigMap>(kKey)->data.find("text"), "Hello, World!\n");
  EXPECT_EQ(client.Get<Greeting>(kKey)->status.text, "Hello, World!\n");

  client.Delete<Greeting>(kKey).value();
  EXPECT_TRUE(client.Get<Greeting>(kKey)) << "the finalizer should hold it";
  EXPECT_EQ(reconciler.Reconcile(context, kKey).value(), Outcome::Done());
  EXPECT_TRUE(IsNotFound(client.Get<corev1::ConfigMap>(kKey).error()));
  EXPECT_TRUE(IsNotFound(client.Get<Greeting>(kKey).error()));
}

// What main does, without flags.
Result<void> RunGreetings(Client client, const StopToken& stop) {
  KEELSON_TRY(manager, Manager::Make(std::move(client)));
  hello::GreetingReconciler reconciler(manager.client(), manager.RecorderFor("greeting-controller"));
  KEELSON_RETURN_IF_ERROR(hello::AddGreetingController(manager, reconciler));
  return manager.Run(stop);
}

// The whole program, twenty times, each time with its threads in another order, and an hour that takes no time.
TEST(Greeting, ComesBackWhateverIsDoneToIt) {
  RunSeeds({.count = 20}, [](uint64_t) {
    auto control_plane = ControlPlane::Start({.crds = {CRDS}}).value();
    const Client client = control_plane->client();
    const OperatorProcess process(client, RunGreetings);

    client.Create(World()).value();
    Settle();
    EXPECT_EQ(*client.Get<corev1::ConfigMap>(kKey)->data.find("text"), "Hello, World!\n");

    Modify<corev1::ConfigMap>(client, kKey, [](corev1::ConfigMap& map) { map.data = {{"text", "Go away!"}}; }).value();
    Settle();
    EXPECT_EQ(*client.Get<corev1::ConfigMap>(kKey)->data.find("text"), "Hello, World!\n");
    EXPECT_EQ(ConditionOf<Greeting>(client, kKey), "Ready=True Greeted: the ConfigMap has the text");

    const int64_t writes = process.line().writes();
    Settle(1h);
    EXPECT_EQ(process.line().writes(), writes) << "nothing changed, and yet it wrote";

    client.Delete<Greeting>(kKey).value();
    Settle();
    EXPECT_TRUE(IsNotFound(client.Get<Greeting>(kKey).error()));
    EXPECT_TRUE(IsNotFound(client.Get<corev1::ConfigMap>(kKey).error()));
  });
}
