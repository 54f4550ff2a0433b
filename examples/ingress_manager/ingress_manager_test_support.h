// What the tests of the operator have in common.
#pragma once

#include <gtest/gtest.h>

#include <chrono>

#include "ingress_controller.h"
#include "keelson/client/retry_on_conflict.h"
#include "keelson/core/thread.h"

namespace ingress_manager {

// The program of main.cc, in this process.
class Operator {
 public:
  explicit Operator(const keelson::Client& client, int workers = 2)
      : events_({.client = client}),
        informers_(client),
        controller_(client, informers_, events_.RecorderFor(kControllerName)),
        thread_("operator", [this, workers](const keelson::StopToken& stop) {
          informers_.Start(stop);
          controller_.Run(stop, workers).value();
        }) {}

 private:
  keelson::EventBroadcaster events_;
  keelson::InformerFactory informers_;
  IngressController controller_;
  keelson::Thread thread_;
};

inline keelson::corev1::Service ServiceOf(const std::string& name, int32_t port) {
  keelson::corev1::Service service;
  service.metadata = {.name = name, .namespace_ = "default", .annotations = {{kAnnotation, "true"}}};
  service.spec.ports = {{.port = port}};
  return service;
}

template <class T, class F>
void Change(const keelson::Client& client, const std::string& name, F change) {
  keelson::RetryOnConflict([&]() -> keelson::Result<T> {
    KEELSON_TRY(object, client.Get<T>({"default", name}));
    change(object);
    return client.Update(object);
  }).value();
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
