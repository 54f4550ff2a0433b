#include "keelson/core/internal/brief_mutex.h"

#include <algorithm>
#include <chrono>

#include "keelson/core/clock.h"
#include "keelson/core/thread.h"

namespace keelson::internal {

using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""us;

// Each failed look takes the cache line from the holder, so looks become rarer: 64, 128, ... 1,024 pauses apart.
void BriefMutex::LockSlowly() {
  for (int pauses = 64; pauses <= 1024; pauses *= 2) {
    for (int i = 0; i < pauses; ++i) Pause();
    if (TryLock()) return;
  }
  for (int i = 0; i < 64; ++i) {
    this_thread::Yield();
    if (TryLock()) return;
  }
  for (Duration pause = 50us;; pause = std::min<Duration>(pause * 2, 1ms)) {
    static_cast<void>(SleepFor(pause, {}));
    if (TryLock()) return;
  }
}

}  // namespace keelson::internal
