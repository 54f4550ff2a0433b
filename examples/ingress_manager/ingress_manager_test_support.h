// What the tests of the operator have in common.
#pragma once

#include <string>

#include "ingress_controller.h"
#include "keelson/client/modify.h"
#include "keelson/controlplane/control_plane.h"
#include "keelson/controlplane/operator_process.h"
#include "keelson/controlplane/run_seeds.h"
#include "keelson/core/clock.h"

namespace ingress_manager {

// What main does, without flags.
inline keelson::OperatorProcess::Main OperatorOf(int workers) {
  return [workers](const keelson::Client& client, const keelson::StopToken& stop) {
    keelson::EventBroadcaster events({.client = client});
    keelson::InformerFactory informers(client);
    IngressController controller(client, informers, events.RecorderFor(kControllerName));
    informers.Start(stop);
    return controller.Run(stop, workers);
  };
}

inline keelson::corev1::Service ServiceOf(const std::string& name, int32_t port) {
  keelson::corev1::Service service;
  service.metadata = {.name = name, .namespace_ = "default", .annotations = {{kAnnotation, "true"}}};
  service.spec.ports = {{.port = port}};
  return service;
}

// "web.default.example.com/ Prefix → web:80", of each rule; or why there is none.
inline std::string RoutesOf(const keelson::networkingv1::Ingress& ingress) {
  std::string routes;
  for (const keelson::networkingv1::IngressRule& rule : ingress.spec.rules) {
    for (const keelson::networkingv1::HTTPIngressPath& path : rule.http->paths) {
      routes += fmt::format("{}{}{} {} → {}:{}", routes.empty() ? "" : ", ", rule.host, path.path, *path.pathType,
                            path.backend.service->name, path.backend.service->port.number);
    }
  }
  return routes;
}
inline std::string RoutesOf(const keelson::Client& client, const std::string& name) {
  const auto ingress = client.Get<keelson::networkingv1::Ingress>({"default", name});
  return ingress ? RoutesOf(*ingress) : ingress.error().message();
}

}  // namespace ingress_manager
