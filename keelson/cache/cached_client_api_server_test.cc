// A client on caches of several kinds and namespaces, against the embedded API server.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "keelson/api/apps/v1.h"
#include "keelson/api/status_error.h"
#include "keelson/apiserver/api_server.h"
#include "keelson/cache/cached_client.h"
#include "keelson/cache/told_test_support.h"
#include "keelson/cache/wait_for_cache_sync.h"
#include "keelson/client/create_or_update.h"
#include "keelson/client/subresources.h"
#include "keelson/core/log.h"
#include "keelson/transport/in_process_transport.h"
#include "keelson/transport/thread_scope.h"

namespace keelson {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

const GroupVersionKind kMaps = {"", "v1", "ConfigMap"};

// What was asked of the server, beside watches and lists of informers.
class Recording final : public Transport {
 public:
  explicit Recording(std::shared_ptr<Transport> inner) : inner_(std::move(inner)) {}
  Result<HttpResponse> Send(HttpRequest request, const CallScope& scope) override {
    requests.push_back(request.method + " " + request.target);
    return inner_->Send(std::move(request), scope);
  }
  std::vector<std::string> requests;

 private:
  const std::shared_ptr<Transport> inner_;
};

struct World {
  explicit World(InformerFactoryOptions options = {})
      : server(ApiServer::Make().value()),
        recording(std::make_shared<Recording>(std::make_shared<InProcessTransport>(
            *server, Peer{.common_name = "admin", .organizations = {"system:masters"}}))),
        live(recording),
        informers(Client(std::make_shared<InProcessTransport>(
                      *server, Peer{.common_name = "admin", .organizations = {"system:masters"}})),
                  std::move(options)) {
    for (const char* name : {"blue", "green", "red"}) {
      EXPECT_TRUE(live.Create(corev1::Namespace{.metadata = {.name = name}}));
      EXPECT_TRUE(live.Create(Map(name, "one", "1")));
    }
    EXPECT_TRUE(live.Create(Map("blue", "two", "2")));
  }
  static corev1::ConfigMap Map(const std::string& namespace_, const std::string& name, const std::string& value) {
    return {.metadata = {.name = name, .namespace_ = namespace_, .labels = {{"value", value}}},
            .data = {{"value", value}}};
  }
  void Start() {
    informers.Start(stop.token());
    ASSERT_TRUE(WaitForCacheSync(stop.token(), informers));
    recording->requests.clear();
  }

  std::unique_ptr<ApiServer> server;
  std::shared_ptr<Recording> recording;
  Client live;
  StopSource stop;
  InformerFactory informers;
};

std::vector<std::string> KeysOf(const Result<ObjectList<corev1::ConfigMap>>& list) {
  if (!list) return {list.error().message()};
  std::vector<std::string> keys;
  for (const corev1::ConfigMap& map : *list) keys.push_back(KeyOf(map).ToString());
  return keys;
}

TEST(CachedClientOfSeveralNamespaces, ListsOverAllOfThem) {
  Simulated([] {
    World world({.namespaces = {"blue", "green"}});
    const auto maps = world.informers.AllOf<corev1::ConfigMap>();
    ASSERT_EQ(maps.size(), 2u);
    world.Start();
    const CachedClient client(world.live, world.informers, {.uncached = UncachedRead::kError});
    EXPECT_THAT(KeysOf(client.List<corev1::ConfigMap>({.labels = *labels::Parse("value")})),
                UnorderedElementsAre("blue/one", "blue/two", "green/one"));
    EXPECT_THAT(KeysOf(client.List<corev1::ConfigMap>({.namespace_ = "green", .labels = *labels::Parse("value")})),
                ElementsAre("green/one"));
    EXPECT_THAT(KeysOf(client.List<corev1::ConfigMap>({.fields = *fields::Parse("data.value=1,metadata.name=one")})),
                UnorderedElementsAre("blue/one", "green/one"));
    EXPECT_TRUE(client.Get<corev1::ConfigMap>({"green", "one"}));
    EXPECT_EQ(client.GetMetadata<corev1::ConfigMap>({"green", "one"}).value().metadata.name, "one");
    EXPECT_EQ(client.Get<corev1::ConfigMap>({"red", "one"}).error().code(), ErrorCode::kUnsupported);
    EXPECT_TRUE(world.recording->requests.empty());
    // A write to one is awaited by a list of all.
    ASSERT_TRUE(client.Create(World::Map("green", "new", "9")));
    EXPECT_THAT(KeysOf(client.List<corev1::ConfigMap>({.labels = *labels::Parse("value=9")})),
                ElementsAre("green/new"));
  });
}

TEST(InformersOfSeveralNamespaces, AreAsManyUnlessTheKindHasNone) {
  World world({.namespaces = {"blue", "green"}});
  EXPECT_EQ(world.informers.AllOf<corev1::ConfigMap>().size(), 2u);
  EXPECT_EQ(world.informers.AllOf(kMaps)[1].core()->source().namespace_, "green");
  EXPECT_EQ(world.informers.AllMetadataOf<corev1::Secret>().size(), 2u);
  const auto nodes = world.informers.AllOf<corev1::Node>();
  ASSERT_EQ(nodes.size(), 1u);
  EXPECT_EQ(nodes[0].core()->source().namespace_, "");
  const auto all = world.informers.AllOf<corev1::ConfigMap>(Selection{});
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].core()->source().namespace_, "") << "a selection is meant as it stands";

  world.informers.Configure<corev1::Pod>({.labels = *labels::Parse("app=web")});
  const auto pods = world.informers.AllOf<corev1::Pod>();
  ASSERT_EQ(pods.size(), 2u);
  EXPECT_EQ(pods[0].core()->source().namespace_, "blue");
  EXPECT_EQ(pods[0].core()->source().labels.ToString(), "app=web");
  world.informers.Configure<corev1::Service>({.namespace_ = "red"});
  EXPECT_EQ(world.informers.AllOf<corev1::Service>().size(), 1u);

  const ScopedLogCapture log;
  EXPECT_EQ(world.informers.For<corev1::ConfigMap>().core()->source().namespace_, "blue");
  EXPECT_THAT(log.lines(), ElementsAre(HasSubstr("AllOf gives them all")));
}

TEST(CachedClientOfSeveralNamespaces, AClusterScopedKindKnownByNameIsListedOnce) {
  Simulated([] {
    World world({.namespaces = {"blue", "green"}});
    const GroupVersionKind kind{"", "v1", "Namespace"};
    const auto spaces = world.informers.AllOf(kind);
    world.Start();
    const CachedClient client(world.live, world.informers, {.uncached = UncachedRead::kError});
    EXPECT_EQ(client.List(kind).value().size(), world.live.List(kind).value().size());
    EXPECT_TRUE(client.Get(kind, {"", "red"}));
    EXPECT_TRUE(client.Get<corev1::Namespace>({"", "red"}));
  });
}

TEST(UncachedReads, GoToTheServerAndAreSaidOnceForEachKind) {
  Simulated([] {
    const ScopedLogCapture log;
    World world;
    world.Start();
    const CachedClient client(world.live, world.informers);
    EXPECT_TRUE(client.Get<corev1::ConfigMap>({"blue", "one"}));
    EXPECT_EQ(client.List<corev1::ConfigMap>({.namespace_ = "blue", .labels = *labels::Parse("value")}).value().size(),
              2u);
    EXPECT_TRUE(client.GetMetadata<corev1::ConfigMap>({"blue", "one"}));
    EXPECT_TRUE(client.Get(kMaps, {"blue", "one"}));
    EXPECT_EQ(world.informers.size(), 0u);
    EXPECT_THAT(log.lines(), ElementsAre(AllOf(HasSubstr("Reading from the server"), HasSubstr("kind=\"ConfigMap\""))));
  });
}

TEST(UncachedReads, OfTheServerAreSilentWhereThatIsMeant) {
  Simulated([] {
    const ScopedLogCapture log;
    World world;
    world.Start();
    const CachedClient client(
        world.live, world.informers,
        {.uncached = UncachedRead::kError, .uncached_by_kind = {{{"", "ConfigMap"}, UncachedRead::kServer}}});
    EXPECT_TRUE(client.Get<corev1::ConfigMap>({"blue", "one"}));
    EXPECT_EQ(client.List<corev1::Secret>().error().code(), ErrorCode::kUnsupported);
    EXPECT_EQ(client.GetMetadata<corev1::Secret>({"blue", "x"}).error().code(), ErrorCode::kUnsupported);
    EXPECT_THAT(log.lines(), ElementsAre());
  });
}

TEST(UncachedReads, StartAnInformerWhereThatIsMeant) {
  Simulated([] {
    World world({.namespaces = {"blue", "green"}});
    world.Start();
    {
      const CachedClient client(world.live, world.informers, {.uncached = UncachedRead::kStart});
      const auto two = client.Get<corev1::ConfigMap>({"blue", "two"});
      ASSERT_TRUE(two) << two.error().message();
      EXPECT_EQ(two->data.at("value"), "2");
      EXPECT_EQ(world.informers.size(), 2u) << "of the factory's namespaces";
      EXPECT_THAT(KeysOf(client.List<corev1::ConfigMap>({.labels = *labels::Parse("value")})),
                  UnorderedElementsAre("blue/one", "blue/two", "green/one"));
      EXPECT_EQ(client.Get(kMaps, {"green", "one"}).value().NestedString({"data", "value"}), "1");
      EXPECT_TRUE(world.recording->requests.empty());
      // A namespace that the factory is not for is read from the server.
      EXPECT_TRUE(client.Get<corev1::ConfigMap>({"red", "one"}));
      EXPECT_EQ(world.recording->requests.size(), 1u);
      EXPECT_EQ(world.informers.size(), 2u);
    }
    EXPECT_EQ(world.informers.size(), 0u) << "they end with the client";
  });
}

TEST(CachedClient, KindsThatAreLiveAreReadFromTheServer) {
  Simulated([] {
    World world;
    const auto maps = world.informers.For<corev1::ConfigMap>();
    world.Start();
    const CachedClient client(world.live, world.informers, {.live_kinds = {{"", "ConfigMap"}}});
    EXPECT_TRUE(client.Get<corev1::ConfigMap>({"blue", "one"}));
    EXPECT_TRUE(client.Get(kMaps, {"blue", "one"}));
    EXPECT_TRUE(client.GetMetadata<corev1::ConfigMap>({"blue", "one"}));
    EXPECT_TRUE(client.List<corev1::ConfigMap>());
    EXPECT_THAT(world.recording->requests.size(), 4u + 2u) << "two of them are discovery's, of the kind by its name";
  });
}

TEST(CachedClient, MetadataIsReadFromACacheOfWholeObjectsOrOfItAlone) {
  for (const bool whole : {true, false}) {
    Simulated([&] {
      World world;
      std::optional<Informer<corev1::ConfigMap>> objects;
      std::optional<Informer<metav1::PartialObjectMetadata>> metadata;
      if (whole) {
        objects = world.informers.For<corev1::ConfigMap>();
      } else {
        metadata = world.informers.MetadataFor(kMaps);
      }
      world.Start();
      const CachedClient client(world.live, world.informers, {.uncached = UncachedRead::kError});
      const auto one = client.GetMetadata<corev1::ConfigMap>({"blue", "one"});
      ASSERT_TRUE(one) << one.error().message();
      EXPECT_EQ(one->metadata.labels.at("value"), "1");
      EXPECT_EQ(one->kind, "PartialObjectMetadata");
      EXPECT_EQ(client.ListMetadata<corev1::ConfigMap>({.labels = *labels::Parse("value")}).value().size(), 4u);
      EXPECT_EQ(client.Get<corev1::ConfigMap>({"blue", "one"}).has_value(), whole);
      EXPECT_TRUE(world.recording->requests.empty());
    });
  }
}

TEST(CachedClient, ListsByFieldsUseIndexesOfAnyName) {
  Simulated([] {
    World world;
    const auto maps = world.informers.For<corev1::ConfigMap>();
    ASSERT_TRUE(maps.AddFieldIndex("metadata.name"));
    ASSERT_TRUE(maps.AddIndex("shade", [](const corev1::ConfigMap& map) -> std::vector<std::string> {
      const String* value = map.data.find("value");
      if (value == nullptr) return {};
      return {map.metadata.namespace_.str() + "-" + value->str(), "any"};
    }));
    world.Start();
    const CachedClient client(world.live, world.informers, {.uncached = UncachedRead::kError});
    const auto listed = [&](std::string_view fields, std::string namespace_ = {}) {
      return KeysOf(client.List<corev1::ConfigMap>({.namespace_ = namespace_, .fields = *fields::Parse(fields)}));
    };
    EXPECT_THAT(listed("shade=blue-2"), ElementsAre("blue/two"));
    EXPECT_THAT(listed("shade=any", "green"), ElementsAre("green/one"));
    EXPECT_THAT(listed("shade=any,metadata.name=two"), ElementsAre("blue/two"));
    EXPECT_THAT(listed("shade=any,shade!=blue-1,metadata.namespace!=red"),
                UnorderedElementsAre("blue/two", "green/one"));
    EXPECT_THAT(listed("shade=any,data.value=2"), ElementsAre("blue/two")) << "a field without an index is looked at";
    EXPECT_THAT(listed("data.value=1", "red"), ElementsAre("red/one"));
    EXPECT_THAT(listed("colour=x").at(0), HasSubstr("colour")) << "neither a field nor an index";
    EXPECT_THAT(KeysOf(client.List<corev1::ConfigMap>({.fields = fields::Nothing()})), ElementsAre());
  });
}

TEST(CachedClient, IsAClientForTheConveniences) {
  Simulated([] {
    World world;
    const auto maps = world.informers.For<corev1::ConfigMap>();
    const auto deployments = world.informers.For<appsv1::Deployment>();
    world.Start();
    const CachedClient cached(world.live, world.informers, {.uncached = UncachedRead::kError});
    const ObjectClient& client = cached;
    const auto paint = [](corev1::ConfigMap& map) { map.data.Set("colour", "pink"); };
    const corev1::ConfigMap one{.metadata = {.name = "painted", .namespace_ = "blue"}};
    EXPECT_EQ(CreateOrUpdate(client, one, paint).value().change, Change::kCreated);
    EXPECT_EQ(CreateOrUpdate(client, one, paint).value().change, Change::kNone) << "it sees its own write";
    EXPECT_EQ(CreateOrPatch(client, one, [](corev1::ConfigMap& map) { map.data.Set("colour", "grey"); }).value().change,
              Change::kUpdated);
    EXPECT_THAT(world.recording->requests, ElementsAre(HasSubstr("POST "), HasSubstr("PATCH ")));

    appsv1::Deployment web{.metadata = {.name = "web", .namespace_ = "blue"}};
    web.spec.selector = metav1::LabelSelector{.matchLabels = {{"app", "web"}}};
    web.spec.template_.metadata.labels = {{"app", "web"}};
    web.spec.template_.spec.containers = {corev1::Container{.name = "web", .image = "web:1"}};
    ASSERT_TRUE(client.Create(web));
    auto scale = GetScale<appsv1::Deployment>(client, KeyOf(web));
    ASSERT_TRUE(scale) << scale.error().message();
    scale->spec.replicas = 4;
    ASSERT_TRUE(UpdateScale<appsv1::Deployment>(client, KeyOf(web), *scale));
    EXPECT_EQ(client.Get<appsv1::Deployment>(KeyOf(web)).value().spec.replicas, 4) << "and what it scaled";
  });
}

TEST(CachedClient, WorksOnKindsByTheirNames) {
  Simulated([] {
    World world;
    const auto maps = world.informers.For(kMaps);
    world.Start();
    const CachedClient client(world.live, world.informers, {.uncached = UncachedRead::kError});
    const auto patch = Patch::Merge(Json::Object({{"data", Json::Object({{"value", "7"}})}}));
    ASSERT_TRUE(client.Patch(kMaps, {"blue", "one"}, patch));
    EXPECT_EQ(client.Get(kMaps, {"blue", "one"}).value().NestedString({"data", "value"}), "7");
    ASSERT_TRUE(client.Delete(kMaps, {"blue", "two"}));
    EXPECT_TRUE(IsNotFound(client.GetMetadata(kMaps, {"blue", "two"}).error()));
    EXPECT_EQ(client.ListMetadata(kMaps, {.namespace_ = "green", .labels = *labels::Parse("value")}).value().size(),
              1u);
    ASSERT_TRUE(client.DeleteAllOf(kMaps, {.namespace_ = "green", .labels = *labels::Parse("value")}));
    EXPECT_TRUE(IsNotFound(world.live.Get(kMaps, {"green", "one"}).error()));
  });
}

TEST(CachedClient, WaitsNoLongerThanItsThreadMay) {
  Simulated([] {
    World world;
    const auto maps = world.informers.For<corev1::ConfigMap>();  // does not run
    const CachedClient client(world.live, world.informers);
    const ThreadScope scope({.deadline = Clock::Now() + 2s});
    const TimePoint began = Clock::Now();
    const auto one = client.Get<corev1::ConfigMap>({"blue", "one"});
    EXPECT_EQ(Clock::Now() - began, 2s);
    EXPECT_EQ(one.error().message(), "the cache of configmaps has not seen a whole list by the deadline");
  });
}

TEST(CachedClient, WritesThatNobodyReadsAreForgottenOnceSeen) {
  Simulated([] {
    World world;
    const auto maps = world.informers.For<corev1::ConfigMap>();
    world.Start();
    const CachedClient client(world.live, world.informers, {.max_remembered = 3});
    for (int i = 0; i < 20; ++i) ASSERT_TRUE(client.Create(World::Map("red", "n" + std::to_string(i), "x")));
    for (int i = 0; i < 20; ++i) ASSERT_TRUE(client.Delete<corev1::ConfigMap>({"red", "n" + std::to_string(i)}));
    ASSERT_TRUE(client.Create(World::Map("red", "last", "x")));
    EXPECT_TRUE(client.Get<corev1::ConfigMap>({"red", "last"}));
    EXPECT_THAT(KeysOf(client.List<corev1::ConfigMap>({.labels = *labels::Parse("value=x")})), ElementsAre("red/last"));
  });
}

}  // namespace
}  // namespace keelson
