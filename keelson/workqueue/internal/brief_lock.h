// Holds a mutex for a few dozen instructions, and expects everyone to do so.
//
// When it is taken it tries again for some microseconds before it sleeps: on a mutex that is held for 50 ns, the system
// call to sleep and the one to be woken cost a hundred times what is waited for.
#pragma once

#include "keelson/core/mutex.h"

namespace keelson::internal {

class [[nodiscard]] BriefLock {
 public:
  explicit BriefLock(Mutex& mutex) : mutex_(mutex) {
    if (!mutex_.TryLock()) [[unlikely]]
      LockSlowly(mutex_);
  }
  ~BriefLock() { mutex_.Unlock(); }
  BriefLock(const BriefLock&) = delete;
  BriefLock& operator=(const BriefLock&) = delete;

 private:
  static void LockSlowly(Mutex& mutex);

  Mutex& mutex_;
};

}  // namespace keelson::internal
