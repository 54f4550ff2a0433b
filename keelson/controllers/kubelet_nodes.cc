#include "keelson/controllers/kubelet_nodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "keelson/api/compare.h"
#include "keelson/client/ignore_not_found.h"
#include "keelson/core/clock.h"

namespace keelson::controllers {
namespace {

constexpr const char* kLeases = "kube-node-lease";
constexpr int32_t kLeaseSeconds = 40;
constexpr std::string_view kNotReady = "node.kubernetes.io/not-ready";
constexpr std::string_view kUnschedulable = "node.kubernetes.io/unschedulable";
constexpr std::string_view kTtl = "node.alpha.kubernetes.io/ttl";
constexpr const char* kFieldManager = "kubelet";

corev1::NodeCondition ConditionOf(std::string_view type, std::string_view status, std::string_view reason,
                                  std::string_view message) {
  const metav1::Time now(Clock::WallNow());
  return {.type = type,
          .status = status,
          .lastHeartbeatTime = now,
          .lastTransitionTime = now,
          .reason = reason,
          .message = message};
}

// What is missing of `wanted` comes, and statuses that differ are put right; the rest stays as it is.
void Complete(corev1::NodeStatus& status, const corev1::NodeStatus& wanted) {
  if (status.capacity.empty()) status.capacity = wanted.capacity;
  if (status.allocatable.empty()) status.allocatable = wanted.allocatable;
  if (status.addresses.empty()) status.addresses = wanted.addresses;
  if (status.nodeInfo.kubeletVersion.empty()) status.nodeInfo = wanted.nodeInfo;
  for (const corev1::NodeCondition& condition : wanted.conditions) {
    size_t index = 0;
    while (index < status.conditions.size() && std::as_const(status.conditions)[index].type != condition.type) ++index;
    if (index == status.conditions.size()) {
      status.conditions.push_back(condition);
    } else if (std::as_const(status.conditions)[index].status != condition.status) {
      status.conditions[index] = condition;
    }
  }
}

}  // namespace

std::string NodeAddressOf(size_t index) {
  const size_t number = index + 2;
  return fmt::format("172.{}.{}.{}", 18 + (number >> 16), number >> 8 & 255, number & 255);
}

std::string PodRangeOf(size_t index) {
  const size_t number = (244 * 256 + index) % 65536;
  return fmt::format("10.{}.{}.0/24", number >> 8, number & 255);
}

std::string PodAddressOf(size_t index, size_t address) {
  const size_t number = (244 * 256 + index) % 65536;
  return fmt::format("10.{}.{}.{}", number >> 8, number & 255, 2 + address % kPodAddresses);
}

corev1::Node SimulatedNode(const std::string& name, size_t index, const KubeletOptions& options) {
  corev1::Node node;
  node.metadata.name = name;
  node.metadata.labels = options.labels;
  for (const auto& [key, value] : {std::pair("beta.kubernetes.io/arch", "amd64"),
                                   {"beta.kubernetes.io/os", "linux"},
                                   {"kubernetes.io/arch", "amd64"},
                                   {"kubernetes.io/os", "linux"}}) {
    node.metadata.labels.Set(key, value);
  }
  node.metadata.labels.Set("kubernetes.io/hostname", name);
  node.spec.podCIDR = PodRangeOf(index);
  node.spec.podCIDRs = {node.spec.podCIDR};
  node.status.capacity = options.capacity;
  node.status.allocatable = options.capacity;
  node.status.conditions = {
      ConditionOf("MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
      ConditionOf("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
      ConditionOf("PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
      ConditionOf("Ready", "True", "KubeletReady", "kubelet is posting ready status")};
  node.status.addresses = {{.type = "InternalIP", .address = NodeAddressOf(index)},
                           {.type = "Hostname", .address = name}};
  node.status.daemonEndpoints.kubeletEndpoint.Port = 10250;
  node.status.nodeInfo.kubeletVersion = "v1.36.3";
  node.status.nodeInfo.containerRuntimeVersion = "keelson://simulated";
  node.status.nodeInfo.osImage = "simulated";
  node.status.nodeInfo.operatingSystem = "linux";
  node.status.nodeInfo.architecture = "amd64";
  return node;
}

NodeReconciler::NodeReconciler(Manager& manager, const KubeletOptions& options)
    : client_(manager.client()),
      live_(manager.live()),
      events_(manager.RecorderFor("node-controller")),
      options_(options) {
  for (size_t i = 0; i < options.names.size(); ++i) nodes_[options.names[i]].index = i;
}

Result<Outcome> NodeReconciler::Reconcile(Context&, const Request& request) {
  const auto found = nodes_.find(request.name);
  if (found == nodes_.end()) return Outcome::Done();
  Known& known = found->second;
  KEELSON_TRY(node, IgnoreNotFound(client_.Get<corev1::Node>(request)));
  if (!node) {
    // Who deleted it wants it gone.
    if (known.registered) return Outcome::Done();
    KEELSON_RETURN_IF_ERROR(Register(known, request.name));
    return Outcome::After(Duration::zero());
  }
  known.registered = true;
  KEELSON_RETURN_IF_ERROR(KeepReady(known, *node));
  KEELSON_RETURN_IF_ERROR(Renew(known, *node));
  return Outcome::Done();
}

Result<void> NodeReconciler::Register(Known& known, const std::string& name) {
  const Result<corev1::Node> made =
      client_.Create(SimulatedNode(name, known.index, options_), {.field_manager = kFieldManager});
  if (!made && !IsAlreadyExists(made.error())) return made.error();
  known.registered = true;
  if (made && options_.node_upkeep) {
    events_.Eventf(*made, EventType::kNormal, "RegisteredNode", "Node {0} event: Registered Node {0} in Controller",
                   name);
  }
  return {};
}

Result<void> NodeReconciler::KeepReady(const Known& known, const corev1::Node& node) {
  const corev1::Node wanted = SimulatedNode(node.metadata.name.str(), known.index, options_);
  corev1::Node changed = node;
  Complete(changed.status, wanted.status);
  if (!Equal(node.status, changed.status)) {
    KEELSON_TRY(written, client_.Status().Update(changed, {.field_manager = kFieldManager}));
    changed = std::move(written);
  }
  const bool no_range = changed.spec.podCIDR.empty();
  if (no_range) {
    changed.spec.podCIDR = wanted.spec.podCIDR;
    changed.spec.podCIDRs = wanted.spec.podCIDRs;
  }
  const bool kept_up = options_.node_upkeep && Upkeep(changed);
  if (!kept_up && !no_range) return {};
  KEELSON_RETURN_IF_ERROR(client_.Update(changed, {.field_manager = kFieldManager}));
  return {};
}

bool NodeReconciler::Upkeep(corev1::Node& node) const {
  // The server taints new nodes until they are ready.
  bool changed = node.spec.taints.EraseIf([](const corev1::Taint& taint) { return taint.key == kNotReady; }) > 0;
  const auto is_cordon = [](const corev1::Taint& taint) {
    return taint.key == kUnschedulable && taint.effect == "NoSchedule";
  };
  const List<corev1::Taint>& taints = std::as_const(node.spec).taints;
  const bool tainted = std::any_of(taints.begin(), taints.end(), is_cordon);
  if (node.spec.unschedulable && !tainted) {
    node.spec.taints.push_back(
        {.key = kUnschedulable, .effect = "NoSchedule", .timeAdded = metav1::Time(Clock::WallNow())});
    changed = true;
  } else if (!node.spec.unschedulable && tainted) {
    changed = node.spec.taints.EraseIf(is_cordon) > 0;
  }
  if (!std::as_const(node.metadata).annotations.contains(kTtl)) {
    node.metadata.annotations.Set(kTtl, "0");
    changed = true;
  }
  return changed;
}

Result<void> NodeReconciler::Renew(Known& known, const corev1::Node& node) {
  const WallTime now = Clock::WallNow();
  if (known.renewed != WallTime() && now - known.renewed < kLeasePeriod / 2) return {};
  coordinationv1::Lease& lease = known.lease;
  if (lease.metadata.resourceVersion.empty()) {
    KEELSON_TRY(there, IgnoreNotFound(live_.Get<coordinationv1::Lease>({kLeases, node.metadata.name.str()})));
    if (there) lease = *std::move(there);
  }
  lease.metadata.name = node.metadata.name;
  lease.metadata.namespace_ = kLeases;
  lease.metadata.ownerReferences = {
      {.apiVersion = "v1", .kind = "Node", .name = node.metadata.name, .uid = node.metadata.uid}};
  lease.spec.holderIdentity = node.metadata.name;
  lease.spec.leaseDurationSeconds = kLeaseSeconds;
  lease.spec.renewTime = metav1::MicroTime(now);
  const bool there = !lease.metadata.resourceVersion.empty();
  Result<coordinationv1::Lease> written = there ? live_.Update(lease) : live_.Create(lease);
  if (!written) {
    lease = {};  // somebody else's write, or a lost answer: it is read again
    if (IsNotFound(written.error()) || IsConflict(written.error()) || IsAlreadyExists(written.error())) {
      return Error(ErrorCode::kUnavailable, "the node's Lease has changed meanwhile");
    }
    return written.error();
  }
  lease = *std::move(written);
  known.renewed = now;
  return {};
}

}  // namespace keelson::controllers
