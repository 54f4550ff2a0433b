#include "keelson/apiserver/service_account_admission.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "keelson/api/core/v1.h"
#include "keelson/api/status_error.h"
#include "keelson/apiserver/metadata_rules.h"

namespace keelson::apiserver {

namespace {

constexpr std::string_view kDefaultAccount = "default";
constexpr std::string_view kMirror = "kubernetes.io/config.mirror";
constexpr std::string_view kEnforceSecrets = "kubernetes.io/enforce-mountable-secrets";
constexpr std::string_view kTokenVolume = "kube-api-access-";
constexpr std::string_view kTokenPath = "/var/run/secrets/kubernetes.io/serviceaccount";
// An hour, and so odd that it is told from those that somebody chose.
constexpr int64_t kTokenSeconds = 3607;
constexpr int32_t kTokenMode = 0644;

Error Refused(const corev1::Pod& pod, std::string_view why) {
  return apierrors::Forbidden({"", "pods"}, ShownName(pod.metadata), why);
}

// The token, whom to trust, and where the Pod is.
corev1::Volume TokenVolume(const String& name) {
  corev1::VolumeProjection token, authority, place;
  token.serviceAccountToken =
      corev1::ServiceAccountTokenProjection{.expirationSeconds = kTokenSeconds, .path = "token"};
  authority.configMap =
      corev1::ConfigMapProjection{.name = "kube-root-ca.crt", .items = {{.key = "ca.crt", .path = "ca.crt"}}};
  place.downwardAPI = corev1::DownwardAPIProjection{
      .items = {{.path = "namespace",
                 .fieldRef = corev1::ObjectFieldSelector{.apiVersion = "v1", .fieldPath = "metadata.namespace"}}}};
  corev1::Volume volume{.name = name};
  volume.projected = corev1::ProjectedVolumeSource{.sources = {token, authority, place}, .defaultMode = kTokenMode};
  return volume;
}

// Says whether a container was without anything at the path.
bool MountToken(List<corev1::Container>& containers, const corev1::VolumeMount& mount) {
  bool mounted = false;
  for (size_t i = 0; i < containers.size(); ++i) {
    const List<corev1::VolumeMount>& mounts = std::as_const(containers)[i].volumeMounts;
    if (std::any_of(mounts.begin(), mounts.end(), [](const auto& own) { return own.mountPath == kTokenPath; }))
      continue;
    containers[i].volumeMounts.push_back(mount);
    mounted = true;
  }
  return mounted;
}

void MountToken(corev1::PodSpec& spec) {
  const List<corev1::Volume>& volumes = std::as_const(spec).volumes;
  const auto own = std::find_if(volumes.begin(), volumes.end(),
                                [](const corev1::Volume& one) { return one.name.view().starts_with(kTokenVolume); });
  const bool has_volume = own != volumes.end();
  const String name = has_volume ? own->name : String(GenerateName(kTokenVolume));
  const corev1::VolumeMount mount{.name = name, .readOnly = true, .mountPath = kTokenPath};
  const bool first = MountToken(spec.initContainers, mount);
  const bool others = MountToken(spec.containers, mount);
  if ((first || others) && !has_volume) spec.volumes.push_back(TokenVolume(name));
}

bool WantsToken(const corev1::Pod& pod, const corev1::ServiceAccount& account) {
  return pod.spec.automountServiceAccountToken.value_or(account.automountServiceAccountToken.value_or(true));
}

// ---- accounts that list the secrets which their Pods may use ----

bool EnforcesSecrets(const corev1::ServiceAccount& account) {
  const String* value = account.metadata.annotations.find(kEnforceSecrets);
  if (value == nullptr) return false;
  constexpr std::string_view kTrue[] = {"1", "t", "T", "true", "TRUE", "True"};
  return std::find(std::begin(kTrue), std::end(kTrue), value->view()) != std::end(kTrue);
}

Result<void> CheckSecrets(const corev1::Pod& pod, const List<corev1::Container>& containers, std::string_view kind,
                          const std::set<std::string_view>& allowed, std::string_view account) {
  for (const corev1::Container& container : containers) {
    for (const corev1::EnvVar& variable : container.env) {
      if (!variable.valueFrom || !variable.valueFrom->secretKeyRef) continue;
      const String& secret = variable.valueFrom->secretKeyRef->name;
      if (allowed.contains(secret)) continue;
      return Refused(pod,
                     fmt::format("{} {} with envVar {} referencing secret.secretName=\"{}\" is not allowed because "
                                 "service account {} does not reference that secret",
                                 kind, container.name.view(), variable.name.view(), secret.view(), account));
    }
    for (const corev1::EnvFromSource& source : container.envFrom) {
      if (!source.secretRef || allowed.contains(source.secretRef->name)) continue;
      return Refused(pod, fmt::format("{} {} with envFrom referencing secret.secretName=\"{}\" is not allowed because "
                                      "service account {} does not reference that secret",
                                      kind, container.name.view(), source.secretRef->name.view(), account));
    }
  }
  return {};
}

Result<void> CheckSecrets(const corev1::Pod& pod, const corev1::ServiceAccount& account) {
  std::set<std::string_view> allowed, pulls;
  for (const corev1::ObjectReference& secret : account.secrets) allowed.insert(secret.name);
  for (const corev1::LocalObjectReference& secret : account.imagePullSecrets) pulls.insert(secret.name);
  const std::string_view name = account.metadata.name;
  for (const corev1::Volume& volume : pod.spec.volumes) {
    if (!volume.secret || allowed.contains(volume.secret->secretName)) continue;
    return Refused(pod,
                   fmt::format("volume with secret.secretName=\"{}\" is not allowed because service account {} does "
                               "not reference that secret",
                               volume.secret->secretName.view(), name));
  }
  KEELSON_RETURN_IF_ERROR(CheckSecrets(pod, pod.spec.initContainers, "init container", allowed, name));
  KEELSON_RETURN_IF_ERROR(CheckSecrets(pod, pod.spec.containers, "container", allowed, name));
  for (size_t i = 0; i < pod.spec.imagePullSecrets.size(); ++i) {
    const String& secret = pod.spec.imagePullSecrets[i].name;
    if (pulls.contains(secret)) continue;
    return Refused(pod,
                   fmt::format("imagePullSecrets[{}].name=\"{}\" is not allowed because service account {} does not "
                               "reference that imagePullSecret",
                               i, secret.view(), name));
  }
  return {};
}

// What a kubelet shows of a Pod that it has from elsewhere stays as it is, and needs nothing of the server.
Result<void> CheckMirror(const corev1::Pod& pod) {
  if (!pod.spec.serviceAccountName.empty()) return Refused(pod, "a mirror pod may not reference service accounts");
  for (const corev1::Volume& volume : pod.spec.volumes) {
    if (volume.secret) return Refused(pod, "a mirror pod may not reference secrets");
    if (!volume.projected) continue;
    for (const corev1::VolumeProjection& source : volume.projected->sources) {
      if (source.secret) return Refused(pod, "a mirror pod may not reference secrets");
      if (source.serviceAccountToken) {
        return Refused(pod, "a mirror pod may not use ServiceAccountToken volume projections");
      }
    }
  }
  return {};
}

}  // namespace

Result<void> ServiceAccountAdmission::Admit(const Resource&, AnyValue& object, const Lookup& lookup) const {
  if (&object.type() != &TypeOf<corev1::Pod>()) return {};
  auto& pod = *static_cast<corev1::Pod*>(object.data());
  if (pod.metadata.annotations.find(kMirror) != nullptr) return CheckMirror(pod);
  corev1::PodSpec& spec = pod.spec;
  if (spec.serviceAccountName.empty()) spec.serviceAccountName = kDefaultAccount;
  spec.serviceAccount = spec.serviceAccountName;  // its older name
  const auto account = lookup.Find<corev1::ServiceAccount>(
      {.namespace_ = pod.metadata.namespace_.str(), .name = spec.serviceAccountName.str()});
  if (!account) {
    return Refused(pod, fmt::format("error looking up service account {}/{}: serviceaccount \"{}\" not found",
                                    pod.metadata.namespace_.view(), spec.serviceAccountName.view(),
                                    spec.serviceAccountName.view()));
  }
  if (WantsToken(pod, *account)) MountToken(spec);
  if (spec.imagePullSecrets.empty()) spec.imagePullSecrets = account->imagePullSecrets;
  return EnforcesSecrets(*account) ? CheckSecrets(pod, *account) : Result<void>();
}

}  // namespace keelson::apiserver
