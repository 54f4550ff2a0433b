#include "keelson/controllers/volume_protection.h"

#include <gtest/gtest.h>

#include <string>

#include "keelson/api/finalizers.h"
#include "keelson/controllers/services_test_support.h"
#include "keelson/controlplane/control_plane.h"

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
    Change<PersistentVolumeClaim>(actors.client(), {"default", "data"},
                                  [](PersistentVolumeClaim& claim) { claim.metadata.finalizers = {}; });
    Settle();
    EXPECT_TRUE(
        HasFinalizer(*actors.client().Get<PersistentVolumeClaim>({"default", "data"}), kClaimProtectionFinalizer));
  });
}

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
    ChangeStatus<PersistentVolume>(actors.client(), {"", "disk"},
                                   [](PersistentVolume& made) { made.status.phase = "Bound"; });
    ASSERT_TRUE(actors.client().Delete<PersistentVolume>({"", "disk"}));
    Settle();
    ASSERT_TRUE(actors.client().Get<PersistentVolume>({"", "disk"}));
    ChangeStatus<PersistentVolume>(actors.client(), {"", "disk"},
                                   [](PersistentVolume& made) { made.status.phase = "Released"; });
    Settle();
    EXPECT_FALSE(actors.client().Get<PersistentVolume>({"", "disk"}));
  });
}

}  // namespace
}  // namespace keelson::controllers
