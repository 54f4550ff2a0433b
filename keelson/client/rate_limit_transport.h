// Holds requests back to a rate, with a burst: for clients that must be gentle with their server.
//
//   RateLimitTransport gentle(transport, {.qps = 20, .burst = 30});
//
// A token bucket: it holds `burst` tokens, gains `qps` of them a second, and each request takes one or waits for it.
// Requests go in the order they came. One that could not go before its deadline fails at once with kTimeout.
#pragma once

#include <memory>
#include <utility>

#include "keelson/core/mutex.h"
#include "keelson/transport/transport.h"

namespace keelson {

class RequestMetrics;

struct RateLimitOptions {
  double qps = 20;  // more than 0
  int burst = 1;    // at least 1
};

// The bucket. Thread-safe.
class RequestBucket {
 public:
  explicit RequestBucket(const RateLimitOptions& options);
  // Waits for a token.
  Result<void> Take(const CallScope& scope);

 private:
  const double qps_;
  const double burst_;

  Mutex mutex_{"client rate limit"};
  // Guarded by mutex_. Fewer than none: that many requests wait.
  double tokens_;
  TimePoint counted_;  // when tokens_ was true
};

class RateLimitTransport final : public Transport {
 public:
  RateLimitTransport(std::shared_ptr<Transport> inner, const RateLimitOptions& options,
                     std::shared_ptr<const RequestMetrics> metrics = nullptr)
      : RateLimitTransport(std::move(inner), std::make_shared<RequestBucket>(options), std::move(metrics)) {}
  // With a bucket that several share.
  RateLimitTransport(std::shared_ptr<Transport> inner, std::shared_ptr<RequestBucket> bucket,
                     std::shared_ptr<const RequestMetrics> metrics = nullptr)
      : inner_(std::move(inner)), bucket_(std::move(bucket)), metrics_(std::move(metrics)) {}

  Result<HttpResponse> Send(HttpRequest request, const CallScope& scope) override { return SendKept(request, scope); }
  Result<HttpResponse> SendKept(HttpRequest& request, const CallScope& scope) override;

 private:
  const std::shared_ptr<Transport> inner_;
  const std::shared_ptr<RequestBucket> bucket_;
  const std::shared_ptr<const RequestMetrics> metrics_;
};

}  // namespace keelson
