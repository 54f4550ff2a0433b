#include "keelson/controllers/scheduler_volumes.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "keelson/client/ignore_not_found.h"
#include "keelson/controllers/persistent_volumes_match.h"
#include "keelson/controllers/scheduler_selectors.h"

namespace keelson::controllers {
namespace {

std::string ClaimNameOf(const corev1::Pod& pod, const corev1::Volume& volume) {
  if (volume.persistentVolumeClaim) return volume.persistentVolumeClaim->claimName.str();
  if (volume.ephemeral) return fmt::format("{}-{}", pod.metadata.name.view(), volume.name.view());
  return {};
}

bool IsBound(const corev1::PersistentVolumeClaim& claim) {
  return !claim.spec.volumeName.empty() && claim.metadata.annotations.contains(kBindCompleted);
}

Quantity SizeOf(const corev1::PersistentVolumeClaim& claim) {
  const Quantity* size = claim.spec.resources.requests.find("storage");
  return size == nullptr ? Quantity() : *size;
}

bool IsReachable(const corev1::PersistentVolume& volume, const corev1::Node& node) {
  return !volume.spec.nodeAffinity || !volume.spec.nodeAffinity->required ||
         MatchesNodeSelector(*volume.spec.nodeAffinity->required, node);
}

// Whether volumes of the class can be made for the node: some of its topologies, if it names any, is the node's.
bool CanBeMade(const storagev1::StorageClass& storage_class, const corev1::Node& node) {
  if (storage_class.provisioner.empty() || storage_class.provisioner == "kubernetes.io/no-provisioner") return false;
  const auto has = [&](const corev1::TopologySelectorLabelRequirement& requirement) {
    const String* label = node.metadata.labels.find(requirement.key);
    return label != nullptr &&
           std::find(requirement.values.begin(), requirement.values.end(), *label) != requirement.values.end();
  };
  const auto matches = [&](const corev1::TopologySelectorTerm& term) {
    return std::all_of(term.matchLabelExpressions.begin(), term.matchLabelExpressions.end(), has);
  };
  const List<corev1::TopologySelectorTerm>& allowed = storage_class.allowedTopologies;
  return allowed.empty() || std::any_of(allowed.begin(), allowed.end(), matches);
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
    std::optional<storagev1::StorageClass> storage_class;
    if (const std::string name_of_class = ClassOf(*claim); !name_of_class.empty() && claim->spec.volumeName.empty()) {
      KEELSON_TRY(found, IgnoreNotFound(reader.Get<storagev1::StorageClass>({"", name_of_class})));
      if (found && found->volumeBindingMode == String("WaitForFirstConsumer")) storage_class = *std::move(found);
    }
    if (!storage_class) {
      unbound_immediate = true;
      continue;
    }
    volumes.waiting.push_back({.claim = *std::move(claim), .storage_class = *std::move(storage_class)});
  }
  if (unbound_immediate) return refused("pod has unbound immediate PersistentVolumeClaims");
  if (volumes.waiting.empty()) return volumes;

  std::sort(volumes.waiting.begin(), volumes.waiting.end(), [](const WaitingClaim& a, const WaitingClaim& b) {
    return std::pair(SizeOf(a.claim), a.claim.metadata.name.view()) <
           std::pair(SizeOf(b.claim), b.claim.metadata.name.view());
  });
  KEELSON_TRY(list, reader.List<corev1::PersistentVolume>());
  volumes.existing.assign(list.items.begin(), list.items.end());
  std::sort(volumes.existing.begin(), volumes.existing.end(),
            [](const auto& a, const auto& b) { return a.metadata.name.view() < b.metadata.name.view(); });
  return volumes;
}

std::optional<std::vector<const corev1::PersistentVolume*>> ChooseVolumes(const PodVolumes& volumes,
                                                                          const corev1::Node& node) {
  std::vector<corev1::PersistentVolume> free;
  for (const corev1::PersistentVolume& volume : volumes.existing) {
    if (IsReachable(volume, node)) free.push_back(volume);
  }
  std::vector<const corev1::PersistentVolume*> chosen;
  for (const auto& [claim, storage_class] : volumes.waiting) {
    const String* selected = claim.metadata.annotations.find(kSelectedNode);
    if (selected != nullptr && *selected != node.metadata.name) return std::nullopt;
    // For a claim with a node one is being made already.
    const corev1::PersistentVolume* found = nullptr;
    if (selected == nullptr) {
      // A selector that cannot be read matches nothing.
      if (const auto best = BestVolume(claim, free, false)) found = *best;
    }
    if (found == nullptr) {
      if (!CanBeMade(storage_class, node)) return std::nullopt;
      chosen.push_back(nullptr);
      continue;
    }
    const String name = found->metadata.name;
    chosen.push_back(&*std::find_if(volumes.existing.begin(), volumes.existing.end(),
                                    [&](const auto& volume) { return volume.metadata.name == name; }));
    std::erase_if(free, [&](const auto& volume) { return volume.metadata.name == name; });
  }
  return chosen;
}

Result<void> SelectNode(const ObjectClient& client, const PodVolumes& volumes, const corev1::Node& node) {
  const auto chosen = ChooseVolumes(volumes, node);
  if (!chosen) return {};  // the node is another one by now: the next try sees that
  for (size_t i = 0; i < volumes.waiting.size(); ++i) {
    corev1::PersistentVolumeClaim claim = volumes.waiting[i].claim;
    if (const corev1::PersistentVolume* volume = (*chosen)[i]) {
      corev1::PersistentVolume reserved = *volume;
      if (BindVolume(reserved, claim)) {
        KEELSON_RETURN_IF_ERROR(client.Update(reserved, {.field_manager = "kube-scheduler"}));
      }
      continue;
    }
    if (claim.metadata.annotations.contains(kSelectedNode)) continue;
    claim.metadata.annotations.Set(kSelectedNode, node.metadata.name);
    KEELSON_RETURN_IF_ERROR(client.Update(claim, {.field_manager = "kube-scheduler"}));
  }
  return {};
}

}  // namespace keelson::controllers
