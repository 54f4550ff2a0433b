#include "keelson/controllers/scheduler_selectors.h"

#include <algorithm>
#include <charconv>

#include "keelson/api/label_selector_struct.h"

namespace keelson::controllers {
namespace {

bool Contains(const List<String>& values, std::string_view wanted) {
  return std::any_of(values.begin(), values.end(), [&](const String& value) { return value == wanted; });
}

std::optional<int64_t> Number(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

bool MatchesRequirement(const corev1::NodeSelectorRequirement& requirement, const String* value) {
  const std::string_view op = requirement.operator_;
  if (op == "In") return value != nullptr && Contains(requirement.values, *value);
  if (op == "NotIn") return value == nullptr || !Contains(requirement.values, *value);
  if (op == "Exists") return value != nullptr;
  if (op == "DoesNotExist") return value == nullptr;
  if (value == nullptr || requirement.values.size() != 1) return false;
  const std::optional<int64_t> have = Number(*value), bound = Number(requirement.values[0]);
  if (!have || !bound) return false;
  if (op == "Gt") return *have > *bound;
  return op == "Lt" && *have < *bound;
}

bool ToleratesAny(const corev1::PodSpec& pod, const corev1::Taint& taint) {
  return std::any_of(pod.tolerations.begin(), pod.tolerations.end(),
                     [&](const corev1::Toleration& toleration) { return Tolerates(toleration, taint); });
}

}  // namespace

bool MatchesTerm(const corev1::NodeSelectorTerm& term, const corev1::Node& node) {
  if (term.matchExpressions.empty() && term.matchFields.empty()) return false;
  for (const corev1::NodeSelectorRequirement& requirement : term.matchExpressions) {
    if (!MatchesRequirement(requirement, node.metadata.labels.find(requirement.key))) return false;
  }
  for (const corev1::NodeSelectorRequirement& requirement : term.matchFields) {
    const String* value = requirement.key == "metadata.name" ? &node.metadata.name : nullptr;
    if (!MatchesRequirement(requirement, value)) return false;
  }
  return true;
}

bool MatchesNodeSelector(const corev1::NodeSelector& selector, const corev1::Node& node) {
  return std::any_of(selector.nodeSelectorTerms.begin(), selector.nodeSelectorTerms.end(),
                     [&](const corev1::NodeSelectorTerm& term) { return MatchesTerm(term, node); });
}

bool MatchesNodeRequirements(const corev1::PodSpec& pod, const corev1::Node& node) {
  for (const auto& [key, value] : pod.nodeSelector) {
    const String* label = node.metadata.labels.find(key);
    if (label == nullptr || *label != value) return false;
  }
  const auto& required =
      pod.affinity.OrDefault().nodeAffinity.OrDefault().requiredDuringSchedulingIgnoredDuringExecution;
  return !required || MatchesNodeSelector(*required, node);
}

std::optional<std::set<std::string>> NodesByName(const corev1::PodSpec& pod) {
  const auto& required =
      pod.affinity.OrDefault().nodeAffinity.OrDefault().requiredDuringSchedulingIgnoredDuringExecution;
  if (!required || required->nodeSelectorTerms.empty()) return std::nullopt;
  std::set<std::string> names;
  for (const corev1::NodeSelectorTerm& term : required->nodeSelectorTerms) {
    bool named = false;
    for (const corev1::NodeSelectorRequirement& requirement : term.matchFields) {
      if (requirement.key != "metadata.name" || requirement.operator_ != "In") continue;
      named = true;
      for (const String& name : requirement.values) names.insert(name.str());
    }
    if (!named) return std::nullopt;
  }
  return names;
}

int64_t NodePreference(const corev1::PodSpec& pod, const corev1::Node& node) {
  int64_t sum = 0;
  for (const corev1::PreferredSchedulingTerm& preferred :
       pod.affinity.OrDefault().nodeAffinity.OrDefault().preferredDuringSchedulingIgnoredDuringExecution) {
    if (MatchesTerm(preferred.preference, node)) sum += preferred.weight;
  }
  return sum;
}

bool Tolerates(const corev1::Toleration& toleration, const corev1::Taint& taint) {
  if (!toleration.effect.empty() && toleration.effect != taint.effect) return false;
  if (!toleration.key.empty() && toleration.key != taint.key) return false;
  if (toleration.operator_ == "Exists") return true;
  return (toleration.operator_.empty() || toleration.operator_ == "Equal") && !toleration.key.empty() &&
         toleration.value == taint.value;
}

bool ToleratesTaints(const corev1::PodSpec& pod, const corev1::Node& node) {
  return std::none_of(node.spec.taints.begin(), node.spec.taints.end(), [&](const corev1::Taint& taint) {
    return (taint.effect == "NoSchedule" || taint.effect == "NoExecute") && !ToleratesAny(pod, taint);
  });
}

int64_t UnwelcomeTaints(const corev1::PodSpec& pod, const corev1::Node& node) {
  return std::count_if(node.spec.taints.begin(), node.spec.taints.end(), [&](const corev1::Taint& taint) {
    return taint.effect == "PreferNoSchedule" && !ToleratesAny(pod, taint);
  });
}

PodTerm::PodTerm(const corev1::PodAffinityTerm& term, const String& own_namespace)
    : topology_key_(term.topologyKey), namespaces_(term.namespaces) {
  if (term.namespaces.empty() && !term.namespaceSelector) namespaces_ = {own_namespace};
  if (term.namespaceSelector) {
    namespace_selector_ = labels::FromStruct(*term.namespaceSelector).value_or(labels::Selector::Nothing());
  }
  // matchLabelKeys and mismatchLabelKeys need no look: the API server has made them a part of the selector.
  selector_ = labels::FromStruct(term.labelSelector).value_or(labels::Selector::Nothing());
}

bool PodTerm::Means(const corev1::Pod& other, const NamespaceLabels& namespaces) const {
  if (!selector_.Matches(other.metadata.labels)) return false;
  if (Contains(namespaces_, other.metadata.namespace_)) return true;
  return namespace_selector_ && !namespace_selector_->matches_nothing() &&
         (namespace_selector_->empty() || namespace_selector_->Matches(namespaces(other.metadata.namespace_)));
}

std::vector<PodTerm> PodTermsOf(const List<corev1::PodAffinityTerm>& terms, const String& own_namespace) {
  std::vector<PodTerm> read;
  for (const corev1::PodAffinityTerm& term : terms) read.emplace_back(term, own_namespace);
  return read;
}

}  // namespace keelson::controllers
