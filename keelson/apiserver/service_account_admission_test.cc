#include "keelson/apiserver/service_account_admission.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "keelson/apiserver/api_server_test_support.h"

namespace keelson::apiserver {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr char kPods[] = "/api/v1/namespaces/default/pods";
constexpr char kAccounts[] = "/api/v1/namespaces/default/serviceaccounts";

TestServer Admitting() { return TestServer({.service_account_admission = true}); }

std::string PodWith(std::string_view name, std::string_view more) {
  return R"({"metadata":{)" + std::string(name) + R"(},"spec":{"containers":[{"name":"a","image":"b"}])" +
         std::string(more) + "}}";
}

TEST(ServiceAccountAdmission, APodGetsTheDefaultAccountAndItsToken) {
  TestServer server = Admitting();
  const Reading pod =
      server.Ask("POST", kPods, PodWith(R"("name":"p")", R"(,"initContainers":[{"name":"i","image":"b"}])"));
  ASSERT_EQ(pod.status, 201) << pod.body;
  EXPECT_EQ(pod.Text("spec.serviceAccountName"), "default");
  EXPECT_EQ(pod.Text("spec.serviceAccount"), "default");
  ASSERT_EQ(pod.Count("spec.volumes"), 1u);
  const Json volumes = pod.At("spec.volumes");
  const Json& volume = volumes.list()[0];
  const std::string name = volume.find("name")->string().str();
  EXPECT_THAT(name, StartsWith("kube-api-access-"));
  EXPECT_EQ(name.size(), std::string_view("kube-api-access-12345").size());
  EXPECT_EQ(ToJson(*volume.find("projected")),
            R"({"defaultMode":420,"sources":[{"serviceAccountToken":{"expirationSeconds":3607,"path":"token"}},)"
            R"({"configMap":{"items":[{"key":"ca.crt","path":"ca.crt"}],"name":"kube-root-ca.crt"}},)"
            R"({"downwardAPI":{"items":[{"fieldRef":{"apiVersion":"v1","fieldPath":"metadata.namespace"},)"
            R"("path":"namespace"}]}}]})");
  for (const char* list : {"spec.containers", "spec.initContainers"}) {
    const Json containers = pod.At(list);
    const Json& container = containers.list()[0];
    EXPECT_EQ(
        ToJson(*container.find("volumeMounts")),
        R"([{"mountPath":"/var/run/secrets/kubernetes.io/serviceaccount","name":")" + name + R"(","readOnly":true}])");
  }
}

TEST(ServiceAccountAdmission, ThePodDecidesAboutTheTokenAndThenTheAccount) {
  TestServer server = Admitting();
  ASSERT_EQ(server.Ask("POST", kAccounts, R"({"metadata":{"name":"shy"},"automountServiceAccountToken":false})").status,
            201);
  const auto volumes = [&](std::string_view name, std::string_view more) {
    const Reading pod = server.Ask("POST", kPods, PodWith(R"("name":")" + std::string(name) + "\"", more));
    EXPECT_EQ(pod.status, 201) << pod.body;
    return pod.Count("spec.volumes");
  };
  EXPECT_EQ(volumes("a", R"(,"serviceAccountName":"shy")"), 0u);
  EXPECT_EQ(volumes("b", R"(,"serviceAccountName":"shy","automountServiceAccountToken":true)"), 1u);
  EXPECT_EQ(volumes("c", R"(,"automountServiceAccountToken":false)"), 0u);
}

TEST(ServiceAccountAdmission, WhatIsMountedAtThePathStays) {
  TestServer server = Admitting();
  const Reading pod = server.Ask(
      "POST", kPods,
      R"({"metadata":{"name":"p"},"spec":{"volumes":[{"name":"own","emptyDir":{}}],"containers":[{"name":"a","image":"b",)"
      R"("volumeMounts":[{"name":"own","mountPath":"/var/run/secrets/kubernetes.io/serviceaccount"}]}]}})");
  ASSERT_EQ(pod.status, 201) << pod.body;
  EXPECT_EQ(pod.Count("spec.volumes"), 1u);
}

TEST(ServiceAccountAdmission, AMissingAccountIsAnErrorThatNamesThePodAsItWasAsked) {
  TestServer server = Admitting();
  const Reading refused =
      server.Ask("POST", kPods, PodWith(R"("generateName":"web-")", R"(,"serviceAccountName":"none")"));
  EXPECT_EQ(refused.status, 403);
  EXPECT_EQ(refused.Text("message"), R"(pods "web-" is forbidden: error looking up service account default/none: )"
                                     R"(serviceaccount "none" not found)");
}

TEST(ServiceAccountAdmission, ThePodPullsWithTheAccountsSecretsUnlessItHasItsOwn) {
  TestServer server = Admitting();
  ASSERT_EQ(server.Patch(std::string(kAccounts) + "/default", R"({"imagePullSecrets":[{"name":"registry"}]})").status,
            200);
  EXPECT_EQ(server.Ask("POST", kPods, PodWith(R"("name":"a")", "")).Text("spec.imagePullSecrets"),
            R"([{"name":"registry"}])");
  EXPECT_EQ(server.Ask("POST", kPods, PodWith(R"("name":"b")", R"(,"imagePullSecrets":[{"name":"own"}])"))
                .Text("spec.imagePullSecrets"),
            R"([{"name":"own"}])");
}

TEST(ServiceAccountAdmission, AnAccountMayLimitTheSecretsOfItsPods) {
  TestServer server = Admitting();
  ASSERT_EQ(
      server
          .Ask("POST", kAccounts,
               R"({"metadata":{"name":"strict","annotations":{"kubernetes.io/enforce-mountable-secrets":"true"}},)"
               R"("secrets":[{"name":"good"}]})")
          .status,
      201);
  const auto ask = [&](std::string_view secret) {
    return server.Ask("POST", kPods,
                      PodWith(R"("name":")" + std::string(secret) + "\"",
                              R"(,"serviceAccountName":"strict","volumes":[{"name":"s","secret":{"secretName":")" +
                                  std::string(secret) + R"("}}])"));
  };
  EXPECT_EQ(ask("good").status, 201);
  const Reading refused = ask("other");
  EXPECT_EQ(refused.status, 403);
  EXPECT_THAT(
      refused.Text("message"),
      HasSubstr(R"(volume with secret.secretName="other" is not allowed because service account strict does not)"));
}

TEST(ServiceAccountAdmission, WithoutItPodsAreLeftAsTheyAre) {
  TestServer server;
  const Reading pod = server.Ask("POST", kPods, PodWith(R"("name":"p")", R"(,"serviceAccountName":"none")"));
  EXPECT_EQ(pod.status, 201) << pod.body;
  EXPECT_EQ(pod.Count("spec.volumes"), 0u);
}

}  // namespace
}  // namespace keelson::apiserver
