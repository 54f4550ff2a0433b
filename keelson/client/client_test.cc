#include "keelson/client/client.h"

#include <gmock/gmock.h>

#include "keelson/api/apps/v1.h"
#include "keelson/api/compare.h"
#include "keelson/api/core/v1.h"
#include "keelson/api/status_error.h"
#include "keelson/client/ignore_not_found.h"
#include "keelson/client/scripted_server_test_support.h"

namespace keelson {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const ObjectKey kOne = {"default", "one"};

labels::Selector Suite() { return labels::Parse("suite=client").value(); }

corev1::ConfigMap NewMap(std::string name) {
  return {.metadata = {.name = name, .namespace_ = "default", .labels = {{"suite", "client"}}},
          .data = {{"color", "red"}}};
}

TEST(Client, GetsATypedObject) {
  ScriptedServer server;
  server.AnswerRecorded("get");
  const Result<corev1::ConfigMap> one = server.client().Get<corev1::ConfigMap>(kOne);
  ASSERT_TRUE(one) << one.error().message();
  EXPECT_EQ(one->metadata.name, "one");
  EXPECT_EQ(one->data.at("color"), "red");
  EXPECT_TRUE(server.last().body.empty());
}

TEST(Client, GetsTheSameObjectInProtobuf) {
  ScriptedServer server;
  server.AnswerRecorded("get");
  server.AnswerRecorded("get protobuf");
  const auto json = server.client().Get<corev1::ConfigMap>(kOne);
  const auto protobuf = server.client({.content_type = ContentType::kProtobuf}).Get<corev1::ConfigMap>(kOne);
  ASSERT_TRUE(json && protobuf);
  EXPECT_TRUE(Equal(*json, *protobuf));
}

TEST(Client, RemembersWhereProtobufIsRefused) {
  ScriptedServer server;
  server.Answer(406, {{"Content-Type", "application/json"}}, Recorded("not acceptable").body);
  server.AnswerRecorded("get");
  server.AnswerRecorded("get");
  const Client client = server.client({.content_type = ContentType::kProtobuf});
  EXPECT_TRUE(client.Get<corev1::ConfigMap>(kOne));
  EXPECT_TRUE(client.Get<corev1::ConfigMap>(kOne));
  server.AnswerJson(200, R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"one"}})");
  EXPECT_TRUE(client.Get<corev1::Pod>(kOne));
  EXPECT_EQ(server.last_header("Accept"), "application/vnd.kubernetes.protobuf,application/json");
}

TEST(Client, SendsABodyAgainAsJsonWhereProtobufIsRefused) {
  ScriptedServer server;
  server.Answer(415, {{"Content-Type", "application/json"}}, Recorded("unsupported media type").body);
  server.AnswerRecorded("create");
  const auto created = server.client({.content_type = ContentType::kProtobuf}).Create(NewMap("one"));
  ASSERT_TRUE(created);
  const auto requests = server.requests();
  ASSERT_EQ(requests.size(), 2u);
  EXPECT_EQ(requests[0].body.substr(0, 3), "k8s");
  EXPECT_EQ(requests[1].body.substr(0, 1), "{");
}

TEST(Client, GetsTheMetadataAlone) {
  ScriptedServer server;
  server.AnswerRecorded("get metadata");
  const auto one = server.client().GetMetadata<corev1::ConfigMap>(kOne);
  ASSERT_TRUE(one) << one.error().message();
  EXPECT_EQ(one->kind, "PartialObjectMetadata");
  EXPECT_EQ(one->metadata.labels.at("suite"), "client");
}

TEST(Client, AMissingObjectIsNotFoundInTheServersWords) {
  ScriptedServer server;
  server.AnswerRecorded("get missing");
  server.AnswerRecorded("get missing");
  const auto none = server.client().Get<corev1::ConfigMap>({"default", "none"});
  ASSERT_FALSE(none);
  EXPECT_TRUE(IsNotFound(none.error()));
  EXPECT_EQ(none.error().message(), "configmaps \"none\" not found");
  const auto ignored = IgnoreNotFound(server.client().Get<corev1::ConfigMap>({"default", "none"}));
  ASSERT_TRUE(ignored);
  EXPECT_FALSE(*ignored);
}

TEST(Client, AnAnswerWithoutStatusIsExplained) {
  ScriptedServer server;
  server.AnswerRecorded("get unserved");
  const Resource widgets{.group = "example.com", .version = "v1", .plural = "widgets"};
  const auto one = server.client().Get(widgets, kOne);
  ASSERT_FALSE(one);
  EXPECT_TRUE(IsNotFound(one.error()));
  EXPECT_EQ(one.error().message(), "the server could not find the requested resource (get widgets.example.com one)");
}

TEST(Client, ALoginPageInsteadOfAnObjectIsNamed) {
  ScriptedServer server;
  server.Answer(200, {{"Content-Type", "text/html"}}, "<html>log in</html>");
  const auto one = server.client().Get<corev1::ConfigMap>(kOne);
  ASSERT_FALSE(one);
  EXPECT_THAT(one.error().message(), HasSubstr("text/html"));
}

TEST(Client, NamespacedObjectsNeedANamespace) {
  ScriptedServer server;
  const auto one = server.client().Get<corev1::ConfigMap>({"", "one"});
  ASSERT_FALSE(one);
  EXPECT_EQ(one.error().code(), ErrorCode::kInvalidArgument);
  EXPECT_THAT(one.error().message(), HasSubstr("namespaced"));
  EXPECT_TRUE(server.requests().empty());
}

TEST(Client, AScopedClientFillsInAndKeepsToItsNamespace) {
  ScriptedServer server;
  const Client client = server.client().Scope("default");
  server.AnswerRecorded("get");
  EXPECT_TRUE(client.Get<corev1::ConfigMap>({"", "one"}));
  const auto other = client.Get<corev1::ConfigMap>({"kube-system", "one"});
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code(), ErrorCode::kInvalidArgument);
  server.AnswerJson(200, R"({"kind":"Node","apiVersion":"v1","metadata":{"name":"n"}})");
  EXPECT_TRUE(client.Get<corev1::Node>({"", "n"}));
  EXPECT_EQ(server.last_line(), "GET /api/v1/nodes/n");
}

TEST(Client, NamesCannotLeaveTheirPath) {
  ScriptedServer server;
  for (const char* name : {"../../secrets/x", "..", ".", "a%2fb"}) {
    const auto one = server.client().Get<corev1::ConfigMap>({"default", name});
    ASSERT_FALSE(one);
    EXPECT_EQ(one.error().code(), ErrorCode::kInvalidArgument);
  }
  EXPECT_TRUE(server.requests().empty());
}

TEST(Client, CreatesAndTellsWhatIsThereAlready) {
  ScriptedServer server;
  server.AnswerRecorded("create");
  server.AnswerRecorded("create again");
  const auto created = server.client().Create(NewMap("one"));
  ASSERT_TRUE(created);
  EXPECT_FALSE(created->metadata.uid.empty());
  EXPECT_EQ(server.last().body,
            R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"one","namespace":"default",)"
            R"("labels":{"suite":"client"}},"data":{"color":"red"}})");
  const auto again = server.client().Create(NewMap("one"));
  ASSERT_FALSE(again);
  EXPECT_TRUE(IsAlreadyExists(again.error()));
}

TEST(Client, InvalidObjectsNameTheirFields) {
  ScriptedServer server;
  server.AnswerRecorded("create invalid");
  const auto created = server.client().Create(NewMap("Not_A_Name"));
  ASSERT_FALSE(created);
  const Error& error = created.error();
  EXPECT_TRUE(IsInvalid(error));
  ASSERT_EQ(StatusOf(error)->details->causes.size(), 1u);
  EXPECT_EQ(StatusOf(error)->details->causes[0].field, "metadata.name");
}

TEST(Client, WriteOptionsAreQueryParameters) {
  ScriptedServer server;
  server.AnswerRecorded("create strict");
  EXPECT_FALSE(server.client().Create(NewMap("strict"), {.field_validation = FieldValidation::kStrict}));
  server.AnswerJson(201, Recorded("create").body);
  EXPECT_TRUE(server.client({.field_manager = "tests"}).Create(NewMap("one"), {.dry_run = true}));
  EXPECT_EQ(server.last().query, "dryRun=All&fieldManager=tests");
}

TEST(Client, UpdatesAndTellsConflicts) {
  ScriptedServer server;
  server.AnswerRecorded("update");
  server.AnswerRecorded("update conflict");
  EXPECT_TRUE(server.client().Update(NewMap("one")));
  const auto late = server.client().Update(NewMap("one"));
  ASSERT_FALSE(late);
  EXPECT_TRUE(IsConflict(late.error()));
}

TEST(Client, PatchesAndApplies) {
  ScriptedServer server;
  server.AnswerRecorded("patch merge");
  const Patch merge = Patch::Merge(Json::Object({{"data", Json::Object({{"shape", "round"}})}}));
  const auto patched = server.client().Patch<corev1::ConfigMap>(kOne, merge, {.field_manager = "tester"});
  ASSERT_TRUE(patched);
  EXPECT_EQ(patched->data.at("shape"), "round");
  EXPECT_EQ(server.last().body, R"({"data":{"shape":"round"}})");

  server.AnswerRecorded("apply");
  const corev1::ConfigMap size{.metadata = {.name = "one", .namespace_ = "default"}, .data = {{"size", "big"}}};
  EXPECT_TRUE(server.client({.field_manager = "other"}).Apply(size));
  server.AnswerRecorded("apply conflict");
  const auto conflict = server.client().Apply(size, {.field_manager = "third"});
  ASSERT_FALSE(conflict);
  EXPECT_TRUE(IsConflict(conflict.error()));
  EXPECT_TRUE(HasStatusCause(conflict.error(), "FieldManagerConflict"));
  const auto anonymous = server.client().Apply(size);
  ASSERT_FALSE(anonymous);
  EXPECT_THAT(anonymous.error().message(), HasSubstr("field_manager"));
  server.AnswerJson(200, Recorded("apply").body);
  EXPECT_TRUE(server.client().Apply(size, {.field_manager = "third", .force = true}));
  EXPECT_EQ(server.last().query, "fieldManager=third&force=true");
}

TEST(Client, WritesStatusToItsSubresource) {
  ScriptedServer server;
  server.AnswerJson(200, R"({"kind":"Deployment","apiVersion":"apps/v1","metadata":{"name":"web"}})");
  const appsv1::Deployment web{.metadata = {.name = "web", .namespace_ = "default"}, .status = {.replicas = 2}};
  EXPECT_TRUE(server.client().Status().Update(web));
  EXPECT_EQ(server.last_line(), "PUT /apis/apps/v1/namespaces/default/deployments/web/status");
}

TEST(Client, DeletesWithPreconditions) {
  ScriptedServer server;
  server.AnswerRecorded("delete precondition");
  const Result<void> refused = server.client().Delete<corev1::ConfigMap>(kOne, {.uid = "another"});
  ASSERT_FALSE(refused);
  EXPECT_TRUE(IsConflict(refused.error()));
  EXPECT_EQ(server.last().body, R"({"kind":"DeleteOptions","apiVersion":"v1","preconditions":{"uid":"another"}})");

  server.AnswerRecorded("delete");
  EXPECT_TRUE(server.client().Delete(
      NewMap("one"), {.grace_period = std::chrono::seconds(0), .propagation = Propagation::kForeground}));
  EXPECT_EQ(server.last().body, R"({"kind":"DeleteOptions","apiVersion":"v1","gracePeriodSeconds":0,)"
                                R"("propagationPolicy":"Foreground"})");
  server.AnswerRecorded("delete all");
  EXPECT_TRUE(server.client().DeleteAllOf<corev1::ConfigMap>({.namespace_ = "default", .labels = Suite()}));
}

TEST(Client, ASelectorThatMatchesNothingDeletesNothing) {
  ScriptedServer server;
  EXPECT_FALSE(
      server.client().DeleteAllOf<corev1::ConfigMap>({.namespace_ = "default", .labels = labels::Selector::Nothing()}));
  EXPECT_TRUE(server.requests().empty());
}

TEST(Client, ListsPageByPageIntoOne) {
  ScriptedServer server;
  server.CutInto(5);
  server.AnswerRecorded("list page 1");
  server.AnswerRecorded("list page 2");
  const auto maps =
      server.client().List<corev1::ConfigMap>({.namespace_ = "default", .labels = Suite(), .page_size = 2});
  ASSERT_TRUE(maps) << maps.error().message();
  std::vector<std::string> names;
  for (const corev1::ConfigMap& map : *maps) names.push_back(map.metadata.name.str());
  EXPECT_THAT(names, ElementsAre("one", "three", "two"));
  EXPECT_FALSE(maps->metadata.resourceVersion.empty());
}

TEST(Client, ListsTheSameInProtobufHoweverItIsCut) {
  ScriptedServer server;
  server.AnswerRecorded("list");
  const ListOptions options{.namespace_ = "default", .labels = Suite(), .page_size = 0};
  const auto json = server.client().List<corev1::ConfigMap>(options);
  ASSERT_TRUE(json);
  for (const size_t chunk : {1, 3, 4096}) {
    server.CutInto(chunk);
    server.AnswerRecorded("list protobuf");
    const auto protobuf = server.client({.content_type = ContentType::kProtobuf}).List<corev1::ConfigMap>(options);
    ASSERT_TRUE(protobuf) << protobuf.error().message();
    ASSERT_EQ(protobuf->size(), json->size());
    for (size_t i = 0; i < json->size(); ++i) EXPECT_TRUE(Equal(json->items[i], protobuf->items[i]));
  }
}

TEST(Client, ListsMetadata) {
  ScriptedServer server;
  server.AnswerRecorded("list metadata");
  const auto maps =
      server.client().ListMetadata<corev1::ConfigMap>({.namespace_ = "default", .labels = Suite(), .page_size = 0});
  ASSERT_TRUE(maps);
  EXPECT_EQ(maps->size(), 3u);
}

TEST(Client, AnExpiredPageStartsTheListAnewInOne) {
  ScriptedServer server;
  server.AnswerRecorded("list page 1");
  server.AnswerJson(410, R"({"kind":"Status","status":"Failure","message":"too old","reason":"Expired","code":410})");
  server.AnswerRecorded("list");
  const auto maps =
      server.client().List<corev1::ConfigMap>({.namespace_ = "default", .labels = Suite(), .page_size = 2});
  ASSERT_TRUE(maps);
  EXPECT_EQ(maps->size(), 3u);
}

TEST(Client, AnExpiredPageIsAnErrorWhenObjectsWereHandedOn) {
  ScriptedServer server;
  server.AnswerRecorded("list page 1");
  server.AnswerJson(410, R"({"kind":"Status","status":"Failure","message":"too old","reason":"Expired","code":410})");
  int visited = 0;
  const auto maps = server.client().ForEach<corev1::ConfigMap>(
      {.namespace_ = "default", .labels = Suite(), .page_size = 2}, [&](corev1::ConfigMap&&) { ++visited; });
  ASSERT_FALSE(maps);
  EXPECT_TRUE(IsExpired(maps.error()));
  EXPECT_EQ(visited, 2);
}

TEST(Client, PagesAreARange) {
  ScriptedServer server;
  server.AnswerRecorded("list page 1");
  server.AnswerRecorded("list page 2");
  std::vector<size_t> sizes;
  for (Result<ObjectList<corev1::ConfigMap>>& page :
       server.client().Pages<corev1::ConfigMap>({.namespace_ = "default", .labels = Suite(), .page_size = 2})) {
    ASSERT_TRUE(page);
    sizes.push_back(page->size());
  }
  EXPECT_THAT(sizes, ElementsAre(2, 1));
}

TEST(Client, AListThatEndsEarlyIsAnError) {
  ScriptedServer server;
  const std::string body = Recorded("list").body;
  server.AnswerJson(200, body.substr(0, body.size() / 2));
  EXPECT_FALSE(server.client().List<corev1::ConfigMap>({.namespace_ = "default"}));
}

TEST(Client, WatchesEventsHoweverTheyAreCut) {
  const std::string since = Recorded("watch").target.substr(Recorded("watch").target.rfind('=') + 1);
  const std::string target =
      "/api/v1/namespaces/default/configmaps?watch=true&resourceVersion=" + since + "&timeoutSeconds=1";
  for (const char* name : {"watch", "watch protobuf"}) {
    for (const size_t chunk : {1, 7, 100000}) {
      ScriptedServer server;
      server.CutInto(chunk);
      server.AnswerRecorded(name, target);
      const bool protobuf = std::string_view(name) == "watch protobuf";
      const Client client = server.client({.content_type = protobuf ? ContentType::kProtobuf : ContentType::kJson});
      auto watch = client.Watch<corev1::ConfigMap>({.namespace_ = "default",
                                                    .resource_version = since,
                                                    .bookmarks = false,
                                                    .server_timeout = std::chrono::seconds(1)});
      ASSERT_TRUE(watch) << watch.error().message();
      std::vector<std::string> events;
      while (true) {
        auto event = watch->Next();
        ASSERT_TRUE(event) << event.error().message();
        if (!*event) break;
        events.push_back(std::string(ToString((*event)->type)) + " " + (*event)->object.metadata.name.str());
      }
      EXPECT_THAT(events, ElementsAre("ADDED two", "ADDED three", "MODIFIED one", "MODIFIED one", "MODIFIED one",
                                      "DELETED one"));
      EXPECT_FALSE(watch->Next().value().has_value());
    }
  }
}

TEST(Client, AWatchThatIsCutInAnEventFails) {
  ScriptedServer server;
  server.AnswerJson(200, R"({"type":"ADDED","object":{"metadata":{"name":"a"}}}{"type":"ADD)");
  auto watch = server.client().Watch<corev1::ConfigMap>();
  ASSERT_TRUE(watch);
  EXPECT_EQ((*watch->Next())->object.metadata.name, "a");
  const auto second = watch->Next();
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code(), ErrorCode::kUnavailable);
}

TEST(Client, AnErrorEventIsAnError) {
  ScriptedServer server;
  server.AnswerJson(200, R"({"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","metadata":{},)"
                         R"("status":"Failure","message":"too old resource version: 1","reason":"Expired",)"
                         R"("code":410}})");
  auto watch = server.client().Watch<corev1::ConfigMap>({.resource_version = "1"});
  ASSERT_TRUE(watch);
  const auto event = watch->Next();
  ASSERT_FALSE(event);
  EXPECT_TRUE(IsExpired(event.error()));
  EXPECT_FALSE(watch->Next());
}

TEST(Client, ABookmarkSaysHowFarTheWatchIs) {
  ScriptedServer server;
  server.AnswerJson(200,
                    R"({ "object" : {"kind":"ConfigMap","metadata":{"resourceVersion":"9"}}, "type":"BOOKMARK" })");
  auto watch = server.client().Watch<corev1::ConfigMap>({.name = "one", .initial_events = true});
  ASSERT_TRUE(watch);
  EXPECT_EQ(server.last().query,
            "watch=true&fieldSelector=metadata.name%3Done&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&"
            "allowWatchBookmarks=true");
  const auto event = watch->Next();
  ASSERT_TRUE(event && *event);
  EXPECT_EQ((*event)->type, WatchEventType::kBookmark);
  EXPECT_EQ((*event)->object.metadata.resourceVersion, "9");
}

TEST(Client, GoesThroughWhatIsPutAroundItsTransport) {
  class Refusing final : public Transport {
    Result<HttpResponse> Send(HttpRequest, const CallScope&) override { return Error::Cancelled("refused"); }
  };
  ScriptedServer server;
  const Client client = server.client().Scope("default");
  const Client refused = client.Over([](std::shared_ptr<Transport> inner) {
    EXPECT_NE(inner, nullptr);
    return std::make_shared<Refusing>();
  });
  EXPECT_EQ(refused.Get<corev1::ConfigMap>(kOne).error().message(), "refused");
  EXPECT_EQ(refused.scoped_namespace(), "default");
  EXPECT_TRUE(server.requests().empty());
  server.AnswerRecorded("get");
  EXPECT_TRUE(client.Get<corev1::ConfigMap>(kOne));
}

TEST(Client, AStoppedCallIsNotSent) {
  ScriptedServer server;
  StopSource stop;
  stop.RequestStop();
  const auto one = server.client().With({.stop = stop.token()}).Get<corev1::ConfigMap>(kOne);
  ASSERT_FALSE(one);
  EXPECT_EQ(one.error().code(), ErrorCode::kCancelled);
  EXPECT_TRUE(server.requests().empty());
}

}  // namespace
}  // namespace keelson
