#include "keelson/apiserver/bootstrap.h"

#include <arpa/inet.h>

#include <functional>

#include "keelson/api/core/v1.h"
#include "keelson/api/discovery/v1.h"
#include "keelson/api/networking/v1.h"
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

// With the condition that tells that addresses are taken from it.
Result<void> EnsureServiceRange(Objects& objects) {
  const ResourcePtr ranges = objects.resources().FindServing(TypeOf<networkingv1::ServiceCIDR>());
  if (objects.Get(*ranges, "", "kubernetes")) return {};
  networkingv1::ServiceCIDR range;
  range.metadata.name = "kubernetes";
  range.spec.cidrs = {"10.0.0.0/24"};
  KEELSON_RETURN_IF_ERROR(Ensure(objects, std::move(range)));
  return objects.Rewrite(
      *ranges, "", "kubernetes",
      [](AnyValue& object) -> Result<void> {
        metav1::Condition ready;
        ready.type = "Ready";
        ready.status = "True";
        ready.lastTransitionTime = metav1::Time(Clock::WallNow());
        ready.message = "Kubernetes Service CIDR is ready";
        static_cast<networkingv1::ServiceCIDR*>(object.data())->status.conditions = {ready};
        return {};
      },
      false, "status");
}

bool IsIpv4(const std::string& host) {
  in_addr parsed;
  return inet_pton(AF_INET, host.c_str(), &parsed) == 1;
}

// The object of the Service `kubernetes`, made when it is not there, changed past the checks of others' writes.
template <class T>
Result<void> Put(Objects& objects, T object, const std::function<void(T&)>& change) {
  KEELSON_RETURN_IF_ERROR(Ensure(objects, object));
  return objects.Rewrite(
      *objects.resources().FindServing(TypeOf<T>()), object.metadata.namespace_, object.metadata.name,
      [&change](AnyValue& stored) -> Result<void> {
        change(*static_cast<T*>(stored.data()));
        return {};
      },
      false, "");
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
  KEELSON_RETURN_IF_ERROR(Ensure(objects, KubernetesService()));
  return EnsureServiceRange(objects);
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

Result<void> SetServiceEndpoints(Objects& objects, const std::string& host, uint16_t port) {
  if (!IsIpv4(host)) return {};
  const String address = host == "0.0.0.0" ? "127.0.0.1" : host;
  corev1::Endpoints endpoints;
  endpoints.metadata = {.name = "kubernetes", .namespace_ = "default"};
  endpoints.metadata.labels.Set("endpointslice.kubernetes.io/skip-mirror", "true");
  KEELSON_RETURN_IF_ERROR(Put<corev1::Endpoints>(objects, std::move(endpoints), [&](corev1::Endpoints& stored) {
    corev1::EndpointSubset subset;
    subset.addresses = {corev1::EndpointAddress{.ip = address}};
    subset.ports = {corev1::EndpointPort{.name = "https", .port = port, .protocol = "TCP"}};
    stored.subsets = {subset};
  }));
  discoveryv1::EndpointSlice slice;
  slice.metadata = {.name = "kubernetes", .namespace_ = "default"};
  slice.metadata.labels.Set("kubernetes.io/service-name", "kubernetes");
  slice.addressType = "IPv4";
  return Put<discoveryv1::EndpointSlice>(objects, std::move(slice), [&](discoveryv1::EndpointSlice& stored) {
    discoveryv1::Endpoint endpoint;
    endpoint.addresses = {address};
    endpoint.conditions.ready = true;
    stored.endpoints = {endpoint};
    stored.ports = {discoveryv1::EndpointPort{
        .name = String("https"), .protocol = corev1::Protocol("TCP"), .port = static_cast<int32_t>(port)}};
  });
}

}  // namespace keelson::apiserver
