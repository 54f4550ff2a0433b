#include "keelson/apiserver/bootstrap.h"

#include "keelson/api/core/v1.h"
#include "keelson/api/scheduling/v1.h"
#include "keelson/api/status_error.h"

namespace keelson::apiserver {

namespace {

template <class T>
AnyValue Boxed(T object) {
  AnyValue value(TypeOf<T>());
  *static_cast<T*>(value.data()) = std::move(object);
  return value;
}

// A request of the server itself.
Exchange OwnRequest(ResourcePtr resource, std::string_view namespace_) {
  Exchange exchange;
  exchange.resource = std::move(resource);
  exchange.info.is_resource = true;
  exchange.info.verb = "create";
  exchange.info.namespace_ = namespace_;
  exchange.user = {.name = "system:apiserver", .groups = {"system:masters"}};
  return exchange;
}

template <class T>
Result<void> Ensure(Objects& objects, T object) {
  const ResourcePtr resource = objects.resources().FindServing(TypeOf<T>());
  if (objects.Get(*resource, object.metadata.namespace_, object.metadata.name)) return {};
  Exchange exchange = OwnRequest(resource, object.metadata.namespace_);
  Result<Reply> created = objects.Create(exchange, Boxed(std::move(object)), {});
  if (!created && !IsAlreadyExists(created.error())) return std::move(created).error();
  return {};
}

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

}  // namespace

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
