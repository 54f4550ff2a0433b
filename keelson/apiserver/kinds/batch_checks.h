// The parts of the rules of Job and CronJob, for each other.
#pragma once

#include "keelson/api/batch/v1.h"
#include "keelson/apiserver/kinds/field_errors.h"
#include "keelson/apiserver/kinds/path.h"

namespace keelson::apiserver {

// Everything but the selector, which a CronJob does not have.
void CheckJobTemplateSpec(const batchv1::JobSpec& spec, const Path& path, FieldErrors& errors,
                          const corev1::PodTemplateSpec* old);
void CheckJobStatusUpdate(const batchv1::Job& job, const batchv1::Job& old, FieldErrors& errors);
bool HasTrueCondition(const batchv1::Job& job, std::string_view type);

// "1,3-5": how many there are, or what is wrong.
struct IndexCount {
  int32_t count = 0;
  std::string error = {};
};
IndexCount CountIndexes(std::string_view indexes, int32_t completions);

}  // namespace keelson::apiserver
