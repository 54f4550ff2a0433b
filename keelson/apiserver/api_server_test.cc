#include "keelson/apiserver/api_server.h"

#include <gtest/gtest.h>

#include "keelson/apiserver/api_server_test_support.h"
#include "keelson/codec/protobuf_envelope.h"
#include "keelson/core/simulation.h"
#include "keelson/core/thread.h"

namespace keelson::apiserver {
namespace {

constexpr char kMaps[] = "/api/v1/namespaces/default/configmaps";

TEST(ApiServer, HoldsItsNamespacesAndItsOwnServiceFromTheStart) {
  TestServer server;
  const Reading namespaces = server.Ask("GET", "/api/v1/namespaces");
  ASSERT_EQ(namespaces.status, 200);
  std::vector<std::string> names;
  const Json items = namespaces.At("items");
  for (const Json& item : items.list()) names.push_back(item.find("metadata")->find("name")->string());
  EXPECT_EQ(names, (std::vector<std::string>{"default", "kube-node-lease", "kube-public", "kube-system"}));
  const Reading service = server.Ask("GET", "/api/v1/namespaces/default/services/kubernetes");
  EXPECT_EQ(service.Text("spec.clusterIP"), "10.0.0.1");
}

TEST(ApiServer, AnObjectLivesFromCreateToDelete) {
  TestServer server;
  const Reading created = server.Ask("POST", kMaps, R"({"metadata":{"name":"a"},"data":{"k":"1"}})");
  ASSERT_EQ(created.status, 201) << created.body;
  EXPECT_EQ(created.Text("kind"), "ConfigMap");
  EXPECT_EQ(created.Text("metadata.uid").size(), 36u);
  EXPECT_NE(created.Text("metadata.creationTimestamp"), "null");

  const Reading got = server.Ask("GET", std::string(kMaps) + "/a");
  EXPECT_EQ(got.body, created.body);

  const Reading updated = server.Ask("PUT", std::string(kMaps) + "/a", R"({"metadata":{"name":"a"},"data":{"k":"2"}})");
  ASSERT_EQ(updated.status, 200) << updated.body;
  EXPECT_EQ(updated.Text("data.k"), "2");
  EXPECT_EQ(updated.Text("metadata.uid"), created.Text("metadata.uid"));
  EXPECT_NE(updated.Text("metadata.resourceVersion"), created.Text("metadata.resourceVersion"));

  const Reading deleted = server.Ask("DELETE", std::string(kMaps) + "/a");
  EXPECT_EQ(deleted.status, 200);
  EXPECT_EQ(deleted.Text("status"), "Success");
  EXPECT_EQ(server.Ask("GET", std::string(kMaps) + "/a").status, 404);
}

TEST(ApiServer, AnUpdateThatChangesNothingMakesNoNewVersion) {
  TestServer server;
  const Reading created = server.Ask("POST", kMaps, R"({"metadata":{"name":"a"},"data":{"k":"1"}})");
  const Reading same = server.Ask("PUT", std::string(kMaps) + "/a", created.body);
  EXPECT_EQ(same.body, created.body);
}

TEST(ApiServer, AnOldVersionConflicts) {
  TestServer server;
  const Reading created = server.Ask("POST", kMaps, R"({"metadata":{"name":"a"}})");
  server.Patch(std::string(kMaps) + "/a", R"({"data":{"k":"1"}})");
  const Reading late = server.Ask("PUT", std::string(kMaps) + "/a", created.body);
  EXPECT_EQ(late.status, 409);
  EXPECT_EQ(
      late.Text("message"),
      "Operation cannot be fulfilled on configmaps \"a\": the object has been modified; please apply your changes "
      "to the latest version and try again");
}

TEST(ApiServer, ConcurrentPatchesAreAllKept) {
  TestServer server;
  server.Ask("POST", kMaps, R"({"metadata":{"name":"a"}})");
  constexpr int kWriters = 8;
  constexpr int kWrites = 20;
  {
    std::vector<Thread> writers;
    for (int w = 0; w < kWriters; ++w) {
      writers.emplace_back("writer", [&server, w] {
        for (int i = 0; i < kWrites; ++i) {
          const std::string key = "k" + std::to_string(w) + "." + std::to_string(i);
          EXPECT_EQ(server.Patch(std::string(kMaps) + "/a", "{\"data\":{\"" + key + "\":\"x\"}}").status, 200);
        }
      });
    }
  }
  EXPECT_EQ(server.Ask("GET", std::string(kMaps) + "/a").Count("data"), size_t{kWriters * kWrites});
}

TEST(ApiServer, FinalizersHoldADeletedObject) {
  TestServer server;
  server.Ask("POST", kMaps, R"({"metadata":{"name":"a","finalizers":["example.com/hold"]}})");
  const Reading deleted = server.Ask("DELETE", std::string(kMaps) + "/a");
  EXPECT_EQ(deleted.Text("kind"), "ConfigMap");
  EXPECT_NE(deleted.Text("metadata.deletionTimestamp"), "null");
  EXPECT_EQ(server.Ask("GET", std::string(kMaps) + "/a").status, 200);
  EXPECT_EQ(server.Patch(std::string(kMaps) + "/a", R"({"metadata":{"finalizers":null}})").status, 200);
  EXPECT_EQ(server.Ask("GET", std::string(kMaps) + "/a").status, 404);
}

TEST(ApiServer, PropagationPoliciesBecomeFinalizers) {
  TestServer server;
  for (const auto& [policy, finalizer] :
       {std::pair("Foreground", "[\"foregroundDeletion\"]"), std::pair("Orphan", "[\"orphan\"]")}) {
    const std::string name = policy == std::string_view("Orphan") ? "o" : "f";
    server.Ask("POST", kMaps, "{\"metadata\":{\"name\":\"" + name + "\"}}");
    const Reading deleted = server.Ask("DELETE", std::string(kMaps) + "/" + name + "?propagationPolicy=" + policy);
    EXPECT_EQ(deleted.Text("metadata.finalizers"), finalizer);
  }
}

TEST(ApiServer, ADryRunLeavesNothingBehind) {
  TestServer server;
  EXPECT_EQ(server.Ask("POST", std::string(kMaps) + "?dryRun=All", R"({"metadata":{"name":"a"}})").status, 201);
  EXPECT_EQ(server.Ask("GET", std::string(kMaps) + "/a").status, 404);
  server.Ask("POST", kMaps, R"({"metadata":{"name":"b"}})");
  EXPECT_EQ(server.Ask("DELETE", std::string(kMaps) + "/b?dryRun=All").status, 200);
  EXPECT_EQ(server.Ask("GET", std::string(kMaps) + "/b").status, 200);
}

TEST(ApiServer, ListsComeInPagesOfOneRevision) {
  TestServer server;
  for (int i = 0; i < 5; ++i) server.Ask("POST", kMaps, "{\"metadata\":{\"name\":\"c" + std::to_string(i) + "\"}}");
  const Reading first = server.Ask("GET", std::string(kMaps) + "?limit=2");
  EXPECT_EQ(first.Count("items"), 2u);
  EXPECT_EQ(first.Text("metadata.remainingItemCount"), "3");
  server.Ask("DELETE", std::string(kMaps) + "/c3");
  const Reading second = server.Ask("GET", std::string(kMaps) + "?limit=9&continue=" + first.Text("metadata.continue"));
  EXPECT_EQ(second.Count("items"), 3u) << second.body;
  EXPECT_EQ(second.Text("metadata.resourceVersion"), first.Text("metadata.resourceVersion"));
}

TEST(ApiServer, AForgottenPageComesWithATokenToGoOn) {
  TestServer server;
  for (int i = 0; i < 4; ++i) server.Ask("POST", kMaps, "{\"metadata\":{\"name\":\"c" + std::to_string(i) + "\"}}");
  const Reading first = server.Ask("GET", std::string(kMaps) + "?limit=2");
  server.Ask("POST", kMaps, R"({"metadata":{"name":"d"}})");
  server->store().Compact(server->store().revision());
  const Reading gone = server.Ask("GET", std::string(kMaps) + "?limit=2&continue=" + first.Text("metadata.continue"));
  EXPECT_EQ(gone.status, 410);
  EXPECT_EQ(gone.Text("reason"), "Expired");
  const Reading rest = server.Ask("GET", std::string(kMaps) + "?continue=" + gone.Text("metadata.continue"));
  EXPECT_EQ(rest.Count("items"), 3u) << rest.body;
}

TEST(ApiServer, SelectorsChoose) {
  TestServer server;
  server.Ask("POST", kMaps, R"({"metadata":{"name":"a","labels":{"tier":"front"}}})");
  server.Ask("POST", kMaps, R"({"metadata":{"name":"b","labels":{"tier":"back"}}})");
  EXPECT_EQ(server.Ask("GET", std::string(kMaps) + "?labelSelector=tier%3Dback").Count("items"), 1u);
  EXPECT_EQ(server.Ask("GET", std::string(kMaps) + "?fieldSelector=metadata.name%3Da").Count("items"), 1u);
  EXPECT_EQ(server.Ask("GET", std::string(kMaps) + "?fieldSelector=data.x%3Da").status, 400);
}

TEST(ApiServer, WhoIsNotKnownSeesOnlyHealthAndVersion) {
  TestServer server;
  const Peer nobody{.address = "in-process"};
  EXPECT_EQ(server.AskAs(nobody, "GET", "/healthz").body, "ok");
  EXPECT_EQ(server.AskAs(nobody, "GET", "/version").Text("gitVersion"), "v1.36.3");
  const Reading refused = server.AskAs(nobody, "GET", "/api/v1/pods");
  EXPECT_EQ(refused.status, 403);
  EXPECT_EQ(
      refused.Text("message"),
      "pods is forbidden: User \"system:anonymous\" cannot list resource \"pods\" in API group \"\" at the cluster "
      "scope");
  EXPECT_EQ(server.AskAs(nobody, "GET", "/version", "", {{"Authorization", "Bearer wrong"}}).status, 401);
}

TEST(ApiServer, WhatIsNotServedIsNotFoundAndWhatCannotBeDoneNotAllowed) {
  TestServer server;
  EXPECT_EQ(server.Ask("GET", "/apis/example.com/v1/things").body, "404 page not found\n");
  EXPECT_EQ(server.Ask("GET", "/api/v1/things").Text("message"), "the server could not find the requested resource");
  EXPECT_EQ(server.Ask("PATCH", kMaps, "{}").status, 405);
  EXPECT_EQ(server.Ask("POST", "/api/v1/configmaps", "{}").status, 405);
  EXPECT_EQ(server.Ask("GET", "/api/v1/namespaces/default/nodes").status, 404) << "the scope is part of the path";
  EXPECT_EQ(server.Ask("GET", "/api/v1/namespaces/default/configmaps/..%2f..%2fsecrets").status, 404);
}

TEST(ApiServer, BodiesBeyondTheLimitAreRefused) {
  TestServer server;
  const Reading refused = server.Ask("POST", kMaps, std::string((3 << 20) + 1, ' '));
  EXPECT_EQ(refused.status, 413);
  EXPECT_EQ(refused.Text("reason"), "RequestEntityTooLarge");
}

TEST(ApiServer, DepthIsBounded) {
  TestServer server;
  const std::string deep =
      "{\"metadata\":{\"name\":\"a\"},\"x\":" + std::string(100'000, '[') + std::string(100'000, ']') + "}";
  EXPECT_EQ(server.Ask("POST", kMaps, deep).status, 400);
}

TEST(ApiServer, RequestsBeyondTheLimitAtATimeAreSentAway) {
  TestServer server({.max_reads_in_flight = 0});
  const Reading refused = server.Ask("GET", kMaps);
  EXPECT_EQ(refused.status, 429);
  ASSERT_NE(refused.headers.Find("Retry-After"), nullptr);
  EXPECT_EQ(*refused.headers.Find("Retry-After"), "1");
}

TEST(ApiServer, UnknownFieldsAreWarnedOfRefusedOrPassedOver) {
  TestServer server;
  const std::string body = R"({"metadata":{"name":"NAME"},"colour":1})";
  const auto with_name = [&](std::string name) { return std::string(body).replace(body.find("NAME"), 4, name); };
  const Reading warned = server.Ask("POST", kMaps, with_name("a"));
  EXPECT_EQ(warned.status, 201);
  ASSERT_NE(warned.headers.Find("Warning"), nullptr);
  EXPECT_EQ(*warned.headers.Find("Warning"), "299 - \"unknown field \\\"colour\\\"\"");
  EXPECT_EQ(server.Ask("POST", std::string(kMaps) + "?fieldValidation=Strict", with_name("b")).status, 400);
  const Reading ignored = server.Ask("POST", std::string(kMaps) + "?fieldValidation=Ignore", with_name("c"));
  EXPECT_EQ(ignored.headers.Find("Warning"), nullptr);
  EXPECT_EQ(ignored.body.find("colour"), std::string::npos);
}

TEST(ApiServer, OneStoredEventIsServedByTwoGroups) {
  TestServer server;
  ASSERT_EQ(server
                .Ask("POST", "/api/v1/namespaces/default/events",
                     R"({"metadata":{"name":"e"},"involvedObject":{"kind":"Pod","name":"p","namespace":"default"},
                           "reason":"Started","message":"it runs","type":"Normal"})")
                .status,
            201);
  const Reading other = server.Ask("GET", "/apis/events.k8s.io/v1/namespaces/default/events/e");
  EXPECT_EQ(other.Text("apiVersion"), "events.k8s.io/v1");
  EXPECT_EQ(other.Text("regarding.name"), "p");
  EXPECT_EQ(other.Text("note"), "it runs");
}

TEST(ApiServer, TablesCarryTheCellsThatKubectlShows) {
  TestServer server;
  server.Ask("POST", kMaps, R"({"metadata":{"name":"a"},"data":{"x":"1","y":"2"}})");
  const Reading table =
      server.Ask("GET", kMaps, "", {{"Accept", "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"}});
  EXPECT_EQ(table.Text("kind"), "Table");
  const Json& row = std::as_const(table.json).find("rows")->list()[0];
  EXPECT_EQ((row.find("cells")->list())[0], Json("a"));
  EXPECT_EQ((row.find("cells")->list())[1], Json(2));
}

TEST(ApiServer, OptionsOfADeletionMayBeOfAnyGroup) {
  TestServer server;
  metav1::DeleteOptions options;
  options.dryRun.push_back("All");
  std::string body;
  AppendProtobufEnvelope(TypeOf<metav1::DeleteOptions>(), &options, body);
  // As the clients of another group send them.
  const size_t version = body.find("v1");
  ASSERT_NE(version, std::string::npos);
  body[version + 1] = '9';
  ASSERT_EQ(server.Ask("POST", kMaps, R"({"metadata":{"name":"a"}})").status, 201);
  const std::string target = std::string(kMaps) + "/a";
  EXPECT_EQ(server.Ask("DELETE", target, body, {{"Content-Type", "application/vnd.kubernetes.protobuf"}}).status, 200);
  EXPECT_EQ(server.Ask("DELETE", target, R"({"apiVersion":"apps/v1","kind":"DeleteOptions","dryRun":["All"]})").status,
            200);
  EXPECT_EQ(server.Ask("GET", target).status, 200) << "both were dry runs";
}

TEST(ApiServer, KeysThatAppliedYamlHasTwiceAreTold) {
  TestServer server;
  const std::string body =
      "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  x: one\n  x: two\n  z: one\n  z: two\n";
  const Headers yaml = {{"Content-Type", "application/apply-patch+yaml"}};
  const std::string target = std::string(kMaps) + "/a?fieldManager=m&fieldValidation=";
  EXPECT_EQ(server.Ask("PATCH", target + "Strict", body, yaml).Text("message"),
            "error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n"
            "  line 6: key \"x\" already set in map\n  line 8: key \"z\" already set in map");
  const Reading warned = server.Ask("PATCH", target + "Warn", body, yaml);
  EXPECT_EQ(warned.status, 201) << warned.body;
  EXPECT_EQ(warned.Text("data.x"), "two");
  ASSERT_NE(warned.headers.Find("Warning"), nullptr);
  EXPECT_NE(warned.headers.Find("Warning")->find("line 6: key"), std::string::npos);
}

TEST(ApiServer, ANamespaceThatIsGoingTakesNothingNew) {
  TestServer server({.tend_namespaces = false});
  server.Ask("POST", "/api/v1/namespaces", R"({"metadata":{"name":"n"}})");
  EXPECT_EQ(server.Ask("DELETE", "/api/v1/namespaces/n").Text("status.phase"), "Terminating");
  const Reading refused = server.Ask("POST", "/api/v1/namespaces/n/configmaps", R"({"metadata":{"name":"a"}})");
  EXPECT_EQ(refused.status, 403);
  EXPECT_EQ(server.Ask("PUT", "/api/v1/namespaces/n/finalize", R"({"metadata":{"name":"n"},"spec":{}})").status, 200);
  EXPECT_EQ(server.Ask("GET", "/api/v1/namespaces/n").status, 404);
  EXPECT_EQ(server.Ask("POST", "/api/v1/namespaces/n/configmaps", R"({"metadata":{"name":"a"}})").status, 404);
}

TEST(ApiServer, WorksInsideASimulation) {
  Simulation simulation({.seed = 7});
  const Result<void> run = simulation.Run([] {
    TestServer server;
    EXPECT_EQ(server.Ask("POST", kMaps, R"({"metadata":{"name":"a"}})").status, 201);
    const Reading watched = server.Ask("GET", std::string(kMaps) + "?watch=1&timeoutSeconds=10");
    EXPECT_NE(watched.body.find("\"ADDED\""), std::string::npos) << watched.body;
  });
  EXPECT_TRUE(run) << run.error().message();
}

}  // namespace
}  // namespace keelson::apiserver
