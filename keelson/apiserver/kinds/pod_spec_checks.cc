#include "keelson/apiserver/kinds/pod_spec.h"

#include <fmt/format.h>

#include <algorithm>

#include "keelson/apiserver/kinds/checks_address.h"
#include "keelson/apiserver/kinds/checks_common.h"
#include "keelson/apiserver/kinds/checks_resources.h"
#include "keelson/apiserver/kinds/internal_form.h"
#include "keelson/apiserver/kinds/pod_checks.h"
#include "keelson/codec/json_writer.h"

namespace keelson::apiserver {

namespace {

constexpr size_t kMaxNameservers = 3;
constexpr size_t kMaxSearches = 32;
constexpr size_t kMaxSearchCharacters = 2048;
constexpr size_t kMaxHostname = 64;

void CheckResourceClaims(const corev1::PodSpec& spec, const Path& path, FieldErrors& errors,
                         const PodCheckOptions& options, NameSet& names) {
  NameSet checked;
  for (size_t i = 0; i < spec.resourceClaims.size(); ++i) {
    const corev1::PodResourceClaim& claim = spec.resourceClaims[i];
    const Path at = path[i];
    const Path name = at / "name";
    if (!claim.name.empty()) names.Insert(claim.name);
    if (options.pod != nullptr && options.pod->annotations.contains("kubernetes.io/config.mirror")) {
      errors.Forbidden(Path(""), "static pods do not support resource claims");
      continue;
    }
    if (claim.name.empty()) {
      errors.Required(name, "");
    } else if (!checked.Insert(claim.name)) {
      errors.Duplicate(name, Json(claim.name));
    } else {
      CheckDnsLabel(claim.name, name, errors);
    }
    if (claim.resourceClaimName && claim.resourceClaimTemplateName) {
      errors.InvalidShown(at, InternalForm(claim),
                          "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified");
    }
    if (!claim.resourceClaimName && !claim.resourceClaimTemplateName) {
      errors.InvalidShown(at, InternalForm(claim),
                          "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`");
    }
    if (claim.resourceClaimName) CheckDnsSubdomain(*claim.resourceClaimName, at / "resourceClaimName", errors);
    if (claim.resourceClaimTemplateName) {
      CheckDnsSubdomain(*claim.resourceClaimTemplateName, at / "resourceClaimTemplateName", errors);
    }
  }
}

// The pod as a whole may not have less than its containers.
void CheckPodResources(const corev1::PodSpec& spec, const NameSet& claims, const Path& spec_path, FieldErrors& errors) {
  if (!spec.resources) return;
  const corev1::ResourceRequirements& resources = *spec.resources;
  const Path path = spec_path / "resources";
  if (spec.os && spec.os->name == "windows") return errors.Forbidden(path, "may not be set for a windows pod");
  if (!resources.claims.empty()) {
    errors.Forbidden(path / "claims", "claims may not be set for Resources at pod-level");
  }
  CheckResourceRequirements(resources, ResourceOwner::kPod, claims, spec.resourceClaims, path, errors);
  const Path requests = path / "requests";
  for (const auto& [name, sum] : SumOfRequests(spec)) {
    const Quantity* own = resources.requests.find(name);
    if (own == nullptr || sum <= *own) continue;
    errors.Invalid(requests.Key(name), Shown(*own),
                   fmt::format("must be greater than or equal to aggregate container requests of {}", sum.ToString()));
  }
  const Path limits = path / "limits";
  for (const auto& [name, sum] : SumOfLimits(spec)) {
    const Quantity* own = IsHugePageResource(name) ? resources.limits.find(name) : nullptr;
    if (own == nullptr || sum <= *own) continue;
    errors.Invalid(limits.Key(name), Shown(*own),
                   fmt::format("must be greater than or equal to aggregate container limits of {}", sum.ToString()));
  }
  const Path containers = path / "containers";
  for (size_t i = 0; i < spec.containers.size(); ++i) {
    const Path at = containers[i];
    for (const auto& [name, limit] : spec.containers[i].resources.limits) {
      const Quantity* own = resources.limits.find(name);
      if (own == nullptr || limit <= *own) continue;
      const Path key = at.Key(name);
      errors.Invalid(key / "limits", Shown(limit),
                     fmt::format("must be less than or equal to pod limits of {}", own->ToString()));
    }
  }
}

void CheckHostNetworkPorts(const corev1::PodSpec& spec, const Path& path, FieldErrors& errors, bool is_pod) {
  if (!spec.hostNetwork) return;
  const Path containers = path / "containers";
  for (size_t i = 0; i < spec.containers.size(); ++i) {
    const Path at = containers[i];
    const Path ports = at / "ports";
    for (size_t j = 0; j < spec.containers[i].ports.size(); ++j) {
      const corev1::ContainerPort& port = spec.containers[i].ports[j];
      if (port.hostPort == port.containerPort || (!is_pod && port.hostPort == 0)) continue;
      const Path where = ports[j];
      errors.Invalid(where / "hostPort", Json(port.hostPort), "must match `containerPort` when `hostNetwork` is true");
    }
  }
}

// A DNS name in which labels may hold underscores.
void CheckSearch(std::string_view search, const Path& path, FieldErrors& errors) {
  if (search == ".") return;
  if (search.ends_with('.')) search.remove_suffix(1);
  const auto plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  bool valid = true;
  std::string_view rest = search;
  while (valid) {
    const size_t dot = rest.find('.');
    std::string_view label = rest.substr(0, dot);
    if (label.starts_with('_')) label.remove_prefix(1);
    valid = !label.empty() && plain(label.front()) && plain(label.back()) &&
            std::all_of(label.begin(), label.end(), [&](char c) { return plain(c) || c == '-' || c == '_'; });
    if (dot == std::string_view::npos) break;
    rest.remove_prefix(dot + 1);
  }
  if (search.size() > names::kMaxSubdomainLength) {
    errors.Invalid(path, Json(search), fmt::format("must be no more than {} characters", names::kMaxSubdomainLength));
  }
  if (valid) return;
  errors.Invalid(path, Json(search),
                 WrongForm("a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', "
                           "'-' or '.', and must start and end with an alphanumeric character",
                           "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*", {"example.com"}));
}

void CheckDnsConfig(const corev1::PodSpec& spec, const Path& path, FieldErrors& errors) {
  const Path nameservers = path / "nameservers";
  if (spec.dnsPolicy == "None") {
    if (!spec.dnsConfig) return errors.Required(path, "must provide `dnsConfig` when `dnsPolicy` is None");
    if (spec.dnsConfig->nameservers.empty()) {
      return errors.Required(nameservers, "must provide at least one DNS nameserver when `dnsPolicy` is None");
    }
  }
  if (!spec.dnsConfig) return;
  const corev1::PodDNSConfig& config = *spec.dnsConfig;
  if (config.nameservers.size() > kMaxNameservers) {
    errors.Invalid(nameservers, Shown(config.nameservers),
                   fmt::format("must not have more than {} nameservers", kMaxNameservers));
  }
  for (size_t i = 0; i < config.nameservers.size(); ++i) {
    CheckLegacyIp(config.nameservers[i], nameservers[i], errors);
  }
  const Path searches = path / "searches";
  if (config.searches.size() > kMaxSearches) {
    errors.Invalid(searches, Shown(config.searches),
                   fmt::format("must not have more than {} search paths", kMaxSearches));
  }
  size_t characters = config.searches.empty() ? 0 : config.searches.size() - 1;
  for (const String& search : config.searches) characters += search.size();
  if (characters > kMaxSearchCharacters) {
    errors.Invalid(searches, Shown(config.searches),
                   fmt::format("must not have more than {} characters (including spaces) in the search list",
                               kMaxSearchCharacters));
  }
  for (size_t i = 0; i < config.searches.size(); ++i) CheckSearch(config.searches[i], searches[i], errors);
  const Path options = path / "options";
  for (size_t i = 0; i < config.options.size(); ++i) {
    if (config.options[i].name.empty()) errors.Required(options[i], "must not be empty");
  }
}

void CheckGates(const corev1::PodSpec& spec, const Path& path, FieldErrors& errors) {
  const Path readiness = path / "readinessGates";
  for (size_t i = 0; i < spec.readinessGates.size(); ++i) {
    const Path at = readiness[i];
    CheckQualifiedName(spec.readinessGates[i].conditionType, at / "conditionType", errors);
  }
  const Path scheduling = path / "schedulingGates";
  NameSet names;
  for (size_t i = 0; i < spec.schedulingGates.size(); ++i) {
    const String& name = spec.schedulingGates[i].name;
    CheckQualifiedName(name, scheduling[i], errors);
    if (!names.Insert(name)) errors.Duplicate(scheduling[i], Json(name));
  }
}

bool HasUserNamespaceDevices(const corev1::PodSpec* spec) {
  if (spec == nullptr || spec->hostUsers.value_or(true)) return false;
  const auto has_devices = [](const auto& container) { return !container.volumeDevices.empty(); };
  return std::any_of(spec->containers.begin(), spec->containers.end(), has_devices) ||
         std::any_of(spec->initContainers.begin(), spec->initContainers.end(), has_devices) ||
         std::any_of(spec->ephemeralContainers.begin(), spec->ephemeralContainers.end(), has_devices);
}

void CheckHostUsers(const corev1::PodSpec& spec, const Path& path, FieldErrors& errors,
                    const PodCheckOptions& options) {
  if (spec.hostUsers.value_or(true)) return;
  constexpr std::string_view kOwnUsers = "when `hostUsers` is false";
  const bool was_host_network =
      options.old != nullptr && options.old->hostNetwork && !options.old->hostUsers.value_or(true);
  if (spec.hostNetwork && !was_host_network) errors.Forbidden(path / "hostNetwork", kOwnUsers);
  if (spec.hostPID) errors.Forbidden(path / "HostPID", kOwnUsers);
  if (spec.hostIPC) errors.Forbidden(path / "HostIPC", kOwnUsers);
  if (HasUserNamespaceDevices(options.old)) return;
  VisitContainers(spec, path, [&](const corev1::Container& container, const Path& at) {
    if (!container.volumeDevices.empty()) errors.Forbidden(at / "volumeDevices", kOwnUsers);
  });
}

void CheckHostnameOverride(const corev1::PodSpec& spec, const Path& path, FieldErrors& errors) {
  if (!spec.hostnameOverride) return;
  if (spec.setHostnameAsFQDN.value_or(false)) {
    errors.Forbidden(path, "may not be specified when setHostnameAsFQDN is true");
  }
  if (spec.hostNetwork) errors.Forbidden(path, "may not be specified when hostNetwork is true");
  if (spec.hostnameOverride->size() > kMaxHostname) errors.TooLong(path, kMaxHostname);
  CheckDnsSubdomain(*spec.hostnameOverride, path, errors);
}

void CheckHostAliases(const List<corev1::HostAlias>& aliases, const Path& path, FieldErrors& errors) {
  for (size_t i = 0; i < aliases.size(); ++i) {
    const Path at = path[i];
    const Path names = at / "hostnames";
    CheckLegacyIp(aliases[i].ip, at / "ip", errors);
    for (size_t j = 0; j < aliases[i].hostnames.size(); ++j) {
      CheckDnsSubdomain(aliases[i].hostnames[j], names[j], errors);
    }
  }
}

bool UsesFileKeys(const corev1::PodSpec& spec) {
  const auto uses = [](const auto& container) {
    return std::any_of(container.env.begin(), container.env.end(), [](const corev1::EnvVar& variable) {
      return variable.valueFrom && variable.valueFrom->fileKeyRef;
    });
  };
  return std::any_of(spec.containers.begin(), spec.containers.end(), uses) ||
         std::any_of(spec.initContainers.begin(), spec.initContainers.end(), uses) ||
         std::any_of(spec.ephemeralContainers.begin(), spec.ephemeralContainers.end(), uses);
}

// Files that hold environment variables are in a volume of type emptyDir.
void CheckFileKeyVolumes(const corev1::PodSpec& spec, const Path& path, FieldErrors& errors) {
  if (!UsesFileKeys(spec)) return;
  // Of volumes with one name the last counts.
  std::unordered_map<std::string_view, const corev1::Volume*> volumes;
  for (const corev1::Volume& volume : spec.volumes) volumes[volume.name.view()] = &volume;
  VisitContainers(spec, path, [&](const corev1::Container& container, const Path& at) {
    const Path env = at / "env";
    for (size_t i = 0; i < container.env.size(); ++i) {
      const corev1::EnvVar& variable = container.env[i];
      if (!variable.valueFrom || !variable.valueFrom->fileKeyRef) continue;
      const String& name = variable.valueFrom->fileKeyRef->volumeName;
      const Path entry = env[i];
      const Path value_from = entry / "valueFrom";
      const Path reference = value_from / "fileKeyRef";
      const auto found = volumes.find(name);
      if (found == volumes.end()) {
        errors.NotFound(reference / "volumeName", Json(name));
      } else if (!found->second->emptyDir) {
        errors.Invalid(reference / "volumeName", Json(name), "referenced volume must be of type emptyDir");
      }
    }
  });
}

// Required, and one of a few, which are shown in upstream's order.
void CheckPolicy(std::string_view value, std::initializer_list<std::string_view> allowed, const Path& path,
                 FieldErrors& errors) {
  if (value.empty()) return errors.Required(path, "");
  if (!IsOneOf(value, allowed)) errors.NotSupportedAsListed(path, Json(value), allowed);
}

}  // namespace

corev1::Container AsContainer(const corev1::EphemeralContainer& ephemeral) {
  corev1::Container container;
  container.name = ephemeral.name;
  container.image = ephemeral.image;
  container.command = ephemeral.command;
  container.args = ephemeral.args;
  container.workingDir = ephemeral.workingDir;
  container.ports = ephemeral.ports;
  container.envFrom = ephemeral.envFrom;
  container.env = ephemeral.env;
  container.resources = ephemeral.resources;
  container.resizePolicy = ephemeral.resizePolicy;
  container.restartPolicy = ephemeral.restartPolicy;
  container.restartPolicyRules = ephemeral.restartPolicyRules;
  container.volumeMounts = ephemeral.volumeMounts;
  container.volumeDevices = ephemeral.volumeDevices;
  container.livenessProbe = ephemeral.livenessProbe;
  container.readinessProbe = ephemeral.readinessProbe;
  container.startupProbe = ephemeral.startupProbe;
  container.lifecycle = ephemeral.lifecycle;
  container.terminationMessagePath = ephemeral.terminationMessagePath;
  container.terminationMessagePolicy = ephemeral.terminationMessagePolicy;
  container.imagePullPolicy = ephemeral.imagePullPolicy;
  container.securityContext = ephemeral.securityContext;
  container.stdin = ephemeral.stdin;
  container.stdinOnce = ephemeral.stdinOnce;
  container.tty = ephemeral.tty;
  return container;
}

void VisitContainers(const corev1::PodSpec& spec, const Path& spec_path, const ContainerVisitor& visit) {
  const Path init = spec_path / "initContainers";
  for (size_t i = 0; i < spec.initContainers.size(); ++i) visit(spec.initContainers[i], init[i]);
  const Path regular = spec_path / "containers";
  for (size_t i = 0; i < spec.containers.size(); ++i) visit(spec.containers[i], regular[i]);
  const Path ephemeral = spec_path / "ephemeralContainers";
  for (size_t i = 0; i < spec.ephemeralContainers.size(); ++i) {
    visit(AsContainer(spec.ephemeralContainers[i]), ephemeral[i]);
  }
}

void CheckPodSpec(const corev1::PodSpec& spec, const Path& path, FieldErrors& errors, const PodCheckOptions& options) {
  if (!spec.terminationGracePeriodSeconds) errors.Required(path / "terminationGracePeriodSeconds", "");
  VolumeIndex volumes;
  CheckVolumes(spec, path / "volumes", errors, options, volumes);
  NameSet claims;
  CheckResourceClaims(spec, path / "resourceClaims", errors, options, claims);
  const ContainerCheck containers = {.spec = spec, .volumes = volumes, .claims = claims, .options = options};
  CheckContainers(containers, path, errors);
  CheckInitContainers(containers, path, errors);
  CheckEphemeralContainers(containers, path, errors);
  CheckPodResources(spec, claims, path, errors);
  CheckHostNetworkPorts(spec, path, errors, options.pod != nullptr);
  CheckPolicy(spec.restartPolicy, {"Always", "OnFailure", "Never"}, path / "restartPolicy", errors);
  CheckPolicy(spec.dnsPolicy, {"ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"}, path / "dnsPolicy",
              errors);
  CheckLabels(spec.nodeSelector, path / "nodeSelector", errors);
  CheckPodSecurity(spec, path / "securityContext", errors, options);
  if (spec.affinity) CheckAffinity(*spec.affinity, path / "affinity", errors, options);
  CheckDnsConfig(spec, path / "dnsConfig", errors);
  CheckGates(spec, path, errors);
  CheckSpreadConstraints(spec.topologySpreadConstraints, path / "topologySpreadConstraints", errors, options);
  CheckWindowsHostProcess(spec, path, errors);
  CheckHostUsers(spec, path, errors, options);
  CheckHostnameOverride(spec, path / "hostnameOverride", errors);
  if (!spec.serviceAccountName.empty()) {
    CheckDnsSubdomain(spec.serviceAccountName, path / "serviceAccountName", errors);
  }
  if (!spec.nodeName.empty()) CheckDnsSubdomain(spec.nodeName, path / "nodeName", errors);
  if (spec.activeDeadlineSeconds) {
    CheckInRange(*spec.activeDeadlineSeconds, 1, INT32_MAX, path / "activeDeadlineSeconds", errors);
  }
  if (!spec.hostname.empty()) CheckDnsLabel(spec.hostname, path / "hostname", errors);
  if (!spec.subdomain.empty()) CheckDnsLabel(spec.subdomain, path / "subdomain", errors);
  CheckTolerations(spec.tolerations, path / "tolerations", errors);
  CheckHostAliases(spec.hostAliases, path / "hostAliases", errors);
  if (!spec.priorityClassName.empty()) CheckDnsSubdomain(spec.priorityClassName, path / "priorityClassName", errors);
  if (spec.runtimeClassName) CheckDnsSubdomain(*spec.runtimeClassName, path / "runtimeClassName", errors);
  if (spec.preemptionPolicy) {
    CheckPolicy(*spec.preemptionPolicy, {"PreemptLowerPriority", "Never"}, path / "preemptionPolicy", errors);
  }
  CheckOverhead(spec.overhead, path / "overhead", errors);
  CheckOs(spec, path, errors);
  CheckFileKeyVolumes(spec, path, errors);
}

void CheckPodTemplate(const corev1::PodTemplateSpec& pod_template, const Path& path, FieldErrors& errors,
                      const corev1::PodTemplateSpec* old) {
  const metav1::ObjectMeta& metadata = pod_template.metadata;
  const Path spec = path / "spec";
  const Path annotations = path / "annotations";
  CheckLabels(metadata.labels, path / "labels", errors);
  CheckAnnotationKeys(metadata.annotations, annotations, errors);
  CheckPodAnnotations(metadata.annotations, pod_template.spec, annotations, errors,
                      old == nullptr ? nullptr : &old->metadata.annotations);
  CheckPodSpec(pod_template.spec, spec, errors, {.old = old == nullptr ? nullptr : &old->spec});
  CheckProfilesAgree(metadata, pod_template.spec, spec, errors);
  if (!pod_template.spec.ephemeralContainers.empty()) {
    errors.Forbidden(spec / "ephemeralContainers", "ephemeral containers not allowed in pod template");
  }
}

void CheckPodBody(const corev1::Pod& pod, FieldErrors& errors, const corev1::Pod* old) {
  const Path metadata("metadata");
  const Path path("spec");
  const corev1::PodSpec& spec = pod.spec;
  CheckPodAnnotations(pod.metadata.annotations, spec, metadata / "annotations", errors,
                      old == nullptr ? nullptr : &old->metadata.annotations);
  CheckPodSpec(spec, path, errors, {.pod = &pod.metadata, .old = old == nullptr ? nullptr : &old->spec});
  if (spec.serviceAccountName.empty()) {
    const Path volumes = path / "volumes";
    for (size_t i = 0; i < spec.volumes.size(); ++i) {
      if (!spec.volumes[i].projected) continue;
      const Path volume = volumes[i];
      const Path projected = volume / "projected";
      const Path sources = projected / "sources";
      for (size_t j = 0; j < spec.volumes[i].projected->sources.size(); ++j) {
        if (!spec.volumes[i].projected->sources[j].serviceAccountToken) continue;
        const Path source = sources[j];
        errors.Forbidden(source / "serviceAccountToken", "must not be specified when serviceAccountName is not set");
      }
    }
  }
  const Path containers = path / "containers";
  for (size_t i = 0; i < spec.containers.size(); ++i) {
    CheckImageHasNoSpace(spec.containers[i].image, containers[i], errors);
  }
  const Path init = path / "initContainers";
  for (size_t i = 0; i < spec.initContainers.size(); ++i) {
    CheckImageHasNoSpace(spec.initContainers[i].image, init[i], errors);
  }
}

}  // namespace keelson::apiserver
