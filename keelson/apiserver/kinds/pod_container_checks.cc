#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "keelson/api/access.h"
#include "keelson/apiserver/kinds/checks_common.h"
#include "keelson/apiserver/kinds/checks_resources.h"
#include "keelson/apiserver/kinds/pod_checks.h"
#include "keelson/core/ascii.h"

namespace keelson::apiserver {

namespace {

constexpr size_t kMaxRestartRules = 20;
constexpr size_t kMaxExitCodes = 255;

void CheckPorts(const List<corev1::ContainerPort>& ports, const Path& path, FieldErrors& errors) {
  NameSet names;
  for (size_t i = 0; i < ports.size(); ++i) {
    const corev1::ContainerPort& port = ports[i];
    const Path at = path[i];
    const Path name = at / "name";
    if (!port.name.empty()) {
      if (!IsPortName(port.name)) {
        CheckPortName(port.name, name, errors);
      } else if (!names.Insert(port.name)) {
        errors.Duplicate(name, Json(port.name));
      }
    }
    if (port.containerPort == 0) {
      errors.Required(at / "containerPort", "");
    } else {
      CheckPort(port.containerPort, at / "containerPort", errors);
    }
    if (port.hostPort != 0) CheckPort(port.hostPort, at / "hostPort", errors);
    CheckOneOf(port.protocol, {"SCTP", "TCP", "UDP"}, at / "protocol", errors);
  }
}

void CheckPropagation(const corev1::VolumeMount& mount, bool privileged, const Path& path, FieldErrors& errors) {
  if (mount.mountPropagation) {
    const Path propagation = path / "mountPropagation";
    CheckOneOf(*mount.mountPropagation, {"Bidirectional", "HostToContainer", "None"}, propagation, errors);
    if (*mount.mountPropagation == "Bidirectional" && !privileged) {
      errors.Forbidden(propagation, "Bidirectional mount propagation is available only to privileged containers");
    }
  }
  if (!mount.recursiveReadOnly || *mount.recursiveReadOnly == "Disabled") return;
  const Path read_only = path / "recursiveReadOnly";
  if (!IsOneOf(*mount.recursiveReadOnly, {"Enabled", "IfPossible"})) {
    return errors.NotSupported(read_only, Json(*mount.recursiveReadOnly), {"Disabled", "Enabled", "IfPossible"});
  }
  if (!mount.readOnly) errors.Forbidden(read_only, "may only be specified when readOnly is true");
  if (mount.mountPropagation && *mount.mountPropagation != "None") {
    errors.Forbidden(read_only, "may only be specified when mountPropagation is None or not specified");
  }
}

void CheckMounts(const corev1::Container& container, const VolumeIndex& volumes, const Path& path,
                 FieldErrors& errors) {
  const bool privileged = container.securityContext.OrDefault().privileged.value_or(false);
  NameSet mount_paths;
  NameSet device_names;
  NameSet device_paths;
  for (const corev1::VolumeDevice& device : container.volumeDevices) {
    device_names.Insert(device.name);
    device_paths.Insert(device.devicePath);
  }
  for (size_t i = 0; i < container.volumeMounts.size(); ++i) {
    const corev1::VolumeMount& mount = container.volumeMounts[i];
    const Path at = path[i];
    const Path name = at / "name";
    const Path mount_path = at / "mountPath";
    if (mount.name.empty()) errors.Required(name, "");
    if (volumes.Find(mount.name) == nullptr) errors.NotFound(name, Json(mount.name));
    if (mount.mountPath.empty()) errors.Required(mount_path, "");
    if (!mount_paths.Insert(mount.mountPath)) errors.Invalid(mount_path, Json(mount.mountPath), "must be unique");
    if (device_names.Has(mount.name)) {
      errors.Invalid(name, Json(mount.name), "must not already exist in volumeDevices");
    }
    if (device_paths.Has(mount.mountPath)) {
      errors.Invalid(mount_path, Json(mount.mountPath), "must not already exist as a path in volumeDevices");
    }
    // What follows is reported upstream at the list and not at its element.
    if (!mount.subPath.empty()) CheckDescendingPath(mount.subPath, path / "subPath", errors);
    if (!mount.subPathExpr.empty()) {
      if (!mount.subPath.empty()) {
        errors.Invalid(at / "subPathExpr", Json(mount.subPathExpr), "subPathExpr and subPath are mutually exclusive");
      }
      CheckDescendingPath(mount.subPathExpr, path / "subPathExpr", errors);
    }
    CheckPropagation(mount, privileged, path, errors);
  }
}

void CheckDevices(const corev1::Container& container, const VolumeIndex& volumes, const Path& path,
                  FieldErrors& errors) {
  NameSet names;
  NameSet device_paths;
  if (container.volumeDevices.empty()) return;
  NameSet mount_names;
  NameSet mount_paths;
  for (const corev1::VolumeMount& mount : container.volumeMounts) {
    mount_names.Insert(mount.name);
    mount_paths.Insert(mount.mountPath);
  }
  for (size_t i = 0; i < container.volumeDevices.size(); ++i) {
    const corev1::VolumeDevice& device = container.volumeDevices[i];
    const Path at = path[i];
    const Path name = at / "name";
    const Path device_path = at / "devicePath";
    const corev1::Volume* volume = volumes.Find(device.name);
    if (device.name.empty()) errors.Required(name, "");
    if (names.Has(device.name)) errors.Invalid(name, Json(device.name), "must be unique");
    if (volume != nullptr && !volume->persistentVolumeClaim && !volume->ephemeral) {
      errors.Invalid(name, Json(device.name),
                     "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode");
    }
    if (volume == nullptr) errors.NotFound(name, Json(device.name));
    if (device.devicePath.empty()) errors.Required(device_path, "");
    if (device_paths.Has(device.devicePath)) errors.Invalid(device_path, Json(device.devicePath), "must be unique");
    if (HasBackstep(device.devicePath)) {
      errors.Invalid(device_path, Json(device.devicePath), "can not contain backsteps ('..')");
    } else {
      device_paths.Insert(device.devicePath);
    }
    if (mount_names.Has(device.name)) {
      errors.Invalid(name, Json(device.name), "must not already exist in volumeMounts");
    }
    if (mount_paths.Has(device.devicePath)) {
      errors.Invalid(device_path, Json(device.devicePath), "must not already exist as a path in volumeMounts");
    }
    if (!device.name.empty()) names.Insert(device.name);
  }
}

void CheckResizePolicy(const List<corev1::ContainerResizePolicy>& policies, std::string_view pod_restart_policy,
                       const Path& path, FieldErrors& errors) {
  NameSet resources;
  for (size_t i = 0; i < policies.size(); ++i) {
    const corev1::ContainerResizePolicy& policy = policies[i];
    if (!resources.Insert(policy.resourceName)) errors.Duplicate(path[i], Json(policy.resourceName));
    if (policy.resourceName.empty()) {
      errors.Required(path, "");
    } else {
      CheckOneOf(policy.resourceName, {"cpu", "memory"}, path, errors);
    }
    if (policy.restartPolicy.empty()) {
      errors.Required(path, "");
    } else {
      CheckOneOf(policy.restartPolicy, {"NotRequired", "RestartContainer"}, path, errors);
    }
    if (pod_restart_policy == "Never" && policy.restartPolicy != "NotRequired") {
      errors.Invalid(path, Json(policy.restartPolicy), "must be 'NotRequired' when pod `restartPolicy` is 'Never'");
    }
  }
}

void CheckRestartRules(const corev1::Container& container, const Path& path, FieldErrors& errors) {
  const Path policy = path / "restartPolicy";
  const List<corev1::ContainerRestartRule>& rules = container.restartPolicyRules;
  if (!container.restartPolicy) {
    if (rules.empty()) return;
    errors.Required(policy, "must specify restartPolicy when restart rules are used");
  } else {
    CheckOneOf(*container.restartPolicy, {"Always", "Never", "OnFailure"}, policy, errors);
  }
  const Path list = path / "restartPolicyRules";
  if (rules.size() > kMaxRestartRules) errors.TooMany(list, rules.size(), kMaxRestartRules);
  for (size_t i = 0; i < rules.size(); ++i) {
    const Path at = list[i];
    const Path codes = at / "exitCodes";
    CheckOneOf(rules[i].action, {"Restart", "RestartAllContainers"}, at / "action", errors);
    if (!rules[i].exitCodes) {
      errors.Required(codes, "must be specified");
      continue;
    }
    CheckOneOf(rules[i].exitCodes->operator_, {"In", "NotIn"}, codes / "operator", errors);
    if (rules[i].exitCodes->values.size() > kMaxExitCodes) {
      errors.TooMany(codes / "values", rules[i].exitCodes->values.size(), kMaxExitCodes);
    }
  }
}

void CheckHttpGet(const corev1::HTTPGetAction& action, const Path& path, FieldErrors& errors) {
  if (action.path.empty()) errors.Required(path / "path", "");
  CheckPortNumberOrName(action.port, path / "port", errors);
  CheckOneOf(action.scheme, {"HTTP", "HTTPS"}, path / "scheme", errors);
  for (const corev1::HTTPHeader& header : action.httpHeaders) {
    const std::string_view name = header.name;
    const bool valid = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
    });
    if (valid) continue;
    errors.Invalid(path / "httpHeaders", Json(name),
                   WrongForm("a valid HTTP header must consist of alphanumeric characters or '-'", "[-A-Za-z0-9]+",
                             {"X-Header-Name"}));
  }
}

// One handler, of a probe or of a lifecycle.
class HandlerCheck {
 public:
  HandlerCheck(const Path& path, FieldErrors& errors) : path_(path), errors_(errors) {}

  void Exec(const Optional<corev1::ExecAction>& exec) {
    if (!exec || !First("exec")) return;
    const Path at = path_ / "exec";
    if (exec->command.empty()) errors_.Required(at / "command", "");
  }
  void HttpGet(const Optional<corev1::HTTPGetAction>& http_get) {
    if (http_get && First("httpGet")) CheckHttpGet(*http_get, path_ / "httpGet", errors_);
  }
  void TcpSocket(const Optional<corev1::TCPSocketAction>& socket) {
    if (!socket || !First("tcpSocket")) return;
    const Path at = path_ / "tcpSocket";
    CheckPortNumberOrName(socket->port, at / "port", errors_);
  }
  void Grpc(const Optional<corev1::GRPCAction>& grpc) {
    if (!grpc || !First("grpc")) return;
    const Path at = path_ / "grpc";
    CheckPort(grpc->port, at / "port", errors_);
  }
  void Sleep(const Optional<corev1::SleepAction>& sleep, const Optional<int64_t>& grace_seconds) {
    if (!sleep || !First("sleep") || !grace_seconds) return;
    if (sleep->seconds >= 0 && sleep->seconds <= *grace_seconds) return;
    errors_.Invalid(
        path_ / "sleep", Json(sleep->seconds),
        fmt::format("must be non-negative and less than terminationGracePeriodSeconds ({})", *grace_seconds));
  }
  void End() {
    if (!found_) errors_.Required(path_, "must specify a handler type");
  }

 private:
  bool First(std::string_view name) {
    if (found_) errors_.Forbidden(path_ / name, "may not specify more than 1 handler type");
    return !std::exchange(found_, true);
  }

  const Path& path_;
  FieldErrors& errors_;
  bool found_ = false;
};

void CheckHook(const Optional<corev1::LifecycleHandler>& hook, const corev1::PodSpec& spec, const Path& path,
               FieldErrors& errors) {
  if (!hook) return;
  HandlerCheck check(path, errors);
  check.Exec(hook->exec);
  check.HttpGet(hook->httpGet);
  check.TcpSocket(hook->tcpSocket);
  check.Sleep(hook->sleep, spec.terminationGracePeriodSeconds);
  check.End();
}

enum class ProbeKind { kLiveness, kReadiness, kStartup };

void CheckProbe(const Optional<corev1::Probe>& optional_probe, ProbeKind kind, const Path& path, FieldErrors& errors) {
  if (!optional_probe) return;
  const corev1::Probe& probe = *optional_probe;
  HandlerCheck check(path, errors);
  check.Exec(probe.exec);
  check.HttpGet(probe.httpGet);
  check.TcpSocket(probe.tcpSocket);
  check.Grpc(probe.grpc);
  check.End();
  CheckNonNegative(probe.initialDelaySeconds, path / "initialDelaySeconds", errors);
  CheckNonNegative(probe.timeoutSeconds, path / "timeoutSeconds", errors);
  CheckNonNegative(probe.periodSeconds, path / "periodSeconds", errors);
  CheckNonNegative(probe.successThreshold, path / "successThreshold", errors);
  CheckNonNegative(probe.failureThreshold, path / "failureThreshold", errors);
  const Path grace = path / "terminationGracePeriodSeconds";
  const Optional<int64_t>& seconds = probe.terminationGracePeriodSeconds;
  if (seconds && *seconds <= 0) errors.Invalid(grace, Json(*seconds), "must be greater than 0");
  if (kind == ProbeKind::kReadiness) {
    if (seconds) errors.Invalid(grace, Json(*seconds), "must not be set for readinessProbes");
  } else if (probe.successThreshold != 1) {
    errors.Invalid(path / "successThreshold", Json(probe.successThreshold), "must be 1");
  }
}

// What regular containers and sidecars may have.
void CheckLifecycleAndProbes(const corev1::Container& container, const corev1::PodSpec& spec, const Path& path,
                             FieldErrors& errors) {
  if (container.lifecycle) {
    const Path lifecycle = path / "lifecycle";
    CheckHook(container.lifecycle->postStart, spec, lifecycle / "postStart", errors);
    CheckHook(container.lifecycle->preStop, spec, lifecycle / "preStop", errors);
  }
  CheckProbe(container.livenessProbe, ProbeKind::kLiveness, path / "livenessProbe", errors);
  CheckProbe(container.readinessProbe, ProbeKind::kReadiness, path / "readinessProbe", errors);
  CheckProbe(container.startupProbe, ProbeKind::kStartup, path / "startupProbe", errors);
}

bool IsSidecar(const corev1::Container& container) {
  return container.restartPolicy && *container.restartPolicy == "Always";
}

void CheckCommon(const corev1::Container& container, const ContainerCheck& check, const Path& path,
                 FieldErrors& errors) {
  const Path name = path / "name";
  if (container.name.empty()) {
    errors.Required(name, "");
  } else {
    CheckDnsLabel(container.name, name, errors);
  }
  if (container.image.empty()) errors.Required(path / "image", "");
  const Path message_policy = path / "terminationMessagePolicy";
  if (container.terminationMessagePolicy.empty()) {
    errors.Required(message_policy, "");
  } else if (!IsOneOf(container.terminationMessagePolicy, {"File", "FallbackToLogsOnError"})) {
    errors.NotSupportedAsListed(message_policy, Json(container.terminationMessagePolicy),
                                {"File", "FallbackToLogsOnError"});
  }
  CheckPorts(container.ports, path / "ports", errors);
  CheckEnv(container.env, path / "env", errors);
  CheckEnvFrom(container.envFrom, path / "envFrom", errors);
  CheckMounts(container, check.volumes, path / "volumeMounts", errors);
  CheckDevices(container, check.volumes, path / "volumeDevices", errors);
  CheckPullPolicy(container.imagePullPolicy, path / "imagePullPolicy", errors);
  CheckResourceRequirements(container.resources, ResourceOwner::kContainer, check.claims, check.spec.resourceClaims,
                            path / "resources", errors);
  CheckResizePolicy(container.resizePolicy, check.spec.restartPolicy, path / "resizePolicy", errors);
  if (container.securityContext) {
    CheckContainerSecurity(*container.securityContext, check.spec.hostUsers.value_or(true), path / "securityContext",
                           errors);
  }
}

// Ports of the host that two containers (or two ports of one) want.
class HostPorts {
 public:
  void Check(const corev1::Container& container, const Path& container_path, FieldErrors& errors) {
    const Path ports = container_path / "ports";
    for (size_t i = 0; i < container.ports.size(); ++i) {
      const corev1::ContainerPort& port = container.ports[i];
      if (port.hostPort == 0) continue;
      std::string key = fmt::format("{}/{}/{}", port.protocol.view(), port.hostIP.view(), port.hostPort);
      const Path at = ports[i];
      if (seen_.contains(key)) {
        errors.Duplicate(at / "hostPort", Json(key));
      } else {
        seen_.insert(std::move(key));
      }
    }
  }

 private:
  std::unordered_set<std::string> seen_;
};

bool HadRestartContainerInit(const corev1::PodSpec* old) {
  if (old == nullptr) return false;
  for (const corev1::Container& container : old->initContainers) {
    if (IsSidecar(container)) continue;
    for (const corev1::ContainerResizePolicy& policy : container.resizePolicy) {
      if (policy.restartPolicy == "RestartContainer") return true;
    }
  }
  return false;
}

}  // namespace

void CheckImageHasNoSpace(std::string_view image, const Path& container_path, FieldErrors& errors) {
  constexpr std::string_view kSpaces = " \t\n\v\f\r";
  if (image.empty() ||
      (kSpaces.find(image.front()) == std::string_view::npos && kSpaces.find(image.back()) == std::string_view::npos)) {
    return;
  }
  errors.Invalid(container_path / "image", Json(image), "must not have leading or trailing whitespace");
}

void CheckContainers(const ContainerCheck& check, const Path& spec_path, FieldErrors& errors) {
  const Path path = spec_path / "containers";
  const List<corev1::Container>& containers = check.spec.containers;
  if (containers.empty()) return errors.Required(path, "");
  NameSet names;
  for (size_t i = 0; i < containers.size(); ++i) {
    const corev1::Container& container = containers[i];
    const Path at = path[i];
    CheckCommon(container, check, at, errors);
    if (!names.Insert(container.name)) errors.Duplicate(at / "name", Json(container.name));
    CheckLifecycleAndProbes(container, check.spec, at, errors);
    CheckRestartRules(container, at, errors);
  }
  HostPorts host_ports;
  for (size_t i = 0; i < containers.size(); ++i) host_ports.Check(containers[i], path[i], errors);
}

void CheckInitContainers(const ContainerCheck& check, const Path& spec_path, FieldErrors& errors) {
  const Path path = spec_path / "initContainers";
  const List<corev1::Container>& containers = check.spec.initContainers;
  if (containers.empty()) return;
  NameSet names;
  for (const corev1::Container& container : check.spec.containers) names.Insert(container.name);
  const bool restart_allowed = HadRestartContainerInit(check.options.old);
  for (size_t i = 0; i < containers.size(); ++i) {
    const corev1::Container& container = containers[i];
    const Path at = path[i];
    CheckCommon(container, check, at, errors);
    CheckRestartRules(container, at, errors);
    if (names.Has(container.name)) {
      errors.Duplicate(at / "name", Json(container.name));
    } else if (!container.name.empty()) {
      names.Insert(container.name);
    }
    // One by one: they do not run at the same time. Upstream counts each as the first.
    HostPorts().Check(container, path[0], errors);
    if (IsSidecar(container)) {
      CheckLifecycleAndProbes(container, check.spec, at, errors);
      continue;
    }
    constexpr std::string_view kNotHere = "may not be set for init containers without restartPolicy=Always";
    if (container.lifecycle) errors.Forbidden(at / "lifecycle", kNotHere);
    if (container.livenessProbe) errors.Forbidden(at / "livenessProbe", kNotHere);
    if (container.readinessProbe) errors.Forbidden(at / "readinessProbe", kNotHere);
    if (container.startupProbe) errors.Forbidden(at / "startupProbe", kNotHere);
    if (restart_allowed) continue;
    const Path policies = at / "resizePolicy";
    for (size_t j = 0; j < container.resizePolicy.size(); ++j) {
      if (container.resizePolicy[j].restartPolicy != "RestartContainer") continue;
      const Path policy = policies[j];
      errors.Invalid(policy / "restartPolicy", Json("RestartContainer"),
                     "must not be set to 'RestartContainer' for non-sidecar initContainers");
    }
  }
}

void CheckEphemeralContainers(const ContainerCheck& check, const Path& spec_path, FieldErrors& errors) {
  const List<corev1::EphemeralContainer>& containers = check.spec.ephemeralContainers;
  if (containers.empty()) return;
  const Path path = spec_path / "ephemeralContainers";
  NameSet others;
  for (const corev1::Container& container : check.spec.containers) others.Insert(container.name);
  for (const corev1::Container& container : check.spec.initContainers) others.Insert(container.name);
  NameSet names;
  for (size_t i = 0; i < containers.size(); ++i) {
    const corev1::EphemeralContainer& ephemeral = containers[i];
    const Path at = path[i];
    CheckCommon(AsContainer(ephemeral), check, at, errors);
    CheckImageHasNoSpace(ephemeral.image, at, errors);
    if (others.Has(ephemeral.name) || !names.Insert(ephemeral.name)) {
      errors.Duplicate(at / "name", Json(ephemeral.name));
    }
    if (!ephemeral.targetContainerName.empty() && !others.Has(ephemeral.targetContainerName)) {
      errors.NotFound(at / "targetContainerName", Json(ephemeral.targetContainerName));
    }
    constexpr std::string_view kNotHere = "cannot be set for an Ephemeral Container";
    for (const std::string_view name : {"ports", "resources", "resizePolicy", "restartPolicy", "restartPolicyRules",
                                        "livenessProbe", "readinessProbe", "startupProbe", "lifecycle"}) {
      const Field* field = TypeOf<corev1::EphemeralContainer>().FindField(name);
      if (!IsZero(*field->type, ReadField(*field, &ephemeral))) errors.Forbidden(at / name, kNotHere);
    }
    const Path mounts = at / "volumeMounts";
    for (size_t j = 0; j < ephemeral.volumeMounts.size(); ++j) {
      const Path mount = mounts[j];
      if (!ephemeral.volumeMounts[j].subPath.empty()) errors.Forbidden(mount / "subPath", kNotHere);
      if (!ephemeral.volumeMounts[j].subPathExpr.empty()) errors.Forbidden(mount / "subPathExpr", kNotHere);
    }
  }
}

}  // namespace keelson::apiserver
