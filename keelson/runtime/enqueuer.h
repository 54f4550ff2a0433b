// From an event to the requests that it makes: what stands between a watch and a controller's queue.
//
//   EnqueueSelf()                                   // the object itself
//   EnqueueOwner<App>()                             // the App that controls it
//   EnqueueMapped<corev1::Node>([&](const corev1::Node& node) { return AppsOn(node); })
//
// An enqueuer may also be any function that takes the event and adds to the sink. It runs on the watch's thread and
// should not wait.
#pragma once

#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "keelson/api/gvk.h"
#include "keelson/client/client.h"
#include "keelson/runtime/cause.h"
#include "keelson/runtime/object_event.h"
#include "keelson/runtime/request.h"
#include "keelson/workqueue/rate_limiting_queue.h"

namespace keelson {

template <class R>
using RequestQueue = RateLimitingQueue<R, Cause>;

// The queue as an enqueuer sees it: additions carry the event's cause, and low priority where nothing has changed.
template <class R>
class RequestSink {
 public:
  RequestSink(RequestQueue<R>& queue, Cause cause, int32_t priority)
      : queue_(queue), cause_(std::move(cause)), priority_(priority) {}

  void Add(const R& request) { queue_.Add(request, Options()); }
  void AddAfter(const R& request, Duration delay) { queue_.AddAfter(request, delay, Options()); }
  void AddRateLimited(const R& request) { queue_.AddRateLimited(request, Options()); }

  const Cause& cause() const { return cause_; }
  // Higher ones go first; kLowPriority for what was there already and for resyncs.
  void set_priority(int32_t priority) { priority_ = priority; }

 private:
  typename RequestQueue<R>::AddOptions Options() const { return {.priority = priority_, .causes = {cause_}}; }

  RequestQueue<R>& queue_;
  Cause cause_;
  int32_t priority_;
};

// Called by one thread at a time for each watch, and by several for several watches.
template <class R = Request>
using Enqueuer = std::function<void(const ObjectEvent& event, RequestSink<R>& sink)>;

Enqueuer<Request> EnqueueSelf();

struct OwnerOptions {
  // Also owners that do not control it.
  bool any_owner = false;
};
// The owner of that kind, in whatever version. `namespaced` says whether such owners have a namespace.
Enqueuer<Request> EnqueueOwner(GroupKind owner, bool namespaced, OwnerOptions options = {});
// `mapper` is asked, when the first event comes, for the scope of a type that does not say it. It is of the client.
Enqueuer<Request> EnqueueOwner(GroupVersionKind owner, Client client, OwnerOptions options = {});

// What the function gives, for the object before and after an update.
template <class T, class R = Request, class Map>
Enqueuer<R> EnqueueMapped(Map map) {
  return [map = std::move(map)](const ObjectEvent& event, RequestSink<R>& sink) {
    if (const T* old = event.OldAs<T>()) {
      for (const R& request : map(*old)) sink.Add(request);
    }
    if (const T* object = event.As<T>()) {
      for (const R& request : map(*object)) sink.Add(request);
    }
  };
}

}  // namespace keelson
