// The operator on an API server in this process, on virtual time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>

#include "keelson/api/status_error.h"
#include "keelson/controlplane/bad_samples.h"
#include "keelson/controlplane/manifests.h"
#include "keelson/core/log.h"
#include "keelson/core/simulation.h"
#include "network_test_support.h"

namespace network {
namespace {

using namespace keelson;
using namespace std::chrono_literals;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;
using v1::Network;

const std::string kSamples = NETWORK_CONFIG "/samples";
const ObjectKey kSample = {.namespace_ = "default", .name = "example-network"};
constexpr const char* kReady = "Ready=True Provided: 192.168.0.0/16 with gateway 192.168.0.1";
constexpr const char* kProvided = "default/example-network: 192.168.0.0/16 192.168.0.1";
constexpr const char* kFile = "default_example-network.json";

// A server that knows Networks, and a backend in a folder.
struct World {
  const ScratchFolder folder;
  SimulatedBackend backend{folder.path()};
  const std::unique_ptr<ControlPlane> cluster = ControlPlane::Start({.crds = {NETWORK_CONFIG "/crd"}}).value();
  const Client client = cluster->client();
  OperatorProcess process{client, OperatorOf(backend)};
};

// With the operator, and config/samples/network.yaml as it should be.
void WithSample(const std::function<void(World& world)>& body) {
  RunSeeds({}, [&](uint64_t) {
    World world;
    ASSERT_TRUE(CreateManifests(world.client, kSamples + "/network.yaml"));
    Settle(1s);
    ASSERT_EQ(ReadyOf(world.client, "example-network"), kReady);
    body(world);
  });
}

TEST(Network, OfTheSampleIsProvided) {
  WithSample([](World& world) {
    EXPECT_THAT(Provided(world.backend), ElementsAre(kProvided));
    Settle(1s);
    EXPECT_THAT(EventsOf<Network>(world.client, kSample), ElementsAre("Normal Provided"));
    EXPECT_EQ(ListEventsOf<Network>(world.client, kSample)[0].source.component, "network-controller");
  });
}

TEST(NetworkController, IsReadyOnceItHasSeenAllNetworks) {
  RunSeeds({}, [](uint64_t) {
    const auto cluster = ControlPlane::Start({.crds = {NETWORK_CONFIG "/crd"}}).value();
    const Client client = cluster->client();
    SimulatedBackend backend;
    InformerFactory informers(client);
    const NetworkController controller(client, v1::Clientset(client), v1::Informers(informers).Networks(), backend);
    EXPECT_FALSE(controller.CheckSynced());
    const StopSource stop;
    informers.Start(stop.token());
    Settle(1s);
    EXPECT_TRUE(controller.CheckSynced());
  });
}

TEST(Network, FollowsItsSpec) {
  WithSample([](World& world) {
    Change(world.client, "example-network", {.cidr = "fd00::/64", .gateway = "fd00::1"});
    Settle(1s);
    EXPECT_THAT(Provided(world.backend), ElementsAre("default/example-network: fd00::/64 fd00::1"));
    EXPECT_EQ(ReadyOf(world.client, "example-network"), "Ready=True Provided: fd00::/64 with gateway fd00::1");
  });
}

TEST(Network, LeavesNothingBehind) {
  WithSample([](World& world) {
    ASSERT_TRUE(world.client.Delete<Network>(kSample));
    EXPECT_TRUE(IsNotFound(world.client.Get<Network>(kSample).error())) << "nothing holds it back";
    Settle(1s);
    EXPECT_THAT(Provided(world.backend), IsEmpty());
  });
}

TEST(Network, IsRepairedWhateverIsDoneToTheBackend) {
  WithSample([](World& world) {
    WriteFile(world.folder.path(kFile), R"({"cidr": "10.0.0.0/8", "gateway": "10.0.0.1"})");
    Settle();
    EXPECT_THAT(Provided(world.backend), ElementsAre(kProvided)) << "edited";
    WriteFile(world.folder.path(kFile), "rubbish");
    Settle();
    EXPECT_THAT(Provided(world.backend), ElementsAre(kProvided)) << "damaged";
    ASSERT_TRUE(world.backend.Delete(kSample));
    Settle();
    EXPECT_THAT(Provided(world.backend), ElementsAre(kProvided)) << "deleted";
    // What nobody asked for, in the place of what somebody did.
    ASSERT_TRUE(world.backend.Delete(kSample));
    ASSERT_TRUE(world.backend.Create({"nowhere", "intruder"}, {"192.168.7.0/24", "192.168.7.1"}));
    Settle();
    EXPECT_THAT(Provided(world.backend), ElementsAre(kProvided)) << "replaced";
    EXPECT_EQ(ReadyOf(world.client, "example-network"), kReady);
    EXPECT_THAT(EventsOf<Network>(world.client, kSample), Contains("Normal Repaired"));
  });
}

TEST(Network, ThatChangedWhileNobodyLookedIsFoundOut) {
  WithSample([](World& world) {
    ASSERT_TRUE(world.client.Create(NetworkOf("deleted", "10.1.0.0/16", "10.1.0.1")));
    ASSERT_TRUE(world.client.Create(NetworkOf("changed", "10.2.0.0/16", "10.2.0.1")));
    ASSERT_TRUE(world.client.Create(NetworkOf("renewed", "10.3.0.0/16", "10.3.0.1")));
    Settle(1s);
    ASSERT_EQ(Provided(world.backend).size(), 4u);
    world.process.Stop();
    ASSERT_TRUE(world.client.Delete<Network>({"default", "deleted"}));
    Change(world.client, "changed", {.cidr = "10.1.0.0/17", .gateway = "10.1.0.1"});
    ASSERT_TRUE(world.client.Delete<Network>({"default", "renewed"}));
    ASSERT_TRUE(world.client.Create(NetworkOf("renewed", "10.4.0.0/16", "10.4.0.1")));
    ASSERT_TRUE(world.client.Create(NetworkOf("added", "10.2.0.0/24", "10.2.0.1")));
    Settle();
    world.process.Start();
    Settle(5s);
    EXPECT_THAT(Provided(world.backend),
                ElementsAre("default/added: 10.2.0.0/24 10.2.0.1", "default/changed: 10.1.0.0/17 10.1.0.1", kProvided,
                            "default/renewed: 10.4.0.0/16 10.4.0.1"));
    for (const char* name : {"added", "changed", "example-network", "renewed"}) {
      EXPECT_THAT(ReadyOf(world.client, name), StartsWith("Ready=True Provided: "));
    }
  });
}

TEST(Network, GetsAddressesAsSoonAsTheyAreFree) {
  WithSample([](World& world) {
    ASSERT_TRUE(CreateManifests(world.client, kSamples + "/bad/overlapping.yaml"));
    Settle(1s);
    ASSERT_EQ(ReadyOf(world.client, "overlapping"),
              "Ready=False Refused: 192.168.128.0/24 overlaps 192.168.0.0/16 of network default/example-network");
    Change(world.client, "example-network", {.cidr = "192.168.0.0/17", .gateway = "192.168.0.1"});
    Settle(1s);
    EXPECT_EQ(ReadyOf(world.client, "overlapping"), "Ready=True Provided: 192.168.128.0/24 with gateway 192.168.128.1");
    Change(world.client, "overlapping", {.cidr = "192.168.0.0/24", .gateway = "192.168.0.1"});
    Settle(1s);
    EXPECT_THAT(ReadyOf(world.client, "overlapping"), StartsWith("Ready=False Refused: "));
    EXPECT_EQ(Provided(world.backend).size(), 1u) << "nobody asks for its former addresses";
    ASSERT_TRUE(world.client.Delete<Network>(kSample));
    Settle(1s);
    EXPECT_THAT(ReadyOf(world.client, "overlapping"), StartsWith("Ready=True Provided: "));
  });
}

TEST(Network, KeepsItsAddressesWhenTheBackendLosesThem) {
  WithSample([](World& world) {
    for (const char* rival : {"a-rival", "rival"}) {
      ASSERT_TRUE(world.client.Create(NetworkOf(rival, "192.168.1.0/24", "192.168.1.1")));
    }
    Settle(1s);
    std::filesystem::remove_all(world.folder.path());
    Change(world.client, "rival", {.cidr = "192.168.2.0/24", .gateway = "192.168.2.1"});
    Settle(1s);
    EXPECT_THAT(ReadyOf(world.client, "rival"), StartsWith("Ready=False Refused: 192.168.2.0/24 overlaps "));
    Settle();
    EXPECT_THAT(Provided(world.backend), ElementsAre(kProvided));
    EXPECT_EQ(ReadyOf(world.client, "example-network"), kReady);
    ASSERT_TRUE(world.client.Delete<Network>(kSample));
    Settle();
    EXPECT_EQ(Provided(world.backend).size(), 2u);
  });
}

TEST(Network, MayChangePlacesWithAnother) {
  WithSample([](World& world) {
    ASSERT_TRUE(world.client.Create(NetworkOf("other", "10.0.0.0/8", "10.0.0.1")));
    Settle(1s);
    Change(world.client, "other", {.cidr = "192.168.0.0/16", .gateway = "192.168.0.1"});
    Change(world.client, "example-network", {.cidr = "10.0.0.0/8", .gateway = "10.0.0.1"});
    Settle(5s);
    EXPECT_THAT(Provided(world.backend), ElementsAre("default/example-network: 10.0.0.0/8 10.0.0.1",
                                                     "default/other: 192.168.0.0/16 192.168.0.1"));
    EXPECT_EQ(ReadyOf(world.client, "other"), kReady);
  });
}

TEST(Network, IsLeftAloneOnceItIsAsItShouldBe) {
  WithSample([](World& world) {
    ASSERT_TRUE(CreateManifests(world.client, kSamples + "/bad/overlapping.yaml"));
    Settle();
    const std::string version = world.client.List<Network>()->metadata.resourceVersion;
    const std::string events = world.client.List<corev1::Event>()->metadata.resourceVersion;
    const auto written = std::filesystem::last_write_time(world.folder.path(kFile));
    Settle(5h);
    world.process.Stop();
    world.process.Start();
    Settle(5h);
    EXPECT_EQ(world.client.List<corev1::Event>()->metadata.resourceVersion, events) << "something was written";
    EXPECT_EQ(world.client.List<Network>()->metadata.resourceVersion, version);
    EXPECT_EQ(std::filesystem::last_write_time(world.folder.path(kFile)), written);
  });
}

TEST(Network, ThatIsBadEndsAsItsSampleSays) {
  WithSample([](World& world) {
    EXPECT_THAT(TryBadSamples(world.client, kSamples + "/bad"), IsEmpty());
    EXPECT_EQ(ReadyOf(world.client, "example-network"), kReady) << "the good one suffers";
  });
}

// Cannot be reached at times, or throws.
class UnreliableBackend final : public NetworkBackend {
 public:
  enum Mood { kGood, kAway, kThrows };
  Result<ProvidedNetworks> List() override {
    return Reach([&] { return inner_.List(); });
  }
  Result<std::optional<v1::NetworkSpec>> Get(const ObjectKey& name) override {
    return Reach([&] { return inner_.Get(name); });
  }
  Result<void> Create(const ObjectKey& name, const v1::NetworkSpec& network) override {
    return Reach([&] { return inner_.Create(name, network); });
  }
  Result<void> Update(const ObjectKey& name, const v1::NetworkSpec& network) override {
    return Reach([&] { return inner_.Update(name, network); });
  }
  Result<void> Delete(const ObjectKey& name) override {
    return Reach([&] { return inner_.Delete(name); });
  }
  std::atomic<Mood> mood = kGood;

 private:
  template <class Call>
  std::invoke_result_t<Call> Reach(const Call& call) const {
    if (mood == kThrows) throw std::runtime_error("a bug");
    if (mood == kAway) return Error(ErrorCode::kUnavailable, "the router does not answer");
    return call();
  }
  SimulatedBackend inner_;
};

TEST(Network, SurvivesABackendThatFails) {
  const ScopedLogCapture log;
  Simulation simulation({.seed = 1});
  const Result<void> run = simulation.Run([&] {
    const auto cluster = ControlPlane::Start({.crds = {NETWORK_CONFIG "/crd"}}).value();
    const Client client = cluster->client();
    UnreliableBackend backend;
    backend.mood = UnreliableBackend::kAway;
    const OperatorProcess process(client, OperatorOf(backend));
    ASSERT_TRUE(CreateManifests(client, kSamples + "/network.yaml"));
    Settle();
    EXPECT_EQ(ReadyOf(client, "example-network"), "Ready=False BackendFailed: the router does not answer");
    EXPECT_THAT(EventsOf<Network>(client, kSample), ElementsAre("Warning BackendFailed"));
    backend.mood = UnreliableBackend::kThrows;
    Settle();
    backend.mood = UnreliableBackend::kGood;
    Settle();
    EXPECT_EQ(ReadyOf(client, "example-network"), kReady);
  });
  ASSERT_TRUE(run) << run.error().message();
  EXPECT_THAT(log.lines(), Contains(HasSubstr("a bug")));
}

}  // namespace
}  // namespace network
