#include "keelson/controllers/scheduler_nodes.h"

#include "keelson/api/object.h"

namespace keelson::controllers {

void NodeState::SetNode(const corev1::Node& node) {
  node_ = node;
  allocatable_ = AmountsOf(node.status.allocatable);
  const Quantity* pods = std::as_const(node.status.allocatable).find("pods");
  max_pods_ = pods == nullptr ? 0 : pods->Value();
}

void NodeState::Place(const corev1::Pod& pod) {
  const ObjectKey key = KeyOf(pod);
  Remove(key);
  PlacedPod placed{.pod = pod, .requests = RequestsOf(pod), .scored = ScoredRequestsOf(pod)};
  placed.keeps_away = PodTermsOf(
      pod.spec.affinity.OrDefault().podAntiAffinity.OrDefault().requiredDuringSchedulingIgnoredDuringExecution,
      pod.metadata.namespace_);
  requested_.Add(placed.requests);
  scored_.Add(placed.scored);
  if (!placed.keeps_away.empty()) ++pods_that_keep_away_;
  pods_.emplace(key, std::move(placed));
}

void NodeState::Remove(const ObjectKey& pod) {
  const auto found = pods_.find(pod);
  if (found == pods_.end()) return;
  requested_.Subtract(found->second.requests);
  scored_.Subtract(found->second.scored);
  if (!found->second.keeps_away.empty()) --pods_that_keep_away_;
  pods_.erase(found);
}

}  // namespace keelson::controllers
