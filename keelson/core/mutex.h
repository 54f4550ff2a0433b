// Locks that a simulation can take over, and the guards that hold them.
//
//   class Counter {
//    public:
//     void Add(int n) {
//       MutexLock lock(mutex_);
//       total_ += n;
//     }
//    private:
//     Mutex mutex_{"counter"};
//     int total_ = 0;  // guarded by mutex_
//   };
//
// Outside a simulation a Mutex is a std::mutex and one branch. The optional name (a literal) appears in a simulation's
// deadlock report and costs nothing elsewhere. Conditions to wait for are in cond_var.h.
#pragma once

#include <mutex>
#include <shared_mutex>

#include "keelson/core/internal/scheduler.h"

namespace keelson {

// Not recursive. Must be unlocked by the thread that locked it, and free when destroyed.
class Mutex {
 public:
  constexpr Mutex() noexcept = default;
  explicit Mutex(const char* name) {
    if (auto* scheduler = internal::CurrentScheduler()) [[unlikely]]
      scheduler->NameObject(&native_, name);
  }
  ~Mutex() {
    if (auto* scheduler = internal::CurrentScheduler()) [[unlikely]]
      scheduler->ForgetObject(&native_);
  }
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  void Lock() {
    if (auto* scheduler = internal::CurrentScheduler()) [[unlikely]]
      return scheduler->Lock(native_);
    native_.lock();
  }
  void Unlock() {
    if (auto* scheduler = internal::CurrentScheduler()) [[unlikely]]
      return scheduler->Unlock(native_);
    native_.unlock();
  }
  [[nodiscard]] bool TryLock() {
    if (auto* scheduler = internal::CurrentScheduler()) [[unlikely]]
      return scheduler->TryLock(native_);
    return native_.try_lock();
  }

 private:
  friend class CondVar;
  std::mutex native_;
};

// Many readers or one writer. Not recursive, and a reader cannot become a writer without letting go.
class SharedMutex {
 public:
  SharedMutex() = default;
  explicit SharedMutex(const char* name) {
    if (auto* scheduler = internal::CurrentScheduler()) [[unlikely]]
      scheduler->NameObject(&native_, name);
  }
  ~SharedMutex() {
    if (auto* scheduler = internal::CurrentScheduler()) [[unlikely]]
      scheduler->ForgetObject(&native_);
  }
  SharedMutex(const SharedMutex&) = delete;
  SharedMutex& operator=(const SharedMutex&) = delete;

  void Lock() {
    if (auto* scheduler = internal::CurrentScheduler()) [[unlikely]]
      return scheduler->Lock(native_);
    native_.lock();
  }
  void Unlock() {
    if (auto* scheduler = internal::CurrentScheduler()) [[unlikely]]
      return scheduler->Unlock(native_);
    native_.unlock();
  }
  void LockShared() {
    if (auto* scheduler = internal::CurrentScheduler()) [[unlikely]]
      return scheduler->LockShared(native_);
    native_.lock_shared();
  }
  void UnlockShared() {
    if (auto* scheduler = internal::CurrentScheduler()) [[unlikely]]
      return scheduler->UnlockShared(native_);
    native_.unlock_shared();
  }

 private:
  std::shared_mutex native_;
};

// Holds a Mutex for a scope. Unlock() and Lock() open a gap in it, to call user code that must not run under a lock.
class [[nodiscard]] MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) : mutex_(mutex) { mutex_.Lock(); }
  ~MutexLock() {
    if (held_) mutex_.Unlock();
  }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

  void Unlock() {
    held_ = false;
    mutex_.Unlock();
  }
  void Lock() {
    mutex_.Lock();
    held_ = true;
  }

 private:
  friend class CondVar;
  Mutex& mutex_;
  bool held_ = true;
};

// Holds a SharedMutex for reading.
class [[nodiscard]] ReaderLock {
 public:
  explicit ReaderLock(SharedMutex& mutex) : mutex_(mutex) { mutex_.LockShared(); }
  ~ReaderLock() { mutex_.UnlockShared(); }
  ReaderLock(const ReaderLock&) = delete;
  ReaderLock& operator=(const ReaderLock&) = delete;

 private:
  SharedMutex& mutex_;
};

// Holds a SharedMutex for writing.
class [[nodiscard]] WriterLock {
 public:
  explicit WriterLock(SharedMutex& mutex) : mutex_(mutex) { mutex_.Lock(); }
  ~WriterLock() { mutex_.Unlock(); }
  WriterLock(const WriterLock&) = delete;
  WriterLock& operator=(const WriterLock&) = delete;

 private:
  SharedMutex& mutex_;
};

}  // namespace keelson
