#include "keelson/controllers/persistent_volumes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "keelson/controllers/persistent_volumes_match.h"
#include "keelson/controllers/services_test_support.h"
#include "keelson/controllers/volume_protection.h"
#include "keelson/controlplane/control_plane.h"
#include "keelson/controlplane/run_seeds.h"
#include "keelson/core/random.h"

namespace keelson::controllers {
namespace {

using corev1::PersistentVolume;
using corev1::PersistentVolumeClaim;
using storagev1::StorageClass;
using testing::Contains;
using testing::Not;
using testing::StartsWith;

Result<void> AddBinder(Manager& manager) {
  KEELSON_RETURN_IF_ERROR(AddPersistentVolumesController(manager));
  KEELSON_RETURN_IF_ERROR(AddClaimProtectionController(manager));
  return AddVolumeProtectionController(manager);
}

PersistentVolumeClaim Claim(const std::string& name, const std::string& size, const char* storage_class = "") {
  PersistentVolumeClaim claim;
  claim.metadata = {.name = name, .namespace_ = "default"};
  claim.spec.accessModes = {"ReadWriteOnce"};
  claim.spec.resources.requests = {{"storage", Quantity::Parse(size).value()}};
  if (storage_class != nullptr) claim.spec.storageClassName = String(storage_class);
  return claim;
}

PersistentVolume Volume(const std::string& name, const std::string& size, const std::string& storage_class = "",
                        const std::string& policy = "Retain") {
  PersistentVolume volume;
  volume.metadata.name = name;
  volume.spec.capacity = {{"storage", Quantity::Parse(size).value()}};
  volume.spec.accessModes = {"ReadWriteOnce"};
  volume.spec.storageClassName = storage_class;
  volume.spec.persistentVolumeReclaimPolicy = policy;
  volume.spec.hostPath = corev1::HostPathVolumeSource{.path = "/tmp/" + name};
  return volume;
}

StorageClass Class(const std::string& name, const std::string& provisioner, const std::string& mode = "Immediate") {
  StorageClass made;
  made.metadata.name = name;
  made.provisioner = provisioner;
  made.volumeBindingMode = String(mode);
  return made;
}

std::string StateOf(const Client& client, const std::string& claim) {
  const Result<PersistentVolumeClaim> found = client.Get<PersistentVolumeClaim>({"default", claim});
  return found ? found->status.phase.str() + " " + found->spec.volumeName.str() : "none";
}
std::string PhaseOf(const Client& client, const std::string& volume) {
  const Result<PersistentVolume> found = client.Get<PersistentVolume>({"", volume});
  return found ? found->status.phase.str() : "none";
}

TEST(PersistentVolumes, ClaimGetsTheSmallestVolumeThatFits) {
  SimulatedManagers([] {
    const ControlPlane control_plane;
    const Actors actors(control_plane.client());
    ControllerProcess process(control_plane.client(), AddBinder);
    actors.Make(Volume("big", "10Gi"));
    actors.Make(Volume("small", "1Gi"));
    actors.Make(Volume("fits", "3Gi"));
    Settle();
    EXPECT_EQ(PhaseOf(actors.client(), "fits"), "Available");
    const PersistentVolumeClaim claim = actors.Make(Claim("data", "2Gi"));
    Settle();
    EXPECT_EQ(StateOf(actors.client(), "data"), "Bound fits");
    const PersistentVolume volume = actors.client().Get<PersistentVolume>({"", "fits"}).value();
    EXPECT_EQ(volume.status.phase, "Bound");
    EXPECT_EQ(volume.spec.claimRef->uid, claim.metadata.uid);
    EXPECT_EQ(volume.spec.claimRef->kind, "PersistentVolumeClaim");
    EXPECT_EQ(volume.metadata.annotations, (Map<String>{{"pv.kubernetes.io/bound-by-controller", "yes"}}));
    const PersistentVolumeClaim bound = actors.client().Get<PersistentVolumeClaim>({"default", "data"}).value();
    EXPECT_EQ(bound.metadata.annotations, (Map<String>{{"pv.kubernetes.io/bind-completed", "yes"},
                                                       {"pv.kubernetes.io/bound-by-controller", "yes"}}));
    EXPECT_EQ(bound.status.capacity.at("storage"), Quantity::Parse("3Gi").value());
    EXPECT_EQ(bound.status.accessModes.size(), 1u);

    // Retained when the claim goes; the volume is not free for others.
    ASSERT_TRUE(actors.client().Delete<PersistentVolumeClaim>({"default", "data"}));
    Settle();
    EXPECT_EQ(PhaseOf(actors.client(), "fits"), "Released");
    const int64_t writes = process.line().writes();
    (void)SleepFor(std::chrono::hours(1), {});
    EXPECT_EQ(process.line().writes(), writes);
  });
}

TEST(PersistentVolumes, ClaimWaitsForAVolumeAndSaysSo) {
  SimulatedManagers([] {
    const ControlPlane control_plane;
    const Actors actors(control_plane.client());
    const ControllerProcess process(control_plane.client(), AddBinder);
    actors.Make(Claim("data", "2Gi"));
    Settle();
    EXPECT_EQ(StateOf(actors.client(), "data"), "Pending ");
    EXPECT_THAT(actors.EventsOn("data"),
                Contains("FailedBinding: no persistent volumes available for this claim and no storage class is set"));
    actors.Make(Volume("late", "2Gi"));
    Settle();
    EXPECT_EQ(StateOf(actors.client(), "data"), "Bound late");
  });
}

TEST(PersistentVolumes, ClassesArePlayedFromTheClaimToTheEnd) {
  SimulatedManagers([] {
    const ControlPlane control_plane;
    const Actors actors(control_plane.client());
    const ControllerProcess process(control_plane.client(), AddBinder);
    actors.Make(Class("fast", "keelson.dev/simulated"));
    const std::string uid = actors.Make(Claim("data", "2Gi", "fast")).metadata.uid.str();
    Settle();
    EXPECT_EQ(StateOf(actors.client(), "data"), "Bound pvc-" + uid);
    EXPECT_THAT(actors.EventsOn("data"), Contains("ProvisioningSucceeded: Successfully provisioned volume pvc-" + uid));
    const PersistentVolume volume = actors.client().Get<PersistentVolume>({"", "pvc-" + uid}).value();
    EXPECT_EQ(volume.spec.persistentVolumeReclaimPolicy, "Delete");
    EXPECT_EQ(volume.metadata.annotations.at(kProvisionedBy), "keelson.dev/simulated");
    EXPECT_EQ(volume.status.phase, "Bound");
    ASSERT_TRUE(actors.client().Delete<PersistentVolumeClaim>({"default", "data"}));
    Settle();
    EXPECT_EQ(PhaseOf(actors.client(), "pvc-" + uid), "none");
  });
}

TEST(PersistentVolumes, ForeignProvisionersAreWaitedFor) {
  SimulatedManagers([] {
    const ControlPlane control_plane;
    const Actors actors(control_plane.client());
    const ControllerProcess process(control_plane.client(), AddBinder);
    actors.Make(Class("theirs", "example.com/disks"));
    actors.Make(Claim("data", "2Gi", "theirs"));
    actors.Make(Claim("lost", "2Gi", "unknown"));
    Settle();
    EXPECT_EQ(StateOf(actors.client(), "data"), "Pending ");
    EXPECT_EQ(actors.client()
                  .Get<PersistentVolumeClaim>({"default", "data"})
                  ->metadata.annotations.at("volume.kubernetes.io/storage-provisioner"),
              "example.com/disks");
    EXPECT_THAT(actors.EventsOn("data"),
                Contains(StartsWith("ExternalProvisioning: Waiting for a volume to be created "
                                    "either by the external provisioner 'example.com/disks'")));
    EXPECT_THAT(actors.EventsOn("lost"),
                Contains("ProvisioningFailed: storageclass.storage.k8s.io \"unknown\" not found"));
  });
}

TEST(PersistentVolumes, FirstConsumerIsWaitedFor) {
  SimulatedManagers([] {
    const ControlPlane control_plane;
    const Actors actors(control_plane.client());
    const ControllerProcess process(control_plane.client(), AddBinder);
    actors.Make(Class("lazy", "keelson.dev/simulated", "WaitForFirstConsumer"));
    actors.Make(Claim("data", "2Gi", "lazy"));
    Settle();
    EXPECT_THAT(actors.EventsOn("data"),
                Contains("WaitForFirstConsumer: waiting for first consumer to be created before binding"));
    actors.MakePod("user", "app", "", false, "", [](corev1::Pod& pod) {
      corev1::Volume volume;
      volume.name = "data";
      volume.persistentVolumeClaim = corev1::PersistentVolumeClaimVolumeSource{.claimName = "data"};
      pod.spec.volumes = {volume};
    });
    Settle();
    EXPECT_THAT(actors.EventsOn("data"),
                Not(Contains(StartsWith("WaitForPodScheduled"))));  // it may get a node at once
    (void)SleepFor(std::chrono::seconds(20), {});
    EXPECT_THAT(actors.EventsOn("data"), Contains("WaitForPodScheduled: waiting for pod user to be scheduled"));
    EXPECT_EQ(StateOf(actors.client(), "data"), "Pending ");
    Modify<PersistentVolumeClaim>(actors.client(), {"default", "data"}, [](PersistentVolumeClaim& claim) {
      claim.metadata.annotations.Set("volume.kubernetes.io/selected-node", "n7");
    }).value();
    Settle();
    EXPECT_THAT(StateOf(actors.client(), "data"), StartsWith("Bound pvc-"));
    const ObjectList<PersistentVolume> volumes = actors.client().List<PersistentVolume>().value();
    ASSERT_EQ(volumes.items.size(), 1u);
    EXPECT_EQ(volumes.items[0].spec.nodeAffinity->required->nodeSelectorTerms[0].matchExpressions[0].values[0], "n7");
  });
}

TEST(PersistentVolumes, AClassCountsForAClaimThatComesRightAfterIt) {
  RunSeeds({.count = 30}, [](uint64_t seed) {
    const ControlPlane control_plane;
    const Actors actors(control_plane.client());
    ControllerProcess process(control_plane.client(), AddBinder, seed,
                              {.lag = 0.5, .longest_lag = std::chrono::seconds(2)});
    actors.Make(Volume("disk", "1Gi", "lazy"));
    (void)SleepFor(std::chrono::seconds(10), {});
    actors.Make(Class("lazy", "kubernetes.io/no-provisioner", "WaitForFirstConsumer"));
    actors.Make(Claim("data", "1Gi", "lazy"));
    (void)SleepFor(std::chrono::seconds(10), {});
    EXPECT_EQ(StateOf(actors.client(), "data"), "Pending ");
  });
}

TEST(PersistentVolumes, VolumesAndClaimsMayNameEachOther) {
  SimulatedManagers([] {
    const ControlPlane control_plane;
    const Actors actors(control_plane.client());
    const ControllerProcess process(control_plane.client(), AddBinder);
    PersistentVolume reserved = Volume("reserved", "5Gi");
    reserved.spec.claimRef = corev1::ObjectReference{.namespace_ = "default", .name = "mine"};
    actors.Make(reserved);
    actors.Make(Volume("asked-for", "5Gi"));
    PersistentVolumeClaim asking = Claim("asking", "1Gi");
    asking.spec.volumeName = "asked-for";
    actors.Make(asking);
    PersistentVolumeClaim too_big = Claim("too-big", "50Gi");
    too_big.spec.volumeName = "tiny";
    actors.Make(too_big);
    actors.Make(Volume("tiny", "1Mi"));
    actors.Make(Claim("mine", "1Gi"));
    Settle();
    EXPECT_EQ(StateOf(actors.client(), "mine"), "Bound reserved");
    EXPECT_EQ(StateOf(actors.client(), "asking"), "Bound asked-for");
    EXPECT_EQ(StateOf(actors.client(), "too-big"), "Pending tiny");
    EXPECT_THAT(actors.EventsOn("too-big"),
                Contains("VolumeMismatch: Cannot bind to requested volume \"tiny\": requested PV is too small"));
    // Reserved by a person, so no annotation says that the controller did it.
    EXPECT_TRUE(actors.client().Get<PersistentVolume>({"", "reserved"})->metadata.annotations.empty());
  });
}

TEST(PersistentVolumes, ClaimWhoseVolumeIsGoneIsLost) {
  SimulatedManagers([] {
    const ControlPlane control_plane;
    const Actors actors(control_plane.client());
    const ControllerProcess process(control_plane.client(),
                                    [](Manager& manager) { return AddPersistentVolumesController(manager); });
    actors.Make(Volume("disk", "5Gi"));
    actors.Make(Claim("data", "1Gi"));
    Settle();
    ASSERT_EQ(StateOf(actors.client(), "data"), "Bound disk");
    ASSERT_TRUE(actors.client().Delete<PersistentVolume>({"", "disk"}));
    Modify<PersistentVolume>(actors.client(), {"", "disk"}, [](PersistentVolume& volume) {
      volume.metadata.finalizers = {};
    }).value();
    Settle();
    EXPECT_EQ(StateOf(actors.client(), "data"), "Lost disk");
    EXPECT_THAT(actors.EventsOn("data"),
                Contains("ClaimLost: Bound claim has lost its PersistentVolume. Data on the volume is lost!"));
  });
}

TEST(PersistentVolumes, DefaultClassComesLateToAClaimWithoutOne) {
  SimulatedManagers([] {
    const ControlPlane control_plane;
    const Actors actors(control_plane.client());
    const ControllerProcess process(control_plane.client(), AddBinder);
    actors.Make(Claim("data", "1Gi", nullptr));
    Settle();
    StorageClass standard = Class("standard", "rancher.io/local-path");
    standard.metadata.annotations = {{"storageclass.kubernetes.io/is-default-class", "true"}};
    actors.Make(standard);
    Settle();
    EXPECT_THAT(StateOf(actors.client(), "data"), StartsWith("Bound pvc-"));
  });
}

TEST(PersistentVolumes, ReclaimFollowsThePolicy) {
  SimulatedManagers([] {
    const ControlPlane control_plane;
    const Actors actors(control_plane.client());
    const ControllerProcess process(control_plane.client(), AddBinder);
    PersistentVolume elsewhere = Volume("elsewhere", "1Gi", "a", "Delete");
    elsewhere.spec.hostPath->path = "/data";
    actors.Make(elsewhere);
    actors.Make(Volume("scratch", "1Gi", "b", "Delete"));
    actors.Make(Volume("recycled", "1Gi", "c", "Recycle"));
    for (const char* name : {"a", "b", "c"}) actors.Make(Claim(name, "1Gi", name));
    Settle();
    for (const char* name : {"a", "b", "c"}) {
      ASSERT_THAT(StateOf(actors.client(), name), StartsWith("Bound "));
      ASSERT_TRUE(actors.client().Delete<PersistentVolumeClaim>({"default", name}));
    }
    Settle();
    EXPECT_EQ(PhaseOf(actors.client(), "elsewhere"), "Failed");
    EXPECT_THAT(actors.EventsOn("elsewhere"), Contains("VolumeFailedDelete: host_path deleter only supports /tmp/.+ "
                                                       "but received provided /data"));
    EXPECT_EQ(PhaseOf(actors.client(), "scratch"), "none");
    EXPECT_EQ(PhaseOf(actors.client(), "recycled"), "Available");
  });
}

constexpr int kParts = 4;
class PersistentVolumesSchedules : public testing::TestWithParam<int> {};

TEST_P(PersistentVolumesSchedules, EndBoundOnceAndThenWriteNothing) {
  RunSeeds({.count = 1'000, .part = GetParam(), .parts = kParts}, [](uint64_t seed) {
    Random random(seed);
    const Faults faults = DrawAllFaults(random);
    const ControlPlane control_plane;
    const Actors actors(control_plane.client());
    ControllerProcess process(control_plane.client(), AddBinder, seed, faults);
    const auto pause = [&] { process.Pass(std::chrono::milliseconds(random.Uniform(0, 2000))); };
    actors.Make(Class("fast", "keelson.dev/simulated"));
    pause();
    actors.Make(Claim("one", "1Gi"));
    actors.Make(Claim("two", "1Gi"));
    pause();
    actors.Make(Volume("disk", "1Gi"));
    const std::string uid = actors.Make(Claim("made", "1Gi", "fast")).metadata.uid.str();
    actors.Make(Claim("gone", "1Gi", "fast"));
    pause();
    if (random.Chance(0.5)) process.Restart();
    ASSERT_TRUE(actors.client().Delete<PersistentVolumeClaim>({"default", "gone"}));
    pause();
    process.Heal();
    (void)SleepFor(std::chrono::minutes(3), {});
    const std::string one = StateOf(actors.client(), "one");
    const std::string two = StateOf(actors.client(), "two");
    EXPECT_TRUE((one == "Bound disk" && two == "Pending ") || (one == "Pending " && two == "Bound disk"))
        << one << ", " << two;
    EXPECT_EQ(PhaseOf(actors.client(), "disk"), "Bound");
    EXPECT_EQ(StateOf(actors.client(), "made"), "Bound pvc-" + uid);
    EXPECT_EQ(StateOf(actors.client(), "gone"), "none");
    EXPECT_EQ(actors.client().List<PersistentVolume>()->items.size(), 2u);
    ExpectNoWrites(process);
  });
}
INSTANTIATE_TEST_SUITE_P(Seeds, PersistentVolumesSchedules, testing::Range(0, kParts));

}  // namespace
}  // namespace keelson::controllers
