#include <fmt/format.h>

#include <charconv>

#include "keelson/apiserver/kinds/checks_common.h"
#include "keelson/apiserver/kinds/pod_checks.h"
#include "keelson/codec/json_reader.h"
#include "keelson/core/ascii.h"

namespace keelson::apiserver {

namespace {

constexpr std::string_view kMirror = "kubernetes.io/config.mirror";
constexpr std::string_view kTolerations = "scheduler.alpha.kubernetes.io/tolerations";
constexpr std::string_view kDeletionCost = "controller.kubernetes.io/pod-deletion-cost";
constexpr std::string_view kPodSeccomp = "seccomp.security.alpha.kubernetes.io/pod";
constexpr std::string_view kContainerSeccomp = "container.seccomp.security.alpha.kubernetes.io/";
constexpr std::string_view kAppArmor = "container.apparmor.security.beta.kubernetes.io/";
constexpr std::string_view kLocalhost = "localhost/";
constexpr size_t kMaxAnnotations = 256 * 1024;

// A number of 32 bits without a plus or leading zeros; absent is fine.
bool IsDeletionCost(const String* cost) {
  if (cost == nullptr) return true;
  const std::string_view text = *cost;
  if (text != "0" && (text.empty() || !(text[0] == '-' || (text[0] >= '1' && text[0] <= '9')))) return false;
  int32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

bool HasContainer(const corev1::PodSpec& spec, std::string_view name) {
  bool found = false;
  VisitContainers(spec, Path("spec"),
                  [&](const corev1::Container& container, const Path&) { found = found || container.name == name; });
  return found;
}

void CheckSeccompAnnotation(std::string_view profile, const Path& path, FieldErrors& errors) {
  if (IsOneOf(profile, {"runtime/default", "docker/default", "unconfined"})) return;
  if (profile.starts_with(kLocalhost)) {
    return CheckDescendingPath(profile.substr(kLocalhost.size()), path, errors);
  }
  errors.Invalid(path, Json(profile), "must be a valid seccomp profile");
}

void CheckAppArmorAnnotation(std::string_view key, std::string_view profile, const corev1::PodSpec& spec,
                             const Path& path, FieldErrors& errors) {
  const std::string_view container = key.substr(kAppArmor.size());
  if (!HasContainer(spec, container)) errors.Invalid(path, Json(container), "container not found");
  if (profile.empty() || profile == "runtime/default" || profile == "unconfined" || profile.starts_with(kLocalhost)) {
    return;
  }
  errors.Invalid(path, Json(profile), fmt::format("invalid AppArmor profile name: \"{}\"", profile));
}

struct ProfileWords {
  std::string_view what;  // "seccomp", "apparmor"
  bool docker_default;    // an older name of the runtime's default is understood
};

// A SeccompProfile or an AppArmorProfile.
template <class Profile>
void CheckAgreement(std::string_view annotation, const Profile& profile, ProfileWords words, const Path& path,
                    FieldErrors& errors) {
  const auto type_differs = [&] {
    errors.Forbidden(path / "type", fmt::format("{} type in annotation and field must match", words.what));
  };
  if (profile.type == "Unconfined") {
    if (annotation != "unconfined") type_differs();
  } else if (profile.type == "RuntimeDefault") {
    if (annotation != "runtime/default" && !(words.docker_default && annotation == "docker/default")) type_differs();
  } else if (profile.type == "Localhost") {
    if (!annotation.starts_with(kLocalhost)) {
      type_differs();
    } else if (!profile.localhostProfile || *profile.localhostProfile != annotation.substr(kLocalhost.size())) {
      errors.Forbidden(path / "localhostProfile",
                       fmt::format("{} profile in annotation and field must match", words.what));
    }
  }
}

const String* FindWithSuffix(const Map<String>& annotations, std::string_view prefix, std::string_view name) {
  return annotations.find(std::string(prefix).append(name));
}

}  // namespace

void CheckAnnotationKeys(const Map<String>& annotations, const Path& path, FieldErrors& errors) {
  size_t size = 0;
  for (const auto& [key, value] : annotations) {
    size += key.size() + value.size();
    if (names::IsQualifiedName(key)) continue;
    errors.InvalidForEach(path, key, names::CheckQualifiedName(AsciiLower(key)));
  }
  if (size > kMaxAnnotations) errors.TooLong(path, kMaxAnnotations);
}

void CheckPodAnnotations(const Map<String>& annotations, const corev1::PodSpec& spec, const Path& path,
                         FieldErrors& errors, const Map<String>* old) {
  if (annotations.empty()) return;
  if (const String* mirror = annotations.find(kMirror); mirror != nullptr && spec.nodeName.empty()) {
    errors.Invalid(path.Key(kMirror), Json(*mirror), "must set spec.nodeName if mirror pod annotation is set");
  }
  if (const String* text = annotations.find(kTolerations); text != nullptr && !text->empty()) {
    const Result<List<corev1::Toleration>> tolerations = FromJson<List<corev1::Toleration>>(*text);
    if (!tolerations) {
      errors.Invalid(path, Json(kTolerations), tolerations.error().message());
    } else {
      CheckTolerations(*tolerations, path / kTolerations, errors);
    }
  }
  const String* cost = annotations.find(kDeletionCost);
  if (!IsDeletionCost(cost) && (old == nullptr || IsDeletionCost(old->find(kDeletionCost)))) {
    errors.Invalid(path.Key(kDeletionCost), Json(*cost), "must be a 32bit integer");
  }
  if (const String* profile = annotations.find(kPodSeccomp)) {
    CheckSeccompAnnotation(*profile, path / kPodSeccomp, errors);
  }
  for (const auto& [key, profile] : annotations) {
    if (key.view().starts_with(kContainerSeccomp)) CheckSeccompAnnotation(profile, path / key, errors);
  }
  for (const auto& [key, profile] : annotations) {
    if (key.view().starts_with(kAppArmor)) CheckAppArmorAnnotation(key, profile, spec, path.Key(key), errors);
  }
}

void CheckPodAnnotationUpdate(const corev1::Pod& pod, const corev1::Pod& old, FieldErrors& errors) {
  const Path metadata("metadata");
  const Path path = metadata / "annotations";
  for (const auto& [key, value] : old.metadata.annotations) {
    const String* now = pod.metadata.annotations.find(key);
    if (now != nullptr && *now == value) continue;
    if (key.view().starts_with(kAppArmor)) {
      errors.Forbidden(path.Key(key), "may not remove or update AppArmor annotations");
    }
    if (key == kMirror) errors.Forbidden(path.Key(key), "may not remove or update mirror pod annotation");
  }
  for (const auto& [key, value] : pod.metadata.annotations) {
    if (old.metadata.annotations.contains(key)) continue;
    if (key.view().starts_with(kAppArmor)) errors.Forbidden(path.Key(key), "may not add AppArmor annotations");
    if (key == kMirror) errors.Forbidden(path.Key(key), "may not add mirror pod annotation");
  }
  CheckPodAnnotations(pod.metadata.annotations, pod.spec, path, errors, &old.metadata.annotations);
}

void CheckProfilesAgree(const metav1::ObjectMeta& metadata, const corev1::PodSpec& spec, const Path& spec_path,
                        FieldErrors& errors) {
  const Map<String>& annotations = metadata.annotations;
  if (annotations.empty()) return;
  const corev1::PodSecurityContext& of_pod = spec.securityContext.OrDefault();
  constexpr ProfileWords kSeccompWords = {"seccomp", true};
  if (of_pod.seccompProfile) {
    if (const String* annotation = annotations.find(kPodSeccomp)) {
      const Path context = spec_path / "securityContext";
      CheckAgreement(*annotation, *of_pod.seccompProfile, kSeccompWords, context / "seccompProfile", errors);
    }
  }
  VisitContainers(spec, spec_path, [&](const corev1::Container& container, const Path& path) {
    const auto& own = container.securityContext.OrDefault().seccompProfile;
    const String* annotation = own ? FindWithSuffix(annotations, kContainerSeccomp, container.name) : nullptr;
    if (annotation == nullptr) return;
    const Path context = path / "securityContext";
    CheckAgreement(*annotation, *own, kSeccompWords, context / "seccompProfile", errors);
  });
  if (spec.os && spec.os->name == "windows") return;
  VisitContainers(spec, spec_path, [&](const corev1::Container& container, const Path& path) {
    const auto& own = container.securityContext.OrDefault().appArmorProfile;
    const auto& profile = own ? own : of_pod.appArmorProfile;
    const String* annotation = profile ? FindWithSuffix(annotations, kAppArmor, container.name) : nullptr;
    if (annotation == nullptr) return;
    const Path context = path / "securityContext";
    CheckAgreement(*annotation, *profile, {"apparmor", false}, context / "appArmorProfile", errors);
  });
}

}  // namespace keelson::apiserver
