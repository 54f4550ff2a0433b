#include "keelson/client/retry_on_conflict.h"

#include <algorithm>
#include <cmath>

#include "keelson/core/clock.h"
#include "keelson/core/random.h"
#include "keelson/transport/thread_scope.h"

namespace keelson::internal {

namespace {
constexpr Duration kLongest = std::chrono::seconds(10);
}

Result<void> WaitForAttempt(int attempt, const ConflictBackoff& backoff) {
  const double scaled = static_cast<double>(backoff.first.count()) * std::pow(backoff.factor, attempt - 1);
  const Duration pause(static_cast<int64_t>(std::min(scaled, static_cast<double>(kLongest.count()))));
  const JoinedScope scope(backoff.scope);
  const TimePoint until = std::min(
      keelson::SaturatingAdd(Clock::Now(), Random::FromEntropy().Jitter(pause, backoff.jitter)), scope.get().deadline);
  if (SleepUntil(until, scope.get().stop) == Wake::kStopped) {
    return Error::Cancelled("stopped while waiting to try again after a conflict");
  }
  if (until == scope.get().deadline) {
    return Error(ErrorCode::kTimeout, "the deadline passed while waiting to try again after a conflict");
  }
  return {};
}

}  // namespace keelson::internal
