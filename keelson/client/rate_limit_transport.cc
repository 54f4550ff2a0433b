#include "keelson/client/rate_limit_transport.h"

#include <algorithm>
#include <cmath>

#include "keelson/client/request_metrics.h"
#include "keelson/core/clock.h"

namespace keelson {

RequestBucket::RequestBucket(const RateLimitOptions& options)
    : qps_(options.qps), burst_(std::max(options.burst, 1)), tokens_(burst_), counted_(Clock::Now()) {}

Result<HttpResponse> RateLimitTransport::SendKept(HttpRequest& request, const CallScope& scope) {
  const TimePoint start = Clock::Now();
  const Result<void> taken = bucket_->Take(scope);
  if (metrics_ != nullptr) metrics_->CountRateLimiterWait(request.method, Clock::Now() - start);
  if (!taken) return taken.error();
  return inner_->SendKept(request, scope);
}

Result<void> RequestBucket::Take(const CallScope& scope) {
  Duration wait = Duration::zero();
  {
    const MutexLock lock(mutex_);
    const TimePoint now = Clock::Now();
    tokens_ = std::min(burst_, tokens_ + std::chrono::duration<double>(now - counted_).count() * qps_);
    counted_ = now;
    if (tokens_ < 1) {
      const double seconds = (1 - tokens_) / qps_;
      // A wait of years is as good as for ever, and its nanoseconds still fit.
      wait = std::chrono::duration_cast<Duration>(std::chrono::duration<double>(std::min(seconds, 1e9)));
      if (SaturatingAdd(now, wait) > scope.deadline) {
        return Error(ErrorCode::kTimeout, "the client's own rate limit would hold the request back for " +
                                              FormatDuration(wait) +
                                              ", beyond its deadline: send fewer requests or raise QPS and burst");
      }
    }
    tokens_ -= 1;
  }
  if (wait == Duration::zero()) return {};
  if (SleepFor(wait, scope.stop) == Wake::kStopped) {
    const MutexLock lock(mutex_);
    tokens_ += 1;
    return Error::Cancelled("the request was cancelled while the client's own rate limit held it back");
  }
  return {};
}

}  // namespace keelson
