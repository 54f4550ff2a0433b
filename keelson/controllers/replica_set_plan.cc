#include "keelson/controllers/replica_set_plan.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <list>
#include <set>
#include <utility>

#include "keelson/api/conditions.h"
#include "keelson/api/label_selector.h"
#include "keelson/api/names.h"
#include "keelson/api/owner_references.h"
#include "keelson/controllers/pod_state.h"

namespace keelson::controllers {

namespace {

constexpr std::string_view kDeletionCost = "controller.kubernetes.io/pod-deletion-cost";
constexpr std::string_view kReplicaFailure = "ReplicaFailure";

int PhaseOrder(const corev1::Pod& pod) {
  if (pod.status.phase == "Running") return 2;
  return pod.status.phase == "Unknown" ? 1 : 0;
}

// 0 unless the annotation is a number that fits and is written as strconv would: no plus, no leading zeros.
int32_t DeletionCost(const corev1::Pod& pod) {
  const String* text = pod.metadata.annotations.find(kDeletionCost);
  if (text == nullptr || text->empty()) return 0;
  const std::string_view digits = text->view();
  if (digits[0] == '+' || (digits[0] == '0' && digits != "0") || digits.starts_with("-0")) return 0;
  int32_t cost = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), cost);
  return error == std::errc() && end == digits.data() + digits.size() ? cost : 0;
}

struct Restarts {
  int32_t containers = 0;
  int32_t sidecars = 0;
};
Restarts RestartsOf(const corev1::Pod& pod) {
  Restarts most;
  for (const corev1::ContainerStatus& status : pod.status.containerStatuses) {
    most.containers = std::max(most.containers, status.restartCount);
  }
  std::set<std::string_view> sidecars;
  for (const corev1::Container& container : pod.spec.initContainers) {
    if (container.restartPolicy && *container.restartPolicy == "Always") sidecars.insert(container.name.view());
  }
  for (const corev1::ContainerStatus& status : pod.status.initContainerStatuses) {
    if (sidecars.contains(status.name.view())) most.sidecars = std::max(most.sidecars, status.restartCount);
  }
  return most;
}

// All that the order looks at.
struct Standing {
  explicit Standing(corev1::Pod of, const std::map<std::string, int>& on_nodes) : pod(std::move(of)) {
    if (const auto node = on_nodes.find(pod.spec.nodeName.str()); node != on_nodes.end()) neighbours = node->second;
    const std::optional<metav1::Time> since = ReadySince(pod);
    ready = since.has_value();
    ready_since = since.value_or(metav1::Time());
    cost = DeletionCost(pod);
    restarts = RestartsOf(pod);
  }

  corev1::Pod pod;
  bool ready = false;
  metav1::Time ready_since;
  int32_t cost = 0;
  int neighbours = 0;
  Restarts restarts;
};

int64_t LogarithmOfAge(metav1::Time since, WallTime now) {
  const Duration age = now - since.ToTimePoint();
  if (age <= Duration::zero()) return -1;
  return static_cast<int64_t>(std::log2(static_cast<double>(age.count())));
}

// Whether the first is the younger one, or nothing when both times are the same. An unknown time is the youngest.
std::optional<bool> Younger(metav1::Time a, metav1::Time b, const Standing& first, const Standing& second,
                            WallTime now) {
  if (a == b) return std::nullopt;
  if (a.IsZero() || b.IsZero()) return a.IsZero();
  const int64_t age = LogarithmOfAge(a, now), other = LogarithmOfAge(b, now);
  return age == other ? first.pod.metadata.uid < second.pod.metadata.uid : age < other;
}

bool GoesBefore(const Standing& a, const Standing& b, WallTime now) {
  if (a.pod.spec.nodeName.empty() != b.pod.spec.nodeName.empty()) return a.pod.spec.nodeName.empty();
  if (PhaseOrder(a.pod) != PhaseOrder(b.pod)) return PhaseOrder(a.pod) < PhaseOrder(b.pod);
  if (a.ready != b.ready) return !a.ready;
  if (a.cost != b.cost) return a.cost < b.cost;
  if (a.neighbours != b.neighbours) return a.neighbours > b.neighbours;
  if (a.ready) {
    if (const auto younger = Younger(a.ready_since, b.ready_since, a, b, now)) return *younger;
  }
  if (a.restarts.containers != b.restarts.containers) return a.restarts.containers > b.restarts.containers;
  if (a.restarts.sidecars != b.restarts.sidecars) return a.restarts.sidecars > b.restarts.sidecars;
  return Younger(a.pod.metadata.creationTimestamp, b.pod.metadata.creationTimestamp, a, b, now).value_or(false);
}

bool HasLabels(const corev1::Pod& pod, const Map<String>& labels) {
  for (const auto& [key, value] : labels) {
    const String* has = pod.metadata.labels.find(key.view());
    if (has == nullptr || *has != value) return false;
  }
  return true;
}

}  // namespace

std::map<std::string, int> ActiveOnNodes(const std::vector<corev1::Pod>& family) {
  std::map<std::string, int> on_nodes;
  for (const corev1::Pod& pod : family) {
    if (IsActive(pod)) ++on_nodes[pod.spec.nodeName.str()];
  }
  return on_nodes;
}

void SortForDeletion(std::vector<corev1::Pod>& pods, const std::map<std::string, int>& on_nodes, WallTime now) {
  // Pods that are alike in everything, which no server makes, go by name.
  std::sort(pods.begin(), pods.end(),
            [](const corev1::Pod& a, const corev1::Pod& b) { return a.metadata.name < b.metadata.name; });
  // A list merges, which needs no strict weak order as std::sort does: rounded ages beside exact restarts are none.
  std::list<Standing> standings;
  for (corev1::Pod& pod : pods) standings.emplace_back(std::move(pod), on_nodes);
  standings.sort([now](const Standing& a, const Standing& b) { return GoesBefore(a, b, now); });
  pods.clear();
  for (Standing& standing : standings) pods.push_back(std::move(standing.pod));
}

Result<corev1::Pod> PodFromTemplate(const appsv1::ReplicaSet& set, const Owner& owner) {
  const corev1::PodTemplateSpec& from = set.spec.template_;
  if (from.metadata.labels.empty()) return Error::InvalidArgument("unable to create pods, no labels");
  const bool dash_fits = set.metadata.name.size() < names::kMaxSubdomainLength;
  corev1::Pod pod{.metadata = {.generateName = set.metadata.name.str() + (dash_fits ? "-" : ""),
                               .namespace_ = set.metadata.namespace_,
                               .labels = from.metadata.labels,
                               .annotations = from.metadata.annotations,
                               .finalizers = from.metadata.finalizers},
                  .spec = from.spec};
  KEELSON_RETURN_IF_ERROR(SetControllerReference(owner, pod.metadata));
  return pod;
}

appsv1::ReplicaSetStatus StatusOf(const appsv1::ReplicaSet& set, const ReplicaSetPods& pods,
                                  const std::optional<Error>& failure, WallTime now) {
  appsv1::ReplicaSetStatus status{.replicas = static_cast<int32_t>(pods.active.size()),
                                  .terminatingReplicas = pods.terminating,
                                  .observedGeneration = set.metadata.generation,
                                  .conditions = set.status.conditions};
  for (const corev1::Pod& pod : pods.active) {
    if (HasLabels(pod, set.spec.template_.metadata.labels)) ++status.fullyLabeledReplicas;
    if (!IsReady(pod)) continue;
    ++status.readyReplicas;
    if (IsAvailable(pod, set.spec.minReadySeconds, now)) ++status.availableReplicas;
  }
  const auto is_failure = [](const appsv1::ReplicaSetCondition& one) { return one.type == kReplicaFailure; };
  if (!failure) {
    if (std::any_of(status.conditions.begin(), status.conditions.end(), is_failure)) {
      status.conditions.EraseIf(is_failure);
    }
  } else if (std::none_of(status.conditions.begin(), status.conditions.end(), is_failure)) {
    const bool too_few = status.replicas < set.spec.replicas.value_or(1);
    status.conditions.push_back({.type = kReplicaFailure,
                                 .status = kConditionTrue,
                                 .lastTransitionTime = metav1::Time(now),
                                 .reason = too_few ? "FailedCreate" : "FailedDelete",
                                 .message = failure->message()});
  }
  return status;
}

std::optional<Duration> NextAvailable(const std::vector<corev1::Pod>& pods, int32_t min_ready_seconds, WallTime now) {
  std::optional<Duration> next;
  for (const corev1::Pod& pod : pods) {
    const std::optional<Duration> left = UntilAvailable(pod, min_ready_seconds, now);
    if (left && (!next || *left < *next)) next = left;
  }
  return next;
}

}  // namespace keelson::controllers
