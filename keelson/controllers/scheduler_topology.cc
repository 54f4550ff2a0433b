#include "keelson/controllers/scheduler_topology.h"

#include <algorithm>
#include <limits>

#include "keelson/api/label_selector_struct.h"

namespace keelson::controllers {
namespace {

const String* LabelOf(const corev1::Node& node, std::string_view key) {
  return std::as_const(node.metadata.labels).find(key);
}

// Terms and the pods that each of them means, counted by the value that their node has of the term's label.
template <class Counted>
std::vector<Counted> Count(const std::vector<PodTerm>& terms, const NodeStates& nodes,
                           const NamespaceLabels& namespaces, bool all_at_once) {
  std::vector<Counted> counts;
  for (const PodTerm& term : terms) counts.push_back({.key = term.topology_key().str()});
  if (terms.empty()) return counts;
  for (const auto& [name, state] : nodes) {
    if (state.node() == nullptr) continue;
    for (const auto& [key, placed] : state.pods()) {
      const corev1::Pod& pod = placed.pod;
      if (all_at_once &&
          !std::all_of(terms.begin(), terms.end(), [&](const PodTerm& term) { return term.Means(pod, namespaces); })) {
        continue;
      }
      for (size_t i = 0; i < terms.size(); ++i) {
        if (!all_at_once && !terms[i].Means(pod, namespaces)) continue;
        if (const String* value = LabelOf(*state.node(), counts[i].key)) ++counts[i].pods[value->str()];
      }
    }
  }
  return counts;
}

}  // namespace

TopologyView::TopologyView(const corev1::Pod& pod, const NodeStates& nodes, const NamespaceLabels& namespaces) {
  if (pod.spec.affinity) CountTerms(pod, nodes, namespaces);
  FindOthers(pod, nodes, namespaces);
  if (!pod.spec.topologySpreadConstraints.empty()) CountSpread(pod, nodes);
}

void TopologyView::CountTerms(const corev1::Pod& pod, const NodeStates& nodes, const NamespaceLabels& namespaces) {
  const corev1::PodAffinity& near = pod.spec.affinity->podAffinity.OrDefault();
  const corev1::PodAntiAffinity& far = pod.spec.affinity->podAntiAffinity.OrDefault();
  const String& own = pod.metadata.namespace_;
  const std::vector<PodTerm> required = PodTermsOf(near.requiredDuringSchedulingIgnoredDuringExecution, own);
  affinity_ = Count<Counted>(required, nodes, namespaces, true);
  const bool nobody =
      std::all_of(affinity_.begin(), affinity_.end(), [](const Counted& one) { return one.pods.empty(); });
  first_of_its_kind_ = nobody && std::all_of(required.begin(), required.end(),
                                             [&](const PodTerm& term) { return term.Means(pod, namespaces); });
  anti_affinity_ =
      Count<Counted>(PodTermsOf(far.requiredDuringSchedulingIgnoredDuringExecution, own), nodes, namespaces, false);
  std::vector<PodTerm> wishes;
  std::vector<int64_t> weights;
  for (const auto& wish : near.preferredDuringSchedulingIgnoredDuringExecution) {
    wishes.emplace_back(wish.podAffinityTerm, own);
    weights.push_back(wish.weight);
  }
  for (const auto& wish : far.preferredDuringSchedulingIgnoredDuringExecution) {
    wishes.emplace_back(wish.podAffinityTerm, own);
    weights.push_back(-wish.weight);
  }
  preferred_ = Count<Counted>(wishes, nodes, namespaces, false);
  for (size_t i = 0; i < weights.size(); ++i) preferred_[i].weight = weights[i];
}

void TopologyView::FindOthers(const corev1::Pod& pod, const NodeStates& nodes, const NamespaceLabels& namespaces) {
  for (const auto& [name, state] : nodes) {
    if (state.node() == nullptr || state.pods_that_keep_away() == 0) continue;
    for (const auto& [key, placed] : state.pods()) {
      for (const PodTerm& term : placed.keeps_away) {
        const String* value = LabelOf(*state.node(), term.topology_key());
        if (value != nullptr && term.Means(pod, namespaces)) {
          kept_away_[term.topology_key().str()].insert(value->str());
        }
      }
    }
  }
}

void TopologyView::CountSpread(const corev1::Pod& pod, const NodeStates& nodes) {
  for (const corev1::TopologySpreadConstraint& constraint : pod.spec.topologySpreadConstraints) {
    labels::Selector selector = labels::FromStruct(constraint.labelSelector).value_or(labels::Selector::Nothing());
    for (const String& key : constraint.matchLabelKeys) {
      const String* value = std::as_const(pod.metadata.labels).find(key);
      if (value == nullptr) continue;
      Result<labels::Requirement> same = labels::Requirement::Make(key, labels::Operator::kIn, {value->str()});
      if (same) selector = selector.Add(*std::move(same));
    }
    Counted counted{.key = constraint.topologyKey.str()};
    const bool any_node = constraint.nodeAffinityPolicy == String("Ignore");
    const bool untainted_only = constraint.nodeTaintsPolicy == String("Honor");
    for (const auto& [name, state] : nodes) {
      if (state.node() == nullptr) continue;
      const String* value = LabelOf(*state.node(), counted.key);
      if (value == nullptr || (!any_node && !MatchesNodeRequirements(pod.spec, *state.node())) ||
          (untainted_only && !ToleratesTaints(pod.spec, *state.node()))) {
        continue;
      }
      int64_t& pods = counted.pods[value->str()];
      for (const auto& [key, placed] : state.pods()) {
        const metav1::ObjectMeta& other = placed.pod.metadata;
        pods +=
            other.namespace_ == pod.metadata.namespace_ && !other.deletionTimestamp && selector.Matches(other.labels);
      }
    }
    if (constraint.whenUnsatisfiable == "ScheduleAnyway") {
      wished_spread_.push_back(std::move(counted));
      continue;
    }
    int64_t least = std::numeric_limits<int64_t>::max();
    for (const auto& [value, pods] : counted.pods) least = std::min(least, pods);
    if (counted.pods.empty() || static_cast<int64_t>(counted.pods.size()) < constraint.minDomains.value_or(1))
      least = 0;
    spread_.push_back({.counted = std::move(counted),
                       .most = least + constraint.maxSkew,
                       .itself = selector.Matches(pod.metadata.labels)});
  }
}

const int64_t* TopologyView::Find(const Counted& counted, const corev1::Node& node) {
  const String* value = LabelOf(node, counted.key);
  if (value == nullptr) return nullptr;
  const auto found = counted.pods.find(value->view());
  return found == counted.pods.end() ? nullptr : &found->second;
}

TopologyFit TopologyView::Fits(const corev1::Node& node) const {
  for (const Spread& spread : spread_) {
    if (LabelOf(node, spread.counted.key) == nullptr) return TopologyFit::kSpreadLabelMissing;
    const int64_t* pods = Find(spread.counted, node);
    if ((pods == nullptr ? 0 : *pods) + spread.itself > spread.most) return TopologyFit::kSpread;
  }
  for (const Counted& term : affinity_) {
    if (LabelOf(node, term.key) == nullptr) return TopologyFit::kAffinity;
    if (!first_of_its_kind_ && Find(term, node) == nullptr) return TopologyFit::kAffinity;
  }
  for (const Counted& term : anti_affinity_) {
    if (Find(term, node) != nullptr) return TopologyFit::kAntiAffinity;
  }
  for (const auto& [key, values] : kept_away_) {
    const String* label = LabelOf(node, key);
    if (label != nullptr && values.contains(label->view())) return TopologyFit::kOthersAntiAffinity;
  }
  return TopologyFit::kFits;
}

int64_t TopologyView::Preference(const corev1::Node& node) const {
  int64_t sum = 0;
  for (const Counted& wish : preferred_) {
    if (const int64_t* pods = Find(wish, node)) sum += wish.weight * *pods;
  }
  return sum;
}

int64_t TopologyView::Crowding(const corev1::Node& node) const {
  int64_t sum = 0;
  for (const Counted& wish : wished_spread_) {
    if (const int64_t* pods = Find(wish, node)) sum += *pods;
  }
  return sum;
}

}  // namespace keelson::controllers
