#include "keelson/core/signals.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string_view>

#include "keelson/core/internal/scheduler.h"
#include "keelson/core/log.h"
#include "keelson/core/thread.h"

namespace keelson {

namespace {

constexpr std::array<int, 2> kSignals = {SIGINT, SIGTERM};

// What the handler uses: it may run on any thread between any two instructions, so there is nothing else here.
std::atomic<int> signals_seen = 0;
std::atomic<int> pipe_to_watch = -1;
static_assert(std::atomic<int>::is_always_lock_free);

void OnSignal(int signal) {
  if (signals_seen.fetch_add(1) > 0) _exit(1);
  const int saved = errno;
  const auto byte = static_cast<char>(signal);
  // One byte into an empty pipe does not wait. A failure cannot be told to anybody; the next signal exits.
  if (write(pipe_to_watch.load(), &byte, 1) < 0) {
  }
  errno = saved;
}

std::mutex watch_mutex;

}  // namespace

// The handler's other half: a thread that may do what a handler may not.
class StopSignals::Watch {
 public:
  Watch() {
    if (pipe2(ends_.data(), O_CLOEXEC) != 0) {
      std::perror("error: signals cannot be handled: pipe2");
      std::exit(1);
    }
    signals_seen = 0;
    pipe_to_watch = ends_[1];
    thread_ = Thread("signals", [this] { Await(); });
    struct sigaction action = {};
    action.sa_handler = OnSignal;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &action, &before_[i]);
  }
  ~Watch() {
    for (size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before_[i], nullptr);
    const char end = 0;
    while (write(ends_[1], &end, 1) < 0 && errno == EINTR) {
    }
    thread_.Join();
    pipe_to_watch = -1;
    close(ends_[0]);
    close(ends_[1]);
  }

  StopToken token() const { return stop_.token(); }

 private:
  void Await() const {
    char signal = 0;
    while (true) {
      const ssize_t count = read(ends_[0], &signal, 1);
      if (count < 0 && errno == EINTR) continue;
      if (count != 1 || signal == 0) return;
      Logger("signals").Info("Asked to stop; once more exits at once", "signal",
                             std::string_view(signal == SIGINT ? "SIGINT" : "SIGTERM"));
      stop_.RequestStop();
    }
  }

  std::array<int, 2> ends_ = {-1, -1};
  std::array<struct sigaction, 2> before_ = {};
  const StopSource stop_;
  Thread thread_;
};

StopSignals::StopSignals() {
  if (internal::CurrentScheduler() != nullptr) return;
  static std::weak_ptr<Watch> living;  // guarded by watch_mutex
  const std::lock_guard lock(watch_mutex);
  watch_ = living.lock();
  if (watch_ != nullptr) return;
  watch_ = std::make_shared<Watch>();
  living = watch_;
}

StopSignals::~StopSignals() {
  const std::lock_guard lock(watch_mutex);
  watch_.reset();
}

StopToken StopSignals::token() const { return watch_ == nullptr ? StopToken() : watch_->token(); }

}  // namespace keelson
