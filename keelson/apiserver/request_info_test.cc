#include "keelson/apiserver/request_info.h"

#include <gtest/gtest.h>

#include "keelson/apiserver/content.h"
#include "keelson/apiserver/continue_token.h"
#include "keelson/apiserver/user.h"

namespace keelson::apiserver {
namespace {

RequestInfo Parsed(std::string_view method, std::string_view path, std::string_view query = "") {
  return ParseRequest(method, path, Query::Parse(query));
}

TEST(RequestInfo, NamesEveryPartOfAPath) {
  const RequestInfo info = Parsed("GET", "/apis/apps/v1/namespaces/default/deployments/web/scale");
  EXPECT_TRUE(info.is_resource);
  EXPECT_EQ(info.verb, "get");
  EXPECT_EQ(info.group, "apps");
  EXPECT_EQ(info.version, "v1");
  EXPECT_EQ(info.namespace_, "default");
  EXPECT_EQ(info.resource, "deployments");
  EXPECT_EQ(info.name, "web");
  EXPECT_EQ(info.subresource, "scale");
}

TEST(RequestInfo, ANamespaceIsAResourceToo) {
  EXPECT_EQ(Parsed("GET", "/api/v1/namespaces/n").resource, "namespaces");
  EXPECT_EQ(Parsed("GET", "/api/v1/namespaces/n").name, "n");
  EXPECT_EQ(Parsed("PUT", "/api/v1/namespaces/n/finalize").subresource, "finalize");
  EXPECT_EQ(Parsed("GET", "/api/v1/namespaces/n/pods").resource, "pods");
}

TEST(RequestInfo, TheVerbFollowsFromMethodNameAndQuery) {
  EXPECT_EQ(Parsed("GET", "/api/v1/pods").verb, "list");
  EXPECT_EQ(Parsed("GET", "/api/v1/pods", "watch=1").verb, "watch");
  EXPECT_EQ(Parsed("GET", "/api/v1/pods", "watch=false").verb, "list");
  EXPECT_EQ(Parsed("GET", "/api/v1/watch/pods").verb, "watch");
  EXPECT_EQ(Parsed("DELETE", "/api/v1/nodes").verb, "deletecollection");
  EXPECT_EQ(Parsed("DELETE", "/api/v1/nodes/n").verb, "delete");
  EXPECT_EQ(Parsed("OPTIONS", "/api/v1/nodes/n").verb, "");
}

TEST(RequestInfo, OddPathsAreNoResources) {
  for (const std::string_view path : {"/", "/api", "/api/v1", "/apis/apps/v1", "/healthz", "//api/v1/pods",
                                      "/api/v1/pods/a%2Fb", "/api/v1/pods/%zz"}) {
    EXPECT_FALSE(Parsed("GET", path).is_resource) << path;
  }
}

TEST(Query, IsDecoded) {
  const Query query = Query::Parse("labelSelector=a%3Db%2Cc&empty&x=1+2&x=3&dryRun=");
  EXPECT_EQ(query.Text("labelSelector"), "a=b,c");
  EXPECT_EQ(query.Text("x"), "1 2");
  EXPECT_EQ(query.All("x"), (std::vector<std::string>{"1 2", "3"}));
  EXPECT_TRUE(query.Find("empty"));
  EXPECT_FALSE(query.Find("missing"));
  EXPECT_FALSE(Query::Parse("a=%4").Find("a"));
}

TEST(MastersOnly, OthersSeeDiscoveryAndThemselvesOnly) {
  const User bob{.name = "bob", .groups = {"system:authenticated"}};
  const User nobody{.name = "system:anonymous", .groups = {"system:unauthenticated"}};
  const auto may = [](const User& user, std::string_view method, std::string_view path) {
    return MastersOnly().Authorize(user, ParseRequest(method, path, {})).allowed;
  };
  for (const std::string_view path : {"/healthz", "/livez", "/readyz", "/version"}) {
    EXPECT_TRUE(may(nobody, "GET", path)) << path;
    EXPECT_TRUE(may(bob, "GET", path)) << path;
  }
  for (const std::string_view path :
       {"/api", "/api/v1", "/apis", "/apis/apps/v1", "/openapi/v2", "/openapi/v3/api/v1"}) {
    EXPECT_FALSE(may(nobody, "GET", path)) << path;
    EXPECT_TRUE(may(bob, "GET", path)) << path;
  }
  for (const std::string_view path : {"/", "/metrics", "/healthz/ping", "/apisix", "/api/v1/pods"}) {
    EXPECT_FALSE(may(bob, "GET", path)) << path;
  }
  EXPECT_TRUE(may(bob, "POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"));
  EXPECT_TRUE(may(bob, "POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews"));
  EXPECT_FALSE(may(bob, "POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews"));
  EXPECT_FALSE(may(nobody, "POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"));
}

TEST(ContinueToken, ReadsBackWhatItWrote) {
  const ContinueToken token{.revision = 42, .after_namespace = "default", .after_name = "web"};
  const Result<ContinueToken> read = ContinueToken::Parse(token.Encode());
  ASSERT_TRUE(read);
  EXPECT_EQ(read->revision, 42);
  EXPECT_EQ(read->after_namespace, "default");
  EXPECT_EQ(read->after_name, "web");
}

TEST(ContinueToken, RefusesWhatItDidNotWrite) {
  for (const std::string_view text : {"abc", "e30", "!", "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MCwic3RhcnQiOiJhIn0"}) {
    EXPECT_FALSE(ContinueToken::Parse(text)) << text;
  }
}

Result<Representation> Accepted(std::string accept, Answer answer = Answer::kList) {
  return Negotiate({{"Accept", std::move(accept)}}, answer, false);
}

TEST(Content, TheFirstClauseThatCanBeMetCounts) {
  EXPECT_EQ(Accepted("application/json;as=Table;v=v1;g=meta.k8s.io,application/json")->view, View::kTable);
  EXPECT_EQ(Accepted("application/json;as=Table;v=v9;g=meta.k8s.io,application/json")->view, View::kWhole);
  EXPECT_EQ(Accepted("application/vnd.kubernetes.protobuf,application/json")->format, Format::kProtobuf);
  EXPECT_EQ(Accepted("text/html, */*")->format, Format::kJson);
  EXPECT_EQ(Accepted("application/json;q=0.5,application/yaml;q=0.9")->format, Format::kYaml);
  EXPECT_EQ(Accepted("application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io")->view, View::kMetadata);
  EXPECT_FALSE(Accepted("text/html"));
  EXPECT_FALSE(Accepted("application/yaml", Answer::kWatch));
}

TEST(Content, BodiesOfOtherTypesAreRefused) {
  EXPECT_EQ(*BodyFormat({}), Format::kJson);
  EXPECT_EQ(*BodyFormat({{"Content-Type", "application/yaml; charset=utf-8"}}), Format::kYaml);
  EXPECT_FALSE(BodyFormat({{"Content-Type", "text/plain"}}));
  EXPECT_EQ(PatchKindOf("application/json-patch+json"), PatchKind::kJson);
  EXPECT_FALSE(PatchKindOf("application/json"));
}

}  // namespace
}  // namespace keelson::apiserver
