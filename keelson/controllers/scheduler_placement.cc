#include "keelson/controllers/scheduler_placement.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "keelson/controllers/scheduler_topology.h"

namespace keelson::controllers {
namespace {

constexpr int64_t kMaxScore = 100;
constexpr int64_t kTaintWeight = 3;
constexpr int64_t kNodeAffinityWeight = 2;
constexpr int64_t kPodAffinityWeight = 2;
constexpr int64_t kSpreadWeight = 2;

// What a node's filters said; no reasons: it fits.
struct Verdict {
  std::vector<std::string> reasons = {};
  uint8_t hindrance = kNoHindrance;
  // Whether it could fit if pods went away.
  bool pods_could_yield = false;
};

Verdict Refused(std::string reason, uint8_t hindrance, bool pods_could_yield = false) {
  return {.reasons = {std::move(reason)}, .hindrance = hindrance, .pods_could_yield = pods_could_yield};
}

struct HostPort {
  std::string ip;
  std::string protocol;
  int32_t port;
};

std::vector<HostPort> HostPortsOf(const corev1::PodSpec& spec) {
  std::vector<HostPort> ports;
  const auto add = [&](const List<corev1::Container>& containers, bool only_lasting) {
    for (const corev1::Container& container : containers) {
      if (only_lasting && container.restartPolicy != String("Always")) continue;
      for (const corev1::ContainerPort& port : container.ports) {
        if (port.hostPort <= 0) continue;
        ports.push_back({.ip = port.hostIP.empty() ? "0.0.0.0" : port.hostIP.str(),
                         .protocol = port.protocol.empty() ? "TCP" : port.protocol.str(),
                         .port = port.hostPort});
      }
    }
  };
  add(spec.containers, false);
  add(spec.initContainers, true);
  return ports;
}

bool PortsFree(const std::vector<HostPort>& wanted, const NodeState& node) {
  if (wanted.empty()) return true;
  for (const auto& [key, placed] : node.pods()) {
    for (const HostPort& used : HostPortsOf(placed.pod.spec)) {
      for (const HostPort& port : wanted) {
        const bool same_ip = port.ip == used.ip || port.ip == "0.0.0.0" || used.ip == "0.0.0.0";
        if (same_ip && port.port == used.port && port.protocol == used.protocol) return false;
      }
    }
  }
  return true;
}

Verdict FitResources(const Amounts& asked, const NodeState& node) {
  Verdict verdict{.hindrance = kByResources, .pods_could_yield = true};
  const auto check = [&](std::string_view resource, int64_t amount, int64_t allocatable, int64_t used) {
    if (amount <= 0 || amount <= allocatable - used) return;
    verdict.reasons.push_back(fmt::format("Insufficient {}", resource));
    if (amount > allocatable) verdict.pods_could_yield = false;
  };
  if (static_cast<int64_t>(node.pods().size()) + 1 > node.max_pods()) verdict.reasons.push_back("Too many pods");
  const Amounts& allocatable = node.allocatable();
  const Amounts& used = node.requested();
  check("cpu", asked.milli_cpu, allocatable.milli_cpu, used.milli_cpu);
  check("memory", asked.memory, allocatable.memory, used.memory);
  check("ephemeral-storage", asked.ephemeral_storage, allocatable.ephemeral_storage, used.ephemeral_storage);
  for (const auto& [resource, amount] : asked.others) {
    check(resource, amount, allocatable.Other(resource), used.Other(resource));
  }
  return verdict;
}

// One pod's question, with what is the same for all nodes worked out once.
class Question {
 public:
  Question(const corev1::Pod& pod, const NodeStates& nodes, const PlacementOptions& options)
      : pod_(pod),
        options_(options),
        asked_(RequestsOf(pod)),
        scored_(ScoredRequestsOf(pod)),
        ports_(HostPortsOf(pod.spec)),
        by_name_(NodesByName(pod.spec)),
        topology_(pod, nodes, options.namespaces) {}

  Verdict Ask(const NodeState& state) const {
    const corev1::Node& node = *state.node();
    if (by_name_ && !by_name_->contains(node.metadata.name.str())) {
      return Refused("node(s) didn't satisfy plugin(s) [NodeAffinity]", kByNode);
    }
    if (node.spec.unschedulable && !ToleratesCordon()) return Refused("node(s) were unschedulable", kByNode);
    if (!ToleratesTaints(pod_.spec, node)) return Refused("node(s) had untolerated taint(s)", kByNode);
    if (!MatchesNodeRequirements(pod_.spec, node)) {
      return Refused("node(s) didn't match Pod's node affinity/selector", kByNode);
    }
    if (!PortsFree(ports_, state)) {
      return Refused("node(s) didn't have free ports for the requested pod ports", kByResources, true);
    }
    if (Verdict resources = FitResources(asked_, state); !resources.reasons.empty()) return resources;
    for (const corev1::NodeSelector& reachable : options_.volumes.reachable_from) {
      if (!MatchesNodeSelector(reachable, node)) {
        return Refused("node(s) didn't match PersistentVolume's node affinity", kByVolumes);
      }
    }
    if (options_.volumes.possible_on && !options_.volumes.possible_on(node)) {
      return Refused("node(s) didn't find available persistent volumes to bind", kByVolumes);
    }
    switch (topology_.Fits(node)) {
      case TopologyFit::kFits: return {};
      case TopologyFit::kSpreadLabelMissing:
        return Refused(
            "node(s) didn't match pod topology spread constraints "
            "(missing required label)",
            kByNode);
      case TopologyFit::kSpread:
        return Refused("node(s) didn't match pod topology spread constraints", kByOtherPods, true);
      case TopologyFit::kAffinity: return Refused("node(s) didn't match pod affinity rules", kByOtherPods);
      case TopologyFit::kAntiAffinity:
        return Refused("node(s) didn't match pod anti-affinity rules", kByOtherPods, true);
      case TopologyFit::kOthersAntiAffinity:
        return Refused("node(s) didn't satisfy existing pods anti-affinity rules", kByOtherPods, true);
    }
    return {};
  }

  // 0 to 100 each of CPU and memory; what stays free with the pod there.
  int64_t LeastAllocated(const NodeState& state) const {
    const auto free = [](int64_t requested, int64_t capacity) -> int64_t {
      return capacity == 0 || requested > capacity ? 0 : (capacity - requested) * kMaxScore / capacity;
    };
    return (free(state.scored().milli_cpu + scored_.milli_cpu, state.allocatable().milli_cpu) +
            free(state.scored().memory + scored_.memory, state.allocatable().memory)) /
           2;
  }

  const TopologyView& topology() const { return topology_; }

 private:
  bool ToleratesCordon() const {
    const corev1::Taint cordon{.key = "node.kubernetes.io/unschedulable", .effect = "NoSchedule"};
    return std::any_of(pod_.spec.tolerations.begin(), pod_.spec.tolerations.end(),
                       [&](const corev1::Toleration& toleration) { return Tolerates(toleration, cordon); });
  }

  const corev1::Pod& pod_;
  const PlacementOptions& options_;
  const Amounts asked_;
  const Amounts scored_;
  const std::vector<HostPort> ports_;
  const std::optional<std::set<std::string>> by_name_;
  const TopologyView topology_;
};

// "0/3 nodes are available: 1 node(s) were unschedulable, 2 Insufficient cpu."
std::string NoneAvailable(size_t nodes, const std::map<std::string, int>& reasons) {
  std::vector<std::string> counted;
  for (const auto& [reason, count] : reasons) counted.push_back(fmt::format("{} {}", count, reason));
  std::sort(counted.begin(), counted.end());
  std::string text = fmt::format("0/{} nodes are available:", nodes);
  if (!counted.empty()) text += fmt::format(" {}.", fmt::join(counted, ", "));
  return text;
}

// What kube-scheduler says of its ways to make room, of which there are none here: to take devices back, and to evict
// others.
std::string AboutMakingRoom(const corev1::Pod& pod, size_t nodes, int yielding) {
  const std::string none = " no new claims to deallocate, preemption: ";
  if (pod.spec.preemptionPolicy == String("Never")) return none + "not eligible due to preemptionPolicy=Never.";
  std::map<std::string, int> reasons;
  if (yielding > 0) reasons["No preemption victims found for incoming pod"] = yielding;
  if (const int others = static_cast<int>(nodes) - yielding; others > 0) {
    reasons["Preemption is not helpful for scheduling"] = others;
  }
  return none + NoneAvailable(nodes, reasons);
}

// From any range to 0..100; the other way round where less is better.
int64_t Normalised(int64_t value, int64_t least, int64_t most, bool reverse = false) {
  if (most == least) return reverse ? kMaxScore : 0;
  const int64_t score = (value - least) * kMaxScore / (most - least);
  return reverse ? kMaxScore - score : score;
}

struct Candidate {
  const NodeState* state;
  int64_t least_allocated;
  int64_t node_preference;
  int64_t taints;
  int64_t pod_preference;
  int64_t crowding;
};

const Candidate& Best(const std::vector<Candidate>& candidates) {
  const auto range = [&](int64_t Candidate::* part) {
    int64_t least = std::numeric_limits<int64_t>::max(), most = std::numeric_limits<int64_t>::min();
    for (const Candidate& candidate : candidates) {
      least = std::min(least, candidate.*part);
      most = std::max(most, candidate.*part);
    }
    return std::pair(least, most);
  };
  const int64_t preferred = range(&Candidate::node_preference).second;
  const int64_t taints = range(&Candidate::taints).second;
  const auto [pods_least, pods_most] = range(&Candidate::pod_preference);
  const auto [crowd_least, crowd_most] = range(&Candidate::crowding);
  const Candidate* best = nullptr;
  int64_t best_score = 0;
  for (const Candidate& candidate : candidates) {
    const int64_t score = candidate.least_allocated +
                          kNodeAffinityWeight * Normalised(candidate.node_preference, 0, preferred) +
                          kTaintWeight * Normalised(candidate.taints, 0, taints, true) +
                          kPodAffinityWeight * Normalised(candidate.pod_preference, pods_least, pods_most) +
                          kSpreadWeight * Normalised(candidate.crowding, crowd_least, crowd_most, true);
    const bool fewer_pods = best != nullptr && candidate.state->pods().size() < best->state->pods().size();
    if (best == nullptr || score > best_score || (score == best_score && fewer_pods)) {
      best = &candidate;
      best_score = score;
    }
  }
  return *best;
}

}  // namespace

Placement PlacePod(const corev1::Pod& pod, const NodeStates& nodes, const PlacementOptions& options) {
  size_t count = 0;
  for (const auto& [name, state] : nodes) count += state.node() != nullptr;
  if (count == 0) return {.message = "no nodes available to schedule pods", .hindrances = kByNode};
  if (!options.volumes.refusal.empty()) {
    // Nobody has looked at the pod's devices by then, and the one who would take them back complains.
    return {.message = fmt::format("0/{} nodes are available: {}. not found", count, options.volumes.refusal),
            .hindrances = kByVolumes};
  }
  const Question question(pod, nodes, options);
  std::vector<Candidate> candidates;
  std::map<std::string, int> reasons;
  int yielding = 0;
  Placement placement;
  for (const auto& [name, state] : nodes) {
    if (state.node() == nullptr) continue;
    const Verdict verdict = question.Ask(state);
    if (verdict.reasons.empty()) {
      candidates.push_back({.state = &state,
                            .least_allocated = question.LeastAllocated(state),
                            .node_preference = NodePreference(pod.spec, *state.node()),
                            .taints = UnwelcomeTaints(pod.spec, *state.node()),
                            .pod_preference = question.topology().Preference(*state.node()),
                            .crowding = question.topology().Crowding(*state.node())});
      continue;
    }
    for (const std::string& reason : verdict.reasons) ++reasons[reason];
    placement.hindrances |= verdict.hindrance;
    yielding += verdict.pods_could_yield;
  }
  if (candidates.empty()) {
    placement.message = NoneAvailable(count, reasons) + AboutMakingRoom(pod, count, yielding);
    return placement;
  }
  return {.node = Best(candidates).state->node()->metadata.name.str()};
}

}  // namespace keelson::controllers
