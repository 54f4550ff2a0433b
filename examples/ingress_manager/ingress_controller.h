// Keeps an Ingress for every Service whose annotation asks for one:
//
//   metadata:
//     annotations:
//       ingress/http: "true"
//
// There is no type of its own. Written by hand: two informers with their listers fill one queue. An Ingress has the
// name of its Service, so whichever of the two changes, the key is the same.
#pragma once

#include <string>
#include <string_view>

#include "keelson/api/core/v1.h"
#include "keelson/api/networking/v1.h"
#include "keelson/cache/informer_factory.h"
#include "keelson/client/client.h"
#include "keelson/core/log.h"
#include "keelson/core/result.h"
#include "keelson/core/stop_token.h"
#include "keelson/runtime/event_recorder.h"
#include "keelson/workqueue/rate_limiting_queue.h"

namespace ingress_manager {

inline constexpr std::string_view kControllerName = "ingress-manager";
inline constexpr std::string_view kAnnotation = "ingress/http";

// Reasons of events, all of them about the Service.
inline constexpr std::string_view kIngressCreated = "IngressCreated";
inline constexpr std::string_view kIngressUpdated = "IngressUpdated";
inline constexpr std::string_view kIngressDeleted = "IngressDeleted";
inline constexpr std::string_view kIngressExists = "IngressExists";    // a warning: it is another's
inline constexpr std::string_view kIngressRefused = "IngressRefused";  // a warning: the server does not want it
inline constexpr std::string_view kNoPorts = "NoPorts";  // a warning: there is nothing to send requests to

struct IngressOptions {
  // Service web of namespace shop is reached at web.shop.example.com: no two Services have the same host.
  std::string domain = "example.com";
  std::string ingress_class = {};  // empty: the cluster's default
};

class IngressController {
 public:
  // The factory outlives it. The informers start with the factory's Start.
  IngressController(const keelson::Client& client, keelson::InformerFactory& informers, keelson::EventRecorder events,
                    IngressOptions options = {});

  // Works until stop is requested and what is under way has ended. Begins when both caches have synced.
  keelson::Result<void> Run(const keelson::StopToken& stop, int workers);

 private:
  using Service = keelson::corev1::Service;
  using Ingress = keelson::networkingv1::Ingress;

  // Makes the world as one Service says. Workers call it at the same time for different keys.
  keelson::Result<void> Sync(const keelson::ObjectKey& key);
  // What this controller wants of a Service's Ingress. Everything else is left to defaults and to others.
  void Shape(const Service& service, Ingress& ingress) const;
  keelson::Result<void> Create(const Service& service);
  keelson::Result<void> Update(const Service& service, const Ingress& ingress);
  // Tells what the server refused. Gives the error back, so that it is tried again.
  keelson::Error Failed(const Service& service, const keelson::Error& error) const;
  keelson::Result<void> Delete(const Service& service, const Ingress& ingress);

  const IngressOptions options_;
  const keelson::Logger log_;
  const keelson::Client client_;
  const keelson::EventRecorder events_;
  keelson::RateLimitingQueue<keelson::ObjectKey> queue_;

  const keelson::Lister<Service> services_;
  const keelson::Lister<Ingress> ingresses_;
  // Declared last: no handler is called when the rest is gone.
  const keelson::HandlerRegistration service_handler_;
  const keelson::HandlerRegistration ingress_handler_;
};

}  // namespace ingress_manager
