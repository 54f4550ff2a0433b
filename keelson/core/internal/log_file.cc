#include "keelson/core/internal/log_file.h"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <system_error>

#include "keelson/core/clock.h"

namespace keelson::internal {

namespace {

std::string_view TagOf(LogSeverity severity) {
  switch (severity) {
    case LogSeverity::kInfo: return "INFO";
    case LogSeverity::kWarning: return "WARNING";
    case LogSeverity::kError: return "ERROR";
  }
  return "INFO";
}

// Up to the first dot.
std::string ShortHostName() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0 || name[0] == '\0') return "unknownhost";
  const std::string_view host(name.data());
  return std::string(host.substr(0, host.find('.')));
}

std::string UserName() {
  passwd entry{};
  passwd* found = nullptr;
  std::array<char, 4096> buffer{};
  std::string name;
  if (getpwuid_r(geteuid(), &entry, buffer.data(), buffer.size(), &found) == 0 && found != nullptr) {
    name = found->pw_name;
  } else if (const char* user = getenv("USER")) {
    name = user;
  }
  std::replace(name.begin(), name.end(), '/', '_');
  return name.empty() ? "unknownuser" : name;
}

struct Calendar {
  std::chrono::year_month_day date;
  std::chrono::hh_mm_ss<std::chrono::seconds> clock;
};
Calendar CalendarOf(WallTime time) {
  const auto day = std::chrono::floor<std::chrono::days>(time);
  return {.date = day, .clock = std::chrono::hh_mm_ss(std::chrono::floor<std::chrono::seconds>(time - day))};
}

#if defined(__clang__)
constexpr std::string_view kCompiler = "clang " __clang_version__;
#else
constexpr std::string_view kCompiler = "gcc " __VERSION__;
#endif

std::string Header(WallTime now) {
  const Calendar at = CalendarOf(now);
  return fmt::format(
      "Log file created at: {:04}/{:02}/{:02} {:02}:{:02}:{:02}\n"
      "Running on machine: {}\n"
      "Binary: Built with {}\n"
      "Log line format: [IWE]mmdd hh:mm:ss.uuuuuu threadid file:line] msg\n",
      static_cast<int>(at.date.year()), static_cast<unsigned>(at.date.month()), static_cast<unsigned>(at.date.day()),
      at.clock.hours().count(), at.clock.minutes().count(), at.clock.seconds().count(), ShortHostName(), kCompiler);
}

// What follows a name that is taken already.
constexpr int kMostFilesASecond = 1000;
// How long a pipe may be full before its reader is given up.
constexpr int kPipePatienceMilliseconds = 1000;

}  // namespace

void LogBatch::Add(LogSeverity severity, std::string_view line) {
  text += line;
  text += '\n';
  lines.push_back({.length = static_cast<uint32_t>(line.size() + 1), .severity = severity});
}

void LogBatch::Clear() {
  text.clear();
  lines.clear();
}

LogFile::LogFile(const LogFileOptions& options, LogSeverity severity) : options_(options), severity_(severity) {}

LogFile::~LogFile() { Close(); }

void LogFile::Close() {
  if (descriptor_ >= 0) close(descriptor_);
  descriptor_ = -1;
}

Error LogFile::Failure(std::string_view what, int code) const {
  return {ErrorCode::kUnavailable,
          fmt::format("cannot {} \"{}\": {}", what, path_, std::generic_category().message(code))};
}

std::string LogFile::NameAt(WallTime time) const {
  const Calendar at = CalendarOf(time);
  return fmt::format("{}.{}.{}.log.{}.{:04}{:02}{:02}-{:02}{:02}{:02}.{}", options_.program, ShortHostName(),
                     UserName(), TagOf(severity_), static_cast<int>(at.date.year()),
                     static_cast<unsigned>(at.date.month()), static_cast<unsigned>(at.date.day()),
                     at.clock.hours().count(), at.clock.minutes().count(), at.clock.seconds().count(), getpid());
}

// Not waiting concerns pipes: one without a reader is refused, one that is full gives an error.
Result<void> LogFile::OpenPath(int flags) {
  Close();
  descriptor_ = open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | flags, 0644);
  if (descriptor_ < 0) return Failure("open the log file", errno);
  struct stat status{};
  regular_ = fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode);
  size_ = regular_ ? static_cast<uint64_t>(status.st_size) : 0;
  has_lines_ = size_ > 0;
  torn_ = false;
  unwritable_ = false;
  if (!regular_ || options_.skip_log_headers || CurrentLogging().format == LogFormat::kJson) return {};
  std::optional<Error> error;
  size_ += WriteBytes(Header(Clock::WallNow()), error);
  if (!error) return {};
  // Only a whole header is one: the next try begins again.
  if (!has_lines_ && ftruncate(descriptor_, 0) != 0) torn_ = true;
  Close();
  return *std::move(error);
}

Result<void> LogFile::Open() {
  if (!options_.file.empty()) {
    path_ = options_.file;
    return OpenPath(0);
  }
  const std::string name = NameAt(Clock::WallNow());
  path_ = options_.directory + "/" + name;
  KEELSON_RETURN_IF_ERROR(OpenPath(O_NOFOLLOW));
  Link(name);
  return {};
}

Result<void> LogFile::OpenNext() {
  if (!options_.file.empty()) {
    // Where the directory does not let it be renamed, it begins again.
    if (rename(path_.c_str(), (path_ + ".1").c_str()) != 0 && ftruncate(descriptor_, 0) != 0) {
      return Failure("rename or empty the log file", errno);
    }
    return OpenPath(0);
  }
  const std::string name = NameAt(Clock::WallNow());
  for (int number = 0; number < kMostFilesASecond; ++number) {
    const std::string numbered = number == 0 ? name : fmt::format("{}.{}", name, number);
    path_ = options_.directory + "/" + numbered;
    struct stat taken{};
    if (lstat(path_.c_str(), &taken) == 0) continue;
    KEELSON_RETURN_IF_ERROR(OpenPath(O_EXCL | O_NOFOLLOW));
    Link(numbered);
    return {};
  }
  return Failure("make one more log file in this second beside", EEXIST);
}

// Made aside and moved into its place, so that there is always one. Nothing depends on it.
void LogFile::Link(const std::string& name) const {
  const std::string link = fmt::format("{}/{}.{}", options_.directory, options_.program, TagOf(severity_));
  const std::string aside = fmt::format("{}.{}", link, getpid());
  unlink(aside.c_str());
  if (symlink(name.c_str(), aside.c_str()) != 0) return;
  if (rename(aside.c_str(), link.c_str()) != 0) unlink(aside.c_str());
}

bool LogFile::HasRoomFor(uint64_t bytes) const {
  return options_.max_size == 0 || !regular_ || size_ + bytes < options_.max_size;
}

size_t LogFile::WriteBytes(std::string_view bytes, std::optional<Error>& error) {
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count = write(descriptor_, bytes.data() + done, bytes.size() - done);
    if (count > 0) {
      done += static_cast<size_t>(count);
      continue;
    }
    const int code = count == 0 ? EIO : errno;
    if (code == EINTR) continue;
    if (code == EAGAIN && !unwritable_) {
      pollfd room{.fd = descriptor_, .events = POLLOUT, .revents = 0};
      if (poll(&room, 1, kPipePatienceMilliseconds) > 0) continue;
    }
    unwritable_ = true;
    error = Failure("write to the log file", code);
    return done;
  }
  unwritable_ = false;
  return done;
}

LogFile::Appended LogFile::Append(const LogBatch& batch) {
  size_t done = 0;    // lines
  size_t offset = 0;  // of the first that is not done
  while (done < batch.lines.size()) {
    if (!IsOpen()) {
      if (Result<void> opened = Open(); !opened) return {.lines = done, .error = std::move(opened).error()};
    }
    std::optional<Error> error;
    if (torn_) {
      size_ += WriteBytes("\n", error);
      if (error) return {.lines = done, .error = std::move(error)};
      torn_ = false;
    }
    size_t end = done;
    size_t bytes = 0;
    // A line that is longer than a file may be has one of its own.
    while (end < batch.lines.size() && (HasRoomFor(bytes + batch.lines[end].length) || (end == done && !has_lines_))) {
      bytes += batch.lines[end++].length;
    }
    if (end == done) {
      if (Result<void> next = OpenNext(); !next) return {.lines = done, .error = std::move(next).error()};
      continue;
    }
    size_t written = WriteBytes(std::string_view(batch.text).substr(offset, bytes), error);
    size_ += written;
    has_lines_ = has_lines_ || written > 0;
    for (; done < end && written >= batch.lines[done].length; ++done) {
      written -= batch.lines[done].length;
      offset += batch.lines[done].length;
    }
    if (error) {
      torn_ = written > 0;
      return {.lines = done, .error = std::move(error)};
    }
  }
  return {.lines = done, .error = std::nullopt};
}

}  // namespace keelson::internal
