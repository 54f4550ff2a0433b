// Job and CronJob: what is set when they are written, and which checks apply when.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "keelson/apiserver/kinds/batch_checks.h"
#include "keelson/apiserver/kinds/builtin_rules.h"
#include "keelson/apiserver/kinds/checks_common.h"
#include "keelson/apiserver/kinds/cron_schedule.h"
#include "keelson/apiserver/kinds/internal_form.h"
#include "keelson/apiserver/kinds/pod_spec.h"
#include "keelson/apiserver/kinds/workload_checks.h"
#include "keelson/codec/json_writer.h"
#include "keelson/core/ascii.h"

namespace keelson::apiserver {

namespace {

constexpr std::string_view kOldName = "job-name";
constexpr std::string_view kName = "batch.kubernetes.io/job-name";
constexpr std::string_view kOldUid = "controller-uid";
constexpr std::string_view kUid = "batch.kubernetes.io/controller-uid";
constexpr size_t kMaxCronJobName = 52;
constexpr const char* kTimeZones = "/usr/share/zoneinfo";

template <class T>
void Default(Optional<T>& field, T value) {
  if (!field) field = std::move(value);
}

void SetFailurePolicyDefaults(batchv1::JobSpec& spec) {
  if (!spec.podFailurePolicy) return;
  for (batchv1::PodFailurePolicyRule& rule : spec.podFailurePolicy->rules.Mutable()) {
    for (batchv1::PodFailurePolicyOnPodConditionsPattern& pattern : rule.onPodConditions.Mutable()) {
      if (pattern.status.empty()) pattern.status = "True";
    }
  }
}

void SetJobDefaults(batchv1::Job& job) {
  batchv1::JobSpec& spec = job.spec;
  if (!spec.completions && !spec.parallelism) spec.completions = 1;
  Default(spec.parallelism, 1);
  Default(spec.backoffLimit, spec.backoffLimitPerIndex ? INT32_MAX : 6);
  if (job.metadata.labels.empty()) job.metadata.labels = spec.template_.metadata.labels;
  Default(spec.completionMode, String("NonIndexed"));
  Default(spec.suspend, false);
  Default(spec.podReplacementPolicy, String(spec.podFailurePolicy ? "Failed" : "TerminatingOrFailed"));
  Default(spec.manualSelector, false);
  SetPodTemplateDefaults(spec.template_);
  SetFailurePolicyDefaults(spec);
}

// Pods of a job are told apart by its uid, unless it says how.
Result<void> PrepareJobCreate(batchv1::Job& job, WriteContext&) {
  DropDisabledFields(job.spec.template_.spec, nullptr);
  if (job.spec.manualSelector.value_or(false)) return {};
  Map<String>& labels = job.spec.template_.metadata.labels;
  // Labels that the job has from its template are those of the template, the generated ones among them.
  const bool from_template = job.metadata.labels == labels;
  for (const std::string_view key : {kOldName, kName}) {
    if (!labels.contains(key)) labels.Set(String(key), job.metadata.name);
  }
  for (const std::string_view key : {kOldUid, kUid}) {
    if (!labels.contains(key)) labels.Set(String(key), job.metadata.uid);
  }
  if (from_template) job.metadata.labels = labels;
  Map<String>& selected = job.spec.selector.Ensure().matchLabels;
  if (!selected.contains(kUid)) selected.Set(String(kUid), job.metadata.uid);
  return {};
}

Result<void> PrepareJobUpdate(batchv1::Job& job, const batchv1::Job& old, WriteContext&) {
  DropDisabledFields(job.spec.template_.spec, &old.spec.template_.spec);
  return {};
}

void RequireLabel(const batchv1::Job& job, std::string_view key, const String& value, FieldErrors& errors) {
  const String* label = job.spec.template_.metadata.labels.find(key);
  const Path spec("spec");
  const Path pod_template = spec / "template";
  const Path metadata = pod_template / "metadata";
  const Path labels = metadata / "labels";
  if (label == nullptr) {
    errors.Required(labels.Key(key), fmt::format("must be '{}'", value.view()));
  } else if (*label != value) {
    errors.InvalidShown(labels.Key(key), ShownLabels(job.spec.template_.metadata.labels),
                        fmt::format("must be '{}'", value.view()));
  }
}

void CheckGeneratedSelector(const batchv1::Job& job, bool prefixed, FieldErrors& errors) {
  if (job.spec.manualSelector.value_or(false) || !job.spec.selector) return;
  RequireLabel(job, kOldUid, job.metadata.uid, errors);
  RequireLabel(job, kOldName, job.metadata.name, errors);
  Map<String> expected = {{String(kOldUid), job.metadata.uid}, {String(kOldName), job.metadata.name}};
  if (prefixed) {
    RequireLabel(job, kUid, job.metadata.uid, errors);
    RequireLabel(job, kName, job.metadata.name, errors);
    expected.Set(String(kUid), job.metadata.uid);
    expected.Set(String(kName), job.metadata.name);
  }
  if (IsValidSelector(job.spec.selector) && !SelectsLabels(job.spec.selector, expected)) {
    const Path spec("spec");
    errors.InvalidShown(spec / "selector", ShownSelector(job.spec.selector), "`selector` not auto-generated");
  }
}

void CheckJobSpec(const batchv1::JobSpec& spec, const corev1::PodTemplateSpec* old, FieldErrors& errors) {
  const Path path("spec");
  CheckJobTemplateSpec(spec, path, errors, old);
  if (!spec.selector) {
    errors.Required(path / "selector", "");
  } else {
    CheckLabelSelector(*spec.selector, path / "selector", errors);
  }
  if (IsValidSelector(spec.selector)) CheckSelectsTemplate(spec.selector, spec.template_, path / "template", errors);
}

void CheckWholeJob(const batchv1::Job& job, bool prefixed, const corev1::PodTemplateSpec* old, FieldErrors& errors) {
  CheckGeneratedSelector(job, prefixed, errors);
  CheckJobSpec(job.spec, old, errors);
  if (!job.spec.completionMode || *job.spec.completionMode != "Indexed" || job.spec.completions.value_or(0) <= 0)
    return;
  const std::string hostname = fmt::format("{}-{}", job.metadata.name.view(), *job.spec.completions - 1);
  if (names::IsDns1123Label(hostname)) return;
  const Path metadata("metadata");
  errors.Invalid(metadata / "name", Json(job.metadata.name),
                 "will not able to create pod with invalid DNS label: " + hostname);
}

void CheckJob(const batchv1::Job& job, FieldErrors& errors) { CheckWholeJob(job, true, nullptr, errors); }

bool IsSuspended(const batchv1::Job& job) { return job.spec.suspend.value_or(false); }

// A job that is suspended and has no pods may still get another template, in part.
bool HasMutableTemplate(const batchv1::Job& job) {
  return IsSuspended(job) && (!job.status.startTime || HasTrueCondition(job, "Suspended")) && job.status.active == 0;
}

void CheckTemplateUpdate(const batchv1::Job& job, const batchv1::Job& old, const Path& path, FieldErrors& errors) {
  const corev1::PodTemplateSpec& now = job.spec.template_;
  corev1::PodTemplateSpec before = old.spec.template_;
  if (!HasMutableTemplate(old)) {
    if (!Equal(now, before)) errors.InvalidShown(path / "template", InternalForm(now), kFieldIsImmutable);
    return;
  }
  // How it is scheduled may change.
  if (!now.spec.affinity && before.spec.affinity) {
    before.spec.affinity->nodeAffinity.reset();
    if (!before.spec.affinity->podAffinity && !before.spec.affinity->podAntiAffinity) before.spec.affinity.reset();
  } else if (now.spec.affinity) {
    before.spec.affinity.Ensure().nodeAffinity = now.spec.affinity->nodeAffinity;
  }
  before.spec.nodeSelector = now.spec.nodeSelector;
  before.spec.tolerations = now.spec.tolerations;
  before.metadata.annotations = now.metadata.annotations;
  before.metadata.labels = now.metadata.labels;
  before.spec.schedulingGates = now.spec.schedulingGates;
  // And what it asks for.
  const auto take_resources = [](List<corev1::Container>& list, const List<corev1::Container>& from) {
    for (size_t i = 0; list.size() == from.size() && i < from.size(); ++i) {
      if (std::as_const(list)[i].name == from[i].name) list[i].resources = from[i].resources;
    }
  };
  take_resources(before.spec.containers, now.spec.containers);
  take_resources(before.spec.initContainers, now.spec.initContainers);
  if (!Equal(now.spec, before.spec)) {
    errors.InvalidShown(path / "template.spec", InternalForm(now.spec), kFieldIsImmutable);
  }
}

template <class T>
void CheckSame(const Optional<T>& now, const Optional<T>& old, const Path& path, FieldErrors& errors) {
  if (!(now == old)) errors.InvalidShown(path, InternalForm(now), kFieldIsImmutable);
}

void CheckJobUpdate(const batchv1::Job& job, const batchv1::Job& old, FieldErrors& errors) {
  const Map<String>& old_labels = old.spec.template_.metadata.labels;
  const corev1::PodTemplateSpec* old_template = &old.spec.template_;
  CheckWholeJob(job, old_labels.contains(kName) && old_labels.contains(kUid), old_template, errors);
  // Upstream looks at the spec twice.
  CheckJobSpec(job.spec, old_template, errors);
  const Path path("spec");
  const Path completions = path / "completions";
  const bool indexed = job.spec.completionMode && *job.spec.completionMode == "Indexed";
  if (!indexed) {
    CheckSame(job.spec.completions, old.spec.completions, completions, errors);
  } else if (!(job.spec.completions == old.spec.completions) && job.spec.completions &&
             *job.spec.completions != job.spec.parallelism.value_or(0)) {
    errors.Invalid(completions, Json(*job.spec.completions), "can only be modified in tandem with spec.parallelism");
  }
  CheckSelectorIsSame(job.spec.selector, old.spec.selector, path / "selector", errors);
  CheckTemplateUpdate(job, old, path, errors);
  CheckSame(job.spec.completionMode, old.spec.completionMode, path / "completionMode", errors);
  CheckSame(job.spec.podFailurePolicy, old.spec.podFailurePolicy, path / "podFailurePolicy", errors);
  CheckSame(job.spec.backoffLimitPerIndex, old.spec.backoffLimitPerIndex, path / "backoffLimitPerIndex", errors);
  CheckSame(job.spec.managedBy, old.spec.managedBy, path / "managedBy", errors);
  CheckSame(job.spec.successPolicy, old.spec.successPolicy, path / "successPolicy", errors);
}

void WarnOfName(const String& name, std::vector<std::string>& warnings) {
  if (names::IsDns1123Label(name)) return;
  warnings.push_back(
      fmt::format("metadata.name: this is used in Pod names and hostnames, which can result in "
                  "surprising behavior; a DNS label is recommended: [{}]",
                  fmt::join(names::CheckDns1123Label(name), " ")));
}

void WarnOfJobSpec(const batchv1::JobSpec& spec, const std::string& path, std::vector<std::string>& warnings) {
  if (spec.completionMode == String("Indexed") && spec.completions.value_or(0) > 100000 &&
      spec.parallelism.value_or(0) > 10000) {
    warnings.push_back(path +
                       ": In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than "
                       "10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes "
                       "fail");
  }
  WarnOfPodTemplate(spec.template_, path + ".template", warnings);
}

void WarnOfJob(const batchv1::Job& job, std::vector<std::string>& warnings) {
  WarnOfName(job.metadata.name, warnings);
  WarnOfJobSpec(job.spec, "spec", warnings);
}

void ReadJobFields(const batchv1::Job& job, std::vector<std::string>& values) {
  values = {std::to_string(job.status.succeeded)};
}

void SetCronJobDefaults(batchv1::CronJob& object) {
  batchv1::CronJobSpec& spec = object.spec;
  if (spec.concurrencyPolicy.empty()) spec.concurrencyPolicy = "Allow";
  Default(spec.suspend, false);
  Default(spec.successfulJobsHistoryLimit, 3);
  Default(spec.failedJobsHistoryLimit, 1);
  SetPodTemplateDefaults(spec.jobTemplate.spec.template_);
  SetFailurePolicyDefaults(spec.jobTemplate.spec);
}

Result<void> PrepareCronJobCreate(batchv1::CronJob& object, WriteContext&) {
  DropDisabledFields(object.spec.jobTemplate.spec.template_.spec, nullptr);
  return {};
}

Result<void> PrepareCronJobUpdate(batchv1::CronJob& object, const batchv1::CronJob& old, WriteContext&) {
  DropDisabledFields(object.spec.jobTemplate.spec.template_.spec, &old.spec.jobTemplate.spec.template_.spec);
  return {};
}

// Names as the time zone database has them. Where this machine has no database, any name of the right form is taken.
void CheckTimeZone(const Optional<String>& zone, const Path& path, FieldErrors& errors) {
  if (!zone) return;
  const std::string_view name = *zone;
  if (name.empty()) return errors.Invalid(path, Json(name), "timeZone must be nil or non-empty string");
  const std::string unknown = fmt::format("unknown time zone {}", name);
  std::string_view rest = name;
  while (true) {
    const size_t slash = rest.find('/');
    const std::string_view part = rest.substr(0, slash);
    const bool valid = !part.empty() && part.size() <= 14 && part != "." && part != ".." && part[0] != '-' &&
                       std::all_of(part.begin(), part.end(), [](char c) {
                         return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                                c == '.' || c == '-' || c == '_' || c == '+';
                       });
    if (!valid) return errors.Invalid(path, Json(name), unknown);
    if (slash == std::string_view::npos) break;
    rest.remove_prefix(slash + 1);
  }
  if (AsciiLower(name) == "local") {
    errors.Invalid(path, Json(name),
                   "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones");
    if (name == "Local") return;
  }
  std::error_code failure;
  if (name == "UTC" || !std::filesystem::is_directory(kTimeZones, failure)) return;
  if (!std::filesystem::is_regular_file(std::filesystem::path(kTimeZones) / name, failure)) {
    errors.Invalid(path, Json(name), unknown);
  }
}

void CheckSchedule(const batchv1::CronJobSpec& spec, const batchv1::CronJobSpec* old, const Path& path,
                   FieldErrors& errors) {
  if (spec.schedule.empty()) return errors.Required(path, "");
  const std::string_view schedule = spec.schedule;
  if (const std::string why = WhyNoSchedule(schedule); !why.empty()) errors.Invalid(path, Json(schedule), why);
  if (schedule.find("TZ") == std::string_view::npos) return;
  const bool allowed = old != nullptr && old->schedule.view().find("TZ") != std::string_view::npos;
  if (!allowed) {
    errors.Invalid(path, Json(schedule), "cannot use TZ or CRON_TZ in schedule, use timeZone field instead");
  } else if (spec.timeZone) {
    errors.Invalid(path, Json(schedule), "cannot use both timeZone field and TZ or CRON_TZ in schedule");
  }
}

void CheckCronJobSpec(const batchv1::CronJobSpec& spec, const batchv1::CronJobSpec* old, FieldErrors& errors) {
  const Path path("spec");
  CheckSchedule(spec, old, path / "schedule", errors);
  if (spec.startingDeadlineSeconds) {
    CheckNonNegative(*spec.startingDeadlineSeconds, path / "startingDeadlineSeconds", errors);
  }
  if (old == nullptr || !(old->timeZone == spec.timeZone)) CheckTimeZone(spec.timeZone, path / "timeZone", errors);
  const Path concurrency = path / "concurrencyPolicy";
  if (spec.concurrencyPolicy.empty()) {
    errors.Required(concurrency, "");
  } else if (!IsOneOf(spec.concurrencyPolicy, {"Allow", "Forbid", "Replace"})) {
    errors.NotSupportedAsListed(concurrency, Json(spec.concurrencyPolicy), {"Allow", "Forbid", "Replace"});
  }
  const Path job_template = path / "jobTemplate";
  const Path job_spec = job_template / "spec";
  const batchv1::JobSpec& job = spec.jobTemplate.spec;
  CheckJobTemplateSpec(job, job_spec, errors, old == nullptr ? nullptr : &old->jobTemplate.spec.template_);
  if (job.selector) {
    errors.InvalidShown(job_spec / "selector", ShownSelector(job.selector), "`selector` will be auto-generated");
  }
  if (job.manualSelector.value_or(false)) {
    errors.NotSupportedAsListed(job_spec / "manualSelector", Json(true), {"nil", "false"});
  }
  if (spec.successfulJobsHistoryLimit) {
    CheckNonNegative(*spec.successfulJobsHistoryLimit, path / "successfulJobsHistoryLimit", errors);
  }
  if (spec.failedJobsHistoryLimit) {
    CheckNonNegative(*spec.failedJobsHistoryLimit, path / "failedJobsHistoryLimit", errors);
  }
}

void CheckCronJob(const batchv1::CronJob& object, FieldErrors& errors) {
  CheckCronJobSpec(object.spec, nullptr, errors);
  if (object.metadata.name.size() <= kMaxCronJobName) return;
  const Path metadata("metadata");
  errors.Invalid(metadata / "name", Json(object.metadata.name), "must be no more than 52 characters");
}

void CheckCronJobUpdate(const batchv1::CronJob& object, const batchv1::CronJob& old, FieldErrors& errors) {
  CheckCronJobSpec(object.spec, &old.spec, errors);
}

void WarnOfCronJob(const batchv1::CronJob& object, std::vector<std::string>& warnings) {
  WarnOfName(object.metadata.name, warnings);
  WarnOfJobSpec(object.spec.jobTemplate.spec, "spec.jobTemplate.spec", warnings);
}

}  // namespace

void AddBatchRules(RulesTable& table) {
  table.Add<batchv1::Job>({.set_defaults = SetJobDefaults,
                           .prepare_create = PrepareJobCreate,
                           .prepare_update = PrepareJobUpdate,
                           .validate = CheckJob,
                           .validate_update = CheckJobUpdate,
                           .validate_status = CheckJobStatusUpdate,
                           .warn = WarnOfJob,
                           .selectable_fields = {"status.successful"},
                           .read_fields = ReadJobFields,
                           .orphan_by_default = true});
  table.Add<batchv1::CronJob>({.set_defaults = SetCronJobDefaults,
                               .prepare_create = PrepareCronJobCreate,
                               .prepare_update = PrepareCronJobUpdate,
                               .validate = CheckCronJob,
                               .validate_update = CheckCronJobUpdate,
                               .warn = WarnOfCronJob});
}

}  // namespace keelson::apiserver
