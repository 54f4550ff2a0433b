// Waiting for Ctrl-C, a polite kill, or the end of the terminal.
#pragma once

#include <signal.h>

#include <cerrno>

namespace keelson::cli {

// SIGINT, SIGTERM and SIGHUP, held back from before the first thread starts, so that only Await hears of them. SIGHUP
// stays ignored where it is: that is what nohup is for.
class StopSignals {
 public:
  StopSignals() {
    sigemptyset(&signals_);
    sigaddset(&signals_, SIGINT);
    sigaddset(&signals_, SIGTERM);
    struct sigaction hangup = {};
    if (sigaction(SIGHUP, nullptr, &hangup) == 0 && hangup.sa_handler != SIG_IGN) sigaddset(&signals_, SIGHUP);
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
