// Waiting for something to become true, until a deadline or a stop.
//
//   MutexLock lock(mutex_);
//   switch (changed_.WaitFor(lock, 5s, stop, [&] { return !queue_.empty(); })) {
//     case Wake::kReady: return Take();
//     case Wake::kTimeout: return Report();
//     case Wake::kStopped: return;
//   }
//
// Every wait takes the predicate it waits for, so that a spurious or early wake-up cannot be mistaken for the event.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>

#include "keelson/core/internal/scheduler.h"
#include "keelson/core/mutex.h"
#include "keelson/core/stop_token.h"
#include "keelson/core/time.h"

namespace keelson {

// Why a wait ended. Ready wins over the others when several hold.
enum class Wake : uint8_t { kReady, kTimeout, kStopped };

// Thread-safe. The predicate runs under the lock. A notification reaches every wait that began before the notified
// change was made under that same mutex; the notifier itself need not hold the mutex.
class CondVar {
 public:
  CondVar() = default;
  explicit CondVar(const char* name) {
    if (auto* scheduler = internal::CurrentScheduler()) [[unlikely]]
      scheduler->NameObject(this, name);
  }
  ~CondVar() {
    if (auto* scheduler = internal::CurrentScheduler()) [[unlikely]]
      scheduler->ForgetObject(this);
  }
  CondVar(const CondVar&) = delete;
  CondVar& operator=(const CondVar&) = delete;

  void NotifyOne();
  void NotifyAll();

  template <class Predicate>
  void Wait(MutexLock& lock, Predicate ready) {
    while (!ready()) Block(lock, std::nullopt, StopToken());
  }

  template <class Predicate>
  [[nodiscard]] Wake Wait(MutexLock& lock, const StopToken& stop, Predicate ready) {
    return WaitUntilOptional(lock, std::nullopt, stop, ready);
  }

  template <class Predicate>
  [[nodiscard]] Wake WaitUntil(MutexLock& lock, TimePoint deadline, const StopToken& stop, Predicate ready) {
    return WaitUntilOptional(lock, deadline, stop, ready);
  }

  template <class Predicate>
  [[nodiscard]] Wake WaitFor(MutexLock& lock, Duration span, const StopToken& stop, Predicate ready) {
    return WaitUntilOptional(lock, DeadlineAfter(span), stop, ready);
  }

 private:
  template <class Predicate>
  Wake WaitUntilOptional(MutexLock& lock, std::optional<TimePoint> deadline, const StopToken& stop, Predicate& ready) {
    if (ready()) return Wake::kReady;
    StopCallback wake(stop, [this] { WakeForStop(); });
    while (true) {
      const bool in_time = Block(lock, deadline, stop);
      if (ready()) return Wake::kReady;
      if (stop.StopRequested()) return Wake::kStopped;
      if (!in_time) return Wake::kTimeout;
    }
  }

  static TimePoint DeadlineAfter(Duration span);

  // Waits for one notification with the lock released. False when the deadline came first. Returns at once when stop
  // has been requested; the caller has registered WakeForStop with the token.
  bool Block(MutexLock& lock, std::optional<TimePoint> deadline, const StopToken& stop);
  void WakeForStop();

  // Waiters sleep on inner_ and not on the caller's mutex, because a stop callback must exclude the moment between
  // "not stopped yet" and sleeping, and cannot take the caller's mutex: whoever requests the stop may hold it.
  std::mutex inner_;
  std::condition_variable wake_;
  std::atomic<uint32_t> waiters_ = 0;  // raised under the caller's mutex
};

}  // namespace keelson
