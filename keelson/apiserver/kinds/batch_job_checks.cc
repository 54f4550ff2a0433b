#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "keelson/apiserver/kinds/batch_checks.h"
#include "keelson/apiserver/kinds/checks_common.h"
#include "keelson/apiserver/kinds/internal_form.h"
#include "keelson/apiserver/kinds/pod_spec.h"
#include "keelson/codec/json_writer.h"

namespace keelson::apiserver {

namespace {

constexpr int32_t kMaxParallelism = 100000;
constexpr int32_t kManyCompletions = 100000;
constexpr int32_t kLimitForMany = 10000;
constexpr size_t kMaxRules = 20;
constexpr size_t kMaxExitCodes = 255;
constexpr size_t kMaxManagedBy = 63;
constexpr size_t kMaxIndexText = 64 * 1024;

template <class T>
void CheckNumber(const Optional<T>& number, const Path& path, FieldErrors& errors) {
  if (number) CheckNonNegative(*number, path, errors);
}

bool IsIndexed(const batchv1::JobSpec& spec) { return spec.completionMode && *spec.completionMode == "Indexed"; }

void CheckIndexed(const batchv1::JobSpec& spec, const Path& path, FieldErrors& errors) {
  const Path parallelism = path / "parallelism";
  const Path failed = path / "maxFailedIndexes";
  const Optional<int32_t>& completions = spec.completions;
  if (!completions) errors.Required(path / "completions", "when completion mode is Indexed");
  if (spec.parallelism && *spec.parallelism > kMaxParallelism) {
    errors.Invalid(parallelism, Json(*spec.parallelism),
                   fmt::format("must be less than or equal to {} when completion mode is Indexed", kMaxParallelism));
  }
  if (completions && spec.maxFailedIndexes && *spec.maxFailedIndexes > *completions) {
    errors.Invalid(failed, Json(*spec.maxFailedIndexes), "must be less than or equal to completions");
  }
  if (spec.maxFailedIndexes && *spec.maxFailedIndexes > kMaxParallelism) {
    errors.Invalid(failed, Json(*spec.maxFailedIndexes),
                   fmt::format("must be less than or equal to {}", kMaxParallelism));
  }
  if (!completions || *completions <= kManyCompletions || !spec.backoffLimitPerIndex) return;
  const std::string too_many = fmt::format(
      "must be less than or equal to {} when completions are above {} and used with backoff limit per index",
      kLimitForMany, kManyCompletions);
  if (!spec.maxFailedIndexes) {
    errors.Required(failed, fmt::format("must be specified when completions is above {}", kManyCompletions));
  }
  if (spec.parallelism && *spec.parallelism > kLimitForMany) {
    errors.Invalid(parallelism, Json(*spec.parallelism), too_many);
  }
  if (spec.maxFailedIndexes && *spec.maxFailedIndexes > kLimitForMany) {
    errors.Invalid(failed, Json(*spec.maxFailedIndexes), too_many);
  }
}

void CheckExitCodes(const batchv1::PodFailurePolicyOnExitCodesRequirement& codes, const corev1::PodSpec& pod,
                    const Path& path, FieldErrors& errors) {
  const Path op = path / "operator";
  if (codes.operator_.empty()) {
    errors.Required(op, "valid values: [\"In\" \"NotIn\"]");
  } else {
    CheckOneOf(codes.operator_, {"In", "NotIn"}, op, errors);
  }
  if (codes.containerName) {
    const auto named = [&](const corev1::Container& container) { return container.name == *codes.containerName; };
    if (std::none_of(pod.containers.begin(), pod.containers.end(), named) &&
        std::none_of(pod.initContainers.begin(), pod.initContainers.end(), named)) {
      errors.Invalid(path / "containerName", Json(*codes.containerName),
                     "must be one of the container or initContainer names in the pod template");
    }
  }
  const Path values = path / "values";
  if (codes.values.empty()) {
    errors.InvalidShown(values, "null", "at least one value is required");
  } else if (codes.values.size() > kMaxExitCodes) {
    errors.TooMany(values, codes.values.size(), kMaxExitCodes);
  }
  bool ordered = true;
  std::vector<int32_t> seen;
  for (size_t i = 0; i < codes.values.size() && i <= kMaxExitCodes; ++i) {
    const int32_t code = codes.values[i];
    if (codes.operator_ == "In" && code == 0) {
      errors.Invalid(values[i], Json(code), "must not be 0 for the In operator");
    }
    if (std::find(seen.begin(), seen.end(), code) != seen.end()) errors.Duplicate(values[i], Json(code));
    seen.push_back(code);
    if (i > 0 && codes.values[i - 1] > code) ordered = false;
  }
  if (!ordered) errors.InvalidShown(values, ToJson(codes.values), "must be ordered");
}

void CheckFailurePolicy(const batchv1::JobSpec& spec, const Path& path, FieldErrors& errors) {
  const Path rules = path / "rules";
  const auto& list = spec.podFailurePolicy->rules;
  if (list.size() > kMaxRules) errors.TooMany(rules, list.size(), kMaxRules);
  for (size_t i = 0; i < list.size(); ++i) {
    const batchv1::PodFailurePolicyRule& rule = list[i];
    const Path at = rules[i];
    const Path action = at / "action";
    if (rule.action.empty()) {
      errors.Required(action, "valid values: [\"Count\" \"FailIndex\" \"FailJob\" \"Ignore\"]");
    } else if (rule.action == "FailIndex") {
      if (!spec.backoffLimitPerIndex) {
        errors.Invalid(action, Json(rule.action), "requires the backoffLimitPerIndex to be set");
      }
    } else {
      CheckOneOf(rule.action, {"Count", "FailIndex", "FailJob", "Ignore"}, action, errors);
    }
    if (rule.onExitCodes) CheckExitCodes(*rule.onExitCodes, spec.template_.spec, at / "onExitCodes", errors);
    const Path conditions = at / "onPodConditions";
    if (rule.onPodConditions.size() > kMaxRules) errors.TooMany(conditions, rule.onPodConditions.size(), kMaxRules);
    for (size_t j = 0; j < rule.onPodConditions.size(); ++j) {
      const Path pattern = conditions[j];
      CheckQualifiedName(rule.onPodConditions[j].type, pattern / "type", errors);
      CheckOneOf(rule.onPodConditions[j].status, {"False", "True", "Unknown"}, pattern / "status", errors);
    }
    if (rule.onExitCodes && !rule.onPodConditions.empty()) {
      errors.InvalidHidden(at, "specifying both OnExitCodes and OnPodConditions is not supported");
    }
    if (!rule.onExitCodes && rule.onPodConditions.empty()) {
      errors.InvalidHidden(at, "specifying one of OnExitCodes and OnPodConditions is required");
    }
  }
}

void CheckSuccessPolicy(const batchv1::JobSpec& spec, const Path& path, FieldErrors& errors) {
  const Path rules = path / "rules";
  const auto& list = spec.successPolicy->rules;
  const int32_t completions = spec.completions.value_or(0);
  if (list.empty()) {
    errors.Required(rules, "at least one rules must be specified when the successPolicy is specified");
  }
  if (list.size() > kMaxRules) errors.TooMany(rules, list.size(), kMaxRules);
  for (size_t i = 0; i < list.size(); ++i) {
    const batchv1::SuccessPolicyRule& rule = list[i];
    const Path at = rules[i];
    if (!rule.succeededCount && !rule.succeededIndexes) {
      errors.Required(at, "at least one of succeededCount or succeededIndexes must be specified");
    }
    IndexCount indexes;
    if (rule.succeededIndexes) {
      const Path where = at / "succeededIndexes";
      if (rule.succeededIndexes->size() > kMaxIndexText) errors.TooLong(where, kMaxIndexText);
      indexes = CountIndexes(*rule.succeededIndexes, completions);
      if (!indexes.error.empty()) {
        errors.Invalid(where, Json(*rule.succeededIndexes), "error parsing succeededIndexes: " + indexes.error);
      }
    }
    if (!rule.succeededCount) continue;
    const Path count = at / "succeededCount";
    CheckNonNegative(*rule.succeededCount, count, errors);
    if (*rule.succeededCount > completions) {
      errors.Invalid(
          count, Json(*rule.succeededCount),
          fmt::format("must be less than or equal to {} (the number of specified completions)", completions));
    }
    if (rule.succeededIndexes && *rule.succeededCount > indexes.count) {
      errors.Invalid(count, Json(*rule.succeededCount),
                     fmt::format("must be less than or equal to {} (the number of indexes in the specified "
                                 "succeededIndexes field)",
                                 indexes.count));
    }
  }
}

// One of "3" or "3-5"; `error` is set when it is neither.
struct Interval {
  int64_t low = 0;
  int64_t high = 0;
  std::string error = {};
};

Interval ReadInterval(std::string_view text, int32_t completions) {
  const auto read = [&](std::string_view part, int64_t& number) -> std::string {
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), number);
    if (error != std::errc() || end != part.data() + part.size()) {
      return fmt::format("cannot convert string to integer for index: \"{}\"", part);
    }
    if (number >= completions) return fmt::format("too large index: \"{}\"", part);
    return {};
  };
  Interval interval;
  const size_t dash = text.find('-');
  if (dash != std::string_view::npos && text.find('-', dash + 1) != std::string_view::npos) {
    interval.error = fmt::format(
        "the fragment \"{}\" violates the requirement that an index interval can have at most two parts separated by "
        "'-'",
        text);
    return interval;
  }
  interval.error = read(text.substr(0, dash), interval.low);
  interval.high = interval.low;
  if (!interval.error.empty() || dash == std::string_view::npos) return interval;
  interval.error = read(text.substr(dash + 1), interval.high);
  if (interval.error.empty() && interval.low >= interval.high) {
    interval.error = fmt::format("non-increasing order, previous: {}, current: {}", interval.low, interval.high);
  }
  return interval;
}

}  // namespace

IndexCount CountIndexes(std::string_view indexes, int32_t completions) {
  IndexCount counted;
  if (indexes.empty()) return counted;
  int64_t last = -1;
  while (true) {
    const size_t comma = indexes.find(',');
    const Interval interval = ReadInterval(indexes.substr(0, comma), completions);
    if (!interval.error.empty()) return {.count = 0, .error = interval.error};
    if (last >= interval.low) {
      return {.count = 0, .error = fmt::format("non-increasing order, previous: {}, current: {}", last, interval.low)};
    }
    counted.count += static_cast<int32_t>(interval.high - interval.low + 1);
    last = interval.high;
    if (comma == std::string_view::npos) return counted;
    indexes.remove_prefix(comma + 1);
  }
}

void CheckJobTemplateSpec(const batchv1::JobSpec& spec, const Path& path, FieldErrors& errors,
                          const corev1::PodTemplateSpec* old) {
  CheckNumber(spec.parallelism, path / "parallelism", errors);
  CheckNumber(spec.completions, path / "completions", errors);
  CheckNumber(spec.activeDeadlineSeconds, path / "activeDeadlineSeconds", errors);
  CheckNumber(spec.backoffLimit, path / "backoffLimit", errors);
  CheckNumber(spec.ttlSecondsAfterFinished, path / "ttlSecondsAfterFinished", errors);
  const Path per_index = path / "backoffLimitPerIndex";
  const Path failed_indexes = path / "maxFailedIndexes";
  CheckNumber(spec.backoffLimitPerIndex, per_index, errors);
  CheckNumber(spec.maxFailedIndexes, failed_indexes, errors);
  if (spec.maxFailedIndexes && !spec.backoffLimitPerIndex) {
    errors.Required(per_index, "when maxFailedIndexes is specified");
  }
  if (spec.managedBy) {
    const Path managed = path / "managedBy";
    CheckDomainPrefixedPath(*spec.managedBy, managed, errors);
    if (spec.managedBy->size() > kMaxManagedBy) errors.TooLong(managed, kMaxManagedBy);
  }
  if (spec.completionMode && !IsOneOf(*spec.completionMode, {"NonIndexed", "Indexed"})) {
    errors.NotSupportedAsListed(path / "completionMode", Json(*spec.completionMode), {"NonIndexed", "Indexed"});
  }
  if (IsIndexed(spec)) CheckIndexed(spec, path, errors);
  if (!spec.completionMode || *spec.completionMode == "NonIndexed") {
    if (spec.backoffLimitPerIndex) {
      errors.Invalid(per_index, Json(*spec.backoffLimitPerIndex), "requires indexed completion mode");
    }
    if (spec.maxFailedIndexes) {
      errors.Invalid(failed_indexes, Json(*spec.maxFailedIndexes), "requires indexed completion mode");
    }
  }
  if (spec.podFailurePolicy) CheckFailurePolicy(spec, path / "podFailurePolicy", errors);
  if (spec.successPolicy) {
    if (!IsIndexed(spec)) {
      errors.InvalidShown(path / "successPolicy", InternalForm(*spec.successPolicy),
                          "requires indexed completion mode");
    } else {
      CheckSuccessPolicy(spec, path / "successPolicy", errors);
    }
  }
  if (spec.podReplacementPolicy) {
    const Path replacement = path / "podReplacementPolicy";
    if (spec.podFailurePolicy) {
      CheckOneOf(*spec.podReplacementPolicy, {"Failed"}, replacement, errors);
    } else {
      CheckOneOf(*spec.podReplacementPolicy, {"Failed", "TerminatingOrFailed"}, replacement, errors);
    }
  }
  const Path template_path = path / "template";
  CheckPodTemplate(spec.template_, template_path, errors, old);
  const Path pod = template_path / "spec";
  const Path restart = pod / "restartPolicy";
  const String& policy = spec.template_.spec.restartPolicy;
  if (policy == "Always" || policy.empty()) {
    errors.Required(restart, "valid values: \"OnFailure\", \"Never\"");
  } else if (policy != "OnFailure" && policy != "Never") {
    errors.NotSupportedAsListed(restart, Json(policy), {"OnFailure", "Never"});
  } else if (spec.podFailurePolicy && policy != "Never") {
    errors.Invalid(restart, Json(policy), "only \"Never\" is supported when podFailurePolicy is specified");
  }
}

bool HasTrueCondition(const batchv1::Job& job, std::string_view type) {
  return std::any_of(
      job.status.conditions.begin(), job.status.conditions.end(),
      [type](const batchv1::JobCondition& condition) { return condition.type == type && condition.status == "True"; });
}

}  // namespace keelson::apiserver
