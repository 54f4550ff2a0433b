// A queue that keeps failing keys at bay: what controllers use.
//
//   RateLimitingQueue<std::string> queue;
//   while (auto item = queue.Get(stop)) {
//     if (Result<void> done = Reconcile(item->key); done) {
//       queue.Forget(item->key);
//     } else {
//       queue.AddRateLimited(item->key, {.causes = {"retry: " + done.error().message()}});
//     }
//   }
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "keelson/workqueue/delaying_queue.h"
#include "keelson/workqueue/rate_limiter.h"

namespace keelson {

// As DelayingQueue.
template <class Key, class Cause = std::string>
class RateLimitingQueue : public DelayingQueue<Key, Cause> {
 public:
  using typename DelayingQueue<Key, Cause>::AddOptions;

  explicit RateLimitingQueue(QueueOptions options = {},
                             std::unique_ptr<RateLimiter<Key>> limiter = DefaultRateLimiter<Key>())
      : DelayingQueue<Key, Cause>(options), limiter_(std::move(limiter)) {}

  // Adds the key when its limiter allows, and counts a failure.
  void AddRateLimited(const Key& key, AddOptions options = {}) {
    this->AddAfter(key, limiter_->When(key), std::move(options));
  }
  // The key succeeded, or is given up: its next failure counts as the first. It stays where it is in the queue.
  void Forget(const Key& key) { limiter_->Forget(key); }
  int64_t NumRequeues(const Key& key) { return limiter_->NumRequeues(key); }

 private:
  const std::unique_ptr<RateLimiter<Key>> limiter_;
};

}  // namespace keelson
