#include "keelson/apiserver/kinds/checks_node_selector.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "keelson/apiserver/kinds/checks_common.h"

namespace keelson::apiserver {

namespace {

void CheckExpression(const corev1::NodeSelectorRequirement& one, bool any_value, const Path& path,
                     FieldErrors& errors) {
  const Path values = path / "values";
  if (one.operator_ == "In" || one.operator_ == "NotIn") {
    if (one.values.empty()) errors.Required(values, "must be specified when `operator` is 'In' or 'NotIn'");
  } else if (one.operator_ == "Exists" || one.operator_ == "DoesNotExist") {
    if (!one.values.empty()) {
      errors.Forbidden(values, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
    }
  } else if (one.operator_ == "Gt" || one.operator_ == "Lt") {
    if (one.values.size() != 1) {
      errors.Required(values, "must be specified single value when `operator` is 'Lt' or 'Gt'");
    }
  } else {
    errors.Invalid(path / "operator", Json(one.operator_), "not a valid selector operator");
  }
  CheckQualifiedName(one.key, path / "key", errors);
  if (any_value) return;
  for (size_t i = 0; i < one.values.size(); ++i) {
    const String& value = one.values[i];
    if (!names::IsLabelValue(value)) errors.InvalidForEach(values[i], value, names::CheckLabelValue(value));
  }
}

void CheckFieldExpression(const corev1::NodeSelectorRequirement& one, const Path& path, FieldErrors& errors) {
  const Path values = path / "values";
  if (one.operator_ == "In" || one.operator_ == "NotIn") {
    if (one.values.size() != 1) {
      errors.Required(values, "must be only one value when `operator` is 'In' or 'NotIn' for node field selector");
    }
  } else {
    errors.Invalid(path / "operator", Json(one.operator_), "not a valid selector operator");
  }
  if (one.key != "metadata.name") {
    return errors.Invalid(path / "key", Json(one.key), "not a valid field selector key");
  }
  for (size_t i = 0; i < one.values.size(); ++i) CheckDnsSubdomain(one.values[i], values[i], errors);
}

}  // namespace

void CheckNodeSelector(const corev1::NodeSelector& selector, bool any_value, const Path& path, FieldErrors& errors) {
  const Path terms = path / "nodeSelectorTerms";
  if (selector.nodeSelectorTerms.empty()) {
    return errors.Required(terms, "must have at least one node selector term");
  }
  for (size_t i = 0; i < selector.nodeSelectorTerms.size(); ++i) {
    const corev1::NodeSelectorTerm& term = selector.nodeSelectorTerms[i];
    const Path here = terms[i];
    const Path expressions = here / "matchExpressions";
    for (size_t j = 0; j < term.matchExpressions.size(); ++j) {
      CheckExpression(term.matchExpressions[j], any_value, expressions[j], errors);
    }
    const Path fields = here / "matchFields";
    for (size_t j = 0; j < term.matchFields.size(); ++j) CheckFieldExpression(term.matchFields[j], fields[j], errors);
  }
}

bool HasOnlyLabelValues(const corev1::NodeSelector& selector) {
  for (const corev1::NodeSelectorTerm& term : selector.nodeSelectorTerms) {
    for (const corev1::NodeSelectorRequirement& one : term.matchExpressions) {
      if (!std::all_of(one.values.begin(), one.values.end(), [](const String& v) { return names::IsLabelValue(v); })) {
        return false;
      }
    }
  }
  return true;
}

std::string_view WhyNodeLabelIsDeprecated(std::string_view label) {
  static constexpr std::pair<std::string_view, std::string_view> kDeprecated[] = {
      {"beta.kubernetes.io/arch", "deprecated since v1.14; use \"kubernetes.io/arch\" instead"},
      {"beta.kubernetes.io/os", "deprecated since v1.14; use \"kubernetes.io/os\" instead"},
      {"failure-domain.beta.kubernetes.io/region",
       "deprecated since v1.17; use \"topology.kubernetes.io/region\" instead"},
      {"failure-domain.beta.kubernetes.io/zone", "deprecated since v1.17; use \"topology.kubernetes.io/zone\" instead"},
      {"beta.kubernetes.io/instance-type", "deprecated since v1.17; use \"node.kubernetes.io/instance-type\" instead"},
      {"app.kubernetes.io/created-by", "deprecated since v1.9"},
      {"scheduler.alpha.kubernetes.io/preferAvoidPods", "deprecated since v1.22; use Taints and Tolerations instead"},
      {"node-role.kubernetes.io/master", "use \"node-role.kubernetes.io/control-plane\" instead"},
  };
  for (const auto& [key, why] : kDeprecated) {
    if (key == label) return why;
  }
  return {};
}

void WarnOfNodeLabel(std::string_view label, const Path& path, std::vector<std::string>& warnings) {
  const std::string_view why = WhyNodeLabelIsDeprecated(label);
  if (!why.empty()) warnings.push_back(fmt::format("{}: {}", path.ToString(), why));
}

}  // namespace keelson::apiserver
