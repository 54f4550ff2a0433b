#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "keelson/apiserver/kinds/checks_common.h"
#include "keelson/apiserver/kinds/internal_form.h"
#include "keelson/apiserver/kinds/pod_checks.h"

namespace keelson::apiserver {

namespace {

// False: the lists cannot be compared one by one, and nothing more is to be said.
bool CheckSameContainers(const List<corev1::Container>& containers, const List<corev1::Container>& old,
                         const Path& path, FieldErrors& errors) {
  if (containers.size() != old.size()) {
    errors.Forbidden(path, "pod updates may not add or remove containers");
    return false;
  }
  for (size_t i = 0; i < containers.size(); ++i) {
    const Path at = path[i];
    if (containers[i].image.empty()) errors.Required(at / "image", "");
    CheckImageHasNoSpace(containers[i].image, at, errors);
  }
  return true;
}

void CheckAddedTolerations(const List<corev1::Toleration>& tolerations, const List<corev1::Toleration>& old,
                           const Path& path, FieldErrors& errors) {
  if (tolerations == old) return CheckTolerations(tolerations, path, errors);
  for (const corev1::Toleration& before : old) {
    const bool kept = std::any_of(tolerations.begin(), tolerations.end(), [&](const corev1::Toleration& now) {
      return now.key == before.key && now.operator_ == before.operator_ && now.value == before.value &&
             now.effect == before.effect;
    });
    if (!kept) {
      return errors.Forbidden(path, "existing toleration can not be modified except its tolerationSeconds");
    }
  }
  CheckTolerations(tolerations, path, errors);
}

void CheckRemovedGates(const List<corev1::PodSchedulingGate>& gates, const List<corev1::PodSchedulingGate>& old,
                       const Path& path, FieldErrors& errors) {
  NameSet known;
  for (const corev1::PodSchedulingGate& gate : old) known.Insert(gate.name);
  for (size_t i = 0; i < gates.size(); ++i) {
    if (known.Has(gates[i].name)) continue;
    const Path at = path[i];
    errors.Forbidden(at / "name",
                     fmt::format("only deletion is allowed, but found new scheduling gate '{}'", gates[i].name.view()));
  }
}

bool OnlyAdds(const List<corev1::NodeSelectorRequirement>& now, const List<corev1::NodeSelectorRequirement>& before) {
  if (now.size() < before.size()) return false;
  for (size_t i = 0; i < before.size(); ++i) {
    if (!Equal(now[i], before[i])) return false;
  }
  return true;
}

bool OnlyAdds(const corev1::NodeSelectorTerm& now, const corev1::NodeSelectorTerm& before) {
  if (before.matchExpressions.empty() && before.matchFields.empty() &&
      (!now.matchExpressions.empty() || !now.matchFields.empty())) {
    return false;
  }
  return OnlyAdds(now.matchExpressions, before.matchExpressions) && OnlyAdds(now.matchFields, before.matchFields);
}

const Optional<corev1::NodeAffinity>& NodeAffinityOf(const corev1::PodSpec& spec) {
  static const Optional<corev1::NodeAffinity> none;
  return spec.affinity ? spec.affinity->nodeAffinity : none;
}

void CheckNodeAffinityChange(const Optional<corev1::NodeAffinity>& now, const Optional<corev1::NodeAffinity>& before,
                             const Path& path, FieldErrors& errors) {
  if (!before || !before->requiredDuringSchedulingIgnoredDuringExecution) return;
  const auto& old_terms = before->requiredDuringSchedulingIgnoredDuringExecution->nodeSelectorTerms;
  List<corev1::NodeSelectorTerm> terms;
  if (now && now->requiredDuringSchedulingIgnoredDuringExecution) {
    terms = now->requiredDuringSchedulingIgnoredDuringExecution->nodeSelectorTerms;
  }
  const Path required = path / "requiredDuringSchedulingIgnoredDuringExecution";
  const Path list = required / "nodeSelectorTerms";
  if (!old_terms.empty() && old_terms.size() != terms.size()) {
    return errors.InvalidShown(list, InternalForm(terms),
                               "no additions/deletions to non-empty NodeSelectorTerms list are allowed");
  }
  for (size_t i = 0; i < old_terms.size(); ++i) {
    if (OnlyAdds(std::as_const(terms)[i], old_terms[i])) continue;
    errors.InvalidShown(list[i], InternalForm(std::as_const(terms)[i]),
                        "only additions are allowed (no mutations or deletions)");
  }
}

// A pod that waits at scheduling gates may still be steered, but only more narrowly. What is allowed to change is set
// back in `spec`.
void CheckGatedChanges(corev1::PodSpec& spec, const corev1::PodSpec& old, const Path& path, FieldErrors& errors) {
  if (!(spec.nodeSelector == old.nodeSelector)) {
    for (const auto& [key, value] : old.nodeSelector) {
      const String* now = spec.nodeSelector.find(key);
      if (now != nullptr && *now == value) continue;
      errors.InvalidShown(path / "nodeSelector", InternalForm(spec.nodeSelector),
                          "only additions to spec.nodeSelector are allowed (no mutations or deletions)");
      break;
    }
    spec.nodeSelector = old.nodeSelector;
  }
  const Optional<corev1::NodeAffinity> now = NodeAffinityOf(spec);
  const Optional<corev1::NodeAffinity>& before = NodeAffinityOf(old);
  if (now == before) return;
  const Path affinity = path / "affinity";
  CheckNodeAffinityChange(now, before, affinity / "nodeAffinity", errors);
  if (!spec.affinity) {
    if (before) spec.affinity.emplace().nodeAffinity = before;
  } else if (!old.affinity && !spec.affinity->podAffinity && !spec.affinity->podAntiAffinity) {
    spec.affinity.reset();
  } else {
    spec.affinity->nodeAffinity = before;
  }
}

}  // namespace

void CheckPodUpdate(const corev1::Pod& pod, const corev1::Pod& old, FieldErrors& errors) {
  CheckPodBody(pod, errors, &old);
  CheckPodAnnotationUpdate(pod, old, errors);
  const Path path("spec");
  const corev1::PodSpec& spec = pod.spec;
  if (!CheckSameContainers(spec.containers, old.spec.containers, path / "containers", errors)) return;
  if (!CheckSameContainers(spec.initContainers, old.spec.initContainers, path / "initContainers", errors)) return;

  const Path deadline = path / "activeDeadlineSeconds";
  const Optional<int64_t>& seconds = spec.activeDeadlineSeconds;
  const Optional<int64_t>& old_seconds = old.spec.activeDeadlineSeconds;
  if (seconds) {
    if (*seconds < 0 || *seconds > INT32_MAX) return CheckInRange(*seconds, 0, INT32_MAX, deadline, errors);
    if (old_seconds && *old_seconds < *seconds) {
      return errors.Invalid(deadline, Json(*seconds), "must be less than or equal to previous value");
    }
  } else if (old_seconds) {
    errors.Invalid(deadline, Json(), "must not update from a positive integer to nil value");
  }
  CheckAddedTolerations(spec.tolerations, old.spec.tolerations, path / "tolerations", errors);
  CheckRemovedGates(spec.schedulingGates, old.spec.schedulingGates, path / "schedulingGates", errors);
  if (Equal(spec, old.spec)) return;

  // What may change is set back; then nothing may be left that differs.
  corev1::PodSpec rest = spec;
  for (size_t i = 0; i < rest.containers.size(); ++i) rest.containers[i].image = old.spec.containers[i].image;
  for (size_t i = 0; i < rest.initContainers.size(); ++i) {
    rest.initContainers[i].image = old.spec.initContainers[i].image;
  }
  rest.activeDeadlineSeconds = old_seconds;
  rest.schedulingGates = old.spec.schedulingGates;
  rest.tolerations = old.spec.tolerations;
  if (old.spec.terminationGracePeriodSeconds.value_or(int64_t{0}) < 0 &&
      rest.terminationGracePeriodSeconds == int64_t{1}) {
    rest.terminationGracePeriodSeconds = old.spec.terminationGracePeriodSeconds;
  }
  if (!old.spec.schedulingGates.empty()) CheckGatedChanges(rest, old.spec, path, errors);
  if (Equal(rest, old.spec)) return;
  errors.Forbidden(
      path,
      "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,"
      "`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),"
      "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)\n" +
          InternalDiff(old.spec, rest));
}

void CheckEphemeralContainersUpdate(const corev1::Pod& pod, const corev1::Pod& old, FieldErrors& errors) {
  if (old.metadata.annotations.contains("kubernetes.io/config.mirror")) {
    return errors.Forbidden(Path(""), "static pods do not support ephemeral containers");
  }
  CheckPodBody(pod, errors, &old);
  CheckPodAnnotationUpdate(pod, old, errors);
  const Path spec("spec");
  const Path path = spec / "ephemeralContainers";
  std::unordered_map<std::string_view, const corev1::EphemeralContainer*> by_name;
  for (const corev1::EphemeralContainer& container : pod.spec.ephemeralContainers) {
    by_name[container.name.view()] = &container;
  }
  for (const corev1::EphemeralContainer& before : old.spec.ephemeralContainers) {
    const auto found = by_name.find(before.name);
    if (found == by_name.end()) {
      errors.Forbidden(path,
                       fmt::format("existing ephemeral containers \"{}\" may not be removed\n", before.name.view()));
    } else if (!Equal(*found->second, before)) {
      errors.Forbidden(path, fmt::format("existing ephemeral containers \"{}\" may not be changed\n{}",
                                         before.name.view(), InternalDiff(before, *found->second)));
    }
  }
}

}  // namespace keelson::apiserver
