#include "keelson/core/clock.h"

#include <time.h>

#include "keelson/core/internal/scheduler.h"
#include "keelson/core/mutex.h"

namespace keelson {

TimePoint Clock::Now() {
  if (auto* scheduler = internal::CurrentScheduler()) [[unlikely]]
    return scheduler->Now();
  return std::chrono::steady_clock::now();
}

WallTime Clock::WallNow() {
  if (auto* scheduler = internal::CurrentScheduler()) [[unlikely]]
    return scheduler->WallNow();
  return std::chrono::system_clock::now();
}

BootTime Clock::BootNow() {
  if (auto* scheduler = internal::CurrentScheduler()) [[unlikely]]
    return BootTime(scheduler->Now().time_since_epoch());
#ifdef CLOCK_BOOTTIME
  timespec now{};
  if (clock_gettime(CLOCK_BOOTTIME, &now) == 0) {
    return BootTime(std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec));
  }
#endif
  return BootTime(std::chrono::steady_clock::now().time_since_epoch());
}

Wake SleepFor(Duration span, const StopToken& stop) { return SleepUntil(SaturatingAdd(Clock::Now(), span), stop); }

Wake SleepUntil(TimePoint deadline, const StopToken& stop) {
  Mutex mutex;
  CondVar never("sleep");
  MutexLock lock(mutex);
  return never.WaitUntil(lock, deadline, stop, [] { return false; });
}

}  // namespace keelson
