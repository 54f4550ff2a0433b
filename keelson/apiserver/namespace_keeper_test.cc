#include "keelson/apiserver/namespace_keeper.h"

#include <gtest/gtest.h>

#include "keelson/apiserver/api_server_test_support.h"

namespace keelson::apiserver {
namespace {

constexpr char kNamespaces[] = "/api/v1/namespaces";

void MakeNamespace(TestServer& server, std::string_view name) {
  const Reading made = server.Ask("POST", kNamespaces, R"({"metadata":{"name":")" + std::string(name) + R"("}})");
  ASSERT_EQ(made.status, 201) << made.body;
}

TEST(NamespaceKeeper, ANewNamespaceHasItsAccountAndTheRootCertificate) {
  TestServer server;
  MakeNamespace(server, "before");
  EXPECT_EQ(server.Ask("GET", "/api/v1/namespaces/before/serviceaccounts/default").status, 200);
  EXPECT_EQ(server.Ask("GET", "/api/v1/namespaces/before/configmaps/kube-root-ca.crt").status, 404)
      << "there is no authority yet";
  server->SetRootCa("PEM");
  MakeNamespace(server, "after");
  for (const char* name : {"before", "after", "default", "kube-system"}) {
    const Reading root = server.Ask("GET", std::string(kNamespaces) + "/" + name + "/configmaps/kube-root-ca.crt");
    EXPECT_EQ(root.json.find("data")->find("ca.crt")->string(), "PEM") << root.body;
  }
}

TEST(NamespaceKeeper, WhatIsTakenAwayOrChangedComesBack) {
  TestServer server;
  server->SetRootCa("PEM");
  const std::string account = "/api/v1/namespaces/default/serviceaccounts/default";
  const std::string uid = server.Ask("GET", account).Text("metadata.uid");
  EXPECT_EQ(server.Ask("DELETE", account).status, 200);
  EXPECT_NE(server.Ask("GET", account).Text("metadata.uid"), uid);

  const std::string root = "/api/v1/namespaces/default/configmaps/kube-root-ca.crt";
  EXPECT_EQ(server.Patch(root, R"({"data":{"ca.crt":"forged","more":"x"}})").status, 200);
  EXPECT_EQ(server.Ask("GET", root).Text("data"), R"({"ca.crt":"PEM"})");
  EXPECT_EQ(server.Ask("DELETE", root).status, 200);
  EXPECT_EQ(server.Ask("GET", root).status, 200);
}

TEST(NamespaceKeeper, ADeletedNamespaceGoesWithAllThatIsInIt) {
  TestServer server;
  MakeNamespace(server, "gone");
  EXPECT_EQ(server.Ask("POST", "/api/v1/namespaces/gone/configmaps", R"({"metadata":{"name":"a"}})").status, 201);
  EXPECT_EQ(server
                .Ask("POST", "/api/v1/namespaces/gone/services",
                     R"({"metadata":{"name":"s"},"spec":{"ports":[{"port":80}]}})")
                .status,
            201);
  const Reading deleted = server.Ask("DELETE", "/api/v1/namespaces/gone");
  EXPECT_EQ(deleted.status, 200);
  EXPECT_EQ(deleted.Text("status.phase"), "Terminating");
  EXPECT_EQ(server.Ask("GET", "/api/v1/namespaces/gone").status, 404);
  EXPECT_EQ(server.Ask("GET", "/api/v1/namespaces/gone/configmaps").Count("items"), 0u);
  EXPECT_EQ(server.Ask("GET", "/api/v1/namespaces/gone/serviceaccounts").Count("items"), 0u);
  // And can be made again.
  MakeNamespace(server, "gone");
  EXPECT_EQ(server.Ask("GET", "/api/v1/namespaces/gone/serviceaccounts/default").status, 200);
}

TEST(NamespaceKeeper, FinalizersHoldANamespaceBackAndItSaysSo) {
  TestServer server;
  MakeNamespace(server, "held");
  const std::string held = "/api/v1/namespaces/held/configmaps/held";
  ASSERT_EQ(server
                .Ask("POST", "/api/v1/namespaces/held/configmaps",
                     R"({"metadata":{"name":"held","finalizers":["example.com/wait"]}})")
                .status,
            201);
  EXPECT_EQ(server.Ask("DELETE", "/api/v1/namespaces/held").status, 200);
  const Reading left = server.Ask("GET", "/api/v1/namespaces/held");
  ASSERT_EQ(left.status, 200);
  ASSERT_EQ(left.Count("status.conditions"), 5u) << left.body;
  const Json conditions = left.At("status.conditions");
  EXPECT_EQ(conditions.list()[3].find("message")->string(),
            "Some resources are remaining: configmaps. has 1 resource instances");
  EXPECT_EQ(conditions.list()[4].find("message")->string(),
            "Some content in the namespace has finalizers remaining: example.com/wait in 1 resource instances");
  EXPECT_EQ(server.Ask("POST", "/api/v1/namespaces/held/configmaps", R"({"metadata":{"name":"late"}})").status, 403);

  EXPECT_EQ(server.Patch(held, R"({"metadata":{"finalizers":null}})").status, 200);
  EXPECT_EQ(server.Ask("GET", held).status, 404);
  EXPECT_EQ(server.Ask("GET", "/api/v1/namespaces/held").status, 404);
}

TEST(NamespaceKeeper, WhatPodsUseStaysUntilTheyAreGone) {
  TestServer server;
  MakeNamespace(server, "pods");
  ASSERT_EQ(server.Ask("POST", "/api/v1/namespaces/pods/configmaps", R"({"metadata":{"name":"used"}})").status, 201);
  const Reading pod = server.Ask("POST", "/api/v1/namespaces/pods/pods",
                                 R"({"metadata":{"name":"p","finalizers":["example.com/wait"]},)"
                                 R"("spec":{"containers":[{"name":"c","image":"i"}]}})");
  ASSERT_EQ(pod.status, 201) << pod.body;
  EXPECT_EQ(server.Ask("DELETE", "/api/v1/namespaces/pods").status, 200);
  EXPECT_EQ(server.Ask("GET", "/api/v1/namespaces/pods/configmaps/used").status, 200);
  EXPECT_EQ(server.Patch("/api/v1/namespaces/pods/pods/p", R"({"metadata":{"finalizers":null}})").status, 200);
  EXPECT_EQ(server.Ask("GET", "/api/v1/namespaces/pods/configmaps/used").status, 404);
  EXPECT_EQ(server.Ask("GET", "/api/v1/namespaces/pods").status, 404);
}

TEST(NamespaceKeeper, ManyObjectsAreNoProblem) {
  TestServer server;
  MakeNamespace(server, "full");
  for (int i = 0; i < 2000; ++i) {
    ASSERT_EQ(server
                  .Ask("POST", "/api/v1/namespaces/full/configmaps",
                       R"({"metadata":{"name":"c)" + std::to_string(i) + R"("}})")
                  .status,
              201);
  }
  EXPECT_EQ(server.Ask("DELETE", "/api/v1/namespaces/full").status, 200);
  EXPECT_EQ(server.Ask("GET", "/api/v1/namespaces/full").status, 404);
}

TEST(NamespaceKeeper, WithoutItNamespacesAreAsAnApiServerAloneLeavesThem) {
  TestServer server({.tend_namespaces = false});
  server->SetRootCa("PEM");
  MakeNamespace(server, "bare");
  EXPECT_EQ(server.Ask("GET", "/api/v1/namespaces/bare/serviceaccounts").Count("items"), 0u);
  EXPECT_EQ(server.Ask("GET", "/api/v1/namespaces/bare/configmaps").Count("items"), 0u);
  EXPECT_EQ(server.Ask("DELETE", "/api/v1/namespaces/bare").status, 200);
  EXPECT_EQ(server.Ask("GET", "/api/v1/namespaces/bare").Text("status.phase"), "Terminating");
}

TEST(Bootstrap, ANodeIsReadyAndUntainted) {
  TestServer server({.node = "only"});
  const Reading node = server.Ask("GET", "/api/v1/nodes/only");
  ASSERT_EQ(node.status, 200) << node.body;
  EXPECT_EQ(node.Count("spec.taints"), 0u);
  const Json conditions = node.At("status.conditions");
  EXPECT_EQ(conditions.list()[3].find("type")->string(), "Ready");
  EXPECT_EQ(conditions.list()[3].find("status")->string(), "True");
}

}  // namespace
}  // namespace keelson::apiserver
