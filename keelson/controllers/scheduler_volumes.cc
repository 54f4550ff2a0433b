#include "keelson/controllers/scheduler_volumes.h"

#include <fmt/format.h>

#include "keelson/api/storage/v1.h"
#include "keelson/client/ignore_not_found.h"

namespace keelson::controllers {
namespace {

std::string ClaimNameOf(const corev1::Pod& pod, const corev1::Volume& volume) {
  if (volume.persistentVolumeClaim) return volume.persistentVolumeClaim->claimName.str();
  if (volume.ephemeral) return fmt::format("{}-{}", pod.metadata.name.view(), volume.name.view());
  return {};
}

bool IsBound(const corev1::PersistentVolumeClaim& claim) {
  return !claim.spec.volumeName.empty() && claim.metadata.annotations.contains("pv.kubernetes.io/bind-completed");
}

}  // namespace

bool HasClaims(const corev1::Pod& pod) {
  for (const corev1::Volume& volume : pod.spec.volumes) {
    if (volume.persistentVolumeClaim || volume.ephemeral) return true;
  }
  return false;
}

Result<PodVolumes> VolumesOf(const corev1::Pod& pod, const Reader& reader) {
  PodVolumes volumes;
  bool unbound_immediate = false;
  const auto refused = [&](std::string why) {
    volumes.needs.refusal = std::move(why);
    return volumes;
  };
  for (const corev1::Volume& volume : pod.spec.volumes) {
    const std::string name = ClaimNameOf(pod, volume);
    if (name.empty()) continue;
    KEELSON_TRY(claim,
                IgnoreNotFound(reader.Get<corev1::PersistentVolumeClaim>({pod.metadata.namespace_.str(), name})));
    if (!claim && volume.ephemeral) {
      return refused(
          fmt::format("waiting for ephemeral volume controller to "
                      "create the persistentvolumeclaim \"{}\"",
                      name));
    }
    if (!claim) return refused(fmt::format("persistentvolumeclaim \"{}\" not found", name));
    if (claim->status.phase == "Lost") {
      return refused(
          fmt::format("persistentvolumeclaim \"{}\" bound to "
                      "non-existent persistentvolume \"{}\"",
                      name, claim->spec.volumeName.view()));
    }
    if (claim->metadata.deletionTimestamp) {
      return refused(fmt::format("persistentvolumeclaim \"{}\" is being deleted", name));
    }
    if (IsBound(*claim)) {
      KEELSON_TRY(bound, IgnoreNotFound(reader.Get<corev1::PersistentVolume>({"", claim->spec.volumeName.str()})));
      if (!bound)
        return refused(
            "node(s) unavailable due to one or more pvc(s) bound to "
            "non-existent pv(s)");
      if (bound->spec.nodeAffinity && bound->spec.nodeAffinity->required) {
        volumes.needs.reachable_from.push_back(*bound->spec.nodeAffinity->required);
      }
      continue;
    }
    const String class_name = claim->spec.storageClassName.value_or(String());
    bool waits_for_node = false;
    if (!class_name.empty() && claim->spec.volumeName.empty()) {
      KEELSON_TRY(found, IgnoreNotFound(reader.Get<storagev1::StorageClass>({"", class_name.str()})));
      waits_for_node = found && found->volumeBindingMode == String("WaitForFirstConsumer");
    }
    if (!waits_for_node) {
      unbound_immediate = true;
      continue;
    }
    if (const String* node = std::as_const(claim->metadata.annotations).find(kSelectedNode)) {
      volumes.needs.selected_node = node->str();
    }
    volumes.waiting.push_back(*std::move(claim));
  }
  if (unbound_immediate) volumes.needs.refusal = "pod has unbound immediate PersistentVolumeClaims";
  return volumes;
}

Result<void> SelectNode(const ObjectClient& client, const PodVolumes& volumes, const std::string& node) {
  for (corev1::PersistentVolumeClaim claim : volumes.waiting) {
    const String* selected = std::as_const(claim.metadata.annotations).find(kSelectedNode);
    if (selected != nullptr && *selected == node) continue;
    claim.metadata.annotations.Set(kSelectedNode, node);
    KEELSON_RETURN_IF_ERROR(client.Update(claim, {.field_manager = "kube-scheduler"}));
  }
  return {};
}

}  // namespace keelson::controllers
