#include "keelson/apiserver/service_account_tokens.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "keelson/apiserver/api_server_test_support.h"
#include "keelson/apiserver/url_base64.h"
#include "keelson/core/simulation.h"

namespace keelson::apiserver {
namespace {

using testing::HasSubstr;

constexpr char kAccounts[] = "/api/v1/namespaces/default/serviceaccounts";
constexpr char kToken[] = "/api/v1/namespaces/default/serviceaccounts/default/token";
constexpr char kReviews[] = "/apis/authentication.k8s.io/v1/tokenreviews";
constexpr char kWhoAmI[] = "/apis/authentication.k8s.io/v1/selfsubjectreviews";

std::string TokenFor(TestServer& server, std::string_view spec = "{}") {
  const Reading made = server.Ask("POST", kToken, R"({"spec":)" + std::string(spec) + "}");
  EXPECT_EQ(made.status, 201) << made.body;
  return made.Text("status.token");
}
Reading Review(TestServer& server, const std::string& token, std::string_view more = "") {
  return server.Ask("POST", kReviews, R"({"spec":{"token":")" + token + "\"" + std::string(more) + "}}");
}
Reading WhoAmI(TestServer& server, const std::string& token) {
  return server.AskAs({}, "POST", kWhoAmI, "{}",
                      {{"Authorization", "Bearer " + token}, {"Content-Type", "application/json"}});
}

TEST(ServiceAccountTokens, ATokenIsItsAccount) {
  TestServer server;
  const std::string token = TokenFor(server);
  const Reading me = WhoAmI(server, token);
  ASSERT_EQ(me.status, 201) << me.body;
  EXPECT_EQ(me.Text("status.userInfo.username"), "system:serviceaccount:default:default");
  EXPECT_EQ(me.Text("status.userInfo.uid"),
            server.Ask("GET", std::string(kAccounts) + "/default").Text("metadata.uid"));
  EXPECT_EQ(me.Text("status.userInfo.groups"),
            R"(["system:serviceaccounts","system:serviceaccounts:default","system:authenticated"])");
  EXPECT_THAT(me.Text("status.userInfo.extra"), HasSubstr(R"("authentication.kubernetes.io/credential-id":["JTI=)"));
  const Reading review = Review(server, token);
  EXPECT_EQ(review.Text("status.authenticated"), "true") << review.body;
  EXPECT_EQ(review.Text("status.audiences"), R"(["https://kubernetes.default.svc.cluster.local"])");
}

TEST(ServiceAccountTokens, WhatWasNotSignedHereIsNobodys) {
  TestServer server, other;
  for (const std::string& token : {std::string("nonsense"), TokenFor(other), std::string("a.b.c"), std::string("..")}) {
    EXPECT_EQ(WhoAmI(server, token).status, 401);
    EXPECT_EQ(Review(server, token).Text("status"), R"({"error":"invalid bearer token","user":{}})");
  }
  // Other claims under the same signature.
  std::string token = TokenFor(server), claims;
  const size_t first = token.find('.'), last = token.rfind('.');
  ASSERT_TRUE(DecodeUrlBase64(std::string_view(token).substr(first + 1, last - first - 1), claims));
  claims.replace(claims.find("default"), 7, "another");
  EXPECT_EQ(WhoAmI(server, token.substr(0, first + 1) + EncodeUrlBase64(claims) + token.substr(last)).status, 401);
}

TEST(ServiceAccountTokens, OneForOthersIsNotForThisServer) {
  TestServer server;
  const std::string token = TokenFor(server, R"({"audiences":["vault"]})");
  EXPECT_EQ(WhoAmI(server, token).status, 401);
  EXPECT_THAT(Review(server, token).Text("status.error"), HasSubstr(R"(token audiences ["vault"] is invalid)"));
  const Reading review = Review(server, token, R"(,"audiences":["vault","else"])");
  EXPECT_EQ(review.Text("status.authenticated"), "true") << review.body;
  EXPECT_EQ(review.Text("status.audiences"), R"(["vault"])");
}

TEST(ServiceAccountTokens, ATokenEndsWithItsTimeItsAccountAndWhatItIsBoundTo) {
  Simulation simulation({.seed = 1});
  const Result<void> done = simulation.Run([] {
    TestServer server;
    const std::string brief = TokenFor(server, R"({"expirationSeconds":600})");
    (void)SleepFor(std::chrono::minutes(10), {});
    EXPECT_EQ(WhoAmI(server, brief).status, 201) << "clocks may differ by a minute";
    (void)SleepFor(std::chrono::minutes(2), {});
    EXPECT_EQ(WhoAmI(server, brief).status, 401);
    EXPECT_THAT(Review(server, brief).Text("status.error"), HasSubstr("service account token has expired"));

    const char* secrets = "/api/v1/namespaces/default/secrets";
    ASSERT_EQ(server.Ask("POST", secrets, R"({"metadata":{"name":"s"}})").status, 201);
    const std::string bound = TokenFor(server, R"({"boundObjectRef":{"kind":"Secret","apiVersion":"v1","name":"s"}})");
    EXPECT_EQ(WhoAmI(server, bound).status, 201);
    EXPECT_EQ(server.Ask("DELETE", std::string(secrets) + "/s").status, 200);
    EXPECT_EQ(WhoAmI(server, bound).status, 401);

    const std::string plain = TokenFor(server);
    // Another one takes its place at once.
    EXPECT_EQ(server.Ask("DELETE", std::string(kAccounts) + "/default").status, 200);
    EXPECT_EQ(WhoAmI(server, plain).status, 401);
  });
  EXPECT_TRUE(done) << done.error().message();
}

TEST(ServiceAccountTokens, ABoundTokenTellsOfItsPodAndNode) {
  TestServer server({.node = "only"});
  const Reading pod =
      server.Ask("POST", "/api/v1/namespaces/default/pods",
                 R"({"metadata":{"name":"p"},"spec":{"serviceAccountName":"default","nodeName":"only","containers":[)"
                 R"({"name":"a","image":"b"}]}})");
  ASSERT_EQ(pod.status, 201) << pod.body;
  const Reading me =
      WhoAmI(server, TokenFor(server, R"({"boundObjectRef":{"kind":"Pod","apiVersion":"v1","name":"p"}})"));
  ASSERT_EQ(me.status, 201) << me.body;
  const Json extra = me.At("status.userInfo.extra");
  EXPECT_EQ(ToJson(*extra.find("authentication.kubernetes.io/pod-name")), R"(["p"])");
  EXPECT_EQ(ToJson(*extra.find("authentication.kubernetes.io/pod-uid")), R"([")" + pod.Text("metadata.uid") + R"("])");
  EXPECT_EQ(ToJson(*extra.find("authentication.kubernetes.io/node-name")), R"(["only"])");
  EXPECT_NE(extra.find("authentication.kubernetes.io/node-uid"), nullptr);
}

TEST(ServiceAccountTokens, RequestsThatMakeNoSenseAreRefused) {
  TestServer server;
  const auto ask = [&](std::string_view body) { return server.Ask("POST", kToken, std::string(body)); };
  EXPECT_EQ(ask(R"({"spec":{"expirationSeconds":599}})").status, 422);
  EXPECT_EQ(ask(R"({"metadata":{"name":"other"},"spec":{}})").status, 422);
  EXPECT_EQ(ask(R"({"metadata":{"uid":"other"},"spec":{}})").status, 409);
  EXPECT_EQ(ask(R"({"spec":{"boundObjectRef":{"kind":"Pod","apiVersion":"v1","name":"none"}}})").status, 404);
  EXPECT_EQ(ask(R"({"spec":{"boundObjectRef":{"kind":"ConfigMap","apiVersion":"v1","name":"c"}}})").status, 400);
  EXPECT_EQ(server.Ask("POST", "/api/v1/namespaces/default/serviceaccounts/none/token", R"({"spec":{}})").status, 404);
}

}  // namespace
}  // namespace keelson::apiserver
