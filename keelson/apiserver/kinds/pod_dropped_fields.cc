#include <algorithm>

#include "keelson/apiserver/kinds/pod_spec.h"

namespace keelson::apiserver {

namespace {

// Whether any container, of whatever sort, has something.
template <class Predicate>
bool AnyContainer(const corev1::PodSpec* spec, Predicate has) {
  return spec != nullptr && (std::any_of(spec->containers.begin(), spec->containers.end(), has) ||
                             std::any_of(spec->initContainers.begin(), spec->initContainers.end(), has) ||
                             std::any_of(spec->ephemeralContainers.begin(), spec->ephemeralContainers.end(), has));
}

constexpr auto kHasStopSignal = [](const auto& container) {
  return container.lifecycle && container.lifecycle->stopSignal;
};

void DropStopSignals(corev1::PodSpec& spec, const corev1::PodSpec* old) {
  if (!AnyContainer(&spec, kHasStopSignal) || AnyContainer(old, kHasStopSignal)) return;
  const auto drop = [](auto& containers) {
    for (auto& container : containers.Mutable()) {
      if (!kHasStopSignal(container)) continue;
      container.lifecycle->stopSignal.reset();
      if (!container.lifecycle->postStart && !container.lifecycle->preStop) container.lifecycle.reset();
    }
  };
  drop(spec.containers);
  drop(spec.initContainers);
  drop(spec.ephemeralContainers);
}

template <class Projection>
bool Projects(const corev1::PodSpec* spec, Optional<Projection> corev1::VolumeProjection::* source) {
  if (spec == nullptr) return false;
  for (const corev1::Volume& volume : spec->volumes) {
    if (!volume.projected) continue;
    for (const corev1::VolumeProjection& one : volume.projected->sources) {
      if (one.*source) return true;
    }
  }
  return false;
}

template <class Projection>
void DropProjection(corev1::PodSpec& spec, const corev1::PodSpec* old,
                    Optional<Projection> corev1::VolumeProjection::* source) {
  if (!Projects(&spec, source) || Projects(old, source)) return;
  for (corev1::Volume& volume : spec.volumes.Mutable()) {
    if (!volume.projected) continue;
    for (corev1::VolumeProjection& one : volume.projected->sources.Mutable()) (one.*source).reset();
  }
}

}  // namespace

void DropDisabledFields(corev1::PodSpec& spec, const corev1::PodSpec* old) {
  DropStopSignals(spec, old);
  DropProjection(spec, old, &corev1::VolumeProjection::clusterTrustBundle);
  DropProjection(spec, old, &corev1::VolumeProjection::podCertificate);
  if (spec.schedulingGroup && (old == nullptr || !old->schedulingGroup)) spec.schedulingGroup.reset();
}

}  // namespace keelson::apiserver
