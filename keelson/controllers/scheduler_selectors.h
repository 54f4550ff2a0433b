// Which nodes a pod may be on and which it would rather be on, by what it and they say: selectors, affinity, taints.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "keelson/api/core/v1.h"
#include "keelson/api/label_selector.h"

namespace keelson::controllers {

bool MatchesTerm(const corev1::NodeSelectorTerm& term, const corev1::Node& node);
// Whether any of its terms matches; a selector without terms matches nothing.
bool MatchesNodeSelector(const corev1::NodeSelector& selector, const corev1::Node& node);
// nodeSelector, and what its node affinity requires.
bool MatchesNodeRequirements(const corev1::PodSpec& pod, const corev1::Node& node);
// The nodes that required affinity calls by name in each of its terms, as pods of a DaemonSet do.
std::optional<std::set<std::string>> NodesByName(const corev1::PodSpec& pod);
// The weights of preferred terms that match.
int64_t NodePreference(const corev1::PodSpec& pod, const corev1::Node& node);

bool Tolerates(const corev1::Toleration& toleration, const corev1::Taint& taint);
// Whether no taint of effect NoSchedule or NoExecute keeps it away.
bool ToleratesTaints(const corev1::PodSpec& pod, const corev1::Node& node);
// How many taints of effect PreferNoSchedule speak against the node.
int64_t UnwelcomeTaints(const corev1::PodSpec& pod, const corev1::Node& node);

// Labels of a namespace, for namespaceSelector.
using NamespaceLabels = std::function<Map<String>(std::string_view namespace_)>;
// A term of pod affinity, read once and compared with many pods.
class PodTerm {
 public:
  // Of a pod in that namespace. A term with a selector that cannot be read means nobody.
  PodTerm(const corev1::PodAffinityTerm& term, const String& own_namespace);

  bool Means(const corev1::Pod& other, const NamespaceLabels& namespaces) const;
  const String& topology_key() const& { return topology_key_; }

 private:
  String topology_key_;
  List<String> namespaces_;
  std::optional<labels::Selector> namespace_selector_;
  labels::Selector selector_;
};
std::vector<PodTerm> PodTermsOf(const List<corev1::PodAffinityTerm>& terms, const String& own_namespace);

}  // namespace keelson::controllers
