#include <fmt/format.h>

#include "keelson/api/compare.h"
#include "keelson/apiserver/kinds/batch_checks.h"
#include "keelson/apiserver/kinds/checks_common.h"
#include "keelson/apiserver/kinds/internal_form.h"
#include "keelson/apiserver/kinds/name_set.h"
#include "keelson/codec/json_writer.h"

namespace keelson::apiserver {

namespace {

struct State {
  explicit State(const batchv1::Job& job)
      : complete(HasTrueCondition(job, "Complete")),
        failed(HasTrueCondition(job, "Failed")),
        failure_target(HasTrueCondition(job, "FailureTarget")),
        success_met(HasTrueCondition(job, "SuccessCriteriaMet")) {}
  bool finished() const { return complete || failed; }

  const bool complete;
  const bool failed;
  const bool failure_target;
  const bool success_met;
};

void CheckUncounted(const batchv1::UncountedTerminatedPods& pods, const Path& path, FieldErrors& errors) {
  NameSet seen;
  const auto check = [&](const List<String>& uids, const Path& list) {
    for (size_t i = 0; i < uids.size(); ++i) {
      if (uids[i].empty()) {
        errors.Invalid(list[i], Json(uids[i]), "must not be empty");
      } else if (!seen.Insert(uids[i])) {
        errors.Duplicate(list[i], Json(uids[i]));
      }
    }
  };
  check(pods.succeeded, path / "succeeded");
  check(pods.failed, path / "failed");
}

bool HasFalseSuspended(const batchv1::Job& job) {
  for (const batchv1::JobCondition& condition : job.status.conditions) {
    if (condition.type == "Suspended" && condition.status == "False") return true;
  }
  return false;
}

template <class T>
std::string ShownOptional(const Optional<T>& value) {
  return value ? ToJson(*value) : "null";
}

}  // namespace

// A rule is applied where the fields that it is about change, so that a status which broke it before can still be
// updated elsewhere.
void CheckJobStatusUpdate(const batchv1::Job& job, const batchv1::Job& old, FieldErrors& errors) {
  const Path path("status");
  const Path conditions = path / "conditions";
  const Path completion = path / "completionTime";
  const batchv1::JobStatus& status = job.status;
  const batchv1::JobStatus& before = old.status;
  const State now(job);
  const State then(old);
  const bool finished_changed = now.finished() != then.finished();
  const bool complete_changed = now.complete != then.complete;
  const bool failed_changed = now.failed != then.failed;
  const bool start_changed = !(status.startTime == before.startTime);
  const bool completion_changed = !(status.completionTime == before.completionTime);
  const bool active_changed = status.active != before.active;
  const bool indexes_changed = status.completedIndexes != before.completedIndexes;
  const bool failed_indexes_changed = !(status.failedIndexes == before.failedIndexes);
  const bool indexed = job.spec.completionMode && *job.spec.completionMode == "Indexed";

  CheckNonNegative(status.active, path / "active", errors);
  CheckNonNegative(status.succeeded, path / "succeeded", errors);
  CheckNonNegative(status.failed, path / "failed", errors);
  if (status.ready) CheckNonNegative(*status.ready, path / "ready", errors);
  if (status.terminating) CheckNonNegative(*status.terminating, path / "terminating", errors);
  if (status.uncountedTerminatedPods) {
    CheckUncounted(*status.uncountedTerminatedPods, path / "uncountedTerminatedPods", errors);
  }
  if ((complete_changed || failed_changed) && now.complete && now.failed) {
    errors.InvalidHidden(conditions, "cannot set Complete=True and Failed=true conditions");
  }
  if ((complete_changed || now.failure_target != then.failure_target) && now.complete && now.failure_target) {
    errors.InvalidHidden(conditions, "cannot set Complete=True and FailureTarget=true conditions");
  }
  if (complete_changed || completion_changed) {
    if (status.completionTime && !now.complete) {
      errors.InvalidShown(completion, ShownOptional(status.completionTime),
                          "cannot set completionTime when there is no Complete=True condition");
    }
    if (!status.completionTime && now.complete) {
      errors.Required(completion, "completionTime is required for Complete jobs");
    }
  }
  if ((start_changed || completion_changed) && status.startTime && status.completionTime &&
      *status.completionTime < *status.startTime) {
    errors.InvalidShown(completion, ShownOptional(status.completionTime), "must be equal to or after `startTime`");
  }
  if ((failed_changed || failed_indexes_changed) && now.failed && !now.failure_target) {
    errors.InvalidHidden(conditions, "cannot set Failed=True condition without the FailureTarget=true condition");
  }
  if ((complete_changed || now.success_met != then.success_met) && now.complete && !now.success_met) {
    errors.InvalidHidden(conditions,
                         "cannot set Complete=True condition without the SuccessCriteriaMet=true condition");
  }
  if ((finished_changed || active_changed) && status.active > 0 && now.finished()) {
    errors.Invalid(path / "active", Json(status.active), "active>0 is invalid for finished job");
  }
  const bool suspended_without_work = job.spec.suspend.value_or(false) && job.spec.completions == 0;
  if ((finished_changed || start_changed) && !suspended_without_work && !status.startTime && now.finished()) {
    errors.Required(path / "startTime", "startTime is required for finished job");
  }
  if ((finished_changed || !(status.uncountedTerminatedPods == before.uncountedTerminatedPods)) && now.finished() &&
      status.uncountedTerminatedPods &&
      (!status.uncountedTerminatedPods->failed.empty() || !status.uncountedTerminatedPods->succeeded.empty())) {
    errors.InvalidShown(path / "uncountedTerminatedPods", InternalForm(*status.uncountedTerminatedPods),
                        "must be empty for finished job");
  }
  if (indexes_changed && job.spec.completions) {
    const IndexCount counted = CountIndexes(status.completedIndexes, *job.spec.completions);
    if (!counted.error.empty()) {
      errors.Invalid(path / "completedIndexes", Json(status.completedIndexes),
                     "error parsing completedIndexes: " + counted.error);
    }
  }
  const Path failed_indexes = path / "failedIndexes";
  if (failed_indexes_changed && job.spec.completions && job.spec.backoffLimitPerIndex && status.failedIndexes) {
    const IndexCount counted = CountIndexes(*status.failedIndexes, *job.spec.completions);
    if (!counted.error.empty()) {
      errors.Invalid(failed_indexes, Json(*status.failedIndexes), "error parsing failedIndexes: " + counted.error);
    }
  }
  if (indexes_changed && !status.completedIndexes.empty() && !indexed) {
    errors.Invalid(path / "completedIndexes", Json(status.completedIndexes),
                   "cannot set non-empty completedIndexes when non-indexed completion mode");
  }
  if (failed_indexes_changed && !job.spec.backoffLimitPerIndex && status.failedIndexes) {
    errors.Invalid(failed_indexes, Json(*status.failedIndexes),
                   "cannot set non-null failedIndexes when backoffLimitPerIndex is null");
  }
  if ((finished_changed || !(status.terminating == before.terminating)) && status.terminating.value_or(0) > 0 &&
      now.finished()) {
    errors.Invalid(path / "terminating", Json(*status.terminating), "terminating>0 is invalid for finished job");
  }
  if ((active_changed || !(status.ready == before.ready)) && status.ready && *status.ready > status.active) {
    errors.Invalid(path / "ready", Json(*status.ready), "cannot set more ready pods than active");
  }
  if (now.success_met && now.failed) {
    errors.InvalidHidden(conditions, "cannot set SuccessCriteriaMet=True and Failed=true conditions");
  }
  if (now.success_met && now.failure_target) {
    errors.InvalidHidden(conditions, "cannot set SuccessCriteriaMet=True and FailureTarget=true conditions");
  }
  if (job.spec.successPolicy && !now.success_met && now.complete) {
    errors.InvalidHidden(conditions,
                         "cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True");
  }

  for (const std::string_view type : {"Failed", "Complete", "FailureTarget"}) {
    if (HasTrueCondition(old, type) && !HasTrueCondition(job, type)) {
      errors.InvalidHidden(conditions, fmt::format("cannot disable the terminal {}=True condition", type));
    }
  }
  if (status.failed < before.failed) {
    errors.Invalid(path / "failed", Json(status.failed), "cannot decrease the failed counter");
  }
  if (status.succeeded < before.succeeded && (!indexed || !(job.spec.completions == job.spec.parallelism))) {
    errors.Invalid(path / "succeeded", Json(status.succeeded), "cannot decrease the succeeded counter");
  }
  if (status.completionTime && before.completionTime && completion_changed) {
    errors.InvalidShown(completion, ShownOptional(status.completionTime), kFieldIsImmutable);
  }
  const bool resuming = HasTrueCondition(old, "Suspended") && HasFalseSuspended(job);
  if (start_changed && !resuming && before.startTime && !job.spec.suspend.value_or(false)) {
    errors.InvalidShown(path / "startTime", ShownOptional(status.startTime),
                        "field is immutable for unsuspended job once set");
  }
  if (then.success_met && !now.success_met) {
    errors.InvalidHidden(conditions, "cannot disable the SuccessCriteriaMet=True condition");
  }
  if (then.complete && !then.success_met && now.success_met) {
    errors.InvalidHidden(conditions, "cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions");
  }
}

}  // namespace keelson::apiserver
