// Something that happens once, however many threads ask for it.
//
//   once_.Call([&] { table_ = BuildTable(); });
//   Use(table_);
#pragma once

#include <atomic>

#include "keelson/core/mutex.h"

namespace keelson {

// Thread-safe. Must not be called again from inside its own call. A call that throws has not happened.
class Once {
 public:
  // Returns when a call has completed, this one or another's; everything it wrote is visible then.
  template <class F>
  void Call(F&& f) {
    if (done_.load(std::memory_order_acquire)) return;
    MutexLock lock(mutex_);
    if (done_.load(std::memory_order_relaxed)) return;
    f();
    done_.store(true, std::memory_order_release);
  }
  bool Done() const { return done_.load(std::memory_order_acquire); }

 private:
  std::atomic<bool> done_ = false;
  Mutex mutex_{"once"};
};

}  // namespace keelson
