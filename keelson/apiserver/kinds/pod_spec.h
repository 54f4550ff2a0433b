// What a pod spec asks of the server wherever it stands: in a Pod, or in the template of a workload.
//
//   SetPodTemplateDefaults(deployment.spec.template_);
//   CheckPodTemplate(deployment.spec.template_, template_path, errors);
//
// The files pod_*.cc each hold one part of it.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "keelson/api/core/v1.h"
#include "keelson/apiserver/kinds/field_errors.h"
#include "keelson/apiserver/kinds/name_set.h"
#include "keelson/apiserver/kinds/path.h"

namespace keelson::apiserver {

// pod_defaults.cc

void SetPodDefaults(corev1::Pod& pod);
// Less than for a Pod: limits do not become requests, ports of the host's network not host ports.
void SetPodTemplateDefaults(corev1::PodTemplateSpec& pod_template);
// Amounts are kept in thousandths, rounded up, and written canonically.
void RoundResources(corev1::ResourceList& resources);
// Whether an image is the newest one: its tag is "latest", or it has neither tag nor digest.
bool IsLatestImage(std::string_view image);

// pod_dropped_fields.cc

// Fields of features that a server of this version has switched off by default. What the old one has stays.
void DropDisabledFields(corev1::PodSpec& spec, const corev1::PodSpec* old);

// pod_spec_checks.cc

struct PodCheckOptions {
  // The spec is that of a Pod and not of a template.
  const metav1::ObjectMeta* pod = nullptr;
  // The spec that this one replaces: what was wrong there already is tolerated where upstream tolerates it.
  const corev1::PodSpec* old = nullptr;
};

void CheckPodSpec(const corev1::PodSpec& spec, const Path& path, FieldErrors& errors,
                  const PodCheckOptions& options = {});
void CheckPodTemplate(const corev1::PodTemplateSpec& pod_template, const Path& path, FieldErrors& errors,
                      const corev1::PodTemplateSpec* old = nullptr);
// The spec and annotations of a Pod, new or updated.
void CheckPodBody(const corev1::Pod& pod, FieldErrors& errors, const corev1::Pod* old = nullptr);

// Every container with its path: init, regular, ephemeral. An ephemeral one has the fields of a container.
using ContainerVisitor = std::function<void(const corev1::Container& container, const Path& path)>;
void VisitContainers(const corev1::PodSpec& spec, const Path& spec_path, const ContainerVisitor& visit);
corev1::Container AsContainer(const corev1::EphemeralContainer& ephemeral);

// Warnings for something accepted but unwise; `prefix` is where the template stands ("spec.template"), empty for a Pod.
void WarnOfPodSpec(const corev1::PodSpec& spec, const metav1::ObjectMeta& metadata, std::string_view prefix,
                   std::vector<std::string>& warnings);
inline void WarnOfPodTemplate(const corev1::PodTemplateSpec& pod_template, std::string_view prefix,
                              std::vector<std::string>& warnings) {
  WarnOfPodSpec(pod_template.spec, pod_template.metadata, prefix, warnings);
}

// Guaranteed, Burstable or BestEffort.
std::string_view QosClassOf(const corev1::PodSpec& spec);

}  // namespace keelson::apiserver
