#include "keelson/client/discovery.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "keelson/client/scripted_server_test_support.h"

namespace keelson {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

const ServedResource* FindServed(const Served& served, const GroupVersionResource& wanted) {
  for (const ServedResource& one : served.resources) {
    if (one.resource.gvr() == wanted) return &one;
  }
  return nullptr;
}

void ExpectDeployments(const Served& served) {
  const ServedResource* deployments = FindServed(served, {"apps", "v1", "deployments"});
  ASSERT_NE(deployments, nullptr);
  EXPECT_EQ(deployments->resource.kind, "Deployment");
  EXPECT_EQ(deployments->resource.scope, ResourceScope::kNamespaced);
  EXPECT_EQ(deployments->singular, "deployment");
  EXPECT_THAT(deployments->short_names, ElementsAre("deploy"));
  EXPECT_THAT(deployments->categories, ElementsAre("all"));
  EXPECT_THAT(deployments->verbs, Contains("deletecollection"));
  ASSERT_EQ(deployments->subresources.size(), 2u);
  const auto scale = std::find_if(deployments->subresources.begin(), deployments->subresources.end(),
                                  [](const ServedSubresource& one) { return one.name == "scale"; });
  ASSERT_NE(scale, deployments->subresources.end());
  EXPECT_EQ(scale->kind, (GroupVersionKind{"autoscaling", "v1", "Scale"}));
  const ServedResource* nodes = FindServed(served, {"", "v1", "nodes"});
  ASSERT_NE(nodes, nullptr);
  EXPECT_EQ(nodes->resource.scope, ResourceScope::kCluster);
}

TEST(Discovery, TwoRequestsWhereTheServerAggregates) {
  ScriptedServer server;
  server.AnswerRecorded("discovery api");
  server.AnswerRecorded("discovery apis");
  const Client client = server.client();
  const Result<Served> served = client.discovery().Fetch();
  ASSERT_TRUE(served) << served.error().message();
  EXPECT_GT(served->groups.size(), 10u);
  EXPECT_EQ(served->groups[0].name, "");
  EXPECT_TRUE(served->failed.empty());
  ExpectDeployments(*served);
}

TEST(Discovery, OneForEachGroupVersionWhereItDoesNot) {
  ScriptedServer server;
  server.AnswerJson(200, Recorded("legacy api").body);
  server.AnswerRecorded("legacy core v1");
  server.AnswerJson(200, R"({"kind":"APIGroupList","apiVersion":"v1","groups":[
      {"name":"apps","versions":[{"groupVersion":"apps/v1beta1","version":"v1beta1"},{"groupVersion":"apps/v1","version":"v1"}],
       "preferredVersion":{"groupVersion":"apps/v1","version":"v1"}}]})");
  server.AnswerRecorded("legacy apps v1");
  server.AnswerJson(503, R"({"kind":"Status","status":"Failure","message":"no endpoints","code":503})");
  const Client client = server.client();
  const Result<Served> served = client.discovery().Fetch();
  ASSERT_TRUE(served) << served.error().message();
  ASSERT_EQ(served->groups.size(), 2u);
  EXPECT_THAT(served->groups[1].versions, ElementsAre("v1", "v1beta1"));
  ASSERT_EQ(served->failed.size(), 1u);
  EXPECT_EQ(served->failed[0].group_version, (GroupVersion{"apps", "v1beta1"}));
  ExpectDeployments(*served);
}

TEST(Discovery, AForbiddenServerIsAnError) {
  ScriptedServer server;
  server.AnswerJson(403, R"({"kind":"Status","status":"Failure","message":"no","reason":"Forbidden","code":403})");
  const Client client = server.client();
  const Result<Served> served = client.discovery().Fetch();
  ASSERT_FALSE(served);
  EXPECT_EQ(served.error().code(), ErrorCode::kForbidden);
}

TEST(Discovery, KnowsTheServersVersion) {
  ScriptedServer server;
  server.AnswerRecorded("version");
  const Client client = server.client();
  const Result<ServerVersion> version = client.discovery().Version();
  ASSERT_TRUE(version);
  EXPECT_EQ(version->major, "1");
  EXPECT_EQ(version->git_version, "v1.36.3");
}

}  // namespace
}  // namespace keelson
