// From an event to the requests that it makes: what stands between a watch and a controller's queue.
//
//   EnqueueSelf()                                   // the object itself
//   EnqueueOwner<App>()                             // the App that controls it
//   EnqueueMapped<corev1::Node>([&](const corev1::Node& node) { return AppsOn(node); })
//
// An enqueuer may also be any function that takes the event and adds to the sink. It runs on the watch's thread, so the
// next event waits for it; one that must wait itself does so until sink.stop().
#pragma once

#include <functional>
#include <unordered_set>
#include <utility>

#include "keelson/api/gvk.h"
#include "keelson/api/object.h"
#include "keelson/client/client.h"
#include "keelson/core/stop_token.h"
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
  RequestSink(RequestQueue<R>& queue, Cause cause, int32_t priority = 0, StopToken stop = {})
      : queue_(queue), cause_(std::move(cause)), priority_(priority), stop_(std::move(stop)) {}

  void Add(const R& request) { queue_.Add(request, Options()); }
  void AddAfter(const R& request, Duration delay) { queue_.AddAfter(request, delay, Options()); }
  void AddRateLimited(const R& request) { queue_.AddRateLimited(request, Options()); }

  const Cause& cause() const { return cause_; }
  // Higher ones go first; kLowPriority for what was there already and for resyncs.
  void set_priority(int32_t priority) { priority_ = priority; }
  int32_t priority() const { return priority_; }
  // Stops when the controller does.
  const StopToken& stop() const { return stop_; }

 private:
  typename RequestQueue<R>::AddOptions Options() const { return {.priority = priority_, .causes = {cause_}}; }

  RequestQueue<R>& queue_;
  Cause cause_;
  int32_t priority_;
  const StopToken stop_;
};

// Called by one thread at a time for each watch, and by several for several watches.
template <class R = Request>
using Enqueuer = std::function<void(const ObjectEvent& event, RequestSink<R>& sink)>;

Enqueuer<Request> EnqueueSelf();

struct OwnerOptions {
  // Also owners that do not control it.
  bool any_owner = false;
};
// The owner of that kind, in whatever version, before and after an update. `namespaced` says whether such owners have a
// namespace.
Enqueuer<Request> EnqueueOwner(GroupKind owner, bool namespaced, OwnerOptions options = {});
// The client is asked, when the first event comes, for the scope of the kind. While it does not know that, events wait.
Enqueuer<Request> EnqueueOwner(GroupVersionKind owner, Client client, OwnerOptions options = {});
template <ApiResource T>
Enqueuer<Request> EnqueueOwner(OwnerOptions options = {}) {
  return EnqueueOwner(GvkOf<T>().group_kind(), ResourceOf<T>().namespaced, options);
}

// What the function gives for the object, before and after an update: a range of requests.
template <class T, class R = Request, class Map>
Enqueuer<R> EnqueueMapped(Map map) {
  return [map = std::move(map)](const ObjectEvent& event, RequestSink<R>& sink) {
    const T* old = event.resync() ? nullptr : event.OldAs<T>();
    const T* object = event.As<T>();
    if (old == nullptr) {
      if (object == nullptr) return;
      for (const R& request : map(*object)) sink.Add(request);
      return;
    }
    // A request that both states make is added once, or it could be worked on twice.
    std::unordered_set<R> added;
    for (const T* state : {old, object}) {
      if (state == nullptr) continue;
      for (const R& request : map(*state)) {
        if (added.insert(request).second) sink.Add(request);
      }
    }
  };
}

}  // namespace keelson
