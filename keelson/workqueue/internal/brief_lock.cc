#include "keelson/workqueue/internal/brief_lock.h"

namespace keelson::internal {

namespace {

// Tells the processor that this is a loop which waits, so that it does not run ahead.
void Pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace

// Each failed look takes the cache line from the holder, so looks become rarer: 64, 128, ... 1,024 pauses apart.
void BriefLock::LockSlowly(Mutex& mutex) {
  for (int pauses = 64; pauses <= 1024; pauses *= 2) {
    for (int i = 0; i < pauses; ++i) Pause();
    if (mutex.TryLock()) return;
  }
  mutex.Lock();
}

}  // namespace keelson::internal
