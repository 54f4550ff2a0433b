// How long a key waits before it is tried again.
//
//   auto limiter = DefaultRateLimiter<std::string>();
//   Duration delay = limiter->When(key);     // 5 ms, 10 ms, 20 ms, ... for one that goes on failing
//   limiter->Forget(key);                    // it succeeded: the next failure is a first one again
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "keelson/core/mutex.h"
#include "keelson/core/time.h"
#include "keelson/workqueue/internal/key_hash.h"

namespace keelson {

// Thread-safe, as all implementations must be.
template <class Key>
class RateLimiter {
 public:
  virtual ~RateLimiter() = default;

  // The delay of the key that is to be tried again now; each call counts as a failure of that key.
  virtual Duration When(const Key& key) = 0;
  // Ends the counting of its failures.
  virtual void Forget(const Key& key) = 0;
  // Failures since the key was forgotten last.
  virtual int64_t NumRequeues(const Key& key) = 0;
};

namespace internal {

// `base` doubled `failures` times, held at `max`.
Duration ExponentialDelay(Duration base, Duration max, int64_t failures);

// How often each key failed. Mostly none has, and then it costs nearly nothing to ask.
template <class Key>
class Failures {
 public:
  // The count before this one.
  int64_t Count(const Key& key) {
    MutexLock lock(mutex_);
    const int64_t before = failures_[key]++;
    keys_.store(failures_.size(), std::memory_order_relaxed);
    return before;
  }
  void Forget(const Key& key) {
    if (keys_.load(std::memory_order_relaxed) == 0) return;
    MutexLock lock(mutex_);
    failures_.erase(key);
    keys_.store(failures_.size(), std::memory_order_relaxed);
  }
  int64_t Get(const Key& key) {
    if (keys_.load(std::memory_order_relaxed) == 0) return 0;
    MutexLock lock(mutex_);
    const auto found = failures_.find(key);
    return found == failures_.end() ? 0 : found->second;
  }

 private:
  struct Hash {
    size_t operator()(const Key& key) const { return HashKey(key); }
  };
  Mutex mutex_{"failures"};
  std::unordered_map<Key, int64_t, Hash> failures_;  // guarded by mutex_
  // The size of the map. Who has just been given a key by its queue sees what happened to that key before.
  std::atomic<size_t> keys_ = 0;
};

}  // namespace internal

// Permits that come at a steady rate, of which `burst` can be saved up. Thread-safe.
class TokenBucket {
 public:
  // Requires per_second > 0 and burst >= 1.
  TokenBucket(double per_second, int64_t burst);
  // Takes a permit, if need be one of the future: says how long until it is there.
  Duration Reserve();

 private:
  const double per_second_;
  const double burst_;
  Mutex mutex_{"token bucket"};
  // Guarded by mutex_.
  double permits_;  // at updated_; negative when permits of the future are taken
  TimePoint updated_;
};

// base, 2 base, 4 base, ... max, for each key by itself.
template <class Key>
class ExponentialRateLimiter final : public RateLimiter<Key> {
 public:
  ExponentialRateLimiter(Duration base, Duration max) : base_(base), max_(max) {}
  Duration When(const Key& key) override { return internal::ExponentialDelay(base_, max_, failures_.Count(key)); }
  void Forget(const Key& key) override { failures_.Forget(key); }
  int64_t NumRequeues(const Key& key) override { return failures_.Get(key); }

 private:
  const Duration base_;
  const Duration max_;
  internal::Failures<Key> failures_;
};

// The fast delay for a key's first attempts, the slow one from then on.
template <class Key>
class FastSlowRateLimiter final : public RateLimiter<Key> {
 public:
  FastSlowRateLimiter(Duration fast, Duration slow, int64_t fast_attempts)
      : fast_(fast), slow_(slow), fast_attempts_(fast_attempts) {}
  Duration When(const Key& key) override { return failures_.Count(key) < fast_attempts_ ? fast_ : slow_; }
  void Forget(const Key& key) override { failures_.Forget(key); }
  int64_t NumRequeues(const Key& key) override { return failures_.Get(key); }

 private:
  const Duration fast_;
  const Duration slow_;
  const int64_t fast_attempts_;
  internal::Failures<Key> failures_;
};

// One bucket for all keys together. It counts no failures: Forget does nothing.
template <class Key>
class BucketRateLimiter final : public RateLimiter<Key> {
 public:
  BucketRateLimiter(double per_second, int64_t burst) : bucket_(per_second, burst) {}
  Duration When(const Key&) override { return bucket_.Reserve(); }
  void Forget(const Key&) override {}
  int64_t NumRequeues(const Key&) override { return 0; }

 private:
  TokenBucket bucket_;
};

// The longest delay of several, and the highest count.
template <class Key>
class MaxOfRateLimiter final : public RateLimiter<Key> {
 public:
  explicit MaxOfRateLimiter(std::vector<std::unique_ptr<RateLimiter<Key>>> limiters) : limiters_(std::move(limiters)) {}
  Duration When(const Key& key) override {
    Duration longest{};
    for (auto& limiter : limiters_) longest = std::max(longest, limiter->When(key));
    return longest;
  }
  void Forget(const Key& key) override {
    for (auto& limiter : limiters_) limiter->Forget(key);
  }
  int64_t NumRequeues(const Key& key) override {
    int64_t most = 0;
    for (auto& limiter : limiters_) most = std::max(most, limiter->NumRequeues(key));
    return most;
  }

 private:
  const std::vector<std::unique_ptr<RateLimiter<Key>>> limiters_;
};

// Another limiter's delays, none longer than `max`.
template <class Key>
class MaxWaitRateLimiter final : public RateLimiter<Key> {
 public:
  MaxWaitRateLimiter(std::unique_ptr<RateLimiter<Key>> limiter, Duration max)
      : limiter_(std::move(limiter)), max_(max) {}
  Duration When(const Key& key) override { return std::min(limiter_->When(key), max_); }
  void Forget(const Key& key) override { limiter_->Forget(key); }
  int64_t NumRequeues(const Key& key) override { return limiter_->NumRequeues(key); }

 private:
  const std::unique_ptr<RateLimiter<Key>> limiter_;
  const Duration max_;
};

// What controllers use unless they have reasons: each key from 5 ms to 1,000 s, all together 10 a second after the
// first 100.
template <class Key>
std::unique_ptr<RateLimiter<Key>> DefaultRateLimiter() {
  std::vector<std::unique_ptr<RateLimiter<Key>>> limiters;
  limiters.push_back(
      std::make_unique<ExponentialRateLimiter<Key>>(std::chrono::milliseconds(5), std::chrono::seconds(1000)));
  limiters.push_back(std::make_unique<BucketRateLimiter<Key>>(10, 100));
  return std::make_unique<MaxOfRateLimiter<Key>>(std::move(limiters));
}

}  // namespace keelson
