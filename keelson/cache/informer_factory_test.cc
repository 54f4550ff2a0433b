#include "keelson/cache/informer_factory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "keelson/cache/history_test_support.h"
#include "keelson/cache/told_test_support.h"
#include "keelson/cache/wait_for_cache_sync.h"

namespace keelson {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

TEST(InformerFactory, UsersOfOneKindShareOneInformer) {
  Simulated([] {
    History history;
    history.Set("a", "1");
    StopSource stop;
    InformerFactory informers(history.client());
    const auto first = informers.For<corev1::ConfigMap>();
    const auto second = informers.For<corev1::ConfigMap>();
    EXPECT_EQ(first.core(), second.core());
    EXPECT_EQ(informers.size(), 1u);
    informers.Start(stop.token());
    ASSERT_TRUE(WaitForCacheSync(stop.token(), informers));
    EXPECT_EQ(ContentsOf(second.lister()), history.contents());
    EXPECT_THAT(history.requests(), ElementsAre("stream", "list 0", "watch 1"));
  });
}

TEST(InformerFactory, AnInformerEndsWithItsLastUser) {
  Simulated([] {
    History history;
    history.Set("a", "1");
    StopSource stop;
    InformerFactory informers(history.client());
    informers.Start(stop.token());
    {
      std::optional<Lister<corev1::ConfigMap>> lister;
      {
        const auto maps = informers.For<corev1::ConfigMap>();  // starts at once: the factory runs
        ASSERT_TRUE(WaitForCacheSync(stop.token(), maps));
        lister = maps.lister();
      }
      (void)SleepFor(1s, {});
      EXPECT_EQ(history.open_watches(), 1u) << "a lister is a user";
      EXPECT_EQ(informers.size(), 1u);
    }
    EXPECT_EQ(informers.size(), 0u);
    EXPECT_EQ(history.open_watches(), 0u);
    const auto again = informers.For<corev1::ConfigMap>();
    EXPECT_TRUE(WaitForCacheSync(stop.token(), again));
  });
}

TEST(InformerFactory, SelectionsHaveInformersOfTheirOwn) {
  History history;
  InformerFactory informers(history.client(), {.namespaces = {"mine"}});
  const auto mine = informers.For<corev1::ConfigMap>();
  const auto same = informers.For<corev1::ConfigMap>(Selection{.namespace_ = "mine"});
  const auto all = informers.For<corev1::ConfigMap>(Selection{});
  const auto some = informers.For<corev1::ConfigMap>(Selection{.labels = labels::Parse("app=web").value()});
  EXPECT_EQ(mine.core(), same.core());
  EXPECT_NE(mine.core(), all.core());
  EXPECT_NE(all.core(), some.core());
  EXPECT_EQ(mine.core()->source().namespace_, "mine");
  EXPECT_EQ(some.core()->source().labels.ToString(), "app=web");
}

TEST(InformerFactory, ConfigureSaysWhatAKindMeansAndWhatIsKeptOfIt) {
  Simulated([] {
    History history;
    history.Set("a", "1");
    StopSource stop;
    InformerFactory informers(history.client());
    informers.Configure<corev1::ConfigMap>({.fields = fields::Parse("metadata.name!=x").value()},
                                           [](corev1::ConfigMap& map) -> Result<void> {
                                             map.data = {};
                                             return {};
                                           });
    const auto maps = informers.For<corev1::ConfigMap>();
    EXPECT_EQ(maps.core()->source().fields.ToString(), "metadata.name!=x");
    informers.Start(stop.token());
    ASSERT_TRUE(WaitForCacheSync(stop.token(), informers));
    EXPECT_TRUE(maps.lister().Get("default", "a").value()->data.empty());
    EXPECT_TRUE(informers.Find(Target::Typed<corev1::ConfigMap>(), ""));
  });
}

TEST(InformerFactory, TypedAndUnstructuredUsersShareOneCache) {
  for (const bool typed_first : {true, false}) {
    Simulated([&] {
      History history;
      history.Set("a", "1");
      StopSource stop;
      InformerFactory informers(history.client());
      std::optional<Informer<corev1::ConfigMap>> typed;
      std::optional<Informer<Unstructured>> dynamic;
      if (typed_first) typed = informers.For<corev1::ConfigMap>();
      dynamic = informers.For(*KnownResource<corev1::ConfigMap>());
      if (!typed_first) typed = informers.For<corev1::ConfigMap>();
      EXPECT_EQ(typed->core(), dynamic->core());
      ASSERT_TRUE(typed->AddIndex("value", [](const corev1::ConfigMap& map) {
        return std::vector<std::string>{map.data.find("value")->str()};
      }));
      Told told;
      std::vector<std::string> names;
      const auto first = typed->AddHandler(told.handlers());
      const auto second = dynamic->AddHandler(
          {.on_add = [&](const Unstructured& map, bool) { names.push_back(map.GetKind() + map.GetName()); }});
      informers.Start(stop.token());
      ASSERT_TRUE(WaitForCacheSync(stop.token(), first, second));
      EXPECT_THAT(told.lines(), ElementsAre("add a=1 initial"));
      EXPECT_THAT(names, ElementsAre("ConfigMapa"));
      EXPECT_EQ(dynamic->lister().In("default").Get("a").value()->NestedString({"data", "value"}), "1");
      EXPECT_EQ(*typed->lister().Get("default", "a").value()->data.find("value"), "1");
      const auto typed_lister = typed->lister();
      const auto dynamic_lister = dynamic->lister().In("default");
      {
        const auto maps = typed_lister.Read();
        const auto dynamics = dynamic_lister.Read();
        EXPECT_EQ(*maps.Find("default", "a")->data.find("value"), "1");
        EXPECT_EQ(maps.Find("default", "b"), nullptr);
        EXPECT_EQ(dynamics.Find("a")->NestedString({"data", "value"}), "1");
        EXPECT_EQ(dynamics.Find("b"), nullptr);
        std::vector<std::string> values;
        dynamics.FindEach(std::vector<ObjectKey>{{"", "a"}, {"", "b"}, {"other", "a"}, {"default", "a"}},
                          [&](const ObjectKey& key, const Unstructured* found) {
                            values.push_back(key.ToString() + "=" +
                                             (found ? found->NestedString({"data", "value"}).value_or("") : "none"));
                          });
        EXPECT_THAT(values, ElementsAre("a=1", "b=none", "other/a=none", "default/a=1"));
      }
      EXPECT_EQ(dynamic->lister().List(labels::Parse("value=1").value()).size(), 1u);
      EXPECT_EQ(typed->lister().List(labels::Parse("value=2").value()).size(), 0u);
      EXPECT_EQ(dynamic->lister().ByIndex("value", "1").value().size(), 1u);
      EXPECT_EQ(history.requests().size(), 3u) << "one stream, one list, one watch";
    });
  }
}

TEST(InformerFactory, MetadataAloneIsACacheOfItsOwn) {
  Simulated([] {
    History history;
    history.Set("a", "1");
    StopSource stop;
    InformerFactory informers(history.client());
    const auto metadata = informers.MetadataFor<corev1::ConfigMap>();
    const auto whole = informers.For<corev1::ConfigMap>();
    EXPECT_NE(metadata.core(), whole.core());
    informers.Start(stop.token());
    ASSERT_TRUE(WaitForCacheSync(stop.token(), informers));
    const auto found = metadata.lister().Get("default", "a");
    ASSERT_TRUE(found);
    EXPECT_EQ((*found)->metadata.resourceVersion, "1");
    EXPECT_EQ(informers.Find(Target::Metadata<corev1::ConfigMap>(), "").informer, metadata.core());
  });
}

TEST(Lister, FindsByNamespaceLabelsAndIndex) {
  Simulated([] {
    History history;
    history.Set("a", "1", "x");
    history.Set("b", "2", "x");
    history.Set("a", "2", "y");
    StopSource stop;
    const auto maps = Informer<corev1::ConfigMap>::Make(history.client());
    ASSERT_TRUE(maps.AddFieldIndex("data.value"));
    EXPECT_EQ(maps.AddFieldIndex("data2.value").error().message(),
              "data2: no such field in core/v1.ConfigMap; did you mean \"data\"?");
    maps.Start(stop.token());
    ASSERT_TRUE(WaitForCacheSync(stop.token(), maps));
    const Lister<corev1::ConfigMap> lister = maps.lister();
    const auto keys = [](const Objects<corev1::ConfigMap>& objects) {
      std::vector<std::string> keys;
      for (const corev1::ConfigMap& map : objects) keys.push_back(KeyOf(map).ToString());
      return keys;
    };
    EXPECT_THAT(keys(lister.List()), UnorderedElementsAre("x/a", "x/b", "y/a"));
    EXPECT_THAT(keys(lister.In("x").List()), UnorderedElementsAre("x/a", "x/b"));
    const auto twos = labels::Parse("value=2").value();
    EXPECT_THAT(keys(lister.List(twos)), UnorderedElementsAre("x/b", "y/a"));
    const Lister<corev1::ConfigMap> of_x = lister.In("x");
    {
      const CacheReader<corev1::ConfigMap> all = lister.Read();
      const CacheReader<corev1::ConfigMap> reader = of_x.Read();
      EXPECT_EQ(KeyOf(*all.Find(ObjectKey{"y", "a"})).ToString(), "y/a");
      EXPECT_EQ(all.Find("a"), nullptr);
      EXPECT_EQ(KeyOf(*reader.Find("a")).ToString(), "x/a");
      EXPECT_EQ(reader.Find(ObjectKey{"", "b"}), of_x.Get("b")->get());
      EXPECT_EQ(KeyOf(*reader.Find(ObjectKey{"y", "a"})).ToString(), "y/a");
      EXPECT_EQ(reader.Find("y", "b"), nullptr);
    }
    EXPECT_THAT(keys(lister.In("x").List(twos)), ElementsAre("x/b"));
    EXPECT_THAT(keys(lister.ByIndex("data.value", "2").value()), UnorderedElementsAre("x/b", "y/a"));
    EXPECT_THAT(keys(lister.In("y").ByIndex("data.value", "2").value()), ElementsAre("y/a"));
    EXPECT_THAT(lister.IndexValues("data.value").value(), ElementsAre("1", "2"));
    EXPECT_EQ(lister.List().share(0)->metadata.name.size(), 1u);
    EXPECT_EQ(KeyOf(*lister.In("x").Get("b").value()).ToString(), "x/b");
    EXPECT_EQ(KeyOf(*lister.Get(ObjectKey{"y", "a"}).value()).ToString(), "y/a");
  });
}

TEST(Lister, NotFoundIsAnErrorThatNamesTheKey) {
  History history;
  const auto maps = Informer<corev1::ConfigMap>::Make(history.client());
  const auto found = maps.lister().In("default").Get("web");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code(), ErrorCode::kNotFound);
  EXPECT_EQ(found.error().message(), "configmaps \"default/web\" not found in the cache");
}

}  // namespace
}  // namespace keelson
