// The C++ that docs/client.md shows (tools/check-snippets), run against a handler that stands in for a server.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "keelson/api/apps/v1.h"
#include "keelson/api/core/v1.h"
#include "keelson/api/owner_references.h"
#include "keelson/client/client.h"
#include "keelson/client/create_or_update.h"
#include "keelson/client/ignore_not_found.h"
#include "keelson/client/kubeconfig.h"
#include "keelson/client/retry_on_conflict.h"
#include "keelson/core/clock.h"
#include "keelson/transport/in_process_transport.h"
#include "keelson/transport/thread_scope.h"

namespace {

using namespace keelson;
using namespace std::chrono_literals;

// snippet: connect
Result<Client> Connect(const ClientFlags& flags) {
  // --kubeconfig, else $KUBECONFIG, else what a cluster gives its Pods, else ~/.kube/config.
  KEELSON_TRY(config, LoadClientConfig(flags));
  KEELSON_TRY(transport, MakeTransport(config));
  return Client(transport, {.field_manager = "my-operator"});
}
// end

// snippet: calls
Result<void> Tour(const Client& client) {
  // A type says which resource it is. Keys are namespace and name.
  KEELSON_TRY(web, client.Get<appsv1::Deployment>({"default", "web"}));

  // Every call takes its options by name, and may be ended by a deadline or a stop token.
  KEELSON_TRY(pods, client.List<corev1::Pod>({.namespace_ = "default",
                                              .labels = labels::Parse("app=web").value(),
                                              .scope = {.deadline = Clock::Now() + 10s}}));

  // What is not there may be an answer.
  KEELSON_TRY(map, IgnoreNotFound(client.Get<corev1::ConfigMap>({"default", "settings"})));

  // Somebody else may have written in between: read and try again.
  KEELSON_RETURN_IF_ERROR(RetryOnConflict([&]() -> Result<appsv1::Deployment> {
    KEELSON_TRY(current, client.Get<appsv1::Deployment>({"default", "web"}));
    current.spec.replicas = map ? 5 : 3;
    return client.Update(current);
  }));

  // Or say only what changed, or only what is ours (server-side apply).
  appsv1::Deployment paused = web;
  paused.spec.paused = true;
  KEELSON_TRY(patch, Patch::From(web, paused));
  KEELSON_RETURN_IF_ERROR(client.Patch<appsv1::Deployment>(KeyOf(web), patch));
  KEELSON_RETURN_IF_ERROR(
      client.Apply(corev1::ConfigMap{.metadata = {.name = "settings", .namespace_ = "default"}, .data = {{"a", "b"}}}));
  return {};
}
// end

// snippet: object client
Result<Change> EnsureSettings(const ObjectClient& client, const appsv1::Deployment& owner) {
  const corev1::ConfigMap settings{.metadata = {.name = "settings", .namespace_ = owner.metadata.namespace_}};
  KEELSON_TRY(done, CreateOrUpdate(client, settings, [&](corev1::ConfigMap& map) -> Result<void> {
                map.data.Set("color", "red");
                return SetControllerReference(owner, map);
              }));
  return done.change;  // kCreated, kUpdated, or kNone, for which nothing was sent
}
// end

// snippet: thread scope
Result<corev1::Pod> GetQuickly(const Client& client, const ObjectKey& key, const StopToken& stop) {
  const ThreadScope scope({.stop = stop, .deadline = Clock::Now() + 5s});
  return client.Get<corev1::Pod>(key);  // and whatever else this thread calls until the end of the block
}
// end

// snippet: watch
Result<std::string> LastChange(const Client& client, const StopToken& stop) {
  std::string last;
  KEELSON_TRY(watch, client.Watch<corev1::Pod>({.namespace_ = "default", .scope = {.stop = stop}}));
  while (true) {
    KEELSON_TRY(event, watch.Next());
    if (!event) return last;  // the server ended the watch; go on from the last resource version
    last = std::string(ToString(event->type)) + " " + event->object.metadata.name.str();
  }
}
// end

// snippet: dynamic client
Result<String> ColorOf(const Client& client) {
  // A kind that this program has no type for; discovery finds its resource, also if the CRD came a moment ago.
  KEELSON_TRY(widget, client.Get(GroupVersionKind{"example.com", "v1", "Widget"}, {"default", "one"}));
  const Json* color = widget.content().find("color");
  return color != nullptr && color->is_string() ? color->string() : String("none");
}
// end

class StandIn : public HttpHandler {
 public:
  void Handle(ServerRequest request, std::shared_ptr<ResponseWriter> response) override {
    requests.push_back(request.method + " " + request.path);
    const auto found = answers.find(requests.back());
    if (found != answers.end()) return Respond(*response, 200, "application/json", found->second);
    Respond(*response, 404, "application/json",
            R"({"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","code":404})");
  }

  std::map<std::string, std::string> answers;
  std::vector<std::string> requests;
};

TEST(ClientGuide, CallsAreTheRequestsOneExpects) {
  StandIn server;
  const std::string web =
      R"({"kind":"Deployment","apiVersion":"apps/v1","metadata":{"name":"web","namespace":"default"}})";
  const std::string path = " /apis/apps/v1/namespaces/default/deployments/web";
  for (const char* method : {"GET", "PUT", "PATCH"}) server.answers[method + path] = web;
  server.answers["GET /api/v1/namespaces/default/pods"] = R"({"kind":"PodList","apiVersion":"v1","items":[]})";
  server.answers["PATCH /api/v1/namespaces/default/configmaps/settings"] =
      R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"settings"}})";
  const Client client(std::make_shared<InProcessTransport>(server), {.field_manager = "guide"});
  const Result<void> tour = Tour(client);
  ASSERT_TRUE(tour) << tour.error().message();
  EXPECT_THAT(server.requests,
              ::testing::ElementsAre("GET" + path, "GET /api/v1/namespaces/default/pods",
                                     "GET /api/v1/namespaces/default/configmaps/settings", "GET" + path, "PUT" + path,
                                     "PATCH" + path, "PATCH /api/v1/namespaces/default/configmaps/settings"));
}

TEST(ClientGuide, WhatIsMissingIsCreatedWithItsOwner) {
  StandIn server;
  server.answers["POST /api/v1/namespaces/default/configmaps"] =
      R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"settings","namespace":"default"}})";
  const Client client(std::make_shared<InProcessTransport>(server));
  const Result<Change> change =
      EnsureSettings(client, {.metadata = {.name = "web", .namespace_ = "default", .uid = "1"}});
  ASSERT_TRUE(change) << change.error().message();
  EXPECT_EQ(*change, Change::kCreated);
}

TEST(ClientGuide, ACallEndsByTheScopeOfItsThread) {
  StandIn server;
  StopSource stop;
  stop.RequestStop();
  const Client client(std::make_shared<InProcessTransport>(server));
  EXPECT_EQ(GetQuickly(client, {"default", "web"}, stop.token()).error().code(), ErrorCode::kCancelled);
  EXPECT_TRUE(server.requests.empty());
}

TEST(ClientGuide, WatchGivesEventsUntilTheServerEndsIt) {
  StandIn server;
  server.answers["GET /api/v1/namespaces/default/pods"] =
      R"({"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"}}}
         {"type":"DELETED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"}}})";
  const Client client(std::make_shared<InProcessTransport>(server));
  const Result<std::string> last = LastChange(client, {});
  ASSERT_TRUE(last) << last.error().message();
  EXPECT_EQ(*last, "DELETED a");
}

TEST(ClientGuide, DynamicObjectsAreFoundByDiscovery) {
  StandIn server;
  server.answers["GET /apis"] = R"({"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","items":[
      {"metadata":{"name":"example.com"},"versions":[{"version":"v1","resources":[{"resource":"widgets",
       "responseKind":{"group":"example.com","version":"v1","kind":"Widget"},"scope":"Namespaced",
       "singularResource":"widget","verbs":["get"]}]}]}]})";
  server.answers["GET /api"] = R"({"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","items":[]})";
  server.answers["GET /apis/example.com/v1/namespaces/default/widgets/one"] =
      R"({"kind":"Widget","apiVersion":"example.com/v1","metadata":{"name":"one"},"color":"red"})";
  const Client client(std::make_shared<InProcessTransport>(server));
  const Result<String> color = ColorOf(client);
  ASSERT_TRUE(color) << color.error().message();
  EXPECT_EQ(*color, "red");
}

TEST(ClientGuide, NothingToConnectToIsSaid) {
  const Result<Client> client = Connect({.kubeconfig = ::testing::TempDir() + "no_such_kubeconfig"});
  ASSERT_FALSE(client);
  EXPECT_THAT(client.error().message(), ::testing::HasSubstr("no_such_kubeconfig"));
}

}  // namespace
