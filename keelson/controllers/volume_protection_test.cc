#include "keelson/controllers/volume_protection.h"

#include <gtest/gtest.h>

#include <string>

#include "keelson/api/finalizers.h"
#include "keelson/api/storage/v1.h"
#include "keelson/controllers/services_test_support.h"
#include "keelson/controlplane/control_plane.h"
#include "keelson/controlplane/run_seeds.h"

namespace keelson::controllers {
namespace {

using corev1::PersistentVolume;
using corev1::PersistentVolumeClaim;
using corev1::Pod;

Result<void> AddProtection(Manager& manager) {
  KEELSON_RETURN_IF_ERROR(AddClaimProtectionController(manager));
  return AddVolumeProtectionController(manager);
}

PersistentVolumeClaim ClaimNamed(const std::string& name) {
  PersistentVolumeClaim claim;
  claim.metadata = {.name = name, .namespace_ = "default"};
  claim.spec.accessModes = {"ReadWriteOnce"};
  claim.spec.resources.requests = {{"storage", Quantity::Parse("1Gi").value()}};
  return claim;
}

void MakeUser(const Actors& actors, const std::string& name, const std::string& claim, const std::string& node) {
  actors.MakePod(name, "app", "", false, node, [&claim](Pod& pod) {
    corev1::Volume volume;
    volume.name = "data";
    volume.persistentVolumeClaim = corev1::PersistentVolumeClaimVolumeSource{.claimName = claim};
    pod.spec.volumes = {volume};
  });
}

TEST(ClaimProtection, ClaimStaysWhileAPodOnANodeHasIt) {
  SimulatedManagers(
      [] {
        const ControlPlane control_plane;
        const Actors actors(control_plane.client());
        ControllerProcess process(control_plane.client(), AddProtection);
        EXPECT_TRUE(HasFinalizer(actors.Make(ClaimNamed("data")), kClaimProtectionFinalizer));
        MakeUser(actors, "user", "data", "n1");
        ASSERT_TRUE(actors.client().Delete<PersistentVolumeClaim>({"default", "data"}));
        Settle();
        EXPECT_TRUE(actors.client().Get<PersistentVolumeClaim>({"default", "data"}));
        const int64_t writes = process.line().writes();
        (void)SleepFor(std::chrono::hours(1), {});
        EXPECT_EQ(process.line().writes(), writes);

        ASSERT_TRUE(actors.client().Delete<Pod>({"default", "user"}, {.grace_period = std::chrono::seconds(0)}));
        Settle();
        EXPECT_FALSE(actors.client().Get<PersistentVolumeClaim>({"default", "data"}));
      },
      20);
}

TEST(ClaimProtection, PodThatHasNoNodeDoesNotHoldIt) {
  SimulatedManagers([] {
    const ControlPlane control_plane;
    const Actors actors(control_plane.client());
    const ControllerProcess process(control_plane.client(), AddProtection);
    actors.Make(ClaimNamed("data"));
    MakeUser(actors, "waiting", "data", "");
    ASSERT_TRUE(actors.client().Delete<PersistentVolumeClaim>({"default", "data"}));
    Settle();
    EXPECT_FALSE(actors.client().Get<PersistentVolumeClaim>({"default", "data"}));
  });
}

TEST(ClaimProtection, FinalizerComesBackToAClaimThatLostIt) {
  SimulatedManagers([] {
    const ControlPlane control_plane;
    const Actors actors(control_plane.client());
    const ControllerProcess process(control_plane.client(), AddProtection);
    actors.Make(ClaimNamed("data"));
    Modify<PersistentVolumeClaim>(actors.client(), {"default", "data"}, [](PersistentVolumeClaim& claim) {
      claim.metadata.finalizers = {};
    }).value();
    Settle();
    EXPECT_TRUE(
        HasFinalizer(*actors.client().Get<PersistentVolumeClaim>({"default", "data"}), kClaimProtectionFinalizer));
  });
}

constexpr int kParts = 4;
class ClaimProtectionSchedules : public testing::TestWithParam<int> {};

TEST_P(ClaimProtectionSchedules, KeepWhatIsInUseAndThenWriteNothing) {
  RunSeeds({.count = 1'000, .part = GetParam(), .parts = kParts}, [](uint64_t seed) {
    Random random(seed);
    const Faults faults = DrawAllFaults(random);
    const ControlPlane control_plane;
    const Actors actors(control_plane.client());
    ControllerProcess process(control_plane.client(), AddProtection, seed, faults);
    const auto pause = [&] { process.Pass(std::chrono::milliseconds(random.Uniform(0, 2000))); };
    const auto has = [&](const std::string& name) {
      return actors.client().Get<PersistentVolumeClaim>({"default", name}).has_value();
    };
    for (const char* name : {"used", "left", "idle", "stays"}) actors.Make(ClaimNamed(name));
    MakeUser(actors, "user", "used", "n1");
    MakeUser(actors, "leaver", "left", "n1");
    pause();
    for (const char* name : {"used", "left", "idle"}) {
      ASSERT_TRUE(actors.client().Delete<PersistentVolumeClaim>({"default", name}));
    }
    pause();
    if (random.Chance(0.5)) process.Restart();
    ASSERT_TRUE(actors.client().Delete<Pod>({"default", "leaver"}, {.grace_period = std::chrono::seconds(0)}));
    Modify<PersistentVolumeClaim>(actors.client(), {"default", "stays"}, [](PersistentVolumeClaim& claim) {
      claim.metadata.finalizers = {};
    }).value();
    for (int i = 0; i < 5; ++i) {
      pause();
      EXPECT_TRUE(has("used")) << "a pod has it";
    }
    process.Heal();
    (void)SleepFor(std::chrono::minutes(3), {});
    EXPECT_TRUE(has("used"));
    EXPECT_FALSE(has("left"));
    EXPECT_FALSE(has("idle"));
    EXPECT_TRUE(
        HasFinalizer(*actors.client().Get<PersistentVolumeClaim>({"default", "stays"}), kClaimProtectionFinalizer));
    ExpectNoWrites(process);
  });
}
INSTANTIATE_TEST_SUITE_P(Seeds, ClaimProtectionSchedules, testing::Range(0, kParts));

TEST(VolumeProtection, BoundVolumeStays) {
  SimulatedManagers([] {
    const ControlPlane control_plane;
    const Actors actors(control_plane.client());
    const ControllerProcess process(control_plane.client(), AddProtection);
    PersistentVolume volume;
    volume.metadata.name = "disk";
    volume.spec.capacity = {{"storage", Quantity::Parse("1Gi").value()}};
    volume.spec.accessModes = {"ReadWriteOnce"};
    volume.spec.hostPath = corev1::HostPathVolumeSource{.path = "/data"};
    actors.Make(volume);
    ModifyStatus<PersistentVolume>(actors.client(), {"", "disk"}, [](PersistentVolume& made) {
      made.status.phase = "Bound";
    }).value();
    ASSERT_TRUE(actors.client().Delete<PersistentVolume>({"", "disk"}));
    Settle();
    ASSERT_TRUE(actors.client().Get<PersistentVolume>({"", "disk"}));
    ModifyStatus<PersistentVolume>(actors.client(), {"", "disk"}, [](PersistentVolume& made) {
      made.status.phase = "Released";
    }).value();
    Settle();
    EXPECT_FALSE(actors.client().Get<PersistentVolume>({"", "disk"}));
  });
}

TEST(AttributesClassProtection, ClassStaysWhileAClaimOrAVolumeNamesIt) {
  SimulatedManagers(
      [] {
        const ControlPlane control_plane;
        const Actors actors(control_plane.client());
        const Client& client = actors.client();
        const ControllerProcess process(
            client, [](Manager& manager) { return AddAttributesClassProtectionController(manager); });
        const ObjectKey gold{"", "gold"};
        storagev1::VolumeAttributesClass wanted;
        wanted.metadata.name = "gold";
        wanted.driverName = "disk.example.com";
        wanted.parameters = {{"iops", "100"}};
        EXPECT_TRUE(HasFinalizer(actors.Make(wanted), kAttributesClassProtectionFinalizer));
        PersistentVolumeClaim claim = ClaimNamed("data");
        claim.spec.volumeAttributesClassName = "gold";
        actors.Make(claim);
        ASSERT_TRUE(client.Delete<storagev1::VolumeAttributesClass>(gold));
        Settle();
        EXPECT_TRUE(client.Get<storagev1::VolumeAttributesClass>(gold));
        Modify<PersistentVolumeClaim>(client, {"default", "data"}, [](PersistentVolumeClaim& one) {
          one.metadata.finalizers = {};
        }).value();
        ASSERT_TRUE(client.Delete<PersistentVolumeClaim>({"default", "data"}));
        Settle();
        EXPECT_FALSE(client.Get<storagev1::VolumeAttributesClass>(gold));

        actors.Make(wanted);
        ASSERT_TRUE(client.Delete<storagev1::VolumeAttributesClass>(gold));
        Settle();
        EXPECT_FALSE(client.Get<storagev1::VolumeAttributesClass>(gold)) << "nobody names it";
      },
      20);
}

}  // namespace
}  // namespace keelson::controllers
