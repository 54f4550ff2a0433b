#include "keelson/apiserver/authentication.h"

#include <gtest/gtest.h>

#include "keelson/api/status_error.h"
#include "keelson/apiserver/impersonation.h"
#include "keelson/codec/json_writer.h"

namespace keelson::apiserver {
namespace {

using Groups = std::vector<std::string>;

ServerRequest WithHeader(const std::string& value) { return {.headers = {{"authorization", value}}}; }

const Authenticator& TheAuthenticator() {
  static const Authenticator authenticator(
      {.tokens = {{"s3cret", {.name = "ci", .uid = "7", .groups = {"system:masters"}}}, {"other", {.name = "other"}}}});
  return authenticator;
}

std::string NameOf(const ServerRequest& request) {
  const Result<User> user = TheAuthenticator().Authenticate(request);
  return user ? user->name : user.error().message();
}

TEST(Authenticator, TokensNameTheirUsers) {
  const Result<User> user = TheAuthenticator().Authenticate(WithHeader("Bearer s3cret"));
  ASSERT_TRUE(user);
  EXPECT_EQ(user->name, "ci");
  EXPECT_EQ(user->uid, "7");
  EXPECT_EQ(user->groups, Groups({"system:masters", "system:authenticated"}));
  EXPECT_EQ(NameOf(WithHeader("bearer other")), "other");
  EXPECT_EQ(NameOf(WithHeader(" BEARER s3cret more")), "ci");
}

TEST(Authenticator, WrongTokensAreUnauthorized) {
  for (const char* value : {"Bearer wrong", "Bearer s3cre", "Bearer s3cret2", "Bearer S3CRET"}) {
    const Result<User> user = TheAuthenticator().Authenticate(WithHeader(value));
    ASSERT_FALSE(user) << value;
    EXPECT_EQ(
        ToJson(ToStatus(user.error())),
        R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"Unauthorized","reason":"Unauthorized","code":401})");
  }
}

TEST(Authenticator, WhoShowsNothingIsAnonymous) {
  for (const char* value : {"", "Bearer", "Bearer ", "Bearer   s3cret", "Basic czNjcmV0", "s3cret"}) {
    EXPECT_EQ(NameOf(WithHeader(value)), "system:anonymous") << value;
  }
  const Result<User> user = TheAuthenticator().Authenticate({});
  ASSERT_TRUE(user);
  EXPECT_EQ(user->groups, Groups({"system:unauthenticated"}));
}

TEST(Authenticator, ACertificateGoesBeforeAToken) {
  ServerRequest request = WithHeader("Bearer wrong");
  request.peer = std::make_shared<Peer>(Peer{.common_name = "bob", .organizations = {"dev"}});
  const Result<User> user = TheAuthenticator().Authenticate(request);
  ASSERT_TRUE(user);
  EXPECT_EQ(user->name, "bob");
  EXPECT_EQ(user->groups, Groups({"dev", "system:authenticated"}));
  EXPECT_TRUE(user->extra.empty());
}

// A certificate whose fingerprint another program computed: openssl x509 -fingerprint -sha256.
constexpr std::string_view kPem = R"(-----BEGIN CERTIFICATE-----
MIIBRDCB6wIUWaWkHS8K98f4hQRFGCJfKDOswk4wCgYIKoZIzj0EAwIwJTEOMAwG
A1UEAwwFY2Fyb2wxEzARBgkrBgEEAYPCUwIMBHUtMTcwHhcNMjYxMTE2MDA1NzU5
WhcNMzYxMTEzMDA1NzU5WjAlMQ4wDAYDVQQDDAVjYXJvbDETMBEGCSsGAQQBg8JT
AgwEdS0xNzBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABBZ6teyZmSDFTKR1azNz
ur3iN3f/pYhDcp4oJMKz450EGEwU9v8vp3P9TNKZEotQQIGL34z6GmL1HI5t424x
jIUwCgYIKoZIzj0EAwIDSAAwRQIgA4UG8Gy1KjpOQnsINbICkYg2iSl/GuM1IDs4
s3A2EiYCIQDtEp2aASbTGO1ip6A+UXLxibS9ACCcUYz2jVIrbRP7kg==
-----END CERTIFICATE-----
)";
constexpr std::string_view kFingerprint = "f597679ae33dc1baa882a8b0893df01f38b3b3bef7d92ed85c128d6a9e3c3eac";

TEST(Authenticator, ACertificateIsKnownByItsFingerprintAndMayCarryAUid) {
  ServerRequest request;
  request.peer = std::make_shared<Peer>(Peer{.common_name = "carol", .certificate_pem = std::string(kPem)});
  for (int round = 0; round < 2; ++round) {  // the second from what was kept
    const Result<User> user = TheAuthenticator().Authenticate(request);
    ASSERT_TRUE(user);
    EXPECT_EQ(user->name, "carol");
    EXPECT_EQ(user->uid, "u-17");
    EXPECT_EQ(user->extra.at("authentication.kubernetes.io/credential-id"),
              Groups({"X509SHA256=" + std::string(kFingerprint)}));
  }
}

// Allows system:masters everything, and others the verbs and resources in `rules`.
class TestAuthorizer : public Authorizer {
 public:
  std::vector<std::pair<std::string, std::string>> rules;

  Decision Authorize(const User& user, const RequestInfo& request) const override {
    if (user.InGroup(kMastersGroup)) return {.allowed = true};
    for (const auto& [verb, resource] : rules) {
      if (verb == request.verb && resource == request.resource) return {.allowed = true};
    }
    return {.allowed = false};
  }
};

const User kAdmin = {.name = "admin", .groups = {"system:masters", "system:authenticated"}};
const User kBob = {.name = "bob", .groups = {"dev", "system:authenticated"}};
const RequestInfo kListPods = {
    .is_resource = true, .path = "/api/v1/pods", .verb = "list", .version = "v1", .resource = "pods"};

Result<User> Become(const Headers& headers, const User& user = kAdmin, const TestAuthorizer& authorizer = {},
                    const RequestInfo& info = kListPods) {
  return ActingUser(user, headers, info, authorizer);
}

TEST(Impersonation, NobodyIsImpersonatedWithoutTheHeaders) {
  const Result<User> user = Become({{"Accept", "x"}}, kBob);
  ASSERT_TRUE(user);
  EXPECT_EQ(user->name, "bob");
  EXPECT_EQ(user->groups, kBob.groups);
}

TEST(Impersonation, TakesNameUidGroupsAndExtra) {
  const Result<User> user = Become({{"Impersonate-User", "ann"},
                                    {"impersonate-group", "b"},
                                    {"Impersonate-Group", "a"},
                                    {"Impersonate-Extra-Scopes", "x"},
                                    {"impersonate-extra-scopes", "y"},
                                    {"Impersonate-Extra-acme%2fThing", "z"},
                                    {"Impersonate-Uid", "7"}});
  ASSERT_TRUE(user) << user.error().message();
  EXPECT_EQ(user->name, "ann");
  EXPECT_EQ(user->uid, "7");
  EXPECT_EQ(user->groups, Groups({"b", "a", "system:authenticated"}));
  EXPECT_EQ(user->extra, (std::map<std::string, Groups>{{"acme/thing", {"z"}}, {"scopes", {"x", "y"}}}));
}

TEST(Impersonation, KnownKindsOfUsersGetTheirGroups) {
  EXPECT_EQ(Become({{"Impersonate-User", "system:serviceaccount:n:s"}})->groups,
            Groups({"system:serviceaccounts", "system:serviceaccounts:n", "system:authenticated"}));
  EXPECT_EQ(Become({{"Impersonate-User", "system:serviceaccount:n:s"}, {"Impersonate-Group", "g"}})->groups,
            Groups({"g", "system:authenticated"}));
  EXPECT_EQ(Become({{"Impersonate-User", "system:node:a"}})->groups, Groups({"system:nodes", "system:authenticated"}));
  EXPECT_EQ(Become({{"Impersonate-User", "system:anonymous"}})->groups, Groups({"system:unauthenticated"}));
  EXPECT_EQ(Become({{"Impersonate-User", "ann"}, {"Impersonate-Group", "system:unauthenticated"}})->groups,
            Groups({"system:unauthenticated"}));
}

TEST(Impersonation, IsRefusedInTheWordsOfTheRequest) {
  const auto refusal = [](const Headers& headers, const RequestInfo& info = kListPods) {
    const Result<User> user = Become(headers, kBob, {}, info);
    return user ? user->name : user.error().message();
  };
  EXPECT_EQ(
      refusal({{"Impersonate-User", "ann"}}),
      "pods is forbidden: User \"bob\" cannot impersonate-on:user-info:list resource \"pods\" in API group \"\" at "
      "the cluster scope");
  EXPECT_EQ(refusal({{"Impersonate-User", "system:serviceaccount:n:s"}}, {.is_resource = true,
                                                                          .verb = "get",
                                                                          .group = "apps",
                                                                          .version = "v1",
                                                                          .namespace_ = "d",
                                                                          .resource = "deployments",
                                                                          .name = "web",
                                                                          .subresource = "scale"}),
            "deployments.apps \"web\" is forbidden: User \"bob\" cannot impersonate-on:serviceaccount:get resource "
            "\"deployments/scale\" in API group \"apps\" in the namespace \"d\"");
  EXPECT_EQ(refusal({{"Impersonate-User", "ann"}}, {.path = "/metrics", .verb = "get"}),
            "forbidden: User \"bob\" cannot impersonate-on:user-info:get path \"/metrics\"");
}

TEST(Impersonation, EveryPartMustBeAllowed) {
  TestAuthorizer authorizer;
  authorizer.rules = {{"impersonate-on:user-info:list", "pods"}, {"impersonate:user-info", "users"}};
  EXPECT_TRUE(Become({{"Impersonate-User", "ann"}}, kBob, authorizer));
  const Result<User> user = Become({{"Impersonate-User", "ann"}, {"Impersonate-Group", "g"}}, kBob, authorizer);
  ASSERT_FALSE(user);
  EXPECT_EQ(user.error().message(),
            "groups.authentication.k8s.io \"g\" is forbidden: User \"bob\" cannot impersonate:user-info resource "
            "\"groups\" in API group \"authentication.k8s.io\" at the cluster scope");
}

TEST(Impersonation, TheOlderWayIsEnough) {
  TestAuthorizer authorizer;
  authorizer.rules = {{"impersonate", "users"}, {"impersonate", "groups"}};
  const Result<User> user = Become({{"Impersonate-User", "ann"}, {"Impersonate-Group", "g"}}, kBob, authorizer);
  ASSERT_TRUE(user) << user.error().message();
  EXPECT_EQ(user->groups, Groups({"g", "system:authenticated"}));
}

TEST(Impersonation, NeedsAUser) {
  const auto message = [](const Headers& headers) { return Become(headers).error().message(); };
  const Error error = Become({{"Impersonate-Group", "a"}}).error();
  EXPECT_EQ(ToStatus(error).code, 400);
  EXPECT_EQ(error.message(),
            "requested &user.DefaultInfo{Name:\"\", UID:\"\", Groups:[]string{\"a\"}, Extra:map[string][]string(nil)} "
            "without impersonating a user name");
  EXPECT_EQ(message({{"Impersonate-Uid", "7"}, {"Impersonate-Extra-K", "v"}, {"Impersonate-Extra-k", "w"}}),
            "requested &user.DefaultInfo{Name:\"\", UID:\"7\", Groups:[]string(nil), "
            "Extra:map[string][]string{\"k\":[]string{\"v\", \"w\"}}} without impersonating a user name");
}

}  // namespace
}  // namespace keelson::apiserver
