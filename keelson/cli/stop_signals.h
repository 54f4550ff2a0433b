// Waiting for Ctrl-C or a polite kill.
#pragma once

#include <signal.h>

#include <cerrno>

namespace keelson::cli {

// SIGINT and SIGTERM, held back from before the first thread starts, so that only Await hears of them.
class StopSignals {
 public:
  StopSignals() {
    sigemptyset(&signals_);
    sigaddset(&signals_, SIGINT);
    sigaddset(&signals_, SIGTERM);
    sigprocmask(SIG_BLOCK, &signals_, &before_);
  }
  ~StopSignals() { Release(); }
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  void Await() {
    int signal = 0;
    while (sigwait(&signals_, &signal) == EINTR) {
    }
  }
  // From now on they end the process as they usually do: whoever presses Ctrl-C again does not want to wait.
  void Release() { sigprocmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t signals_ = {};
  sigset_t before_ = {};
};

}  // namespace keelson::cli
