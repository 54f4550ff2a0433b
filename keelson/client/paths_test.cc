#include "keelson/client/paths.h"

#include <gtest/gtest.h>

namespace keelson {
namespace {

const Resource kPods = {.version = "v1", .plural = "pods", .scope = ResourceScope::kNamespaced};
const Resource kNodes = {.version = "v1", .plural = "nodes", .scope = ResourceScope::kCluster};
const Resource kWidgets = {.group = "example.com", .version = "v1", .plural = "widgets"};

TEST(Paths, FollowGroupNamespaceAndName) {
  EXPECT_EQ(*ResourcePath(kPods, "default", "web", "log"), "/api/v1/namespaces/default/pods/web/log");
  EXPECT_EQ(*ResourcePath(kPods, ""), "/api/v1/pods");
  EXPECT_EQ(*ResourcePath(kNodes, "ignored", "n"), "/api/v1/nodes/n");
  EXPECT_EQ(*ResourcePath(kWidgets, "", "one"), "/apis/example.com/v1/widgets/one");
  EXPECT_EQ(*ResourcePath(kWidgets, "a", "one", "proxy/a b/c"),
            "/apis/example.com/v1/namespaces/a/widgets/one/proxy/a%20b/c");
  EXPECT_EQ(GroupVersionPath({"", "v1"}), "/api/v1");
  EXPECT_EQ(GroupVersionPath({"apps", "v1"}), "/apis/apps/v1");
}

TEST(Paths, RefuseWhatWouldMeanAnotherPath) {
  EXPECT_FALSE(ResourcePath(kPods, "..", "web"));
  EXPECT_FALSE(ResourcePath(kPods, "default", "a/b"));
  EXPECT_FALSE(ResourcePath(kPods, "default", "%2e%2e"));
  EXPECT_FALSE(ResourcePath(kPods, "default", "", "log"));
  EXPECT_FALSE(ResourcePath(kPods, "default", "web", "proxy/../../secrets"));
  EXPECT_FALSE(ResourcePath({}, "default", "web"));
}

TEST(Paths, NamesWithColonsAreEncoded) {
  const Resource roles{.group = "rbac.authorization.k8s.io", .version = "v1", .plural = "clusterroles"};
  EXPECT_EQ(*ResourcePath(roles, "", "system:node"), "/apis/rbac.authorization.k8s.io/v1/clusterroles/system%3Anode");
}

TEST(Query, EscapesKeysAndValues) {
  EXPECT_EQ(Query().Add("limit", 500).Add("labelSelector", "a in (b,c)").Add("watch", true).AddText("x", "").ToString(),
            "limit=500&labelSelector=a%20in%20%28b%2Cc%29&watch=true");
}

}  // namespace
}  // namespace keelson
