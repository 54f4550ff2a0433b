#include "keelson/api/access.h"
#include "keelson/apiserver/kinds/checks_resources.h"
#include "keelson/apiserver/kinds/pod_spec.h"

namespace keelson::apiserver {

namespace {

// A field that is absent gets a value; one that is there is only read, so that nothing shared is copied.
void Default(String& field, std::string_view value) {
  if (field.empty()) field = value;
}
template <class T>
void Default(Optional<T>& field, T value) {
  if (!field) field = std::move(value);
}
void Default(int32_t& field, int32_t value) {
  if (field == 0) field = value;
}

void SetHttpGetDefaults(Optional<corev1::HTTPGetAction>& http_get) {
  if (!http_get) return;
  Default(http_get->path, "/");
  Default(http_get->scheme, "HTTP");
}

void SetProbeDefaults(Optional<corev1::Probe>& optional_probe) {
  if (!optional_probe) return;
  corev1::Probe& probe = *optional_probe;
  Default(probe.timeoutSeconds, 1);
  Default(probe.periodSeconds, 10);
  Default(probe.successThreshold, 1);
  Default(probe.failureThreshold, 3);
  SetHttpGetDefaults(probe.httpGet);
  if (probe.grpc) Default(probe.grpc->service, String());
}

void SetFieldRefDefaults(Optional<corev1::ObjectFieldSelector>& field_ref) {
  if (field_ref) Default(field_ref->apiVersion, "v1");
}

// Of a container of any sort.
template <class C>
void SetContainerDefaults(C& container) {
  Default(container.imagePullPolicy, IsLatestImage(container.image) ? "Always" : "IfNotPresent");
  Default(container.terminationMessagePath, "/dev/termination-log");
  Default(container.terminationMessagePolicy, "File");
  for (corev1::ContainerPort& port : container.ports.Mutable()) Default(port.protocol, "TCP");
  for (corev1::EnvVar& variable : container.env.Mutable()) {
    if (!variable.valueFrom) continue;
    SetFieldRefDefaults(variable.valueFrom->fieldRef);
    if (variable.valueFrom->fileKeyRef) Default(variable.valueFrom->fileKeyRef->optional, false);
  }
  RoundResources(container.resources.limits);
  RoundResources(container.resources.requests);
  SetProbeDefaults(container.livenessProbe);
  SetProbeDefaults(container.readinessProbe);
  SetProbeDefaults(container.startupProbe);
  if (container.lifecycle) {
    if (container.lifecycle->postStart) SetHttpGetDefaults(container.lifecycle->postStart->httpGet);
    if (container.lifecycle->preStop) SetHttpGetDefaults(container.lifecycle->preStop->httpGet);
  }
}

void SetDownwardDefaults(List<corev1::DownwardAPIVolumeFile>& files) {
  for (corev1::DownwardAPIVolumeFile& file : files.Mutable()) SetFieldRefDefaults(file.fieldRef);
}

void SetProjectedDefaults(corev1::ProjectedVolumeSource& projected) {
  Default(projected.defaultMode, 0644);
  for (corev1::VolumeProjection& source : projected.sources.Mutable()) {
    if (source.downwardAPI) SetDownwardDefaults(source.downwardAPI->items);
    if (source.serviceAccountToken) Default(source.serviceAccountToken->expirationSeconds, int64_t{3600});
  }
}

bool HasNoSource(const corev1::Volume& volume) {
  for (const Field& field : TypeOf<corev1::Volume>().fields) {
    if (field.type->kind == Kind::kOptional && ReadOptional(*field.type, ReadField(field, &volume)) != nullptr) {
      return false;
    }
  }
  return true;
}

void SetVolumeDefaults(corev1::Volume& volume) {
  if (HasNoSource(volume)) volume.emptyDir.emplace();
  if (volume.image)
    Default(volume.image->pullPolicy, IsLatestImage(volume.image->reference) ? "Always" : "IfNotPresent");
  if (volume.hostPath) Default(volume.hostPath->type, String());
  if (volume.secret) Default(volume.secret->defaultMode, 0644);
  if (volume.configMap) Default(volume.configMap->defaultMode, 0644);
  if (volume.downwardAPI) {
    Default(volume.downwardAPI->defaultMode, 0644);
    SetDownwardDefaults(volume.downwardAPI->items);
  }
  if (volume.projected) SetProjectedDefaults(*volume.projected);
  if (volume.iscsi) Default(volume.iscsi->iscsiInterface, "default");
  if (volume.rbd) {
    Default(volume.rbd->pool, "rbd");
    Default(volume.rbd->user, "admin");
    Default(volume.rbd->keyring, "/etc/ceph/keyring");
  }
  if (volume.azureDisk) {
    Default(volume.azureDisk->cachingMode, String("ReadWrite"));
    Default(volume.azureDisk->fsType, String("ext4"));
    Default(volume.azureDisk->readOnly, false);
    Default(volume.azureDisk->kind, String("Shared"));
  }
  if (volume.scaleIO) {
    Default(volume.scaleIO->storageMode, "ThinProvisioned");
    Default(volume.scaleIO->fsType, "xfs");
  }
  if (volume.ephemeral && volume.ephemeral->volumeClaimTemplate) {
    corev1::PersistentVolumeClaimSpec& claim = volume.ephemeral->volumeClaimTemplate->spec;
    Default(claim.volumeMode, String("Filesystem"));
    RoundResources(claim.resources.limits);
    RoundResources(claim.resources.requests);
  }
}

// Annotations of a time when init containers were no fields.
void DropInitContainerAnnotations(metav1::ObjectMeta& metadata) {
  if (metadata.annotations.empty()) return;
  for (const std::string_view key :
       {"pod.beta.kubernetes.io/init-containers", "pod.alpha.kubernetes.io/init-containers",
        "pod.beta.kubernetes.io/init-container-statuses", "pod.alpha.kubernetes.io/init-container-statuses"}) {
    if (metadata.annotations.contains(key)) metadata.annotations.erase(key);
  }
}

void SetSpecDefaults(corev1::PodSpec& spec) {
  Default(spec.dnsPolicy, "ClusterFirst");
  Default(spec.restartPolicy, "Always");
  if (!spec.securityContext) spec.securityContext.emplace();
  Default(spec.terminationGracePeriodSeconds, int64_t{30});
  Default(spec.schedulerName, "default-scheduler");
  // One field under two names.
  if (spec.serviceAccountName.empty()) spec.serviceAccountName = spec.serviceAccount;
  spec.serviceAccount = spec.serviceAccountName;

  for (corev1::Volume& volume : spec.volumes.Mutable()) SetVolumeDefaults(volume);
  for (corev1::Container& container : spec.initContainers.Mutable()) SetContainerDefaults(container);
  for (corev1::Container& container : spec.containers.Mutable()) SetContainerDefaults(container);
  for (corev1::EphemeralContainer& container : spec.ephemeralContainers.Mutable()) SetContainerDefaults(container);
  RoundResources(spec.overhead);
  if (spec.resources) {
    RoundResources(spec.resources->limits);
    RoundResources(spec.resources->requests);
  }
}

void RequestTheLimits(List<corev1::Container>& containers) {
  for (corev1::Container& container : containers.Mutable()) {
    for (const auto& [name, limit] : container.resources.limits) {
      if (!container.resources.requests.contains(name)) container.resources.requests.Set(name, limit);
    }
  }
}

// The requests and limits of the pod as a whole, where it has some.
void SetPodResourceDefaults(corev1::PodSpec& spec) {
  if (!spec.resources || (spec.resources->limits.empty() && spec.resources->requests.empty())) return;
  corev1::ResourceRequirements& resources = *spec.resources;
  for (const auto& [name, sum] : SumOfLimits(spec)) {
    if (!IsHugePageResource(name) || resources.requests.contains(name) || resources.limits.contains(name)) continue;
    resources.limits.Set(name, sum);
  }
  if (resources.limits.empty()) return;
  for (const auto& [name, sum] : SumOfRequests(spec)) {
    if (!IsPodLevelResource(name) || !IsOvercommitAllowed(name) || resources.requests.contains(name)) continue;
    resources.requests.Set(name, sum);
  }
  for (const auto& [name, limit] : resources.limits) {
    if (IsPodLevelResource(name) && !resources.requests.contains(name)) resources.requests.Set(name, limit);
  }
}

void UseHostPorts(List<corev1::Container>& containers) {
  for (corev1::Container& container : containers.Mutable()) {
    for (corev1::ContainerPort& port : container.ports.Mutable()) Default(port.hostPort, port.containerPort);
  }
}

}  // namespace

void RoundResources(corev1::ResourceList& resources) {
  // Larger ones have no thousandths.
  constexpr int64_t kLargest = int64_t{1} << 52;
  const auto rounded = [](const Quantity& quantity) {
    const int64_t units = quantity.Value();
    if (units > -kLargest && units < kLargest) {
      const Quantity thousandths = Quantity::FromMilli(quantity.MilliValue(), quantity.format());
      if (thousandths != quantity) return thousandths;
    }
    return quantity.Canonical();
  };
  for (const auto& [name, quantity] : corev1::ResourceList(resources)) {
    if (const Quantity kept = rounded(quantity); !kept.SameAs(quantity)) resources.Set(name, kept);
  }
}

void SetPodTemplateDefaults(corev1::PodTemplateSpec& pod_template) {
  DropInitContainerAnnotations(pod_template.metadata);
  SetSpecDefaults(pod_template.spec);
}

void SetPodDefaults(corev1::Pod& pod) {
  DropInitContainerAnnotations(pod.metadata);
  corev1::PodSpec& spec = pod.spec;
  SetSpecDefaults(spec);
  if (*std::as_const(spec.terminationGracePeriodSeconds) < 0) spec.terminationGracePeriodSeconds = int64_t{1};
  RequestTheLimits(spec.containers);
  RequestTheLimits(spec.initContainers);
  SetPodResourceDefaults(spec);
  Default(spec.enableServiceLinks, true);
  if (spec.hostNetwork) {
    UseHostPorts(spec.containers);
    UseHostPorts(spec.initContainers);
  }
}

}  // namespace keelson::apiserver
