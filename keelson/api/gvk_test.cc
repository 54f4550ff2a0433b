#include "keelson/api/gvk.h"

#include <gtest/gtest.h>

#include <unordered_map>

namespace keelson {
namespace {

TEST(GroupVersion, ReadsWhatItPrints) {
  EXPECT_EQ(*GroupVersion::Parse("apps/v1"), (GroupVersion{"apps", "v1"}));
  EXPECT_EQ(*GroupVersion::Parse("v1"), (GroupVersion{"", "v1"}));
  EXPECT_EQ(*GroupVersion::Parse("/v1"), (GroupVersion{"", "v1"}));
  EXPECT_TRUE(GroupVersion::Parse("")->empty());
  EXPECT_TRUE(GroupVersion::Parse("/")->empty());
  EXPECT_EQ((GroupVersion{"apps", "v1"}).ToString(), "apps/v1");
  EXPECT_EQ((GroupVersion{"", "v1"}).ToString(), "v1");
  const Result<GroupVersion> wrong = GroupVersion::Parse("a/b/c");
  ASSERT_FALSE(wrong.has_value());
  EXPECT_EQ(wrong.error().message(), "unexpected GroupVersion string: a/b/c");
}

TEST(GroupVersionKind, PrintsAsKubernetesDoes) {
  EXPECT_EQ((GroupVersionKind{"apps", "v1", "Deployment"}).ToString(), "apps/v1, Kind=Deployment");
  EXPECT_EQ((GroupVersionKind{"", "v1", "Pod"}).ToString(), "/v1, Kind=Pod");
  EXPECT_EQ((GroupVersionResource{"apps", "v1", "deployments"}).ToString(), "apps/v1, Resource=deployments");
  EXPECT_EQ((GroupKind{"apps", "Deployment"}).ToString(), "Deployment.apps");
  EXPECT_EQ((GroupKind{"", "Pod"}).ToString(), "Pod");
  EXPECT_EQ((GroupResource{"apps", "deployments"}).ToString(), "deployments.apps");
  EXPECT_EQ((GroupResource{"", "pods"}).ToString(), "pods");
}

TEST(GroupVersionKind, ComesFromApiVersionAndKind) {
  EXPECT_EQ(*GroupVersionKind::FromApiVersion("apps/v1", "Deployment"), (GroupVersionKind{"apps", "v1", "Deployment"}));
  EXPECT_FALSE(GroupVersionKind::FromApiVersion("a/b/c", "Deployment").has_value());
  const GroupVersionKind kind = {"apps", "v1", "Deployment"};
  EXPECT_EQ(kind.group_version().WithKind("Deployment"), kind);
  EXPECT_EQ(kind.group_kind().WithVersion("v1"), kind);
  const GroupVersionResource resource = {"apps", "v1", "deployments"};
  EXPECT_EQ(resource.group_version().WithResource("deployments"), resource);
  EXPECT_EQ(resource.group_resource().WithVersion("v1"), resource);
}

TEST(ResourceArgument, IsReadBothWays) {
  const ResourceArgument full = ResourceArgument::Parse("deployments.v1.apps");
  EXPECT_EQ(full.with_version, (GroupVersionResource{"apps", "v1", "deployments"}));
  EXPECT_EQ(full.without_version, (GroupResource{"v1.apps", "deployments"}));
  const ResourceArgument dotted = ResourceArgument::Parse("certificates.v1.cert-manager.io");
  EXPECT_EQ(dotted.with_version, (GroupVersionResource{"cert-manager.io", "v1", "certificates"}));
  EXPECT_EQ(ResourceArgument::Parse("deployments.apps").with_version, std::nullopt);
  EXPECT_EQ(ResourceArgument::Parse("deployments.apps").without_version, (GroupResource{"apps", "deployments"}));
  EXPECT_EQ(ResourceArgument::Parse("pods").without_version, (GroupResource{"", "pods"}));
  // The core group, with a version.
  EXPECT_EQ(ResourceArgument::Parse("pods.v1.").with_version, (GroupVersionResource{"", "v1", "pods"}));
}

TEST(KindArgument, IsReadBothWays) {
  const KindArgument full = KindArgument::Parse("Deployment.v1.apps");
  EXPECT_EQ(full.with_version, (GroupVersionKind{"apps", "v1", "Deployment"}));
  EXPECT_EQ(full.without_version, (GroupKind{"v1.apps", "Deployment"}));
  EXPECT_EQ(KindArgument::Parse("Pod").with_version, std::nullopt);
  EXPECT_EQ(KindArgument::Parse("Pod").without_version, (GroupKind{"", "Pod"}));
}

TEST(GroupVersionKind, IsAKeyOfMaps) {
  std::unordered_map<GroupVersionKind, int> by_kind = {{{"apps", "v1", "Deployment"}, 1}, {{"", "v1", "Pod"}, 2}};
  EXPECT_EQ(by_kind.at({"", "v1", "Pod"}), 2);
  EXPECT_NE(std::hash<GroupVersionKind>()({"a", "b", "c"}), std::hash<GroupVersionKind>()({"b", "a", "c"}));
  EXPECT_LT((GroupVersionKind{"", "v1", "Pod"}), (GroupVersionKind{"apps", "v1", "Deployment"}));
}

}  // namespace
}  // namespace keelson
