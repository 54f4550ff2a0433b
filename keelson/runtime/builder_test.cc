#include "keelson/runtime/builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "keelson/api/apiextensions/v1.h"
#include "keelson/api/core/v1.h"
#include "keelson/api/owner_references.h"
#include "keelson/client/ignore_not_found.h"
#include "keelson/controlplane/control_plane.h"
#include "keelson/core/clock.h"
#include "keelson/core/simulation.h"
#include "keelson/core/thread.h"
#include "keelson/runtime/channel_source.h"

namespace keelson {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

template <class Body>
void Simulated(Body body) {
  ScopedLogCapture log;
  Simulation simulation({.seed = 3});
  const Result<void> run = simulation.Run([&] {
    if constexpr (std::is_invocable_v<Body, const ScopedLogCapture&>) {
      body(log);
    } else {
      body();
    }
  });
  ASSERT_TRUE(run) << run.error().message();
}

// Notes what it is asked to reconcile, and why.
class Noting {
 public:
  Result<Outcome> Reconcile(Context& context, const Request& request) {
    MutexLock lock(mutex_);
    keys_.push_back(request.ToString());
    for (const Cause& cause : context.causes()) causes_.push_back(ToString(cause));
    priorities_.push_back(context.priority());
    return Outcome::Done();
  }
  std::vector<std::string> TakeKeys() {
    MutexLock lock(mutex_);
    return std::exchange(keys_, {});
  }
  std::vector<std::string> TakeCauses() {
    MutexLock lock(mutex_);
    return std::exchange(causes_, {});
  }
  std::vector<int32_t> TakePriorities() {
    MutexLock lock(mutex_);
    return std::exchange(priorities_, {});
  }

 private:
  Mutex mutex_{"noting"};
  std::vector<std::string> keys_, causes_;
  std::vector<int32_t> priorities_;
};

// A server and a manager on it.
class Place {
 public:
  explicit Place(ManagerOptions options = {})
      : client(control_plane.client()), manager(Manager::Make(client, std::move(options)).value()) {}
  ~Place() { Stop(); }
  // Before what the reconciler uses goes.
  void Stop() {
    stop_.RequestStop();
    thread_.Join();
    if (result_) {
      EXPECT_TRUE(*result_) << result_->error().message();
    }
  }
  void Start() {
    thread_ = Thread("manager", [this] { result_ = manager.Run(stop_.token()); });
    Settle();
  }
  static void Settle() { (void)SleepFor(2s, {}); }

  corev1::ConfigMap MakeMap(const std::string& name, const std::string& namespace_ = "default") {
    return client.Create(corev1::ConfigMap{.metadata = {.name = name, .namespace_ = namespace_}}).value();
  }
  template <class Owner>
  corev1::Secret MakeSecret(const std::string& name, const Owner& owner, bool controller = true) {
    corev1::Secret secret{.metadata = {.name = name, .namespace_ = "default"}};
    if (controller) {
      EXPECT_TRUE(SetControllerReference(owner, secret));
    } else {
      EXPECT_TRUE(SetOwnerReference(owner, secret));
    }
    return client.Create(secret).value();
  }

  ControlPlane control_plane;
  Client client;
  Manager manager;

 private:
  StopSource stop_;
  std::optional<Result<void>> result_;
  Thread thread_;
};

TEST(Builder, ForReconcilesWhatIsThereAndWhatChanges) {
  Simulated([] {
    Noting noting;
    Place place;
    corev1::ConfigMap map = place.MakeMap("a");
    ASSERT_TRUE(ControllerFor<corev1::ConfigMap>(place.manager).Complete(noting));
    place.Start();
    EXPECT_THAT(noting.TakeKeys(), Contains("default/a"));
    EXPECT_THAT(noting.TakeCauses(), Each("ConfigMap was there"));
    EXPECT_THAT(noting.TakePriorities(), Each(kLowPriority));
    map.data = {{"x", "1"}};
    map = place.client.Update(map).value();
    place.Settle();
    EXPECT_THAT(noting.TakeKeys(), ElementsAre("default/a"));
    EXPECT_THAT(noting.TakeCauses(), ElementsAre("ConfigMap updated"));
    EXPECT_THAT(noting.TakePriorities(), ElementsAre(0));
    ASSERT_TRUE(place.client.Delete(map));
    place.Settle();
    EXPECT_THAT(noting.TakeKeys(), ElementsAre("default/a"));
    EXPECT_THAT(noting.TakeCauses(), ElementsAre("ConfigMap deleted"));
  });
}

TEST(Builder, OwnsReconcilesTheObjectThatControls) {
  Simulated([] {
    Noting noting, all;
    Place place;
    const corev1::ConfigMap owner = place.MakeMap("owner");
    ASSERT_TRUE(ControllerFor<corev1::ConfigMap>(place.manager).Owns<corev1::Secret>().Complete(noting));
    ASSERT_TRUE(ControllerFor<corev1::ConfigMap>(place.manager)
                    .Named("any")
                    .Owns<corev1::Secret>({.any_owner = true})
                    .Complete(all));
    place.Start();
    (void)noting.TakeKeys(), (void)noting.TakeCauses(), (void)all.TakeKeys();
    place.MakeSecret("controlled", owner);
    place.Settle();
    EXPECT_THAT(noting.TakeKeys(), ElementsAre("default/owner"));
    EXPECT_THAT(noting.TakeCauses(), ElementsAre("Secret default/controlled created"));
    EXPECT_THAT(all.TakeKeys(), ElementsAre("default/owner"));
    place.MakeSecret("owned", owner, false);
    ASSERT_TRUE(place.client.Create(corev1::Secret{.metadata = {.name = "free", .namespace_ = "default"}}));
    place.Settle();
    EXPECT_THAT(noting.TakeKeys(), IsEmpty());
    EXPECT_THAT(all.TakeKeys(), ElementsAre("default/owner"));
  });
}

TEST(Builder, WatchesMapsOtherKinds) {
  Simulated([] {
    Noting noting;
    Place place;
    ASSERT_TRUE(ControllerFor<corev1::ConfigMap>(place.manager)
                    .Watches<corev1::Secret>(EnqueueMapped<corev1::Secret>([](const corev1::Secret& secret) {
                      return std::vector<Request>{{"default", "for-" + secret.metadata.name.str()}};
                    }))
                    .Complete(noting));
    place.Start();
    (void)noting.TakeKeys();
    ASSERT_TRUE(place.client.Create(corev1::Secret{.metadata = {.name = "s", .namespace_ = "default"}}));
    place.Settle();
    EXPECT_THAT(noting.TakeKeys(), ElementsAre("default/for-s"));
  });
}

TEST(Builder, AnEventFilterHoldsForEveryKindAndAPredicateForItsOwn) {
  Simulated([] {
    Noting noting;
    Place place;
    const Predicate wanted([](const ObjectEvent& event) { return event.identity().name != "noise"; });
    ASSERT_TRUE(ControllerFor<corev1::ConfigMap>(place.manager)
                    .Watches<corev1::Secret>(EnqueueSelf(), {.predicate = LabelsMatch(*labels::Parse("watched=yes"))})
                    .WithEventFilter(wanted)
                    .Complete(noting));
    place.Start();
    (void)noting.TakeKeys();
    place.MakeMap("noise");
    place.MakeMap("signal");
    ASSERT_TRUE(place.client.Create(
        corev1::Secret{.metadata = {.name = "noise", .namespace_ = "default", .labels = {{"watched", "yes"}}}}));
    ASSERT_TRUE(place.client.Create(
        corev1::Secret{.metadata = {.name = "seen", .namespace_ = "default", .labels = {{"watched", "yes"}}}}));
    ASSERT_TRUE(place.client.Create(corev1::Secret{.metadata = {.name = "unseen", .namespace_ = "default"}}));
    place.Settle();
    EXPECT_THAT(noting.TakeKeys(), UnorderedElementsAre("default/signal", "default/seen"));
  });
}

// The informer's own thread calls only what is known not to wait.
TEST(Builder, APredicateMayAskTheInformerThatItHearsOf) {
  Simulated([] {
    Noting noting;
    Place place;
    const auto informer = place.manager.cache().For<corev1::ConfigMap>().core();
    const Predicate asking([&](const ObjectEvent& event) {
      return informer->WaitUntilVersion(event.identity().resource_version, TimePoint::max(), {}) == Wake::kReady;
    });
    ASSERT_TRUE(ControllerFor<corev1::ConfigMap>(place.manager, {.predicate = asking}).Named("own").Complete(noting));
    ASSERT_TRUE(ControllerFor<corev1::ConfigMap>(place.manager).Named("all").WithEventFilter(asking).Complete(noting));
    place.Start();
    (void)noting.TakeKeys();
    place.MakeMap("a");
    place.Settle();
    EXPECT_THAT(noting.TakeKeys(), ElementsAre("default/a", "default/a"));
  });
}

TEST(Builder, MetadataOnlyWatchesHoldMetadataOnly) {
  Simulated([] {
    Noting noting;
    Place place;
    corev1::ConfigMap map = place.MakeMap("a");
    ASSERT_TRUE(ControllerFor<corev1::ConfigMap>(place.manager, {.metadata_only = true})
                    .Owns<corev1::Secret>({.metadata_only = true})
                    .WithEventFilter(ResourceVersionChanged())
                    .Complete(noting));
    place.Start();
    EXPECT_THAT(noting.TakeKeys(), Contains("default/a"));
    map.metadata.labels.Set("x", "y");
    map = place.client.Update(map).value();
    place.Settle();
    EXPECT_THAT(noting.TakeKeys(), ElementsAre("default/a"));
    EXPECT_EQ(place.manager.client().GetMetadata<corev1::ConfigMap>({"default", "a"})->metadata.labels.find("x")->str(),
              "y");
    place.MakeSecret("s", map);
    place.Settle();
    EXPECT_THAT(noting.TakeKeys(), ElementsAre("default/a"));
    const size_t informers = place.manager.cache().size();
    EXPECT_EQ(informers, 2u);
    EXPECT_TRUE(place.manager.cache().FindAll(Target::Typed<corev1::ConfigMap>()).empty()) << "only metadata is cached";
  });
}

TEST(Builder, MistakesAreSaidByComplete) {
  Simulated([] {
    Noting noting;
    Place place;
    const auto message = [](const auto& result) { return result ? std::string() : result.error().message(); };
    EXPECT_THAT(message(ControllerBuilder<Request>(place.manager).Named("empty").Complete(noting)),
                HasSubstr("nothing is watched"));
    EXPECT_THAT(message(ControllerBuilder<Request>(place.manager).Named("o").Owns<corev1::Secret>().Complete(noting)),
                HasSubstr("say For before"));
    EXPECT_THAT(message(ControllerFor<corev1::ConfigMap>(place.manager).For<corev1::Secret>().Complete(noting)),
                HasSubstr("it is for ConfigMap already"));
    EXPECT_THAT(message(ControllerFor<corev1::ConfigMap>(place.manager).WithOptions({.workers = 0}).Complete(noting)),
                HasSubstr("one worker"));
    EXPECT_THAT(
        message(ControllerBuilder<Request>(place.manager).Watches<corev1::Secret>(EnqueueSelf()).Complete(noting)),
        HasSubstr("needs a name"));
    EXPECT_TRUE(ControllerFor<corev1::ConfigMap>(place.manager).Complete(noting));
    const auto taken = ControllerFor<corev1::ConfigMap>(place.manager).Complete(noting);
    ASSERT_FALSE(taken);
    EXPECT_EQ(taken.error().code(), ErrorCode::kAlreadyExists);
  });
}

TEST(Builder, ControllersMayShareAReconciler) {
  Simulated([] {
    Noting noting;
    Place place;
    ASSERT_TRUE(ControllerFor<corev1::ConfigMap>(place.manager).Complete(noting));
    ASSERT_TRUE(ControllerFor<corev1::Secret>(place.manager).Complete(noting));
    place.Start();
    (void)noting.TakeKeys();
    place.MakeMap("map");
    ASSERT_TRUE(place.client.Create(corev1::Secret{.metadata = {.name = "secret", .namespace_ = "default"}}));
    place.Settle();
    EXPECT_THAT(noting.TakeKeys(), UnorderedElementsAre("default/map", "default/secret"));
  });
}

TEST(Builder, AControllerMayComeWhenTheManagerRuns) {
  Simulated([] {
    Noting noting;
    Place place;
    place.Start();
    place.MakeMap("early");
    ASSERT_TRUE(ControllerFor<corev1::ConfigMap>(place.manager).Complete(noting));
    place.Settle();
    EXPECT_THAT(noting.TakeKeys(), Contains("default/early"));
  });
}

apiextensionsv1::CustomResourceDefinition GadgetDefinition(const std::string& scope = "Namespaced") {
  return {
      .metadata = {.name = "gadgets.example.com"},
      .spec = {.group = "example.com",
               .names = {.plural = "gadgets", .singular = "gadget", .kind = "Gadget", .listKind = "GadgetList"},
               .scope = scope,
               .versions = {
                   {.name = "v1",
                    .served = true,
                    .storage = true,
                    .schema = {{.openAPIV3Schema = {{.type = "object", .xKubernetesPreserveUnknownFields = true}}}}}}}};
}
const GroupVersionKind kGadget = {"example.com", "v1", "Gadget"};

Unstructured Gadget(const std::string& name, const std::string& namespace_ = "default") {
  Unstructured gadget;
  gadget.SetGvk(kGadget);
  gadget.SetName(name);
  if (!namespace_.empty()) gadget.SetNamespace(namespace_);
  return gadget;
}

TEST(Builder, AKindThatIsNotServedHoldsUpItsControllerOnly) {
  Simulated([](const ScopedLogCapture& log) {
    Noting gadgets, maps;
    Place place;
    place.MakeMap("a");
    ASSERT_TRUE(ControllerFor(place.manager, kGadget).Complete(gadgets));
    ASSERT_TRUE(ControllerFor<corev1::ConfigMap>(place.manager).Complete(maps));
    place.Start();
    (void)SleepFor(30s, {});
    EXPECT_THAT(maps.TakeKeys(), Contains("default/a"));
    EXPECT_THAT(log.lines(), Contains(AllOf(HasSubstr("Waiting for a source to sync"), HasSubstr("source=\"Gadget\""),
                                            HasSubstr("controller=\"gadget\""))));
    EXPECT_THAT(place.manager.metrics().Render(),
                AllOf(HasSubstr("keelson_controller_synced{controller=\"gadget\"} 0"),
                      HasSubstr("keelson_controller_synced{controller=\"configmap\"} 1")));
    ASSERT_TRUE(place.client.Create(GadgetDefinition()));
    ASSERT_TRUE(place.client.Create(Gadget("g")));
    (void)SleepFor(2min, {});
    EXPECT_THAT(gadgets.TakeKeys(), ElementsAre("default/g"));
  });
}

TEST(Builder, OwnersWithoutANamespaceAreFoundByDiscovery) {
  Simulated([] {
    Noting noting;
    Place place;
    ASSERT_TRUE(place.client.Create(GadgetDefinition("Cluster")));
    const Unstructured gadget = place.client.Create(Gadget("g", "")).value();
    ASSERT_TRUE(ControllerFor(place.manager, kGadget).Owns<corev1::ConfigMap>().Complete(noting));
    place.Start();
    (void)noting.TakeKeys();
    corev1::ConfigMap map{.metadata = {.name = "child", .namespace_ = "default"}};
    map.metadata.ownerReferences = {
        {.apiVersion = "example.com/v1", .kind = "Gadget", .name = "g", .uid = gadget.GetUid(), .controller = true}};
    ASSERT_TRUE(place.client.Create(map));
    place.Settle();
    EXPECT_THAT(noting.TakeKeys(), ElementsAre("g"));
  });
}

TEST(Builder, ACacheOfSomeNamespacesMakesRequestsOfThese) {
  Simulated([] {
    Noting noting;
    Place place({.cluster = {.cache = {.namespaces = {"one", "two"}}}});
    for (const char* name : {"one", "two", "three"}) {
      ASSERT_TRUE(place.client.Create(corev1::Namespace{.metadata = {.name = name}}));
      place.MakeMap("m", name);
    }
    ASSERT_TRUE(ControllerFor<corev1::ConfigMap>(place.manager)
                    .WithEventFilter(Predicate([](const ObjectEvent& event) { return event.identity().name == "m"; }))
                    .Complete(noting));
    place.Start();
    EXPECT_THAT(noting.TakeKeys(), UnorderedElementsAre("one/m", "two/m"));
  });
}

TEST(Builder, AnotherClusterIsWatchedToo) {
  Simulated([] {
    Noting noting;
    ControlPlane far;
    Place place;
    Cluster cluster(far.client());
    ASSERT_TRUE(place.manager.Add(cluster));
    ASSERT_TRUE(ControllerFor<corev1::ConfigMap>(place.manager)
                    .Watches<corev1::Secret>(EnqueueSelf(), {.cluster = &cluster})
                    .Complete(noting));
    place.Start();
    (void)noting.TakeKeys();
    ASSERT_TRUE(place.client.Create(corev1::Secret{.metadata = {.name = "near", .namespace_ = "default"}}));
    ASSERT_TRUE(far.client().Create(corev1::Secret{.metadata = {.name = "far", .namespace_ = "default"}}));
    place.Settle();
    EXPECT_THAT(noting.TakeKeys(), ElementsAre("default/far"));
    EXPECT_TRUE(cluster.client().Get<corev1::Secret>({"default", "far"}));
    EXPECT_FALSE(cluster.client().Get<corev1::Secret>({"default", "near"}));
    place.Stop();
  });
}

TEST(Builder, SelectionsLimitWhatIsWatched) {
  Simulated([] {
    Noting noting;
    Place place;
    ASSERT_TRUE(
        ControllerFor<corev1::ConfigMap>(place.manager, {.selection = Selection{.labels = *labels::Parse("app=web")}})
            .Complete(noting));
    place.Start();
    place.MakeMap("other");
    ASSERT_TRUE(place.client.Create(
        corev1::ConfigMap{.metadata = {.name = "web", .namespace_ = "default", .labels = {{"app", "web"}}}}));
    place.Settle();
    EXPECT_THAT(noting.TakeKeys(), ElementsAre("default/web"));
  });
}

TEST(Builder, ReconcilersSeeTheirOwnWritesInTheCache) {
  Simulated([] {
    Place place;
    int done = 0;
    const CachedClient& client = place.manager.client();
    ASSERT_TRUE(ControllerFor<corev1::ConfigMap>(place.manager)
                    .WithEventFilter(LabelsMatch(*labels::Parse("app=web")))
                    .WithOptions({.workers = 4})
                    .Complete([&](Context&, const Request& request) -> Result<Outcome> {
                      KEELSON_TRY(found, IgnoreNotFound(client.Get<corev1::ConfigMap>(request)));
                      if (!found || found->data.contains("count")) return Outcome::Done();
                      for (int i = 0; i < 3; ++i) {
                        KEELSON_TRY(map, client.Get<corev1::ConfigMap>(request));
                        map.data.Set("count", std::to_string(i));
                        KEELSON_TRY(updated, client.Update(map));
                        KEELSON_TRY(seen, client.Get<corev1::ConfigMap>(request));
                        EXPECT_EQ(seen.data.find("count")->str(), std::to_string(i));
                      }
                      ++done;
                      return Outcome::Done();
                    }));
    place.Start();
    ASSERT_TRUE(place.client.Create(
        corev1::ConfigMap{.metadata = {.name = "web", .namespace_ = "default", .labels = {{"app", "web"}}}}));
    place.Settle();
    EXPECT_EQ(done, 1);
    place.Stop();
  });
}

// A user's own request.
struct Shelf {
  int32_t number = 0;
  friend bool operator==(const Shelf&, const Shelf&) = default;
};
std::string ToString(const Shelf& shelf) { return "shelf " + std::to_string(shelf.number); }

}  // namespace
}  // namespace keelson

template <>
struct std::hash<keelson::Shelf> {
  size_t operator()(const keelson::Shelf& shelf) const noexcept { return static_cast<size_t>(shelf.number); }
};

namespace keelson {
namespace {

TEST(Builder, RequestsMayBeOfTheUsersOwnType) {
  Simulated([] {
    Place place;
    std::vector<int32_t> seen;
    ASSERT_TRUE(
        NewController<Shelf>(place.manager, "shelves")
            .Watches<corev1::ConfigMap>(EnqueueMapped<corev1::ConfigMap, Shelf>([](const corev1::ConfigMap& map) {
              const String* shelf = map.data.find("shelf");
              return shelf == nullptr ? std::vector<Shelf>() : std::vector<Shelf>{{std::stoi(shelf->str())}};
            }))
            .Complete([&](Context&, const Shelf& shelf) -> Result<Outcome> {
              seen.push_back(shelf.number);
              return Outcome::Done();
            }));
    place.Start();
    for (const char* name : {"a", "b"}) {
      ASSERT_TRUE(place.client.Create(
          corev1::ConfigMap{.metadata = {.name = name, .namespace_ = "default"}, .data = {{"shelf", "7"}}}));
      place.Settle();
    }
    EXPECT_THAT(seen, ElementsAre(7, 7));
    place.Stop();
  });
}

}  // namespace
}  // namespace keelson
