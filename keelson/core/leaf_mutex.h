// A lock for a few instructions around a table in memory, invisible to a simulation.
//
// While it is held nothing of the seam may be called: no other lock, no wait, no clock, no user code. A simulation runs
// one thread at a time and hands over only at seam points, so such a lock is never contended there and needs no
// decision. Everything else takes a Mutex.
#pragma once

#include <mutex>

namespace keelson {

class LeafMutex {
 public:
  void Lock() { native_.lock(); }
  void Unlock() { native_.unlock(); }

 private:
  std::mutex native_;
};

class LeafLock {
 public:
  explicit LeafLock(LeafMutex& mutex) : mutex_(mutex) { mutex_.Lock(); }
  ~LeafLock() { mutex_.Unlock(); }
  LeafLock(const LeafLock&) = delete;
  LeafLock& operator=(const LeafLock&) = delete;

 private:
  LeafMutex& mutex_;
};

}  // namespace keelson
