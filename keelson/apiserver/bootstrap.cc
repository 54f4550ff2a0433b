#include "keelson/apiserver/bootstrap.h"

#include "keelson/api/core/v1.h"
#include "keelson/api/scheduling/v1.h"
#include "keelson/apiserver/own_writes.h"
#include "keelson/core/clock.h"

namespace keelson::apiserver {

namespace {

corev1::Namespace NamespaceNamed(std::string_view name) {
  corev1::Namespace object;
  object.metadata.name = name;
  return object;
}

schedulingv1::PriorityClass SystemPriority(std::string_view name, int32_t value, std::string_view description) {
  schedulingv1::PriorityClass object;
  object.metadata.name = name;
  object.value = value;
  object.description = description;
  return object;
}

corev1::Service KubernetesService() {
  corev1::Service object;
  object.metadata.name = "kubernetes";
  object.metadata.namespace_ = "default";
  object.metadata.labels.Set("component", "apiserver");
  object.metadata.labels.Set("provider", "kubernetes");
  corev1::ServicePort port;
  port.name = "https";
  port.protocol = "TCP";
  port.port = 443;
  port.targetPort = IntOrString(443);
  object.spec.ports.push_back(std::move(port));
  object.spec.clusterIP = "10.0.0.1";
  object.spec.type = "ClusterIP";
  object.spec.sessionAffinity = "None";
  return object;
}

corev1::NodeCondition NodeConditionOf(std::string_view type, std::string_view status, std::string_view reason,
                                      std::string_view message) {
  corev1::NodeCondition condition;
  condition.type = type;
  condition.status = status;
  condition.reason = reason;
  condition.message = message;
  condition.lastHeartbeatTime = metav1::Time(Clock::WallNow());
  condition.lastTransitionTime = condition.lastHeartbeatTime;
  return condition;
}

corev1::Node ReadyNode(std::string_view name) {
  corev1::Node node;
  node.metadata.name = name;
  node.metadata.labels.Set("kubernetes.io/hostname", name);
  node.metadata.labels.Set("kubernetes.io/os", "linux");
  node.metadata.labels.Set("kubernetes.io/arch", "amd64");
  for (const auto& [resource, amount] : {std::pair("cpu", "4"), std::pair("memory", "16Gi"),
                                         std::pair("ephemeral-storage", "100Gi"), std::pair("pods", "110")}) {
    const Quantity quantity = Quantity::Parse(amount).value();
    node.status.capacity.Set(resource, quantity);
    node.status.allocatable.Set(resource, quantity);
  }
  node.status.conditions = {
      NodeConditionOf("MemoryPressure", "False", "KubeletHasSufficientMemory", "there is no kubelet to run out of it"),
      NodeConditionOf("DiskPressure", "False", "KubeletHasNoDiskPressure", "there is no kubelet to run out of it"),
      NodeConditionOf("PIDPressure", "False", "KubeletHasSufficientPID", "there is no kubelet to run out of them"),
      NodeConditionOf("Ready", "True", "KubeletReady", "a Node by name only: no kubelet runs Pods on it")};
  corev1::NodeAddress address;
  address.type = "InternalIP";
  address.address = "127.0.0.1";
  node.status.addresses.push_back(address);
  address.type = "Hostname";
  address.address = name;
  node.status.addresses.push_back(address);
  node.status.nodeInfo.kubeletVersion = "v1.36.3";
  node.status.nodeInfo.operatingSystem = "linux";
  node.status.nodeInfo.architecture = "amd64";
  return node;
}

}  // namespace

Result<void> EnsureNode(Objects& objects, std::string_view name) {
  const ResourcePtr nodes = objects.resources().FindServing(TypeOf<corev1::Node>());
  if (objects.Get(*nodes, "", name)) return {};
  KEELSON_RETURN_IF_ERROR(Ensure(objects, ReadyNode(name)));
  // A new node is tainted until its kubelet says that it is ready.
  return objects.Rewrite(
      *nodes, "", name,
      [](AnyValue& object) -> Result<void> {
        static_cast<corev1::Node*>(object.data())->spec.taints = {};
        return {};
      },
      false);
}

Result<void> Bootstrap(Objects& objects) {
  // Services that a data directory brought hold their addresses.
  for (const corev1::Service& service : objects.FindAll<corev1::Service>("")) {
    objects.service_addresses().Remember(service);
  }
  for (const std::string_view name : {"kube-system", "kube-public", "kube-node-lease", "default"}) {
    KEELSON_RETURN_IF_ERROR(Ensure(objects, NamespaceNamed(name)));
  }
  KEELSON_RETURN_IF_ERROR(
      Ensure(objects, SystemPriority("system-node-critical", 2'000'001'000,
                                     "Used for system critical pods that must not be moved from their current node.")));
  KEELSON_RETURN_IF_ERROR(Ensure(
      objects, SystemPriority("system-cluster-critical", 2'000'000'000,
                              "Used for system critical pods that must run in the cluster, but can be moved to another "
                              "node if necessary.")));
  return Ensure(objects, KubernetesService());
}

Result<void> SetServicePort(Objects& objects, uint16_t port) {
  const ResourcePtr services = objects.resources().FindServing(TypeOf<corev1::Service>());
  return objects.Rewrite(
      *services, "default", "kubernetes",
      [&](AnyValue& object) -> Result<void> {
        auto& service = *static_cast<corev1::Service*>(object.data());
        if (!service.spec.ports.empty()) service.spec.ports[0].targetPort = IntOrString(static_cast<int32_t>(port));
        return {};
      },
      false);
}

}  // namespace keelson::apiserver
