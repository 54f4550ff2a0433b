// A count of permits that threads take and give back: bounds how much happens at once.
//
//   Semaphore in_flight(8);
//   if (in_flight.Acquire(stop) == Wake::kStopped) return;
//   Send();
//   in_flight.Release();
#pragma once

#include <cstdint>

#include "keelson/core/cond_var.h"
#include "keelson/core/mutex.h"
#include "keelson/core/stop_token.h"
#include "keelson/core/time.h"

namespace keelson {

// Thread-safe. Permits may be released by another thread than the one that took them.
class Semaphore {
 public:
  explicit Semaphore(int64_t permits) : permits_(permits) {}

  // kReady with a permit taken, kStopped without.
  [[nodiscard]] Wake Acquire(const StopToken& stop) {
    MutexLock lock(mutex_);
    const Wake wake = released_.Wait(lock, stop, [&] { return permits_ > 0; });
    if (wake == Wake::kReady) --permits_;
    return wake;
  }
  // As Acquire, or kTimeout without a permit.
  [[nodiscard]] Wake AcquireFor(Duration span, const StopToken& stop) {
    MutexLock lock(mutex_);
    const Wake wake = released_.WaitFor(lock, span, stop, [&] { return permits_ > 0; });
    if (wake == Wake::kReady) --permits_;
    return wake;
  }
  [[nodiscard]] bool TryAcquire() {
    MutexLock lock(mutex_);
    if (permits_ <= 0) return false;
    --permits_;
    return true;
  }
  void Release(int64_t permits = 1) {
    {
      MutexLock lock(mutex_);
      permits_ += permits;
    }
    permits == 1 ? released_.NotifyOne() : released_.NotifyAll();
  }

 private:
  Mutex mutex_{"semaphore"};
  CondVar released_{"semaphore permit"};
  int64_t permits_;  // guarded by mutex_
};

}  // namespace keelson
