#include "keelson/apiserver/kinds/checks_common.h"
#include "keelson/apiserver/kinds/pod_checks.h"

namespace keelson::apiserver {

namespace {

bool LosesResources(const corev1::ResourceList& now, const corev1::ResourceList& before) {
  if (before.size() > now.size()) return true;
  for (const auto& [name, quantity] : before) {
    if (!now.contains(name)) return true;
  }
  return false;
}

// cpu and memory as they were, the rest as it is.
void RestoreCpuAndMemory(corev1::ResourceList& now, const corev1::ResourceList& before) {
  for (const std::string_view name : {"cpu", "memory"}) {
    if (const Quantity* quantity = before.find(name)) {
      now.Set(String(name), *quantity);
    } else if (now.contains(name)) {
      now.erase(name);
    }
  }
}

void RestoreCpuAndMemory(corev1::ResourceRequirements& now, const corev1::ResourceRequirements& before) {
  RestoreCpuAndMemory(now.limits, before.limits);
  RestoreCpuAndMemory(now.requests, before.requests);
}

void CheckResized(const corev1::ResourceRequirements& now, const corev1::ResourceRequirements& before, const Path& path,
                  FieldErrors& errors) {
  if (LosesResources(now.requests, before.requests)) {
    errors.Forbidden(path / "requests", "resource requests cannot be removed");
  }
  if (LosesResources(now.limits, before.limits)) {
    errors.Forbidden(path / "limits", "resource limits cannot be removed");
  }
}

bool CheckSameNames(const List<corev1::Container>& now, const List<corev1::Container>& before, std::string_view what,
                    const Path& spec, FieldErrors& errors) {
  const Path path = spec / what;
  if (now.size() != before.size()) {
    errors.Forbidden(path, std::string(what).append(" may not be added or removed on resize"));
    return false;
  }
  bool same = true;
  for (size_t i = 0; i < now.size(); ++i) {
    if (now[i].name == before[i].name) continue;
    same = false;
    const Path at = path[i];
    errors.Forbidden(at / "name", std::string(what).append(" may not be renamed or reordered on resize"));
  }
  return same;
}

// Nodes that can resize say what their containers have.
bool NodeCanResize(const corev1::Pod& pod) {
  for (const corev1::ContainerStatus& status : pod.status.containerStatuses) {
    if (status.state.running) return status.resources.has_value();
  }
  return true;
}

bool HasPodResources(const corev1::PodSpec& spec) {
  return spec.resources && (!spec.resources->requests.empty() || !spec.resources->limits.empty());
}

void CheckPodLevelResize(corev1::PodSpec& rest, const corev1::PodSpec& spec, const corev1::PodSpec& old,
                         const Path& path, FieldErrors& errors) {
  const Path resources = path / "resources";
  if (old.resources && !spec.resources) return errors.Forbidden(resources, "pod-level resources cannot be removed");
  if (old.resources) {
    if (LosesResources(spec.resources->requests, old.resources->requests)) {
      errors.Forbidden(resources / "requests", "pod-level resource requests cannot be removed");
    }
    if (LosesResources(spec.resources->limits, old.resources->limits)) {
      errors.Forbidden(resources / "limits", "pod-level resource limits cannot be removed");
    }
  }
  RestoreCpuAndMemory(*rest.resources, old.resources.OrDefault());
  if (!old.resources && rest.resources->requests.empty() && rest.resources->limits.empty() &&
      rest.resources->claims.empty()) {
    rest.resources.reset();
  }
  if (!(rest.resources == old.resources)) {
    errors.Forbidden(path, "only cpu and memory resources are mutable at pod-level");
  }
}

}  // namespace

void CheckPodResize(const corev1::Pod& pod, const corev1::Pod& old, FieldErrors& errors) {
  if (old.metadata.annotations.contains("kubernetes.io/config.mirror")) {
    return errors.Forbidden(Path(""), "static pods cannot be resized");
  }
  if (old.spec.os && old.spec.os->name == "windows") {
    return errors.Forbidden(Path(""), "windows pods cannot be resized");
  }
  CheckPodBody(pod, errors, &old);
  const Path path("spec");
  const std::string_view qos = old.status.qosClass.empty() ? QosClassOf(old.spec) : old.status.qosClass.view();
  if (qos != QosClassOf(pod.spec)) {
    errors.Invalid(path, Json(pod.status.qosClass), "Pod QOS Class may not change as a result of resizing");
  }
  if (!NodeCanResize(old)) errors.Forbidden(path, "Pod running on node without support for resize");

  corev1::PodSpec rest = pod.spec;
  if (HasPodResources(old.spec) || HasPodResources(pod.spec)) {
    CheckPodLevelResize(rest, pod.spec, old.spec, path, errors);
  }
  const bool same = CheckSameNames(pod.spec.containers, old.spec.containers, "containers", path, errors);
  if (!CheckSameNames(pod.spec.initContainers, old.spec.initContainers, "initContainers", path, errors) || !same) {
    return;
  }
  const Path init = path / "initContainers";
  for (size_t i = 0; i < old.spec.initContainers.size(); ++i) {
    const Path at = init[i];
    CheckResized(pod.spec.initContainers[i].resources, old.spec.initContainers[i].resources, at / "resources", errors);
  }
  const Path regular = path / "containers";
  for (size_t i = 0; i < old.spec.containers.size(); ++i) {
    const Path at = regular[i];
    CheckResized(pod.spec.containers[i].resources, old.spec.containers[i].resources, at / "resources", errors);
  }
  for (size_t i = 0; i < rest.containers.size(); ++i) {
    RestoreCpuAndMemory(rest.containers[i].resources, old.spec.containers[i].resources);
    if (!Equal(std::as_const(rest.containers)[i], old.spec.containers[i])) {
      errors.Forbidden(path, "only cpu and memory resources are mutable");
    }
  }
  for (size_t i = 0; i < rest.initContainers.size(); ++i) {
    const corev1::Container& before = old.spec.initContainers[i];
    const bool changed = !Equal(pod.spec.initContainers[i], before);
    RestoreCpuAndMemory(rest.initContainers[i].resources, before.resources);
    if (!Equal(std::as_const(rest.initContainers)[i], before)) {
      errors.Forbidden(init[i], "only cpu and memory resources for init or sidecar containers are mutable");
    }
    if (!changed || before.restartPolicy == String("Always")) continue;
    for (const corev1::ContainerResizePolicy& policy : pod.spec.initContainers[i].resizePolicy) {
      if (policy.restartPolicy != "RestartContainer") continue;
      errors.Forbidden(init[i],
                       "non-sidecar init containers with a resize policy of RestartContainer cannot be resized");
    }
  }
  if (errors.empty() && !Equal(rest, old.spec)) errors.Forbidden(path, "only cpu and memory resources are mutable");
}

}  // namespace keelson::apiserver
