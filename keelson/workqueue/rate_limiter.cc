#include "keelson/workqueue/rate_limiter.h"

#include <cmath>

#include "keelson/core/clock.h"

namespace keelson {

namespace internal {

Duration ExponentialDelay(Duration base, Duration max, int64_t failures) {
  if (base <= Duration::zero()) return std::min(base, max);
  Duration delay = base;
  for (int64_t i = 0; i < failures; ++i) {
    if (delay >= max / 2) return delay >= max || delay > max - delay ? max : delay * 2;
    delay *= 2;
  }
  return std::min(delay, max);
}

}  // namespace internal

TokenBucket::TokenBucket(double per_second, int64_t burst)
    : per_second_(per_second), burst_(static_cast<double>(burst)), permits_(burst_), updated_(Clock::Now()) {}

Duration TokenBucket::Reserve() {
  const TimePoint now = Clock::Now();
  MutexLock lock(mutex_);
  if (now > updated_) {
    permits_ = std::min(burst_, permits_ + per_second_ * std::chrono::duration<double>(now - updated_).count());
    updated_ = now;
  }
  permits_ -= 1;
  if (permits_ >= 0) return Duration::zero();
  // Rounded up, so that the permit is there when the time is over.
  const double nanoseconds = std::ceil(-permits_ / per_second_ * 1e9);
  return nanoseconds < 9e18 ? Duration(static_cast<int64_t>(nanoseconds)) : Duration::max();
}

}  // namespace keelson
