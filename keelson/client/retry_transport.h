// Sends again what failed for a passing reason, when that cannot do harm.
//
//   RetryTransport patient(transport, {.max_retries = 10});
//
// What is sent again:
// - Answers 429 and 503 with Retry-After, whatever the method: the server did nothing yet. Other 5xx with Retry-After
//   only where a second time gives what the first would have: not POST, not JSON patches.
// - Connections that could not be made or were lost: GET and HEAD, and every request that did not reach the server. TLS
//   failures are not: they would come again.
// So there is never a second create that the caller did not ask for.
//
// Between attempts it waits for the server's Retry-After or the growing backoff, whichever is longer, with jitter. When
// the call's deadline would pass during that wait, or Retry-After asks for more than max_retry_after, the caller gets
// the last answer at once.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "keelson/core/leaf_mutex.h"
#include "keelson/core/log.h"
#include "keelson/core/random.h"
#include "keelson/transport/transport.h"

namespace keelson {

class RequestMetrics;

struct RetryOptions {
  int max_retries = 10;                                       // after an answer; 0: never
  int max_connection_retries = 4;                             // of them, after a failure to reach the server
  Duration initial_backoff = std::chrono::milliseconds(100);  // doubles each time
  Duration max_backoff = std::chrono::seconds(5);
  Duration max_retry_after = std::chrono::seconds(60);
  double jitter = 0.2;  // waits up to this fraction longer
};

class RetryTransport final : public Transport {
 public:
  explicit RetryTransport(std::shared_ptr<Transport> inner, RetryOptions options = {},
                          std::shared_ptr<const RequestMetrics> metrics = nullptr);

  Result<HttpResponse> Send(HttpRequest request, const CallScope& scope) override { return SendKept(request, scope); }
  Result<HttpResponse> SendKept(HttpRequest& request, const CallScope& scope) override;

 private:
  // How long to wait before sending that again; nothing when it is not to be sent again.
  std::optional<Duration> DelayAfter(const HttpRequest& request, const Result<HttpResponse>& outcome, int attempt);

  const std::shared_ptr<Transport> inner_;
  const RetryOptions options_;
  const std::shared_ptr<const RequestMetrics> metrics_;
  const Logger log_{"client"};

  LeafMutex mutex_;
  Random random_;  // guarded by mutex_
};

// Seconds or an HTTP date ("Sun, 06 Nov 1994 08:49:37 GMT"), which gives zero when it is past. Nothing when it is
// neither. Never more than a year.
std::optional<Duration> ParseRetryAfter(std::string_view value, WallTime now);

}  // namespace keelson
