// How often something may happen: a burst, and a rate at which it is allowed again.
#pragma once

#include <algorithm>
#include <chrono>

#include "keelson/core/time.h"

namespace keelson::internal {

// Not thread-safe.
class TokenBucket {
 public:
  TokenBucket(double burst, double per_second, TimePoint now)
      : burst_(burst), per_second_(per_second), tokens_(burst), filled_(now) {}

  // False when it has happened too often.
  bool Take(TimePoint now) {
    tokens_ = std::min(burst_, tokens_ + per_second_ * std::chrono::duration<double>(now - filled_).count());
    filled_ = now;
    if (tokens_ < 1) return false;
    tokens_ -= 1;
    return true;
  }

 private:
  const double burst_;
  const double per_second_;
  double tokens_;
  TimePoint filled_;
};

}  // namespace keelson::internal
