// One handler of a shared informer: its queue and its thread.
#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "keelson/cache/delta_queue.h"
#include "keelson/cache/shared_informer.h"
#include "keelson/core/thread.h"

namespace keelson::internal {

class Listener {
 public:
  Listener(SharedInformer& informer, SharedInformer::Handler handler, std::string name, Duration resync, bool brief);
  ~Listener();

  // Called under the informer's lock.
  void Push(std::span<const Delta> deltas);
  // The first objects that it sees. Later lists come as deltas.
  void PushInitial(Snapshot objects);
  bool started() const { return started_; }
  void PushSync(const Snapshot& objects) { queue_.PushSync(objects); }

  bool HasSynced() const;
  Wake WaitForSync(const StopToken& stop, TimePoint deadline) const;
  const std::string& name() const { return name_; }

  // No call of the handler begins behind it.
  void Stop();
  bool IsCurrentThread() const;

 private:
  void Loop(const StopToken& stop);
  void Deliver(const Delta& delta);

  // Constant after construction.
  SharedInformer& informer_;
  const SharedInformer::Handler handler_;
  const std::string name_;
  const Duration resync_;
  const bool brief_;

  DeltaQueue queue_;
  bool started_ = false;  // guarded by the informer's lock

  mutable Mutex mutex_{"listener"};
  mutable CondVar synced_changed_{"listener synced"};
  // Guarded by mutex_.
  bool initial_known_ = false;
  size_t initial_left_ = 0;

  std::atomic<uint64_t> thread_id_ = 0;
  std::atomic<bool> removed_ = false;
  Thread thread_;
};

}  // namespace keelson::internal
