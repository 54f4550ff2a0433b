#include <gtest/gtest.h>

#include "greeting_reconciler.h"
#include "keelson/api/core/v1.h"
#include "keelson/api/status_error.h"
#include "keelson/controlplane/control_plane.h"
#include "keelson/core/clock.h"
#include "keelson/core/simulation.h"
#include "keelson/core/thread.h"

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

// The whole program, twenty times, each time with its threads in another order, and an hour that takes no time.
TEST(Greeting, ComesBackWhateverIsDoneToIt) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Simulation simulation({.seed = seed});
    const Result<void> run = simulation.Run([] {
      auto control_plane = ControlPlane::Start({.crds = {CRDS}}).value();
      const Client client = control_plane->client();
      Manager manager = Manager::Make(client).value();
      hello::GreetingReconciler reconciler(manager.client(), manager.RecorderFor("greeting-controller"));
      hello::AddGreetingController(manager, reconciler).value();
      Thread running("manager", [&](const StopToken& stop) { manager.Run(stop).value(); });

      client.Create(World()).value();
      (void)SleepFor(1min, {});
      corev1::ConfigMap map = client.Get<corev1::ConfigMap>(kKey).value();
      EXPECT_EQ(*map.data.find("text"), "Hello, World!\n");

      map.data = {{"text", "Go away!"}};
      client.Update(map).value();
      (void)SleepFor(1min, {});
      map = client.Get<corev1::ConfigMap>(kKey).value();
      EXPECT_EQ(*map.data.find("text"), "Hello, World!\n");

      (void)SleepFor(1h, {});
      EXPECT_EQ(client.Get<corev1::ConfigMap>(kKey)->metadata.resourceVersion, map.metadata.resourceVersion)
          << "nothing changed, and yet it wrote";

      client.Delete<Greeting>(kKey).value();
      (void)SleepFor(1min, {});
      EXPECT_TRUE(IsNotFound(client.Get<Greeting>(kKey).error()));
      EXPECT_TRUE(IsNotFound(client.Get<corev1::ConfigMap>(kKey).error()));
    });
    ASSERT_TRUE(run) << "seed " << seed << ": " << run.error().message();
  }
}
