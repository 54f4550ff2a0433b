#include "keelson/client/internal/subprocess.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>

#include "keelson/core/clock.h"
#include "keelson/core/internal/scheduler.h"

extern "C" char** environ;  // NOLINT

namespace keelson::internal {

namespace {

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() { Close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }
  void Close() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }

 private:
  int fd_;
};

Error SystemError(std::string what, int error) {
  return Error::InvalidArgument(std::move(what) + ": " + std::strerror(error));
}

bool IsExecutableFile(const std::string& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && ::access(path.c_str(), X_OK) == 0;
}

Result<std::string> FindProgram(const std::string& command) {
  if (command.find('/') != std::string::npos) {
    if (IsExecutableFile(command)) return command;
    return Error::NotFound("no executable file " + command);
  }
  const char* variable = std::getenv("PATH");
  std::string_view rest = variable == nullptr ? std::string_view() : std::string_view(variable);
  while (!command.empty() && !rest.empty()) {
    const size_t colon = rest.find(':');
    const std::string_view directory = rest.substr(0, colon);
    rest.remove_prefix(colon == std::string_view::npos ? rest.size() : colon + 1);
    // Not from the working directory: whoever can write there could choose the program.
    if (!directory.starts_with('/')) continue;
    std::string path(directory);
    path.append("/").append(command);
    if (IsExecutableFile(path)) return path;
  }
  return Error::NotFound("no executable file " + command + " in PATH");
}

std::vector<std::string> MergedEnvironment(const std::vector<std::pair<std::string, std::string>>& added) {
  std::vector<std::string> merged;
  const auto name_of = [](std::string_view entry) { return entry.substr(0, entry.find('=')); };
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const bool replaced =
        std::any_of(added.begin(), added.end(), [&](const auto& pair) { return pair.first == name_of(*entry); });
    if (!replaced) merged.emplace_back(*entry);
  }
  for (auto pair = added.begin(); pair != added.end(); ++pair) {
    const bool replaced =
        std::any_of(pair + 1, added.end(), [&](const auto& later) { return later.first == pair->first; });
    if (!replaced) merged.push_back(pair->first + "=" + pair->second);
  }
  return merged;
}

std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// Starts the program with its output going to that descriptor.
Result<pid_t> Spawn(const SubprocessOptions& options, int output) {
  KEELSON_TRY(path, FindProgram(options.command));
  std::vector<std::string> arguments = {options.command};
  arguments.insert(arguments.end(), options.arguments.begin(), options.arguments.end());
  std::vector<std::string> environment = MergedEnvironment(options.environment);

  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  if (!options.share_stdin) posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  // Our blocked and ignored signals are none of its business.
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  short flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
  // A group of its own, so that its children can be killed with it; but then it could not read from our terminal.
  if (!options.share_stdin) flags |= POSIX_SPAWN_SETPGROUP;
  posix_spawnattr_setflags(&attributes, flags);

  pid_t pid = 0;
  const int error = ::posix_spawn(&pid, path.c_str(), &actions, &attributes, Pointers(arguments).data(),
                                  Pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (error == ENOENT) return Error::NotFound("cannot run " + path + ": its interpreter is missing");
  if (error != 0) return SystemError("cannot run " + path, error);
  return pid;
}

// Reads what is there; false at the end.
bool ReadAvailable(int fd, std::string& out, size_t limit) {
  char buffer[4096];
  while (out.size() <= limit) {
    const ssize_t count = ::read(fd, buffer, sizeof(buffer));
    if (count > 0) {
      out.append(buffer, static_cast<size_t>(count));
    } else if (count == 0) {
      return false;
    } else if (errno != EINTR) {
      return errno == EAGAIN;
    }
  }
  return true;
}

// A child that is killed and waited for when it has not ended by itself.
class Child {
 public:
  Child(pid_t pid, bool own_group)
      : pid_(pid), own_group_(own_group), handle_(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))) {}
  ~Child() {
    if (ended_) return;
    ::kill(own_group_ ? -pid_ : pid_, SIGKILL);
    Reap(0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // Readable once the child has ended; invalid where the kernel has no such thing.
  const Descriptor& handle() const { return handle_; }

  bool HasEnded() { return ended_ || Reap(WNOHANG); }
  int status() const { return status_; }

 private:
  bool Reap(int flags) {
    pid_t reaped = 0;
    do reaped = ::waitpid(pid_, &status_, flags);
    while (reaped < 0 && errno == EINTR);
    // An error means that somebody else took its end (a process that ignores SIGCHLD): it has ended.
    if (reaped != 0) ended_ = true;
    if (reaped < 0) status_ = 0;
    return ended_;
  }

  const pid_t pid_;
  const bool own_group_;
  const Descriptor handle_;
  bool ended_ = false;
  int status_ = 0;
};

// Milliseconds that poll may wait, rounded up; at most `limit`.
int PollTimeout(TimePoint deadline, std::chrono::milliseconds limit) {
  const Duration left = deadline - Clock::Now();
  return static_cast<int>(
      std::clamp(std::chrono::ceil<std::chrono::milliseconds>(left), std::chrono::milliseconds(0), limit).count());
}

}  // namespace

Result<SubprocessResult> RunSubprocess(const SubprocessOptions& options, const StopToken& stop) {
  if (CurrentScheduler() != nullptr) {
    return Error::Unsupported("cannot run " + options.command + ": programs cannot be run inside a simulation");
  }
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return SystemError("cannot make a pipe", errno);
  const Descriptor output(ends[0]);
  Descriptor input(ends[1]);
  const Descriptor stopped(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!stopped.valid()) return SystemError("cannot make an event descriptor", errno);
  ::fcntl(output.get(), F_SETFL, O_NONBLOCK);
  const StopCallback wake(stop, [&] { (void)!::eventfd_write(stopped.get(), 1); });
  if (stop.StopRequested()) return Error::Cancelled("stopped before " + options.command + " was run");

  const TimePoint deadline = SaturatingAdd(Clock::Now(), options.timeout);
  KEELSON_TRY(pid, Spawn(options, input.get()));
  Child child(pid, !options.share_stdin);
  input.Close();

  SubprocessResult result;
  bool open = true;
  // The end is the program's own: children that it leaves behind may hold the pipe open for ever.
  while (true) {
    const bool ended = child.HasEnded();
    if (open) open = ReadAvailable(output.get(), result.output, options.max_output);
    if (result.output.size() > options.max_output) {
      return Error::InvalidArgument(options.command + " printed more than " + std::to_string(options.max_output) +
                                    " bytes");
    }
    if (ended) break;
    if (stop.StopRequested()) return Error::Cancelled("stopped while " + options.command + " was running");
    if (Clock::Now() >= deadline) {
      return Error(ErrorCode::kTimeout,
                   options.command + " did not end within " + FormatDuration(options.timeout) + " and was killed");
    }
    pollfd polled[3] = {{stopped.get(), POLLIN, 0},
                        {child.handle().get(), POLLIN, 0},  // poll skips negative ones
                        {open ? output.get() : -1, POLLIN, 0}};
    const auto limit = child.handle().valid() ? std::chrono::milliseconds(60'000) : std::chrono::milliseconds(20);
    ::poll(polled, 3, PollTimeout(deadline, limit));
  }
  if (WIFSIGNALED(child.status())) {
    result.signal = WTERMSIG(child.status());
  } else {
    result.exit_code = WEXITSTATUS(child.status());
  }
  return result;
}

}  // namespace keelson::internal
