// Hands events to watchers: one thread for all of them.
//
// A writer that committed says so with Committed(); the hub's thread then takes what is new from the collection's log,
// once, and calls each sink with the same span of events. A watch that starts in the past gets the events up to its
// start's moment first, in a call of its own. The log never drops an event that the hub has not taken; writers wait in
// WaitForRoom() when it is `max_behind` events late, so that neither memory nor history runs away.
//
// Lock order: the hub's mutex, then a collection's.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "keelson/apiserver/store/collection.h"
#include "keelson/apiserver/store/store.h"
#include "keelson/core/cond_var.h"
#include "keelson/core/mutex.h"
#include "keelson/core/thread.h"

namespace keelson::apiserver::internal {

// Thread-safe. Collections must outlive it.
class WatchHub {
 public:
  struct Options {
    Duration tick;
    size_t max_behind;
  };

  // `revision` is the store's: of the newest write, changed only with the lock of that write's collection held.
  WatchHub(const Options& options, const std::atomic<Revision>& revision);
  ~WatchHub();

  Result<std::unique_ptr<Subscription>> Watch(Collection& collection, Revision since, std::shared_ptr<WatchSink> sink);

  // All members of all audiences hear OnTick at once.
  void TickSoon();

  // Called behind every write, without the collection's lock.
  void Committed(Collection& collection) {
    if (collection.audience.watchers.load(std::memory_order_acquire) != 0) Queue(collection);
  }
  // Called before a write, without locks. Not from a sink: the hub cannot wait for itself.
  void WaitForRoom(const Collection& collection) {
    if (!HasRoom(collection)) AwaitRoom(collection);
  }

 private:
  void Queue(Collection& collection);
  bool HasRoom(const Collection& collection) const {
    const Audience& audience = collection.audience;
    return audience.watchers.load(std::memory_order_acquire) == 0 ||
           collection.log.end() - audience.delivered.load(std::memory_order_relaxed) < options_.max_behind;
  }
  void AwaitRoom(const Collection& collection);

  void Run(const StopToken& stop);
  // Hands over what is new; gives the revision up to which all members have seen everything.
  Revision Deliver(Collection& collection);
  // For the collections whose time has come, or all. Gives the time at which the next is wanted.
  TimePoint Tick(TimePoint now, bool all);
  void Sweep(Collection& collection);

  const Options options_;
  const std::atomic<Revision>& revision_;

  Mutex mutex_{"watch hub"};
  CondVar queued_{"watch hub queue"};
  CondVar progressed_{"watch hub progress"};
  std::vector<Collection*> queue_;  // guarded by mutex_
  bool tick_soon_ = false;          // guarded by mutex_

  // Of the hub's thread.
  std::vector<Collection*> watched_;  // those that have members
  std::vector<EventPtr> batch_;
  TimePoint next_tick_ = TimePoint::max();

  Thread thread_;
};

}  // namespace keelson::apiserver::internal
