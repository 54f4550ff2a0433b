// What the pods that are there mean for one that comes: affinity, anti-affinity and spread over zones, hosts or
// whatever label the nodes have.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "keelson/controllers/scheduler_nodes.h"

namespace keelson::controllers {

enum class TopologyFit : uint8_t {
  kFits,
  kSpreadLabelMissing,
  kSpread,
  kAffinity,
  kAntiAffinity,
  kOthersAntiAffinity,  // pods that are there keep it away
};

// Worked out once for a pod, from all pods; then asked for each node. Constant after construction.
class TopologyView {
 public:
  // Pods without such wishes cost next to nothing, unless others keep them away.
  TopologyView(const corev1::Pod& pod, const NodeStates& nodes, const NamespaceLabels& namespaces);

  TopologyFit Fits(const corev1::Node& node) const;
  // Sum of the weights of preferred terms, those against it negative.
  int64_t Preference(const corev1::Node& node) const;
  // How many pods are there already of those that it should be spread from, where that is a wish only.
  int64_t Crowding(const corev1::Node& node) const;

 private:
  // How many pods that a term means are in each value's domain.
  struct Counted {
    std::string key;
    std::map<std::string, int64_t, std::less<>> pods = {};
    int64_t weight = 0;  // of a preferred term
  };
  struct Spread {
    Counted counted;
    int64_t most = 0;  // pods that a domain may have when this one is among them
    bool itself = false;
  };
  static const int64_t* Find(const Counted& counted, const corev1::Node& node);

  void CountTerms(const corev1::Pod& pod, const NodeStates& nodes, const NamespaceLabels& namespaces);
  void FindOthers(const corev1::Pod& pod, const NodeStates& nodes, const NamespaceLabels& namespaces);
  void CountSpread(const corev1::Pod& pod, const NodeStates& nodes);

  std::vector<Counted> affinity_;
  std::vector<Counted> anti_affinity_;
  std::vector<Counted> preferred_;
  bool first_of_its_kind_ = false;  // nobody matches its affinity but itself
  // By a topology's label, the values at which pods keep it away.
  std::map<std::string, std::set<std::string, std::less<>>> kept_away_;
  std::vector<Spread> spread_;
  std::vector<Counted> wished_spread_;
};

}  // namespace keelson::controllers
