// Trying a change again when somebody else's came in between.
//
//   Result<appsv1::Deployment> scaled = RetryOnConflict([&]() -> Result<appsv1::Deployment> {
//     KEELSON_TRY(web, client.Get<appsv1::Deployment>(key));         // read again each time
//     web.spec.replicas = 5;
//     return client.Update(web);
//   });
#pragma once

#include <functional>
#include <type_traits>
#include <utility>

#include "keelson/api/status_error.h"
#include "keelson/core/result.h"
#include "keelson/core/stop_token.h"
#include "keelson/core/time.h"
#include "keelson/transport/transport.h"

namespace keelson {

struct ConflictBackoff {
  int attempts = 5;
  Duration first = std::chrono::milliseconds(10);
  double factor = 2;
  double jitter = 0.1;
  CallScope scope = {};
};

namespace internal {
// Waits behind the attempt of that number, counted from 1. An error when the scope ended before.
Result<void> WaitForAttempt(int attempt, const ConflictBackoff& backoff);
}  // namespace internal

// Calls `change`, which gives a Result, until it succeeds or fails otherwise than by a conflict; at most `attempts`
// times, with a growing pause in between. The last error is what it gives when all were conflicts.
template <class Change>
std::invoke_result_t<Change&> RetryOnConflict(Change change, const ConflictBackoff& backoff = {}) {
  for (int attempt = 1;; ++attempt) {
    auto result = change();
    if (result || !IsConflict(result.error()) || attempt >= backoff.attempts) return result;
    if (Result<void> waited = internal::WaitForAttempt(attempt, backoff); !waited) return std::move(waited).error();
  }
}

}  // namespace keelson
