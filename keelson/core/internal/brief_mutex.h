// A lock that is held for a few dozen instructions, by everyone.
//
// Taking it is one atomic instruction and freeing it a plain store; a std::mutex needs an atomic one for each and two
// calls, which is most of what a work queue does for a key. The price is that nobody can be woken when it is free: who
// finds it taken looks again for some microseconds, then lets others run between two looks, then sleeps between them,
// ever longer, so that a holder who was interrupted gets its turn whatever the priorities of the threads are.
//
// In a simulation it is a Mutex, so that each use is a point where the schedule can turn.
#pragma once

#include <atomic>

#include "keelson/core/internal/scheduler.h"
#include "keelson/core/mutex.h"

namespace keelson::internal {

// Tells the processor that this is a loop which waits, so that it does not run ahead.
inline void Pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Not recursive. While it is held nothing may be waited for but another BriefMutex.
class BriefMutex {
 public:
  explicit BriefMutex(const char* name) : simulated_(name) {}

  void Lock() {
    if (CurrentScheduler() != nullptr) [[unlikely]]
      return simulated_.Lock();
    if (held_.exchange(true, std::memory_order_acquire)) [[unlikely]]
      LockSlowly();
  }
  void Unlock() {
    if (CurrentScheduler() != nullptr) [[unlikely]]
      return simulated_.Unlock();
    held_.store(false, std::memory_order_release);
  }

 private:
  bool TryLock() { return !held_.load(std::memory_order_relaxed) && !held_.exchange(true, std::memory_order_acquire); }
  void LockSlowly();

  std::atomic<bool> held_ = false;
  Mutex simulated_;
};

class [[nodiscard]] BriefLock {
 public:
  explicit BriefLock(BriefMutex& mutex) : mutex_(mutex) { mutex_.Lock(); }
  ~BriefLock() { mutex_.Unlock(); }
  BriefLock(const BriefLock&) = delete;
  BriefLock& operator=(const BriefLock&) = delete;

 private:
  BriefMutex& mutex_;
};

}  // namespace keelson::internal
