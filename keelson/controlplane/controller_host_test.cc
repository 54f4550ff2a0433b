#include "keelson/controlplane/controller_host.h"

#include <gtest/gtest.h>

#include "keelson/api/apps/v1.h"
#include "keelson/api/core/v1.h"
#include "keelson/controlplane/control_plane.h"
#include "keelson/core/clock.h"
#include "keelson/core/simulation.h"

namespace keelson {
namespace {

using namespace std::chrono_literals;

appsv1::Deployment Web() {
  const Map<String> app = {{"app", "web"}};
  return {.metadata = {.name = "web", .namespace_ = "default"},
          .spec = {.replicas = 3,
                   .selector = {{.matchLabels = app}},
                   .template_ = {.metadata = {.labels = app, .annotations = {{"keelson.dev/pod-start-delay", "1h"}}},
                                 .spec = {.containers = {{.name = "app", .image = "web:1"}}}}}};
}

// How many are available after this time.
int32_t AvailableAfter(Duration passed, ControlPlaneOptions options) {
  int32_t available = -1;
  Simulation simulation({.seed = 7});
  const Result<void> run = simulation.Run([&] {
    const auto control_plane = ControlPlane::Start(std::move(options)).value();
    const Client client = control_plane->client();
    ASSERT_TRUE(client.Create(Web()));
    (void)SleepFor(passed, {});
    available = client.Get<appsv1::Deployment>({"default", "web"})->status.availableReplicas;
  });
  EXPECT_TRUE(run) << run.error().message();
  return available;
}

TEST(ControllerHost, ADeploymentRunsOnTheNodesThatWereAskedFor) {
  EXPECT_EQ(AvailableAfter(50min, {.controllers = {"*"}, .nodes = {"a", "b"}}), 0);
  EXPECT_EQ(AvailableAfter(70min, {.controllers = {"*"}, .nodes = {"a", "b"}}), 3);
}

TEST(ControllerHost, PodsGoFasterWhenToldTo) {
  EXPECT_EQ(AvailableAfter(70s, {.controllers = {"*"}, .nodes = {"a"}, .pod_speed = 60}), 3);
}

TEST(ControllerHost, WithoutASchedulerNothingRuns) {
  EXPECT_EQ(AvailableAfter(2h, {.controllers = {"*", "-scheduler"}, .nodes = {"a"}}), 0);
}

TEST(ControllerHost, AControllerThatThereIsNotIsAnError) {
  const auto started = ControlPlane::Start({.controllers = {"deployments"}});
  ASSERT_FALSE(started);
  EXPECT_NE(started.error().message().find("deployment-controller"), std::string::npos) << started.error().message();
}

}  // namespace
}  // namespace keelson
