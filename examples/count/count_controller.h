// Keeps as many Pods as each Count asks for, on informers, listers and a queue.
//
//   nginx × 3  →  Pods nginx-0, nginx-1, nginx-2
#pragma once

#include <string>

#include "api/v1/generated.h"
#include "keelson/api/core/v1.h"
#include "keelson/cache/informer_factory.h"
#include "keelson/client/object_client.h"
#include "keelson/core/log.h"
#include "keelson/runtime/event_recorder.h"
#include "keelson/runtime/request.h"
#include "keelson/runtime/runnable.h"
#include "keelson/workqueue/rate_limiting_queue.h"

namespace count {

// Thread-safe.
class CountController {
 public:
  // The informers and the client outlive it.
  CountController(keelson::InformerFactory& informers, const keelson::ObjectClient& client,
                  keelson::EventRecorder events);

  // Until the scope's stop. Nothing is done before the caches have synced, which they cannot before the server knows
  // Counts: it says so, and waits.
  keelson::Result<void> Run(int workers, const keelson::RunScope& scope);
  // For /readyz: why it waits.
  keelson::Result<void> CheckSynced() const;

  // Brings one Count's Pods and status to what they should be.
  keelson::Result<void> Sync(const keelson::ObjectKey& key);

 private:
  // What there is of a Count's Pods.
  struct Pods {
    int32_t ready = 0;
    std::string taken = {};    // one of their names that a Pod of somebody else has
    std::string refusal = {};  // why the server does not allow them
  };

  void EnqueueCountsOf(const keelson::corev1::Pod& pod);
  keelson::Result<void> WaitForSync(const keelson::StopToken& stop);
  keelson::Result<Pods> SyncPods(const v1::Count& count);
  keelson::Result<void> KeepPod(const v1::Count& count, const keelson::corev1::Pod& pod, Pods& pods);
  keelson::Result<void> MakePod(const v1::Count& count, const std::string& name, Pods& pods);
  keelson::Result<void> DeletePod(const keelson::corev1::Pod& pod);
  keelson::Result<void> Report(v1::Count count, const Pods& pods);

  const keelson::Logger log_;
  const keelson::ObjectClient& client_;
  const keelson::EventRecorder events_;
  keelson::RateLimitingQueue<keelson::Request> queue_;
  const keelson::Informer<v1::Count> counts_;
  const keelson::Informer<keelson::corev1::Pod> pods_;
  // Declared last: no call comes when the rest is gone.
  const keelson::HandlerRegistration counts_handler_;
  const keelson::HandlerRegistration pods_handler_;
};

}  // namespace count
