#include <fmt/format.h>

#include <algorithm>

#include "keelson/apiserver/kinds/checks_common.h"
#include "keelson/apiserver/kinds/pod_checks.h"

namespace keelson::apiserver {

namespace {

void CheckNodeExpression(const corev1::NodeSelectorRequirement& requirement, bool any_value, const Path& path,
                         FieldErrors& errors) {
  const Path values = path / "values";
  const std::string_view op = requirement.operator_;
  if (op == "In" || op == "NotIn") {
    if (requirement.values.empty()) {
      errors.Required(values, "must be specified when `operator` is 'In' or 'NotIn'");
    }
  } else if (op == "Exists" || op == "DoesNotExist") {
    if (!requirement.values.empty()) {
      errors.Forbidden(values, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
    }
  } else if (op == "Gt" || op == "Lt") {
    if (requirement.values.size() != 1) {
      errors.Required(values, "must be specified single value when `operator` is 'Lt' or 'Gt'");
    }
  } else {
    errors.Invalid(path / "operator", Json(op), "not a valid selector operator");
  }
  CheckQualifiedName(requirement.key, path / "key", errors);
  if (any_value) return;
  for (size_t i = 0; i < requirement.values.size(); ++i) {
    const std::string_view value = requirement.values[i];
    if (!names::IsLabelValue(value)) errors.InvalidForEach(values[i], value, names::CheckLabelValue(value));
  }
}

void CheckNodeField(const corev1::NodeSelectorRequirement& requirement, const Path& path, FieldErrors& errors) {
  const Path values = path / "values";
  if (requirement.operator_ == "In" || requirement.operator_ == "NotIn") {
    if (requirement.values.size() != 1) {
      errors.Required(values, "must be only one value when `operator` is 'In' or 'NotIn' for node field selector");
    }
  } else {
    errors.Invalid(path / "operator", Json(requirement.operator_), "not a valid selector operator");
  }
  if (requirement.key != "metadata.name") {
    return errors.Invalid(path / "key", Json(requirement.key), "not a valid field selector key");
  }
  for (size_t i = 0; i < requirement.values.size(); ++i) CheckDnsSubdomain(requirement.values[i], values[i], errors);
}

void CheckNodeTerm(const corev1::NodeSelectorTerm& term, bool any_value, const Path& path, FieldErrors& errors) {
  const Path expressions = path / "matchExpressions";
  for (size_t i = 0; i < term.matchExpressions.size(); ++i) {
    CheckNodeExpression(term.matchExpressions[i], any_value, expressions[i], errors);
  }
  const Path fields = path / "matchFields";
  for (size_t i = 0; i < term.matchFields.size(); ++i) CheckNodeField(term.matchFields[i], fields[i], errors);
}

bool HasInvalidValue(const corev1::PodSpec* old) {
  if (old == nullptr || !old->affinity || !old->affinity->nodeAffinity ||
      !old->affinity->nodeAffinity->requiredDuringSchedulingIgnoredDuringExecution) {
    return false;
  }
  for (const corev1::NodeSelectorTerm& term :
       old->affinity->nodeAffinity->requiredDuringSchedulingIgnoredDuringExecution->nodeSelectorTerms) {
    for (const corev1::NodeSelectorRequirement& requirement : term.matchExpressions) {
      if (!std::all_of(requirement.values.begin(), requirement.values.end(),
                       [](const String& value) { return names::IsLabelValue(value); })) {
        return true;
      }
    }
  }
  return false;
}

void CheckNodeAffinity(const corev1::NodeAffinity& affinity, const Path& path, FieldErrors& errors,
                       const PodCheckOptions& options) {
  if (affinity.requiredDuringSchedulingIgnoredDuringExecution) {
    const Path required = path / "requiredDuringSchedulingIgnoredDuringExecution";
    const Path terms = required / "nodeSelectorTerms";
    const auto& list = affinity.requiredDuringSchedulingIgnoredDuringExecution->nodeSelectorTerms;
    if (list.empty()) errors.Required(terms, "must have at least one node selector term");
    const bool any_value = HasInvalidValue(options.old);
    for (size_t i = 0; i < list.size(); ++i) CheckNodeTerm(list[i], any_value, terms[i], errors);
  }
  const Path preferred = path / "preferredDuringSchedulingIgnoredDuringExecution";
  const auto& list = affinity.preferredDuringSchedulingIgnoredDuringExecution;
  for (size_t i = 0; i < list.size(); ++i) {
    const Path at = preferred[i];
    if (list[i].weight <= 0 || list[i].weight > 100) {
      errors.Invalid(at / "weight", Json(list[i].weight), "must be in the range 1-100");
    }
    CheckNodeTerm(list[i].preference, true, at / "preference", errors);
  }
}

void CheckLabelKeys(const List<String>& keys, const Optional<metav1::LabelSelector>& selector, const Path& path,
                    FieldErrors& errors) {
  if (keys.empty()) return;
  if (!selector) return errors.Forbidden(path, "must not be specified when labelSelector is not set");
  for (size_t i = 0; i < keys.size(); ++i) CheckQualifiedName(keys[i], path[i], errors);
}

// Keys whose values the server itself adds to the selector: the selector may not speak of them, too.
void CheckMatchKeys(const List<String>& match, const List<String>& mismatch,
                    const Optional<metav1::LabelSelector>& selector, const Path& path, FieldErrors& errors) {
  if (match.empty() && mismatch.empty()) return;
  const Path match_path = path / "matchLabelKeys";
  CheckLabelKeys(match, selector, match_path, errors);
  CheckLabelKeys(mismatch, selector, path / "mismatchLabelKeys", errors);
  if (selector) {
    NameSet seen;
    for (const auto& [key, value] : selector->matchLabels) seen.Insert(key);
    for (const metav1::LabelSelectorRequirement& expression : selector->matchExpressions) {
      // Of equal keys the last one counts.
      size_t index = match.size();
      for (size_t i = 0; i < match.size(); ++i) {
        if (match[i] == expression.key) index = i;
      }
      if (index < match.size() && seen.Has(expression.key)) {
        errors.Invalid(path[index], Json(expression.key), "exists in both matchLabelKeys and labelSelector");
      }
      seen.Insert(expression.key);
    }
  }
  NameSet unlike;
  for (const String& key : mismatch) unlike.Insert(key);
  for (size_t i = 0; i < match.size(); ++i) {
    if (!unlike.Has(match[i])) continue;
    errors.Invalid(match_path[i], Json(match[i]), "exists in both matchLabelKeys and mismatchLabelKeys");
  }
}

void CheckPodTerm(const corev1::PodAffinityTerm& term, const Path& path, FieldErrors& errors) {
  CheckLabelSelector(term.labelSelector, path / "labelSelector", errors);
  CheckLabelSelector(term.namespaceSelector, path / "namespaceSelector", errors);
  for (const String& name : term.namespaces) CheckDnsLabel(name, path / "namespace", errors);
  CheckMatchKeys(term.matchLabelKeys, term.mismatchLabelKeys, term.labelSelector, path, errors);
  const Path key = path / "topologyKey";
  if (term.topologyKey.empty()) errors.Required(key, "can not be empty");
  CheckQualifiedName(term.topologyKey, key, errors);
}

// PodAffinity or PodAntiAffinity.
template <class Affinity>
void CheckPodAffinity(const Affinity& affinity, const Path& path, FieldErrors& errors) {
  const Path required = path / "requiredDuringSchedulingIgnoredDuringExecution";
  const auto& terms = affinity.requiredDuringSchedulingIgnoredDuringExecution;
  for (size_t i = 0; i < terms.size(); ++i) CheckPodTerm(terms[i], required[i], errors);
  const Path preferred = path / "preferredDuringSchedulingIgnoredDuringExecution";
  const auto& weighted = affinity.preferredDuringSchedulingIgnoredDuringExecution;
  for (size_t i = 0; i < weighted.size(); ++i) {
    const Path at = preferred[i];
    if (weighted[i].weight <= 0 || weighted[i].weight > 100) {
      errors.Invalid(at / "weight", Json(weighted[i].weight), "must be in the range 1-100");
    }
    CheckPodTerm(weighted[i].podAffinityTerm, at / "podAffinityTerm", errors);
  }
}

// What upstream refuses in a spread constraint's selector it goes on accepting where it was accepted once.
bool HasInvalidSelector(const corev1::PodSpec* old) {
  if (old == nullptr) return false;
  for (const corev1::TopologySpreadConstraint& constraint : old->topologySpreadConstraints) {
    FieldErrors errors;
    CheckLabelSelector(constraint.labelSelector, Path(""), errors);
    if (!errors.empty()) return true;
  }
  return false;
}

void CheckPositiveNumber(int64_t value, const Path& path, FieldErrors& errors) {
  if (value <= 0) errors.Invalid(path, Json(value), "must be greater than zero");
}

}  // namespace

void CheckAffinity(const corev1::Affinity& affinity, const Path& path, FieldErrors& errors,
                   const PodCheckOptions& options) {
  if (affinity.nodeAffinity) CheckNodeAffinity(*affinity.nodeAffinity, path / "nodeAffinity", errors, options);
  if (affinity.podAffinity) CheckPodAffinity(*affinity.podAffinity, path / "podAffinity", errors);
  if (affinity.podAntiAffinity) CheckPodAffinity(*affinity.podAntiAffinity, path / "podAntiAffinity", errors);
}

void CheckTolerations(const List<corev1::Toleration>& tolerations, const Path& path, FieldErrors& errors) {
  for (size_t i = 0; i < tolerations.size(); ++i) {
    const corev1::Toleration& toleration = tolerations[i];
    const Path at = path[i];
    const Path op = at / "operator";
    const Path effect = at / "effect";
    if (!toleration.key.empty()) {
      CheckQualifiedName(toleration.key, at / "key", errors);
    } else if (toleration.operator_ != "Exists") {
      errors.Invalid(op, Json(toleration.operator_),
                     "operator must be Exists when `key` is empty, which means \"match all values and all keys\"");
    }
    if (toleration.tolerationSeconds && toleration.effect != "NoExecute") {
      errors.Invalid(effect, Json(toleration.effect), "effect must be 'NoExecute' when `tolerationSeconds` is set");
    }
    if (toleration.operator_.empty() || toleration.operator_ == "Equal") {
      if (!names::IsLabelValue(toleration.value)) {
        errors.Invalid(op, Json(toleration.value),
                       fmt::format("{}", fmt::join(names::CheckLabelValue(toleration.value), ";")));
      }
    } else if (toleration.operator_ == "Exists") {
      if (!toleration.value.empty()) {
        errors.Invalid(op, Json(toleration.value), "value must be empty when `operator` is 'Exists'");
      }
    } else if (toleration.operator_ == "Lt" || toleration.operator_ == "Gt") {
      errors.NotSupportedAsListed(op, Json(toleration.operator_), {"Equal", "Exists", "Lt", "Gt"});
    } else {
      errors.NotSupportedAsListed(op, Json(toleration.operator_), {"Equal", "Exists"});
    }
    if (!toleration.effect.empty() && !IsOneOf(toleration.effect, {"NoSchedule", "PreferNoSchedule", "NoExecute"})) {
      errors.NotSupportedAsListed(effect, Json(toleration.effect), {"NoSchedule", "PreferNoSchedule", "NoExecute"});
    }
  }
}

void CheckSpreadConstraints(const List<corev1::TopologySpreadConstraint>& constraints, const Path& path,
                            FieldErrors& errors, const PodCheckOptions& options) {
  if (constraints.empty()) return;
  const bool any_selector = HasInvalidSelector(options.old);
  for (size_t i = 0; i < constraints.size(); ++i) {
    const corev1::TopologySpreadConstraint& constraint = constraints[i];
    const Path at = path[i];
    const Path domains = at / "minDomains";
    CheckPositiveNumber(constraint.maxSkew, at / "maxSkew", errors);
    if (constraint.topologyKey.empty()) errors.Required(at / "topologyKey", "can not be empty");
    CheckOneOf(constraint.whenUnsatisfiable, {"DoNotSchedule", "ScheduleAnyway"}, at / "whenUnsatisfiable", errors);
    for (size_t j = i + 1; j < constraints.size(); ++j) {
      if (constraints[j].topologyKey != constraint.topologyKey ||
          constraints[j].whenUnsatisfiable != constraint.whenUnsatisfiable) {
        continue;
      }
      errors.Duplicate(
          at / "{topologyKey, whenUnsatisfiable}",
          Json(fmt::format("{{{}, {}}}", constraint.topologyKey.view(), constraint.whenUnsatisfiable.view())));
      break;
    }
    if (constraint.minDomains) {
      CheckPositiveNumber(*constraint.minDomains, domains, errors);
      if (constraint.whenUnsatisfiable != "DoNotSchedule") {
        errors.Invalid(domains, Json(*constraint.minDomains),
                       fmt::format("can only use minDomains if whenUnsatisfiable=DoNotSchedule, not {}",
                                   constraint.whenUnsatisfiable.view()));
      }
    }
    if (constraint.nodeAffinityPolicy) {
      CheckOneOf(*constraint.nodeAffinityPolicy, {"Honor", "Ignore"}, at / "nodeAffinityPolicy", errors);
    }
    if (constraint.nodeTaintsPolicy) {
      CheckOneOf(*constraint.nodeTaintsPolicy, {"Honor", "Ignore"}, at / "nodeTaintsPolicy", errors);
    }
    CheckMatchKeys(constraint.matchLabelKeys, {}, constraint.labelSelector, at, errors);
    if (!any_selector) CheckLabelSelector(constraint.labelSelector, at / "labelSelector", errors);
  }
}

}  // namespace keelson::apiserver
