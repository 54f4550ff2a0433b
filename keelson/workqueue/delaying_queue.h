// A queue that takes keys for later.
//
//   DelayingQueue<std::string> queue;
//   queue.AddAfter("default/web", 30s, {.causes = {"certificate expires"}});
//
// A key never comes early. One that is delayed twice comes once, at the earlier time; an ordinary Add in between does
// not take it away. A million delayed std::string keys take about 60 bytes each beyond their text.
#pragma once

#include <optional>
#include <utility>

#include "keelson/core/clock.h"
#include "keelson/core/cond_var.h"
#include "keelson/core/mutex.h"
#include "keelson/core/thread.h"
#include "keelson/workqueue/internal/delayed_keys.h"
#include "keelson/workqueue/queue.h"

namespace keelson {

// As Queue. Its thread starts with the first delayed key. What is still delayed when the queue shuts down is dropped.
template <class Key, class Cause = std::string>
class DelayingQueue : public Queue<Key, Cause> {
 public:
  using typename Queue<Key, Cause>::AddOptions;

  explicit DelayingQueue(QueueOptions options = {}) : Queue<Key, Cause>(options) {}
  ~DelayingQueue() { this->ShutDown(); }

  // At once when the delay is not positive. Ignored once the queue shuts down.
  void AddAfter(const Key& key, Duration delay, AddOptions options = {});

  // Keys whose time has not come.
  size_t Delayed() {
    MutexLock lock(mutex_);
    return delayed_.size();
  }

 private:
  void MoveDueKeys();

  Mutex mutex_{"delayed keys"};
  CondVar earlier_{"an earlier key"};
  // Guarded by mutex_.
  internal::DelayedKeys<Key, Cause> delayed_;
  TimePoint wakes_at_ = TimePoint::min();  // the thread's deadline, or min when it is not asleep

  Thread mover_;  // assigned once, under mutex_
};

template <class Key, class Cause>
void DelayingQueue<Key, Cause>::AddAfter(const Key& key, Duration delay, AddOptions options) {
  if (this->ShuttingDown()) return;
  this->metrics().retries.Increment();
  if (delay <= Duration::zero()) return this->Add(key, std::move(options));
  const TimePoint time = SaturatingAdd(Clock::Now(), delay);
  bool wake = false;
  {
    MutexLock lock(mutex_);
    if (this->ShuttingDown()) return;
    delayed_.Add(key, time, options.priority, std::move(options.causes));
    wake = time < wakes_at_;
    if (!mover_.Joinable()) mover_ = Thread("delayed keys", [this] { MoveDueKeys(); });
  }
  if (wake) earlier_.NotifyOne();
}

template <class Key, class Cause>
void DelayingQueue<Key, Cause>::MoveDueKeys() {
  const StopToken shutdown = this->shutdown_token();
  MutexLock lock(mutex_);
  while (!this->ShuttingDown()) {
    if (auto due = delayed_.TakeDue(Clock::Now())) {
      lock.Unlock();
      this->Add(due->key, {.priority = due->priority, .causes = std::move(due->causes)});
      due.reset();
      lock.Lock();
      continue;
    }
    const TimePoint next = delayed_.empty() ? TimePoint::max() : delayed_.NextTime();
    wakes_at_ = next;
    static_cast<void>(
        earlier_.WaitUntil(lock, next, shutdown, [&] { return !delayed_.empty() && delayed_.NextTime() < next; }));
    wakes_at_ = TimePoint::min();
  }
  delayed_.Clear();
}

}  // namespace keelson
