#include "keelson/codegen/type_scaffold.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace keelson::codegen {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(SnakeCase, SplitsAtCapitals) {
  EXPECT_EQ(SnakeCase("AppService"), "app_service");
  EXPECT_EQ(SnakeCase("HTTPRoute"), "http_route");
  EXPECT_EQ(SnakeCase("App"), "app");
  EXPECT_EQ(SnakeCase("ClusterIPRange2"), "cluster_ip_range2");
}

TEST(ScaffoldType, PutsTheKindWhereItBelongs) {
  const auto file = ScaffoldType({.kind = "HTTPRoute", .group = "gateway.example.com", .version = "v1beta1"});
  ASSERT_TRUE(file) << file.error().message();
  EXPECT_EQ(file->path, "api/v1beta1/http_route.h");
  EXPECT_THAT(file->content, HasSubstr("// +groupName=gateway.example.com\n"));
  EXPECT_THAT(file->content, HasSubstr("namespace http_route::v1beta1 {"));
  EXPECT_THAT(file->content, HasSubstr("struct HTTPRoute {\n  keelson::metav1::ObjectMeta metadata;\n"));
  EXPECT_THAT(file->content, Not(HasSubstr("scope=Cluster")));
}

TEST(ScaffoldType, MarksClusterScope) {
  const auto file = ScaffoldType({.kind = "Zone", .cpp_namespace = "dns", .cluster_scoped = true});
  ASSERT_TRUE(file);
  EXPECT_THAT(file->content, HasSubstr("// +kubebuilder:resource:scope=Cluster\n"));
  EXPECT_THAT(file->content, HasSubstr("// +genclient:nonNamespaced\n"));
  EXPECT_THAT(file->content, HasSubstr("namespace dns::v1alpha1 {"));
}

TEST(ScaffoldType, RefusesNamesThatAServerWouldRefuse) {
  for (const char* kind : {"", "app", "App-Service", "App Service", "App::Inner"}) {
    EXPECT_FALSE(ScaffoldType({.kind = kind})) << kind;
  }
  for (const char* group : {"", "apps", "Apps.example.com", "apps_example.com"}) {
    EXPECT_FALSE(ScaffoldType({.kind = "App", .group = group})) << group;
  }
  for (const char* version : {"", "1", "v", "version", "v1_beta", "v1.0"}) {
    EXPECT_FALSE(ScaffoldType({.kind = "App", .version = version})) << version;
  }
}

}  // namespace
}  // namespace keelson::codegen
