#include "keelson/apiserver/kinds/workload_checks.h"

#include <fmt/format.h>

#include "keelson/api/label_selector_struct.h"
#include "keelson/apiserver/kinds/checks_common.h"
#include "keelson/codec/json_writer.h"

namespace keelson::apiserver {

std::string ShownSelector(const Optional<metav1::LabelSelector>& selector) {
  return selector ? ToJson(*selector) : "null";
}

std::string ShownLabels(const Map<String>& labels) { return labels.empty() ? "null" : ToJson(labels); }

bool IsValidSelector(const Optional<metav1::LabelSelector>& selector) {
  return !selector || labels::FromStruct(*selector).has_value();
}

bool SelectsLabels(const Optional<metav1::LabelSelector>& selector, const Map<String>& labels) {
  if (!selector) return false;
  const auto compiled = labels::FromStruct(*selector);
  return compiled && compiled->Matches(labels);
}

void CheckRequiredSelector(const Optional<metav1::LabelSelector>& selector, std::string_view kind, const Path& path,
                           FieldErrors& errors) {
  if (!selector) return errors.Required(path, "");
  CheckLabelSelector(*selector, path, errors);
  if (IsEmptySelector(*selector)) {
    errors.InvalidShown(path, ShownSelector(selector), fmt::format("empty selector is invalid for {}", kind));
  }
}

void CheckSelectsTemplate(const Optional<metav1::LabelSelector>& selector, const corev1::PodTemplateSpec& pod_template,
                          const Path& template_path, FieldErrors& errors) {
  if (SelectsLabels(selector, pod_template.metadata.labels)) return;
  const Path metadata = template_path / "metadata";
  errors.InvalidShown(metadata / "labels", ShownLabels(pod_template.metadata.labels),
                      "`selector` does not match template `labels`");
}

void CheckRunsForever(const corev1::PodSpec& spec, std::string_view kind, const Path& spec_path, FieldErrors& errors) {
  if (spec.restartPolicy != "Always") {
    errors.NotSupported(spec_path / "restartPolicy", Json(spec.restartPolicy), {"Always"});
  }
  if (spec.activeDeadlineSeconds) {
    errors.Forbidden(spec_path / "activeDeadlineSeconds",
                     fmt::format("activeDeadlineSeconds in {} is not Supported", kind));
  }
}

void CheckCounts(std::initializer_list<Count> counts, const Path& path, FieldErrors& errors) {
  for (const Count& count : counts) CheckNonNegative(count.value, path / count.name, errors);
}

void CheckAtMost(std::initializer_list<Count> counts, int64_t most, std::string_view detail, const Path& path,
                 FieldErrors& errors) {
  for (const Count& count : counts) {
    if (count.value > most) errors.Invalid(path / count.name, Json(count.value), detail);
  }
}

void CheckCollisionCount(const Optional<int32_t>& now, const Optional<int32_t>& old, const Path& status,
                         FieldErrors& errors) {
  if (!old || (now && *now >= *old)) return;
  errors.Invalid(status / "collisionCount", Json(now.value_or(0)), "cannot be decremented");
}

void CheckSelectorIsSame(const Optional<metav1::LabelSelector>& now, const Optional<metav1::LabelSelector>& old,
                         const Path& path, FieldErrors& errors) {
  if (!(now == old)) errors.InvalidShown(path, ShownSelector(now), kFieldIsImmutable);
}

}  // namespace keelson::apiserver
