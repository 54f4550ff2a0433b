// The code of docs/apiserver.md.
#include <gtest/gtest.h>

#include "keelson/api/core/v1.h"
#include "keelson/api/status_error.h"
#include "keelson/controlplane/control_plane.h"

namespace keelson {
namespace {

TEST(ApiServerGuide, ATestBringsItsOwnCluster) {
  // snippet: control plane
  ControlPlane control_plane;
  Client client = control_plane.client();  // of an administrator
  Client bob = control_plane.ClientAs("bob", {"dev"});

  Result<corev1::ConfigMap> made =
      client.Create(corev1::ConfigMap{.metadata = {.name = "settings", .namespace_ = "default"}});
  ASSERT_TRUE(made) << made.error().message();
  Result<corev1::ConfigMap> refused = bob.Get<corev1::ConfigMap>({.namespace_ = "default", .name = "settings"});
  EXPECT_TRUE(IsForbidden(refused.error()));
  // end
}

}  // namespace
}  // namespace keelson
