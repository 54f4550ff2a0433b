// What the kinds that make pods from a template share.
#pragma once

#include <initializer_list>

#include "keelson/api/core/v1.h"
#include "keelson/api/meta/v1.h"
#include "keelson/apiserver/kinds/field_errors.h"
#include "keelson/apiserver/kinds/path.h"

namespace keelson::apiserver {

// Whether the selector selects pods of the template; a selector that is no valid one selects none. An absent one, too.
bool SelectsLabels(const Optional<metav1::LabelSelector>& selector, const Map<String>& labels);
bool IsValidSelector(const Optional<metav1::LabelSelector>& selector);

// A selector that is required and not empty. `kind` as upstream says it: "deployment".
void CheckRequiredSelector(const Optional<metav1::LabelSelector>& selector, std::string_view kind, const Path& path,
                           FieldErrors& errors);
// The labels of the template must match.
void CheckSelectsTemplate(const Optional<metav1::LabelSelector>& selector, const corev1::PodTemplateSpec& pod_template,
                          const Path& template_path, FieldErrors& errors);
// Pods of workloads run for ever: restartPolicy Always, no deadline.
void CheckRunsForever(const corev1::PodSpec& spec, std::string_view kind, const Path& spec_path, FieldErrors& errors);

struct Count {
  std::string_view name;
  int64_t value;
};
void CheckCounts(std::initializer_list<Count> counts, const Path& path, FieldErrors& errors);
void CheckAtMost(std::initializer_list<Count> counts, int64_t most, std::string_view detail, const Path& path,
                 FieldErrors& errors);
// Hashes that collided are only ever counted up.
void CheckCollisionCount(const Optional<int32_t>& now, const Optional<int32_t>& old, const Path& status,
                         FieldErrors& errors);
void CheckSelectorIsSame(const Optional<metav1::LabelSelector>& now, const Optional<metav1::LabelSelector>& old,
                         const Path& path, FieldErrors& errors);
// As errors show it: null when absent.
std::string ShownSelector(const Optional<metav1::LabelSelector>& selector);
std::string ShownLabels(const Map<String>& labels);

}  // namespace keelson::apiserver
