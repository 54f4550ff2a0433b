// Keeps a Deployment for every AppService, and tells in its status how that Deployment does.
//
// Written by hand, with nothing between it and its parts: informers tell of changes, their handlers put keys into a
// queue, workers take keys, look at the listers and write through the clients.
#pragma once

#include <string_view>

#include "api/v1alpha1/clientset.h"
#include "api/v1alpha1/generated.h"
#include "api/v1alpha1/informers.h"
#include "keelson/api/apps/v1.h"
#include "keelson/cache/informer_factory.h"
#include "keelson/client/client.h"
#include "keelson/core/log.h"
#include "keelson/core/result.h"
#include "keelson/core/stop_token.h"
#include "keelson/runtime/event_recorder.h"
#include "keelson/workqueue/rate_limiting_queue.h"

namespace app_service {

inline constexpr std::string_view kControllerName = "app-service-controller";

// Reasons of events and of the condition Ready.
inline constexpr std::string_view kSynced = "Synced";
inline constexpr std::string_view kProgressing = "Progressing";
inline constexpr std::string_view kErrResourceExists = "ErrResourceExists";  // the Deployment is another's
inline constexpr std::string_view kErrRefused = "ErrRefused";                // the server does not want the Deployment

class AppServiceController {
 public:
  // The factory outlives it. The informers start with the factory's Start.
  AppServiceController(const keelson::Client& client, keelson::InformerFactory& informers,
                       keelson::EventRecorder events, const keelson::QueueMetrics& queue_metrics = {});

  // Works until stop is requested and what is under way has ended. Begins when both caches have synced.
  keelson::Result<void> Run(const keelson::StopToken& stop, int workers);

 private:
  using AppService = v1alpha1::AppService;
  using Deployment = keelson::appsv1::Deployment;

  void Enqueue(const AppService& app_service) { queue_.Add(keelson::KeyOf(app_service)); }
  // Those that care about this Deployment: the one that controls it, and those that name it.
  void EnqueueFor(const Deployment& deployment);

  // Makes the world as one AppService says. Workers call it at the same time for different keys.
  keelson::Result<void> Sync(const keelson::ObjectKey& key);
  // The Deployment that has the name, not necessarily its own; if it is, as it should be.
  keelson::Result<Deployment> EnsureDeployment(const AppService& app_service);
  keelson::Result<Deployment> FindOrCreate(const AppService& app_service);
  keelson::Result<void> Report(const AppService& app_service, const Deployment& deployment);
  // `ready` has a reason and a message; the rest follows from these.
  keelson::Result<void> Report(const AppService& app_service, keelson::metav1::Condition ready, int32_t available);

  const keelson::Logger log_;
  const keelson::Client kube_;
  const v1alpha1::Clientset app_services_;
  const keelson::EventRecorder events_;
  keelson::RateLimitingQueue<keelson::ObjectKey> queue_;

  const v1alpha1::AppServiceInformer app_service_informer_;
  const keelson::Informer<Deployment> deployment_informer_;
  const v1alpha1::AppServiceLister app_service_lister_;
  const keelson::Lister<Deployment> deployment_lister_;
  // Declared last: no handler is called when the rest is gone.
  keelson::HandlerRegistration app_service_handler_;
  keelson::HandlerRegistration deployment_handler_;
};

}  // namespace app_service
