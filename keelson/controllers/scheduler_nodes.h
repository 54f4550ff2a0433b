// What a scheduler knows of nodes: what they have, and what the pods on them take of it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "keelson/api/core/v1.h"
#include "keelson/api/object_key.h"
#include "keelson/controllers/scheduler_resources.h"
#include "keelson/controllers/scheduler_selectors.h"

namespace keelson::controllers {

struct PlacedPod {
  corev1::Pod pod = {};
  Amounts requests = {};
  Amounts scored = {};
  std::vector<PodTerm> keeps_away = {};  // required anti-affinity
};

// Values; used by one thread at a time.
class NodeState {
 public:
  void SetNode(const corev1::Node& node);
  void RemoveNode() { node_.reset(); }
  // Also instead of the one of that name which is there.
  void Place(const corev1::Pod& pod);
  void Remove(const ObjectKey& pod);

  // Null: pods name it, but there is no such Node.
  const corev1::Node* node() const { return node_ ? &*node_ : nullptr; }
  const std::map<ObjectKey, PlacedPod>& pods() const { return pods_; }
  const Amounts& allocatable() const { return allocatable_; }
  int64_t max_pods() const { return max_pods_; }
  const Amounts& requested() const { return requested_; }
  const Amounts& scored() const { return scored_; }
  int32_t pods_that_keep_away() const { return pods_that_keep_away_; }
  bool empty() const { return !node_ && pods_.empty(); }

 private:
  std::optional<corev1::Node> node_;
  Amounts allocatable_;
  int64_t max_pods_ = 0;
  std::map<ObjectKey, PlacedPod> pods_;
  // Sums over pods_.
  Amounts requested_;
  Amounts scored_;
  int32_t pods_that_keep_away_ = 0;
};

using NodeStates = std::map<std::string, NodeState, std::less<>>;

}  // namespace keelson::controllers
