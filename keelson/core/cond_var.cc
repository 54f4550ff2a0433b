#include "keelson/core/cond_var.h"

#include "keelson/core/clock.h"

namespace keelson {

TimePoint CondVar::DeadlineAfter(Duration span) { return SaturatingAdd(Clock::Now(), span); }

bool CondVar::Block(MutexLock& lock, std::optional<TimePoint> deadline, const StopToken& stop) {
  if (auto* scheduler = internal::CurrentScheduler()) [[unlikely]] {
    if (stop.StopRequested()) return true;  // nobody else runs between this look and the wait
    return scheduler->Wait(this, lock.mutex_.native_, deadline);
  }
  // A deadline that the clock cannot reach is none; adding clocks to it would overflow inside the standard library.
  if (deadline == TimePoint::max()) deadline.reset();

  std::unique_lock inner(inner_);
  if (stop.StopRequested()) return true;
  waiters_.fetch_add(1, std::memory_order_relaxed);
  lock.mutex_.native_.unlock();
  bool in_time = true;
  if (deadline) {
    in_time = wake_.wait_until(inner, *deadline) == std::cv_status::no_timeout;
  } else {
    wake_.wait(inner);
  }
  inner.unlock();
  lock.mutex_.native_.lock();
  waiters_.fetch_sub(1, std::memory_order_relaxed);
  return in_time;
}

// A change made under the caller's mutex after a wait began sees that wait's count; with no waiter nothing is locked.
// Taking inner_ makes sure that who is about to sleep does; it is free again when they are woken, because they need it.
void CondVar::NotifyOne() {
  if (auto* scheduler = internal::CurrentScheduler()) [[unlikely]]
    return scheduler->NotifyOne(this);
  if (waiters_.load(std::memory_order_relaxed) == 0) return;
  {
    std::lock_guard inner(inner_);
  }
  wake_.notify_one();
}

void CondVar::NotifyAll() {
  if (auto* scheduler = internal::CurrentScheduler()) [[unlikely]]
    return scheduler->NotifyAll(this);
  if (waiters_.load(std::memory_order_relaxed) == 0) return;
  {
    std::lock_guard inner(inner_);
  }
  wake_.notify_all();
}

// Runs without the caller's mutex, so the count may not be visible yet: always takes the lock.
void CondVar::WakeForStop() {
  if (auto* scheduler = internal::CurrentScheduler()) [[unlikely]]
    return scheduler->NotifyAll(this);
  std::lock_guard inner(inner_);
  wake_.notify_all();
}

}  // namespace keelson
