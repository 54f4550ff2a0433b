#include <fmt/format.h>

#include <algorithm>

#include "keelson/apiserver/kinds/checks_address.h"
#include "keelson/apiserver/kinds/checks_common.h"
#include "keelson/apiserver/kinds/internal_form.h"
#include "keelson/apiserver/kinds/pod_checks.h"

namespace keelson::apiserver {

namespace {

constexpr size_t kMaxHealthMessage = 1024;

void CheckConditions(const List<corev1::PodCondition>& conditions, const Path& path, FieldErrors& errors) {
  for (size_t i = 0; i < conditions.size(); ++i) {
    const corev1::PodCondition& condition = conditions[i];
    const Path at = path[i];
    if (condition.observedGeneration < 0) {
      errors.Invalid(at / "observedGeneration", Json(condition.observedGeneration), "must be a non-negative integer");
    }
    if (!IsOneOf(condition.type, {"PodScheduled", "Ready", "Initialized"})) {
      CheckQualifiedName(condition.type, at / "Type", errors);
    }
  }
}

bool RestartsAll(const List<corev1::Container>& containers) {
  for (const corev1::Container& container : containers) {
    for (const corev1::ContainerRestartRule& rule : container.restartPolicyRules) {
      if (rule.action == "RestartAllContainers") return true;
    }
  }
  return false;
}

// Whether a container that ended so is to run again: by its rules, its own policy, the pod's.
bool ShouldRestart(const corev1::Container& container, std::string_view pod_policy, int32_t exit_code) {
  for (const corev1::ContainerRestartRule& rule : container.restartPolicyRules) {
    if (!rule.exitCodes) continue;
    const List<int32_t>& values = rule.exitCodes->values;
    const bool listed = std::find(values.begin(), values.end(), exit_code) != values.end();
    if (rule.exitCodes->operator_ == (listed ? "In" : "NotIn")) return rule.action == "Restart";
  }
  const std::string_view policy = container.restartPolicy ? container.restartPolicy->view() : pod_policy;
  return policy == "Always" || (policy == "OnFailure" && exit_code != 0);
}

void CheckTransitions(const List<corev1::ContainerStatus>& statuses, const List<corev1::ContainerStatus>& old,
                      const List<corev1::Container>* containers, const corev1::PodSpec& spec, const Path& path,
                      FieldErrors& errors) {
  for (size_t i = 0; i < old.size(); ++i) {
    if (!old[i].state.terminated) continue;
    const auto now = std::find_if(statuses.begin(), statuses.end(), [&](const corev1::ContainerStatus& status) {
      return status.name == old[i].name && !status.state.terminated;
    });
    if (now == statuses.end()) continue;
    bool allowed = false;
    if (containers != nullptr) {
      const auto container = std::find_if(containers->begin(), containers->end(),
                                          [&](const corev1::Container& one) { return one.name == old[i].name; });
      allowed = container != containers->end() &&
                ShouldRestart(*container, spec.restartPolicy, old[i].state.terminated->exitCode);
    }
    const Path at = path[i];
    if (!allowed) errors.Forbidden(at / "state", "may not be transitioned to non-terminated state");
  }
}

// A PodIP or a HostIP list: valid addresses, at most one of each family.
template <class Address>
void CheckAddresses(const List<Address>& addresses, const List<Address>& old, const Path& path, FieldErrors& errors) {
  for (size_t i = 0; i < addresses.size(); ++i) {
    const bool known =
        std::any_of(old.begin(), old.end(), [&](const Address& one) { return one.ip == addresses[i].ip; });
    if (!known) CheckLegacyIp(addresses[i].ip, path[i], errors);
  }
  if (addresses.size() < 2) return;
  bool v4 = false;
  bool v6 = false;
  for (size_t i = 0; i < addresses.size(); ++i) {
    const std::optional<IpAddress> ip = ParseIp(addresses[i].ip);
    if (!ip) {
      errors.Internal(
          path, fmt::format("failed to check for dual stack with error:invalid IP[{}]: {}", i, addresses[i].ip.view()));
      v4 = v6 = false;
      break;
    }
    (ip->is_v4() ? v4 : v6) = true;
  }
  if (!v4 || !v6 || addresses.size() > 2) {
    errors.InvalidShown(path, InternalForm(addresses), "may specify no more than one IP for each IP family");
  }
}

void CheckClaimStatuses(const corev1::Pod& pod, const Path& path, FieldErrors& errors) {
  NameSet names;
  const List<corev1::PodResourceClaim>& claims = pod.spec.resourceClaims;
  for (size_t i = 0; i < pod.status.resourceClaimStatuses.size(); ++i) {
    const corev1::PodResourceClaimStatus& status = pod.status.resourceClaimStatuses[i];
    const Path at = path[i];
    if (std::none_of(claims.begin(), claims.end(), [&](const auto& claim) { return claim.name == status.name; })) {
      errors.Invalid(at / "name", Json(status.name), "must match the name of an entry in `spec.resourceClaims`");
    }
    if (!names.Insert(status.name)) errors.Duplicate(at / "name", Json(status.name));
    if (status.resourceClaimName) CheckDnsSubdomain(*status.resourceClaimName, at / "resourceClaimName", errors);
  }
}

void CheckUsers(const List<corev1::ContainerStatus>& statuses, bool windows, const Path& path, FieldErrors& errors) {
  for (size_t i = 0; i < statuses.size(); ++i) {
    if (!statuses[i].user || !statuses[i].user->linux) continue;
    const Path at = path[i];
    const Path user = at / "user";
    const Path where = user / "linux";
    if (windows) {
      errors.Forbidden(where, "cannot be set for a windows pod");
      continue;
    }
    const corev1::LinuxContainerUser& ids = *statuses[i].user->linux;
    CheckUserId(ids.uid, where / "uid", errors);
    CheckGroupId(ids.gid, where / "gid", errors);
    const Path groups = where / "supplementalGroups";
    for (size_t j = 0; j < ids.supplementalGroups.size(); ++j) {
      CheckGroupId(ids.supplementalGroups[j], groups[j], errors);
    }
  }
}

bool HasResource(const corev1::Container& container, std::string_view name) {
  if (!name.starts_with("claim:")) return container.resources.requests.contains(name);
  for (const corev1::ResourceClaim& claim : container.resources.claims) {
    std::string text = "claim:" + claim.name.str();
    if (!claim.request.empty()) text.append("/").append(claim.request.view());
    if (text == name) return true;
  }
  return false;
}

void CheckHealth(const List<corev1::ResourceHealth>& resources, const Path& path, FieldErrors& errors) {
  NameSet ids;
  for (size_t i = 0; i < resources.size(); ++i) {
    const corev1::ResourceHealth& resource = resources[i];
    const Path at = path[i];
    CheckOneOf(resource.health, {"Healthy", "Unhealthy", "Unknown"}, at / "health", errors);
    if (resource.message && resource.message->empty()) {
      errors.Required(at / "message", "must be non-empty if specified");
    } else if (resource.message && resource.message->size() > kMaxHealthMessage) {
      errors.TooLong(at / "message", kMaxHealthMessage);
    }
    if (!ids.Insert(resource.resourceID)) errors.Duplicate(at / "resourceID", Json(resource.resourceID));
  }
}

// `containers` is null for ephemeral ones, which have no resources.
void CheckAllocated(const List<corev1::ContainerStatus>& statuses, const List<corev1::Container>* containers,
                    const Path& path, FieldErrors& errors) {
  for (size_t i = 0; i < statuses.size(); ++i) {
    const Path at = path[i];
    const Path allocated = at / "allocatedResourcesStatus";
    const List<corev1::ResourceStatus>& list = statuses[i].allocatedResourcesStatus;
    if (containers == nullptr) {
      if (!list.empty()) errors.Forbidden(allocated, "must not be specified in container status");
      continue;
    }
    for (size_t j = 0; j < list.size(); ++j) {
      const Path entry = allocated[j];
      for (const corev1::Container& container : *containers) {
        if (container.name != statuses[i].name) continue;
        if (!HasResource(container, list[j].name)) {
          errors.Invalid(entry / "name", Json(list[j].name),
                         list[j].name.view().starts_with("claim:")
                             ? "must match one of the container's resource claims in a format "
                               "'claim:<claimName>/<request>' or 'claim:<claimName>' if request is empty"
                             : "must match one of the container's resource requests");
        }
        break;
      }
      CheckHealth(list[j].resources, entry / "resources", errors);
    }
  }
}

}  // namespace

void CheckPodStatusUpdate(const corev1::Pod& pod, const corev1::Pod& old, FieldErrors& errors) {
  CheckPodAnnotationUpdate(pod, old, errors);
  const Path path("status");
  const corev1::PodStatus& status = pod.status;
  CheckConditions(status.conditions, path / "conditions", errors);
  const Path nominated = path / "nominatedNodeName";
  if (status.nominatedNodeName != old.status.nominatedNodeName && !status.nominatedNodeName.empty()) {
    CheckDnsSubdomain(status.nominatedNodeName, nominated, errors);
    if (!old.spec.nodeName.empty()) {
      errors.Forbidden(nominated, "may not be set on pods that are already bound to a node");
    }
  }
  if (status.observedGeneration < 0) {
    errors.Invalid(path / "observedGeneration", Json(status.observedGeneration), "must be a non-negative integer");
  }
  CheckImmutable(status.qosClass, old.status.qosClass, path / "qosClass", errors);

  const Path regular = path / "containerStatuses";
  const Path init = path / "initContainerStatuses";
  const Path ephemeral = path / "ephemeralContainerStatuses";
  if (!RestartsAll(old.spec.containers) && !RestartsAll(old.spec.initContainers)) {
    CheckTransitions(status.containerStatuses, old.status.containerStatuses, &old.spec.containers, old.spec, regular,
                     errors);
    CheckTransitions(status.initContainerStatuses, old.status.initContainerStatuses, &old.spec.initContainers, old.spec,
                     init, errors);
  }
  CheckTransitions(status.ephemeralContainerStatuses, old.status.ephemeralContainerStatuses, nullptr, old.spec,
                   ephemeral, errors);
  CheckClaimStatuses(pod, path / "resourceClaimStatuses", errors);
  CheckAddresses(status.podIPs, old.status.podIPs, path / "podIPs", errors);
  if (!status.hostIPs.empty()) {
    const Path hosts = path / "hostIPs";
    const Path first = hosts[0];
    if (status.hostIP != status.hostIPs[0].ip) {
      errors.Invalid(first / "ip", Json(status.hostIPs[0].ip), "must be equal to `hostIP`");
    }
    CheckAddresses(status.hostIPs, old.status.hostIPs, hosts, errors);
  }
  const bool windows = pod.spec.os && pod.spec.os->name == "windows";
  CheckUsers(status.containerStatuses, windows, regular, errors);
  CheckUsers(status.initContainerStatuses, windows, init, errors);
  CheckUsers(status.ephemeralContainerStatuses, windows, ephemeral, errors);
  CheckAllocated(status.containerStatuses, &pod.spec.containers, regular, errors);
  CheckAllocated(status.initContainerStatuses, &pod.spec.initContainers, init, errors);
  CheckAllocated(status.ephemeralContainerStatuses, nullptr, ephemeral, errors);
}

}  // namespace keelson::apiserver
