// What stands beside the client: typed, dynamic, subresources, logs, create-or-update, retry.
#include <gmock/gmock.h>

#include "keelson/api/apps/v1.h"
#include "keelson/api/core/v1.h"
#include "keelson/client/create_or_update.h"
#include "keelson/client/dynamic_client.h"
#include "keelson/client/logs.h"
#include "keelson/client/modify.h"
#include "keelson/client/owned.h"
#include "keelson/client/retry_on_conflict.h"
#include "keelson/client/scripted_server_test_support.h"
#include "keelson/client/subresources.h"
#include "keelson/client/typed_client.h"
#include "keelson/core/clock.h"
#include "keelson/core/simulation.h"

namespace keelson {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

const ObjectKey kOne = {"default", "one"};
const ObjectKey kWeb = {"default", "web"};

TEST(TypedClient, WorksInItsNamespace) {
  ScriptedServer server;
  const TypedClient<corev1::ConfigMap> maps(server.client(), "default");
  server.AnswerRecorded("get");
  EXPECT_EQ(maps.Get("one")->data.at("color"), "red");
  server.AnswerRecorded("patch merge");
  EXPECT_TRUE(maps.Patch("one", Patch::Merge(Json::Object({{"data", Json::Object({{"shape", "round"}})}})),
                         {.field_manager = "tester"}));
  server.AnswerRecorded("delete");
  EXPECT_TRUE(maps.Delete("one"));
}

template <class C>
concept CanUpdateStatus = requires(const C& client, const corev1::ConfigMap& map) { client.UpdateStatus(map); };
template <class C>
concept CanCreate = requires(const C& client, const corev1::ConfigMap& map) { client.Create(map); };

TEST(TypedClient, HasOnlyTheVerbsOfItsKind) {
  EXPECT_FALSE(CanUpdateStatus<TypedClient<corev1::ConfigMap>>);
  EXPECT_TRUE((CanUpdateStatus<TypedClient<corev1::ConfigMap, kAllVerbs>>));
  EXPECT_TRUE(CanCreate<TypedClient<corev1::ConfigMap>>);
  EXPECT_FALSE((CanCreate<TypedClient<corev1::ConfigMap, kGetVerb | kListVerb>>));
}

TEST(DynamicClient, NeedsNoDiscoveryForOneObject) {
  ScriptedServer server;
  const DynamicClient maps = DynamicClient(server.client()).Of({"", "v1", "configmaps"}).In("default");
  server.AnswerRecorded("get");
  Result<Unstructured> one = maps.Get("one");
  ASSERT_TRUE(one) << one.error().message();
  EXPECT_EQ(one->GetKind(), "ConfigMap");
  ASSERT_TRUE(one->SetNested({"data", "color"}, "green"));
  server.AnswerRecorded("update");
  EXPECT_EQ(maps.Update(*one)->NestedString({"data", "color"}), "green");
  EXPECT_THAT(server.last().body, HasSubstr(R"("data":{"color":"green"})"));
}

TEST(DynamicClient, ItemsOfListsHaveTheirKind) {
  ScriptedServer server;
  const DynamicClient maps = DynamicClient(server.client()).Of({"", "v1", "configmaps"}).In("default");
  server.AnswerRecorded("discovery api");
  server.AnswerRecorded("discovery apis");
  server.AnswerRecorded("list");
  const auto list = maps.List({.labels = labels::Parse("suite=client").value(), .page_size = 0});
  ASSERT_TRUE(list) << list.error().message();
  ASSERT_EQ(list->size(), 3u);
  EXPECT_EQ(list->items[0].GetKind(), "ConfigMap");
  EXPECT_EQ(list->items[0].GetApiVersion(), "v1");
}

TEST(DynamicClient, KindsAreFoundByDiscovery) {
  ScriptedServer server;
  const Client client = server.client();
  server.AnswerRecorded("discovery api");
  server.AnswerRecorded("discovery apis");
  server.AnswerRecorded("get");
  const Result<Unstructured> one = client.Get(GroupVersionKind{"", "v1", "ConfigMap"}, kOne);
  ASSERT_TRUE(one);
  server.AnswerRecorded("create");
  Unstructured made = Unstructured::Parse(Recorded("create").request).value();
  made.SetNamespace("default");
  EXPECT_TRUE(client.Create(made));
}

TEST(Subresources, ScaleIsReadAndWritten) {
  ScriptedServer server;
  server.AnswerRecorded("get scale");
  auto scale = GetScale<appsv1::Deployment>(server.client(), kWeb);
  ASSERT_TRUE(scale) << scale.error().message();
  EXPECT_EQ(scale->spec.replicas, 2);
  scale->spec.replicas = 3;
  server.AnswerRecorded("update scale");
  EXPECT_EQ(UpdateScale<appsv1::Deployment>(server.client(), kWeb, *scale)->spec.replicas, 3);
}

TEST(Subresources, EvictsBindsAndAsksForTokens) {
  ScriptedServer server;
  server.AnswerRecorded("evict");
  EXPECT_TRUE(Evict(server.client(), kWeb, {.uid = "u", .dry_run = true}));
  EXPECT_EQ(server.last().body,
            R"({"kind":"Eviction","apiVersion":"policy/v1","metadata":{"name":"web","namespace":"default"},)"
            R"("deleteOptions":{"preconditions":{"uid":"u"}}})");
  server.AnswerRecorded("bind to missing node");
  EXPECT_TRUE(BindPod(server.client(), kWeb, "n1", {.dry_run = true}));
  server.AnswerRecorded("token");
  const auto token = RequestToken(server.client(), {"default", "default"},
                                  {.audiences = {"tests"}, .expirationSeconds = 600}, {.dry_run = true});
  ASSERT_TRUE(token) << token.error().message();
  EXPECT_EQ(token->status.token, "not recorded");
}

TEST(Logs, ComeLineByLineHoweverTheyAreCut) {
  for (const size_t chunk : {1, 4, 100}) {
    ScriptedServer server;
    server.CutInto(chunk);
    server.Answer(200, {{"Content-Type", "text/plain"}}, "first\n\nthird line\nno end");
    auto log = OpenLog(server.client(), kWeb, {.container = "app", .follow = true, .since = 60s, .tail_lines = 10});
    ASSERT_TRUE(log);
    EXPECT_EQ(server.last_line(),
              "GET /api/v1/namespaces/default/pods/web/log?container=app&follow=true&sinceSeconds=60&tailLines=10");
    std::vector<std::string> lines;
    while (true) {
      const auto line = log->NextLine();
      ASSERT_TRUE(line);
      if (!*line) break;
      lines.emplace_back(**line);
    }
    EXPECT_THAT(lines, ElementsAre("first", "", "third line", "no end"));
  }
}

TEST(Logs, APodWithoutAContainerHasNone) {
  ScriptedServer server;
  server.Answer(204, {}, "");
  auto log = OpenLog(server.client(), kWeb, {.follow = true});
  ASSERT_TRUE(log);
  EXPECT_FALSE(log->NextLine().value().has_value());
}

corev1::ConfigMap Named() { return {.metadata = {.name = "one", .namespace_ = "default"}}; }

TEST(CreateOrUpdate, CreatesWhatIsMissing) {
  ScriptedServer server;
  server.AnswerJson(404, Recorded("get missing").body);
  server.AnswerRecorded("create");
  const auto done =
      CreateOrUpdate(server.client(), Named(), [](corev1::ConfigMap& map) { map.data = {{"color", "red"}}; });
  ASSERT_TRUE(done) << done.error().message();
  EXPECT_EQ(done->change, Change::kCreated);
  EXPECT_THAT(server.last().body, HasSubstr(R"("color":"red")"));
}

TEST(CreateOrUpdate, SendsNothingWhenNothingChanges) {
  ScriptedServer server;
  server.AnswerRecorded("get");
  const auto done =
      CreateOrUpdate(server.client(), Named(), [](corev1::ConfigMap& map) { map.data = {{"color", "red"}}; });
  ASSERT_TRUE(done);
  EXPECT_EQ(done->change, Change::kNone);
}

TEST(CreateOrUpdate, UpdatesWhatDiffers) {
  ScriptedServer server;
  server.AnswerRecorded("get");
  server.AnswerRecorded("update");
  const auto done = CreateOrUpdate(server.client(), Named(), [](corev1::ConfigMap& map) -> Result<void> {
    map.data = {{"color", "green"}};
    return {};
  });
  ASSERT_TRUE(done);
  EXPECT_EQ(done->change, Change::kUpdated);
}

TEST(CreateOrUpdate, KeepsToTheObject) {
  ScriptedServer server;
  server.AnswerRecorded("get");
  const auto done =
      CreateOrUpdate(server.client(), Named(), [](corev1::ConfigMap& map) { map.metadata.name = "other"; });
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code(), ErrorCode::kInvalidArgument);
}

TEST(CreateOrPatch, SendsTheStatusToItsSubresource) {
  ScriptedServer server;
  const std::string web =
      R"({"kind":"Deployment","apiVersion":"apps/v1","metadata":{"name":"web","namespace":"default"}})";
  server.AnswerJson(200, web);
  server.AnswerJson(200, web);
  server.AnswerJson(200, web);
  const auto done =
      CreateOrPatch(server.client(), appsv1::Deployment{.metadata = {.name = "web", .namespace_ = "default"}},
                    [](appsv1::Deployment& deployment) {
                      deployment.spec.paused = true;
                      deployment.status.replicas = 4;
                    });
  ASSERT_TRUE(done) << done.error().message();
  EXPECT_EQ(done->change, Change::kUpdatedBoth);
  const auto requests = server.requests();
  EXPECT_EQ(requests[1].path, "/apis/apps/v1/namespaces/default/deployments/web");
  EXPECT_EQ(requests[1].body, R"({"spec":{"paused":true}})");
  EXPECT_EQ(requests[2].path, "/apis/apps/v1/namespaces/default/deployments/web/status");
  EXPECT_EQ(requests[2].body, R"({"status":{"replicas":4}})");
}

TEST(RetryOnConflict, TriesAgainAndPausesLonger) {
  const Result<void> run = Simulation({.seed = 7}).Run([] {
    int calls = 0;
    const TimePoint start = Clock::Now();
    const Result<int> done = RetryOnConflict([&]() -> Result<int> {
      if (++calls < 4) return Error::Conflict("changed");
      return calls;
    });
    EXPECT_EQ(done.value(), 4);
    EXPECT_GE(Clock::Now() - start, 70ms);
    EXPECT_LE(Clock::Now() - start, 77ms);
  });
  ASSERT_TRUE(run) << run.error().message();
}

TEST(RetryOnConflict, GivesUpWithTheLastConflict) {
  const Result<void> run = Simulation({.seed = 7}).Run([] {
    int calls = 0;
    const Result<void> done = RetryOnConflict([&]() -> Result<void> {
      ++calls;
      return Error::Conflict("changed");
    });
    EXPECT_EQ(calls, 5);
    EXPECT_TRUE(!done && IsConflict(done.error()));
    calls = 0;
    EXPECT_FALSE(RetryOnConflict([&]() -> Result<void> { return ++calls, Error::NotFound("gone"); }));
    EXPECT_EQ(calls, 1);
  });
  ASSERT_TRUE(run) << run.error().message();
}

constexpr const char* kConflict = R"({"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Conflict",)"
                                  R"("message":"the object has been modified","code":409})";

TEST(Modify, ReadsAgainAfterAConflict) {
  const Result<void> run = Simulation({.seed = 7}).Run([] {
    ScriptedServer server;
    server.AnswerRecorded("get");
    server.AnswerJson(409, kConflict);
    server.AnswerRecorded("get");
    server.AnswerRecorded("update");
    int calls = 0;
    const auto changed = Modify<corev1::ConfigMap>(server.client(), kOne, [&](corev1::ConfigMap& map) {
      ++calls;
      map.data = {{"color", "green"}};
    });
    ASSERT_TRUE(changed) << changed.error().message();
    EXPECT_EQ(calls, 2);
    EXPECT_EQ(changed->data.at("color"), "green");
    EXPECT_EQ(server.requests().size(), 4u);
  });
  ASSERT_TRUE(run) << run.error().message();
}

TEST(Modify, SendsNothingWhenNothingChangesOrTheFunctionFails) {
  ScriptedServer server;
  server.AnswerRecorded("get");
  EXPECT_EQ(Modify<corev1::ConfigMap>(server.client(), kOne, [](corev1::ConfigMap&) {})->data.at("color"), "red");
  server.AnswerRecorded("get");
  const auto failed = Modify<corev1::ConfigMap>(
      server.client(), kOne, [](corev1::ConfigMap&) -> Result<void> { return Error::InvalidArgument("no"); });
  EXPECT_EQ(failed.error().message(), "no");
  EXPECT_EQ(server.requests().size(), 2u);
}

TEST(Modify, OfTheStatusWritesToItsSubresource) {
  ScriptedServer server;
  const std::string web =
      R"({"kind":"Deployment","apiVersion":"apps/v1","metadata":{"name":"web","namespace":"default"}})";
  server.AnswerJson(200, web);
  server.AnswerJson(200, web);
  ASSERT_TRUE(ModifyStatus<appsv1::Deployment>(server.client(), kWeb,
                                               [](appsv1::Deployment& deployment) { deployment.status.replicas = 4; }));
  EXPECT_EQ(server.last().path, "/apis/apps/v1/namespaces/default/deployments/web/status");
}

appsv1::Deployment WebOwner() { return {.metadata = {.name = "web", .namespace_ = "default", .uid = "u-1"}}; }
std::string OwnerNow(const char* rest) {
  return R"({"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"web",)" +
         std::string(R"("namespace":"default",)") + rest + "}}";
}

TEST(CreateOrUpdateOwned, AsksForTheOwnersMetadataBeforeItCreates) {
  ScriptedServer server;
  server.AnswerJson(404, Recorded("get missing").body);
  server.AnswerJson(200, OwnerNow(R"("uid":"u-1")"));
  server.AnswerRecorded("create");
  const auto done = CreateOrUpdateOwned(server.client(), WebOwner(), Named(),
                                        [](corev1::ConfigMap& map) { map.data = {{"color", "red"}}; });
  ASSERT_TRUE(done) << done.error().message();
  EXPECT_EQ(done->change, Change::kCreated);
  const auto requests = server.requests();
  ASSERT_EQ(requests.size(), 3u);
  EXPECT_EQ(requests[1].path, "/apis/apps/v1/namespaces/default/deployments/web");
  EXPECT_THAT(*requests[1].headers.Find("Accept"), HasSubstr("as=PartialObjectMetadata"));
  EXPECT_THAT(requests[2].body, HasSubstr(R"("controller":true)"));
}

TEST(CreateOrUpdateOwned, MakesNothingForAnOwnerThatIsGone) {
  const std::pair<int, std::string> answers[] = {
      {404, Recorded("get missing").body},
      {200, OwnerNow(R"("uid":"u-2")")},
      {200, OwnerNow(R"("uid":"u-1","deletionTimestamp":"2026-01-01T00:00:00Z")")},
  };
  for (const auto& [status, body] : answers) {
    ScriptedServer server;
    server.AnswerJson(404, Recorded("get missing").body);
    server.AnswerJson(status, body);
    const auto done = CreateOrUpdateOwned(server.client(), WebOwner(), Named(), [](corev1::ConfigMap&) {});
    ASSERT_FALSE(done) << body;
    EXPECT_TRUE(IsOwnerGone(done.error())) << done.error().message();
    EXPECT_TRUE(IsConflict(done.error())) << "who returns it tries again";
    EXPECT_FALSE(IsNotOwned(done.error()));
    EXPECT_THAT(done.error().message(), HasSubstr("Deployment default/web is gone"));
    EXPECT_EQ(server.requests().size(), 2u);
  }
}

TEST(CreateOrUpdateOwned, DoesNotTakeAServerOutOfReachForADeadOwner) {
  ScriptedServer server;
  server.AnswerJson(404, Recorded("get missing").body);
  server.AnswerJson(403, R"({"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden",)"
                         R"("message":"not allowed","code":403})");
  const auto done = CreateOrUpdateOwned(server.client(), WebOwner(), Named(), [](corev1::ConfigMap&) {});
  ASSERT_FALSE(done);
  EXPECT_FALSE(IsOwnerGone(done.error()));
  EXPECT_TRUE(IsForbidden(done.error()));
}

TEST(CreateOrUpdateOwned, LeavesWhatIsNotTheOwnersAlone) {
  ScriptedServer server;
  server.AnswerRecorded("get");
  const auto done = CreateOrUpdateOwned(server.client(), WebOwner(), Named(),
                                        [](corev1::ConfigMap&) { FAIL() << "it has no say in that object"; });
  ASSERT_FALSE(done);
  EXPECT_TRUE(IsNotOwned(done.error()));
  EXPECT_EQ(done.error().message(),
            "ConfigMap default/one is there already and does not belong to Deployment default/web: rename or delete "
            "one of them");
}

TEST(CreateOwned, SetsTheControllerAndChecksIt) {
  ScriptedServer server;
  server.AnswerJson(200, OwnerNow(R"("uid":"u-1")"));
  server.AnswerRecorded("create");
  ASSERT_TRUE(CreateOwned(server.client(), WebOwner(), Named()));
  EXPECT_THAT(server.last().body, HasSubstr(R"("uid":"u-1")"));
  server.AnswerJson(404, Recorded("get missing").body);
  EXPECT_TRUE(IsOwnerGone(CreateOwned(server.client(), WebOwner(), Named()).error()));
}

}  // namespace
}  // namespace keelson
