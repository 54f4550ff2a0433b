#include "keelson/controlplane/upkeep.h"

#include <gtest/gtest.h>

#include "keelson/api/coordination/v1.h"
#include "keelson/api/core/v1.h"
#include "keelson/api/status_error.h"
#include "keelson/controlplane/control_plane.h"
#include "keelson/core/clock.h"
#include "keelson/core/simulation.h"

namespace keelson {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

TEST(Upkeep, TheNodesLeaseIsRenewed) {
  Simulation simulation({.seed = 1});
  const Result<void> ran = simulation.Run([] {
    auto control_plane = ControlPlane::Start({.api_server = {.node = "only"}}).value();
    const Client client = control_plane->client();
    const auto renewed = [&] {
      return client.Get<coordinationv1::Lease>({"kube-node-lease", "only"}).value().spec.renewTime;
    };
    SleepFor(seconds(1), {});
    const auto first = renewed();
    SleepFor(seconds(25), {});
    EXPECT_NE(renewed(), first);
    // Taken away, it comes back.
    EXPECT_TRUE(client.Delete<coordinationv1::Lease>({"kube-node-lease", "only"}));
    SleepFor(seconds(10), {});
    EXPECT_TRUE(client.Get<coordinationv1::Lease>({"kube-node-lease", "only"}));
  });
  ASSERT_TRUE(ran) << ran.error().message();
}

TEST(Upkeep, AStateOfLongAgoHasExpired) {
  Simulation simulation({.seed = 1});
  const Result<void> ran = simulation.Run([] {
    auto control_plane = ControlPlane::Start({.api_server = {.node = "only"}, .history = minutes(5)}).value();
    const Client client = control_plane->client();
    const auto now = client.List<corev1::Namespace>().value();
    const ListOptions then = {.resource_version = now.metadata.resourceVersion.str(),
                              .version_match = VersionMatch::kExact};
    SleepFor(minutes(4), {});
    EXPECT_TRUE(client.List<corev1::Namespace>(then));
    SleepFor(minutes(2), {});
    const auto late = client.List<corev1::Namespace>(then);
    ASSERT_FALSE(late);
    EXPECT_TRUE(IsExpired(late.error())) << late.error().message();
  });
  ASSERT_TRUE(ran) << ran.error().message();
}

}  // namespace
}  // namespace keelson
