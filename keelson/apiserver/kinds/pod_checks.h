// The parts of the checks of a pod spec, for each other.
#pragma once

#include <array>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "keelson/api/core/v1.h"
#include "keelson/apiserver/kinds/field_errors.h"
#include "keelson/apiserver/kinds/name_set.h"
#include "keelson/apiserver/kinds/path.h"
#include "keelson/apiserver/kinds/pod_spec.h"

namespace keelson::apiserver {

// The volumes of a pod that are as they should be, by name. Allocates only when there are many.
class VolumeIndex {
 public:
  void Insert(const corev1::Volume& volume) {
    if (size_ < few_.size()) {
      few_[size_++] = &volume;
    } else {
      many_.emplace(volume.name.view(), &volume);
    }
  }
  const corev1::Volume* Find(std::string_view name) const {
    for (size_t i = 0; i < size_; ++i) {
      if (few_[i]->name == name) return few_[i];
    }
    const auto found = many_.empty() ? many_.end() : many_.find(name);
    return found == many_.end() ? nullptr : found->second;
  }

 private:
  std::array<const corev1::Volume*, 16> few_ = {};
  size_t size_ = 0;
  std::unordered_map<std::string_view, const corev1::Volume*> many_ = {};
};

// pod_volume_checks.cc: fills `index` with the volumes that have no error.
void CheckVolumes(const corev1::PodSpec& spec, const Path& path, FieldErrors& errors, const PodCheckOptions& options,
                  VolumeIndex& index);
// "a/b" without ".." and not absolute.
void CheckDescendingPath(std::string_view text, const Path& path, FieldErrors& errors);
void CheckNoBackstep(std::string_view text, const Path& path, FieldErrors& errors);
bool HasBackstep(std::string_view text);
void CheckPullPolicy(std::string_view policy, const Path& path, FieldErrors& errors);

// pod_env_checks.cc
void CheckEnv(const List<corev1::EnvVar>& variables, const Path& path, FieldErrors& errors);
void CheckEnvFrom(const List<corev1::EnvFromSource>& sources, const Path& path, FieldErrors& errors);
enum class FieldRefPlace { kEnv, kVolume };
void CheckFieldRef(const corev1::ObjectFieldSelector& selector, FieldRefPlace place, const Path& path,
                   FieldErrors& errors);
void CheckResourceFieldRef(const corev1::ResourceFieldSelector& selector, FieldRefPlace place, const Path& path,
                           FieldErrors& errors);

// pod_container_checks.cc
struct ContainerCheck {
  const corev1::PodSpec& spec;
  const VolumeIndex& volumes;
  const NameSet& claims;
  const PodCheckOptions& options;
};
void CheckContainers(const ContainerCheck& check, const Path& spec_path, FieldErrors& errors);
void CheckInitContainers(const ContainerCheck& check, const Path& spec_path, FieldErrors& errors);
void CheckEphemeralContainers(const ContainerCheck& check, const Path& spec_path, FieldErrors& errors);
void CheckImageHasNoSpace(std::string_view image, const Path& container_path, FieldErrors& errors);

// pod_security_checks.cc
void CheckContainerSecurity(const corev1::SecurityContext& context, bool host_users, const Path& path,
                            FieldErrors& errors);
void CheckPodSecurity(const corev1::PodSpec& spec, const Path& path, FieldErrors& errors,
                      const PodCheckOptions& options);
void CheckAppArmorProfile(const corev1::AppArmorProfile& profile, const Path& path, FieldErrors& errors);
void CheckOs(const corev1::PodSpec& spec, const Path& path, FieldErrors& errors);
void CheckWindowsHostProcess(const corev1::PodSpec& spec, const Path& path, FieldErrors& errors);
void CheckUserId(int64_t id, const Path& path, FieldErrors& errors);
void CheckGroupId(int64_t id, const Path& path, FieldErrors& errors);

// pod_scheduling_checks.cc
void CheckAffinity(const corev1::Affinity& affinity, const Path& path, FieldErrors& errors,
                   const PodCheckOptions& options);
void CheckTolerations(const List<corev1::Toleration>& tolerations, const Path& path, FieldErrors& errors);
void CheckSpreadConstraints(const List<corev1::TopologySpreadConstraint>& constraints, const Path& path,
                            FieldErrors& errors, const PodCheckOptions& options);

// pod_annotation_checks.cc
// Keys and the size of all together.
void CheckAnnotationKeys(const Map<String>& annotations, const Path& path, FieldErrors& errors);
void CheckPodAnnotations(const Map<String>& annotations, const corev1::PodSpec& spec, const Path& path,
                         FieldErrors& errors, const Map<String>* old);
void CheckPodAnnotationUpdate(const corev1::Pod& pod, const corev1::Pod& old, FieldErrors& errors);
// Profiles that are given by a field and by an annotation must agree.
void CheckProfilesAgree(const metav1::ObjectMeta& metadata, const corev1::PodSpec& spec, const Path& spec_path,
                        FieldErrors& errors);

// pod_update_checks.cc, pod_resize_checks.cc, pod_status_checks.cc
void CheckPodUpdate(const corev1::Pod& pod, const corev1::Pod& old, FieldErrors& errors);
void CheckEphemeralContainersUpdate(const corev1::Pod& pod, const corev1::Pod& old, FieldErrors& errors);
void CheckPodResize(const corev1::Pod& pod, const corev1::Pod& old, FieldErrors& errors);
void CheckPodStatusUpdate(const corev1::Pod& pod, const corev1::Pod& old, FieldErrors& errors);

}  // namespace keelson::apiserver
