#include "operators.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <deque>
#include <fstream>
#include <utility>

#include "keelson/core/clock.h"

namespace demo {
namespace {

using keelson::Duration;
using keelson::Error;
using keelson::ErrorCode;
using keelson::Result;

constexpr Duration kPoll = std::chrono::milliseconds(10);
constexpr size_t kShownLines = 10;
constexpr int kCannotRun = 127;  // as shells say it
// No status that waitpid gives: of one that somebody else has waited for, or the kernel, where SIGCHLD is ignored.
constexpr int kUnknown = -1;

std::string HowItEnded(int status) {
  if (status == kUnknown) return "ended, nobody knows how";
  if (WIFSIGNALED(status)) {
    return fmt::format("was killed by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
  }
  return fmt::format("ended with status {}", WEXITSTATUS(status));
}

// Holds all signals back from this thread, and from a process that it forks, while it lives.
class SignalsHeld {
 public:
  SignalsHeld() {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsHeld() { Release(); }
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;

  void Release() const { sigprocmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_ = {};
};

// In the child, where only what is safe in a signal handler may be called. Until it is another program, signals must
// not reach the handlers that it has from its parent.
[[noreturn]] void Become(char* const* arguments, const char* working_folder, int log, pid_t parent,
                         const SignalsHeld& signals) {
  struct sigaction usual = {};
  usual.sa_handler = SIG_DFL;
  sigaction(SIGINT, &usual, nullptr);
  sigaction(SIGTERM, &usual, nullptr);
  sigaction(SIGPIPE, &usual, nullptr);
  struct sigaction hangup = {};
  if (sigaction(SIGHUP, nullptr, &hangup) == 0 && hangup.sa_handler != SIG_IGN) sigaction(SIGHUP, &usual, nullptr);
  setpgid(0, 0);
  signals.Release();
  // However the demo ends, it leaves nobody behind; it may have ended before this took effect.
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(kCannotRun);
  const int nothing = open("/dev/null", O_RDONLY);
  dup2(nothing, STDIN_FILENO);
  if (nothing > STDERR_FILENO) close(nothing);
  dup2(log, STDOUT_FILENO);
  dup2(log, STDERR_FILENO);
  if (chdir(working_folder) == 0) execv(arguments[0], arguments);
  const char* why = strerrordesc_np(errno);
  if (write(STDERR_FILENO, why, strlen(why)) < 0) _exit(kCannotRun);
  _exit(kCannotRun);
}

}  // namespace

Operators::Operators(std::string log_folder, std::string working_folder)
    : log_folder_(std::move(log_folder)), working_folder_(std::move(working_folder)) {}

Operators::~Operators() { (void)Stop(); }

std::string Operators::LogOf(const std::string& name) const { return fmt::format("{}/{}.log", log_folder_, name); }

Result<pid_t> Operators::Start(const std::string& name, const std::string& program,
                               const std::vector<std::string>& arguments) {
  std::vector<std::string> all = {program};
  all.insert(all.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& argument : all) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  const int log = open(LogOf(name).c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (log < 0) {
    return Error(ErrorCode::kUnavailable, fmt::format("cannot write '{}': {}", LogOf(name), std::strerror(errno)));
  }
  const pid_t self = getpid();
  const SignalsHeld signals;
  const pid_t pid = fork();
  if (pid == 0) Become(pointers.data(), working_folder_.c_str(), log, self, signals);
  const int problem = errno;
  if (pid > 0) setpgid(pid, pid);  // as the child does: whoever comes first, Ctrl-C comes later
  close(log);
  if (pid < 0) {
    return Error(ErrorCode::kUnavailable, fmt::format("cannot start {}: {}", name, std::strerror(problem)));
  }
  processes_.push_back({.name = name, .pid = pid});
  return pid;
}

bool Operators::Reap() {
  bool all = true;
  for (Process& process : processes_) {
    if (process.status) continue;
    int status = 0;
    const pid_t waited = waitpid(process.pid, &status, WNOHANG);
    if (waited == process.pid) {
      process.status = status;
    } else if (waited < 0 && errno == ECHILD) {
      process.status = kUnknown;
    } else {
      all = false;
    }
  }
  return all;
}

std::optional<std::string> Operators::FindEnded() {
  Reap();
  for (const Process& process : processes_) {
    if (!process.status) continue;
    const std::vector<std::string> lines = LastLines(process.name, kShownLines);
    return fmt::format(
        "{} {}; {}", process.name, HowItEnded(*process.status),
        lines.empty() ? "its log is empty" : fmt::format("its log ends with\n  {}", fmt::join(lines, "\n  ")));
  }
  return std::nullopt;
}

Result<void> Operators::Stop(Duration grace) {
  Reap();
  for (const Process& process : processes_) {
    if (!process.status) kill(process.pid, SIGTERM);
  }
  const keelson::TimePoint deadline = keelson::Clock::Now() + grace;
  bool killed = false;
  while (!Reap()) {
    if (!killed && keelson::Clock::Now() >= deadline) {
      killed = true;
      for (Process& process : processes_) {
        if (process.status) continue;
        process.killed = true;
        kill(process.pid, SIGKILL);
      }
    }
    (void)keelson::SleepFor(kPoll, {});
  }
  std::vector<std::string> problems;
  for (const Process& process : std::exchange(processes_, {})) {
    if (process.killed) {
      problems.push_back(fmt::format("{} did not end within {} of SIGTERM and was killed", process.name,
                                     keelson::FormatDuration(grace)));
    } else if (*process.status != 0 && *process.status != kUnknown &&
               !(WIFSIGNALED(*process.status) && WTERMSIG(*process.status) == SIGTERM)) {
      problems.push_back(fmt::format("{}, asked to stop, {}", process.name, HowItEnded(*process.status)));
    }
  }
  if (!problems.empty()) return Error::Internal(fmt::format("{}", fmt::join(problems, "; ")));
  return {};
}

std::vector<std::string> Operators::LastLines(const std::string& name, size_t count) const {
  std::ifstream log(LogOf(name));
  std::deque<std::string> last;
  for (std::string line; std::getline(log, line);) {
    last.push_back(std::move(line));
    if (last.size() > count) last.pop_front();
  }
  return {last.begin(), last.end()};
}

}  // namespace demo
