#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "keelson/api/names.h"
#include "keelson/apiserver/kinds/checks_address.h"
#include "keelson/apiserver/kinds/checks_node_selector.h"
#include "keelson/apiserver/kinds/pod_spec.h"

namespace keelson::apiserver {

namespace {

constexpr std::string_view kContainerSeccomp = "container.seccomp.security.alpha.kubernetes.io/";
constexpr std::string_view kPodSeccomp = "seccomp.security.alpha.kubernetes.io/pod";
constexpr std::string_view kAppArmor = "container.apparmor.security.beta.kubernetes.io/";
constexpr std::string_view kMatchesNothing = "a null labelSelector results in matching no pod";

class Warnings {
 public:
  explicit Warnings(std::vector<std::string>& list) : list_(list) {}
  void Add(const Path& path, std::string_view text) { list_.push_back(path.ToString() + ": " + std::string(text)); }
  void AddText(std::string text) { list_.push_back(std::move(text)); }
  std::vector<std::string>& list() { return list_; }

 private:
  std::vector<std::string>& list_;
};

void WarnOfNodeTerm(const corev1::NodeSelectorTerm& term, bool check_values, const Path& path, Warnings& warnings) {
  const Path expressions = path / "matchExpressions";
  for (size_t i = 0; i < term.matchExpressions.size(); ++i) {
    const corev1::NodeSelectorRequirement& expression = term.matchExpressions[i];
    const Path at = expressions[i];
    if (const std::string_view why = WhyNodeLabelIsDeprecated(expression.key); !why.empty()) {
      warnings.Add(at / "key", fmt::format("{} is {}", expression.key.view(), why));
    }
    if (!check_values) continue;
    const Path values = at / "values";
    for (size_t j = 0; j < expression.values.size(); ++j) {
      for (const std::string& reason : names::CheckLabelValue(expression.values[j])) {
        warnings.Add(values[j], fmt::format("{} is invalid, {}", expression.values[j].view(), reason));
      }
    }
  }
}

void WarnOfNodes(const corev1::PodSpec& spec, const Path& path, Warnings& warnings) {
  const Path selector = path / "nodeSelector";
  for (const auto& [label, value] : spec.nodeSelector) {
    if (const std::string_view why = WhyNodeLabelIsDeprecated(label); !why.empty()) {
      warnings.Add(selector.Key(label), why);
    }
  }
  const Path affinity = path / "affinity";
  if (spec.affinity && spec.affinity->nodeAffinity) {
    const Path node_affinity = affinity / "nodeAffinity";
    const corev1::NodeAffinity& nodes = *spec.affinity->nodeAffinity;
    if (nodes.requiredDuringSchedulingIgnoredDuringExecution) {
      const Path required = node_affinity / "requiredDuringSchedulingIgnoredDuringExecution";
      const Path terms = required / "nodeSelectorTerms";
      const auto& list = nodes.requiredDuringSchedulingIgnoredDuringExecution->nodeSelectorTerms;
      for (size_t i = 0; i < list.size(); ++i) WarnOfNodeTerm(list[i], false, terms[i], warnings);
    }
    const Path preferred = node_affinity / "preferredDuringSchedulingIgnoredDuringExecution";
    const auto& list = nodes.preferredDuringSchedulingIgnoredDuringExecution;
    for (size_t i = 0; i < list.size(); ++i) {
      const Path at = preferred[i];
      WarnOfNodeTerm(list[i].preference, true, at / "preference", warnings);
    }
  }
  const Path constraints = path / "topologySpreadConstraints";
  for (size_t i = 0; i < spec.topologySpreadConstraints.size(); ++i) {
    const corev1::TopologySpreadConstraint& constraint = spec.topologySpreadConstraints[i];
    const Path at = constraints[i];
    if (const std::string_view why = WhyNodeLabelIsDeprecated(constraint.topologyKey); !why.empty()) {
      warnings.Add(at / "topologyKey", fmt::format("{} is {}", constraint.topologyKey.view(), why));
    }
    if (!constraint.labelSelector) warnings.Add(at / "labelSelector", kMatchesNothing);
  }
}

void WarnOfOldAnnotations(const Map<String>& annotations, const Path& path, Warnings& warnings) {
  constexpr std::pair<std::string_view, std::string_view> kOld[] = {
      {"scheduler.alpha.kubernetes.io/critical-pod",
       "non-functional in v1.16+; use the \"priorityClassName\" field instead"},
      {"security.alpha.kubernetes.io/sysctls", "non-functional in v1.11+; use the \"sysctls\" field instead"},
      {"security.alpha.kubernetes.io/unsafe-sysctls", "non-functional in v1.11+; use the \"sysctls\" field instead"},
  };
  for (const auto& [key, text] : kOld) {
    if (annotations.contains(key)) warnings.Add(path.Key(key), text);
  }
}

void WarnOfVolumes(const List<corev1::Volume>& volumes, const Path& path, Warnings& warnings) {
  for (size_t i = 0; i < volumes.size(); ++i) {
    const corev1::Volume& volume = volumes[i];
    const Path at = path[i];
    const auto warn = [&](bool used, std::string_view name, std::string_view text) {
      if (used) warnings.Add(at / name, text);
    };
    warn(volume.photonPersistentDisk.has_value(), "photonPersistentDisk",
         "deprecated in v1.11, non-functional in v1.16+");
    warn(volume.gitRepo.has_value(), "gitRepo", "deprecated in v1.11, and disabled by default in v1.33+");
    warn(volume.scaleIO.has_value(), "scaleIO", "deprecated in v1.16, non-functional in v1.22+");
    warn(volume.flocker.has_value(), "flocker", "deprecated in v1.22, non-functional in v1.25+");
    warn(volume.storageos.has_value(), "storageOS", "deprecated in v1.22, non-functional in v1.25+");
    warn(volume.quobyte.has_value(), "quobyte", "deprecated in v1.22, non-functional in v1.25+");
    warn(volume.glusterfs.has_value(), "glusterfs", "deprecated in v1.25, non-functional in v1.26+");
    if (volume.ephemeral && volume.ephemeral->volumeClaimTemplate) {
      const Quantity* storage = volume.ephemeral->volumeClaimTemplate->spec.resources.requests.find("storage");
      if (storage != nullptr && storage->MilliValue() % 1000 != 0) {
        const Path ephemeral = at / "ephemeral";
        const Path claim = ephemeral / "volumeClaimTemplate";
        const Path spec = claim / "spec";
        const Path resources = spec / "resources";
        const Path requests = resources / "requests";
        warnings.Add(requests.Key("storage"),
                     fmt::format("fractional byte value \"{}\" is invalid, must be an integer", storage->ToString()));
      }
    }
    warn(volume.cephfs.has_value(), "cephfs", "deprecated in v1.28, non-functional in v1.31+");
    warn(volume.rbd.has_value(), "rbd", "deprecated in v1.28, non-functional in v1.31+");
  }
}

// A file in a volume, and which of its sources brings it.
struct VolumeFile {
  std::string path;
  std::string source;

  std::string ToString() const {
    return source.empty() ? fmt::format("\"{}\"", path) : fmt::format("\"{}\" ({})", path, source);
  }
};

// Adds files one by one and warns where one is, or is below, another.
class OverlapCheck {
 public:
  OverlapCheck(const String& volume, std::string description, Warnings& warnings)
      : volume_(volume), description_(std::move(description)), warnings_(warnings) {}

  void Add(std::string_view path, std::string_view source) {
    while (path.ends_with('/')) path.remove_suffix(1);
    VolumeFile file = {std::string(path), std::string(source)};
    if (!file.path.empty()) {
      for (const VolumeFile& other : files_) {
        if (other.path.empty() ||
            (!(other.path + "/").starts_with(file.path + "/") && !(file.path + "/").starts_with(other.path + "/"))) {
          continue;
        }
        warnings_.AddText(fmt::format("volume \"{}\" ({}): overlapping paths: {} with {}", volume_.view(), description_,
                                      file.ToString(), other.ToString()));
      }
    }
    files_.push_back(std::move(file));
  }
  template <class Items>
  void AddAll(const Items& items, std::string_view source) {
    for (const auto& item : items) Add(item.path, source);
  }

 private:
  const String& volume_;
  const std::string description_;
  Warnings& warnings_;
  std::vector<VolumeFile> files_;
};

void WarnOfProjectedOverlaps(const corev1::Volume& volume, Warnings& warnings) {
  OverlapCheck check(volume.name, "Projected", warnings);
  for (const corev1::VolumeProjection& source : volume.projected->sources) {
    if (!source.configMap && !source.secret && !source.downwardAPI && !source.serviceAccountToken &&
        !source.clusterTrustBundle && !source.podCertificate) {
      warnings.AddText(fmt::format("volume \"{}\" (Projected) has no sources provided", volume.name.view()));
    } else if (source.configMap && !source.configMap->items.empty()) {
      check.AddAll(source.configMap->items, fmt::format("ConfigMap \"{}\"", source.configMap->name.view()));
    } else if (source.secret && !source.secret->items.empty()) {
      check.AddAll(source.secret->items, fmt::format("Secret \"{}\"", source.secret->name.view()));
    } else if (source.downwardAPI && !source.downwardAPI->items.empty()) {
      check.AddAll(source.downwardAPI->items, "DownwardAPI");
    } else if (source.serviceAccountToken) {
      check.Add(source.serviceAccountToken->path, "ServiceAccountToken");
    }
  }
}

void WarnOfOverlaps(const List<corev1::Volume>& volumes, Warnings& warnings) {
  for (const corev1::Volume& volume : volumes) {
    if (volume.configMap && volume.configMap->items.size() > 1) {
      OverlapCheck(volume.name, fmt::format("ConfigMap \"{}\"", volume.configMap->name.view()), warnings)
          .AddAll(volume.configMap->items, "");
    }
    if (volume.secret && volume.secret->items.size() > 1) {
      OverlapCheck(volume.name, fmt::format("Secret \"{}\"", volume.secret->secretName.view()), warnings)
          .AddAll(volume.secret->items, "");
    }
    if (volume.downwardAPI && volume.downwardAPI->items.size() > 1) {
      OverlapCheck(volume.name, "DownwardAPI", warnings).AddAll(volume.downwardAPI->items, "");
    }
    if (volume.projected) WarnOfProjectedOverlaps(volume, warnings);
  }
}

void WarnOfRepeats(const corev1::PodSpec& spec, const Path& path, Warnings& warnings) {
  const Path aliases = path / "hostAliases";
  NameSet addresses;
  for (size_t i = 0; i < spec.hostAliases.size(); ++i) {
    const Path at = aliases[i];
    const String& ip = spec.hostAliases[i].ip;
    if (!addresses.Insert(ip)) warnings.Add(at / "ip", fmt::format("duplicate ip \"{}\"", ip.view()));
  }
  const Path secrets = path / "imagePullSecrets";
  NameSet names;
  for (size_t i = 0; i < spec.imagePullSecrets.size(); ++i) {
    const Path at = secrets[i];
    const String& name = spec.imagePullSecrets[i].name;
    if (!names.Insert(name)) warnings.Add(at / "name", fmt::format("duplicate name \"{}\"", name.view()));
  }
  for (size_t i = 0; i < spec.imagePullSecrets.size(); ++i) {
    const Path at = secrets[i];
    if (spec.imagePullSecrets[i].name.empty()) warnings.Add(at / "name", "invalid empty name \"\"");
  }
}

void WarnOfFraction(const corev1::ResourceList& resources, std::string_view name, const Path& path,
                    Warnings& warnings) {
  const Quantity* quantity = resources.find(name);
  if (quantity == nullptr || quantity->MilliValue() % 1000 == 0) return;
  warnings.Add(path.Key(name),
               fmt::format("fractional byte value \"{}\" is invalid, must be an integer", quantity->ToString()));
}

void WarnOfHiddenVariables(const List<corev1::EnvVar>& variables, const Path& path, Warnings& warnings) {
  NameSet names;
  for (size_t i = 0; i < variables.size(); ++i) {
    const corev1::EnvVar& variable = variables[i];
    if (names.Insert(variable.name)) continue;
    const std::string reference = fmt::format("$({})", variable.name.view());
    const std::string_view value = variable.value;
    if (!variable.valueFrom && value != reference && value.find(reference) != std::string_view::npos) continue;
    warnings.Add(path[i], fmt::format("hides previous definition of \"{}\", which may be dropped when using apply",
                                      variable.name.view()));
  }
}

class PortWarnings {
 public:
  explicit PortWarnings(Warnings& warnings) : warnings_(warnings) {}

  void Add(const corev1::Container& container, const Path& path) {
    const Path ports = path / "ports";
    for (size_t i = 0; i < container.ports.size(); ++i) AddPort(container.ports[i], ports[i]);
  }
  void AddNames(const corev1::Container& container, const Path& path) {
    const Path ports = path / "ports";
    for (size_t i = 0; i < container.ports.size(); ++i) {
      const String& name = container.ports[i].name;
      if (name.empty()) continue;
      const auto [other, added] = names_.emplace(name.str(), ports[i].ToString());
      if (added) continue;
      warnings_.Add(ports[i],
                    fmt::format("duplicate port name \"{}\" with {}, services and probes that select ports by name "
                                "will use {}",
                                name.view(), other->second, other->second));
    }
  }

 private:
  struct Known {
    std::string path;
    std::string ip;
    int32_t host_port;
  };

  void AddPort(const corev1::ContainerPort& port, const Path& path) {
    if (!port.hostIP.empty() && port.hostPort == 0) {
      warnings_.Add(path, fmt::format("hostIP set without hostPort: {{Name:{} HostPort:0 ContainerPort:{} Protocol:{} "
                                      "HostIP:{}}}",
                                      port.name.view(), port.containerPort, port.protocol.view(), port.hostIP.view()));
    }
    std::vector<Known>& others = ports_[fmt::format("{}/{}", port.containerPort, port.protocol.view())];
    for (const Known& other : others) {
      if (other.ip == port.hostIP.view() && other.host_port == port.hostPort) {
        warnings_.Add(path, "duplicate port definition with " + other.path);
      } else if (port.hostPort == 0 || other.host_port == 0) {
        warnings_.Add(path, "overlapping port definition with " + other.path);
      } else if (port.hostPort == other.host_port && port.hostIP.empty() != other.ip.empty()) {
        warnings_.Add(path, "dangerously ambiguous port definition with " + other.path);
      }
    }
    others.push_back({path.ToString(), port.hostIP, port.hostPort});
  }

  Warnings& warnings_;
  std::map<std::string, std::vector<Known>> ports_;
  std::map<std::string, std::string> names_;
};

template <class Affinity>
void WarnOfPodAffinity(const Optional<Affinity>& affinity, const Path& path, Warnings& warnings) {
  if (!affinity) return;
  const Path required = path / "requiredDuringSchedulingIgnoredDuringExecution";
  const auto& terms = affinity->requiredDuringSchedulingIgnoredDuringExecution;
  for (size_t i = 0; i < terms.size(); ++i) {
    const Path at = required[i];
    if (!terms[i].labelSelector) warnings.Add(at / "labelSelector", kMatchesNothing);
  }
  const Path preferred = path / "preferredDuringSchedulingIgnoredDuringExecution";
  const auto& weighted = affinity->preferredDuringSchedulingIgnoredDuringExecution;
  for (size_t i = 0; i < weighted.size(); ++i) {
    const Path at = preferred[i];
    const Path term = at / "podAffinityTerm";
    if (!weighted[i].podAffinityTerm.labelSelector) warnings.Add(term / "labelSelector", kMatchesNothing);
  }
}

// Addresses that are valid but not written as others write them.
void WarnOfAddress(std::string_view text, const Path& path, Warnings& warnings) {
  const std::optional<IpAddress> ip = ParseIp(text);
  if (!ip) return;
  const std::string canonical = ip->ToString();
  if (canonical == text) return;
  if (ip->written_as_v6) {
    warnings.Add(path,
                 fmt::format("IPv6 address \"{}\" should be in RFC 5952 canonical format (\"{}\")", text, canonical));
  }
}

void WarnOfContainer(const corev1::Container& container, const Path& path, const metav1::ObjectMeta& metadata,
                     const Path& annotations, const Optional<corev1::AppArmorProfile>& pod_profile, bool is_template,
                     Warnings& warnings) {
  if (!metadata.annotations.empty()) {
    const corev1::SecurityContext& context = container.securityContext.OrDefault();
    const std::string seccomp = std::string(kContainerSeccomp).append(container.name.view());
    if (!context.seccompProfile && metadata.annotations.contains(seccomp)) {
      warnings.Add(annotations.Key(seccomp), "non-functional in v1.27+; use the \"seccompProfile\" field instead");
    }
    const std::string app_armor = std::string(kAppArmor).append(container.name.view());
    const String* profile = metadata.annotations.find(app_armor);
    if (is_template && !context.appArmorProfile && profile != nullptr) {
      const std::string_view type = pod_profile.OrDefault().type;
      const std::string shown = type == "Unconfined"       ? "unconfined"
                                : type == "RuntimeDefault" ? "runtime/default"
                                : type == "Localhost" ? "localhost/" + pod_profile->localhostProfile.OrDefault().str()
                                                      : "";
      if (!pod_profile || profile->view() != shown) {
        warnings.Add(annotations.Key(app_armor), "deprecated since v1.30; use the \"appArmorProfile\" field instead");
      }
    }
  }
  const Path resources = path / "resources";
  for (const std::string_view name : {"memory", "ephemeral-storage"}) {
    WarnOfFraction(container.resources.limits, name, resources / "limits", warnings);
    WarnOfFraction(container.resources.requests, name, resources / "requests", warnings);
  }
  WarnOfHiddenVariables(container.env, path / "env", warnings);
}

void WarnOfAll(const corev1::PodSpec& spec, const metav1::ObjectMeta& metadata, const Path& path,
               const Path& annotations, bool is_template, Warnings& warnings) {
  WarnOfNodes(spec, path, warnings);
  WarnOfOldAnnotations(metadata.annotations, annotations, warnings);
  WarnOfVolumes(spec.volumes, path / "volumes", warnings);
  WarnOfOverlaps(spec.volumes, warnings);
  WarnOfRepeats(spec, path, warnings);
  const Path overhead = path / "overhead";
  WarnOfFraction(spec.overhead, "memory", overhead, warnings);
  WarnOfFraction(spec.overhead, "ephemeral-storage", overhead, warnings);
  const corev1::PodSecurityContext& context = spec.securityContext.OrDefault();
  if (!context.seccompProfile && metadata.annotations.contains(kPodSeccomp)) {
    warnings.Add(annotations.Key(kPodSeccomp), "non-functional in v1.27+; use the \"seccompProfile\" field instead");
  }
  VisitContainers(spec, path, [&](const corev1::Container& container, const Path& at) {
    WarnOfContainer(container, at, metadata, annotations, context.appArmorProfile, is_template, warnings);
  });
  PortWarnings ports(warnings);
  VisitContainers(spec, path, [&](const corev1::Container& container, const Path& at) { ports.Add(container, at); });
  VisitContainers(spec, path,
                  [&](const corev1::Container& container, const Path& at) { ports.AddNames(container, at); });
  if (spec.terminationGracePeriodSeconds && *spec.terminationGracePeriodSeconds < 0) {
    warnings.Add(path / "terminationGracePeriodSeconds",
                 "must be >= 0; negative values are invalid and will be treated as 1");
  }
  if (spec.affinity) {
    const Path affinity = path / "affinity";
    WarnOfPodAffinity(spec.affinity->podAffinity, affinity / "podAffinity", warnings);
    WarnOfPodAffinity(spec.affinity->podAntiAffinity, affinity / "podAntiAffinity", warnings);
  }
  const Path dns = path / "dnsConfig";
  const Path nameservers = dns / "nameservers";
  const List<String>& servers = spec.dnsConfig.OrDefault().nameservers;
  for (size_t i = 0; i < servers.size(); ++i) WarnOfAddress(servers[i], nameservers[i], warnings);
  const Path aliases = path / "hostAliases";
  for (size_t i = 0; i < spec.hostAliases.size(); ++i) {
    const Path at = aliases[i];
    WarnOfAddress(spec.hostAliases[i].ip, at / "ip", warnings);
  }
}

}  // namespace

void WarnOfPodSpec(const corev1::PodSpec& spec, const metav1::ObjectMeta& metadata, std::string_view prefix,
                   std::vector<std::string>& list) {
  Warnings warnings(list);
  if (prefix.empty()) {
    const Path meta("metadata");
    return WarnOfAll(spec, metadata, Path("spec"), meta / "annotations", false, warnings);
  }
  const Path root(prefix);
  const Path meta = root / "metadata";
  WarnOfAll(spec, metadata, root / "spec", meta / "annotations", true, warnings);
}

}  // namespace keelson::apiserver
