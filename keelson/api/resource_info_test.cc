#include "keelson/api/resource_info.h"

#include <gtest/gtest.h>

#include "keelson/api/apps/v1.h"
#include "keelson/api/core/v1.h"
#include "keelson/api/object.h"
#include "keelson/api/storage/v1.h"

namespace keelson {
namespace {

TEST(ResourceInfo, BuiltinKindsAreKnown) {
  constexpr const ResourceInfo& deployments = ResourceOf<appsv1::Deployment>();
  EXPECT_EQ(deployments.plural, "deployments");
  EXPECT_EQ(deployments.singular, "deployment");
  EXPECT_TRUE(deployments.namespaced);
  EXPECT_TRUE(deployments.has_status);
  EXPECT_TRUE(deployments.has_scale);
  EXPECT_FALSE(ResourceOf<corev1::Node>().namespaced);
  EXPECT_FALSE(ResourceOf<corev1::ConfigMap>().has_status);
  EXPECT_EQ(ResourceOf<corev1::Endpoints>().plural, "endpoints");
  EXPECT_EQ(ResourceOf<storagev1::CSIStorageCapacity>().plural, "csistoragecapacities");
}

TEST(ResourceInfo, TypesThatAreNotServedHaveNone) {
  EXPECT_TRUE(ApiResource<corev1::Pod>);
  EXPECT_FALSE(ApiResource<corev1::PodList>);
  EXPECT_FALSE(ApiResource<corev1::PodSpec>);
}

TEST(ResourceInfo, GivesTheResourceOfAType) {
  EXPECT_EQ(GvrOf<appsv1::Deployment>(), (GroupVersionResource{"apps", "v1", "deployments"}));
  EXPECT_EQ(GvrOf<corev1::Pod>(), (GroupVersionResource{"", "v1", "pods"}));
}

}  // namespace
}  // namespace keelson
