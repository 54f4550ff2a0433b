// The seam: everything by which a program can wait, be woken, learn the time or draw entropy.
//
// On an ordinary thread CurrentScheduler() is null and the types in core/ use the standard library. A simulation sets
// it on the threads it runs, and every one of those operations becomes a call here, where one thread runs at a time.
// What is not in this interface cannot be simulated, so nothing outside core/ may block or read a clock by other means.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <span>
#include <string>
#include <string_view>

#include "keelson/core/time.h"

namespace keelson::internal {

using SimulatedThreadId = uint64_t;

// Called only by the thread that the scheduler is running, so implementations need no lock of their own.
class Scheduler {
 public:
  virtual ~Scheduler() = default;

  virtual void Lock(std::mutex& mutex) = 0;
  virtual bool TryLock(std::mutex& mutex) = 0;
  virtual void Unlock(std::mutex& mutex) = 0;
  virtual void Lock(std::shared_mutex& mutex) = 0;
  virtual void Unlock(std::shared_mutex& mutex) = 0;
  virtual void LockShared(std::shared_mutex& mutex) = 0;
  virtual void UnlockShared(std::shared_mutex& mutex) = 0;

  // Releases the mutex, waits, takes the mutex again. False when the deadline came before a notification.
  virtual bool Wait(const void* condition, std::mutex& mutex, std::optional<TimePoint> deadline) = 0;
  virtual void NotifyOne(const void* condition) = 0;
  virtual void NotifyAll(const void* condition) = 0;

  // The body runs on the new thread once the scheduler chooses it; JoinThread waits for its end and is called once.
  virtual SimulatedThreadId StartThread(std::string name, std::function<void()> body) = 0;
  virtual void JoinThread(SimulatedThreadId id) = 0;
  virtual SimulatedThreadId ThreadId() const = 0;
  virtual std::string_view ThreadName() const = 0;
  virtual void Yield() = 0;

  virtual TimePoint Now() = 0;
  virtual WallTime WallNow() = 0;
  virtual void FillEntropy(std::span<std::byte> bytes) = 0;

  // Gives a lock or condition a name in traces and reports, until it is destroyed.
  virtual void NameObject(const void* object, const char* name) = 0;
  virtual void ForgetObject(const void* object) = 0;
};

// Constant-initialised, so that reading it is one load without a guard.
extern constinit thread_local Scheduler* current_scheduler;

// The scheduler that runs the calling thread; null outside a simulation.
inline Scheduler* CurrentScheduler() { return current_scheduler; }

}  // namespace keelson::internal
