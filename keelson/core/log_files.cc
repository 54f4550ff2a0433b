#include "keelson/core/log_files.h"

#include <errno.h>
#include <stdlib.h>

#include <array>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "keelson/core/clock.h"
#include "keelson/core/internal/log_file.h"
#include "keelson/core/internal/scheduler.h"
#include "keelson/core/log_record.h"
#include "keelson/core/thread.h"

namespace keelson {

namespace {

using internal::LogBatch;
using internal::LogFile;

// Who fills the memory up to here writes it.
constexpr size_t kMostPending = 256 * 1024;

// Set when exit() has flushed: destructors of globals may still log.
constinit std::atomic<bool> exiting = false;

void FlushAtExit() {
  exiting.store(true, std::memory_order_relaxed);
  FlushLogs();
}

}  // namespace

// Locks are std::mutex and not Mutex: logging is no scheduling point of a simulation.
class FileLogSink::Impl {
 public:
  explicit Impl(LogFileOptions options)
      : options_(std::move(options)),
        standard_error_(StandardErrorLogSink()),
        simulated_(internal::CurrentScheduler() != nullptr) {
    if (!simulated_) flusher_.emplace("log-flush", [this] { FlushNowAndThen(); });
  }

  ~Impl() {
    {
      std::lock_guard lock(mutex_);
      ending_ = true;
    }
    wake_.notify_all();
    if (flusher_) flusher_->Join();
    Flush();
  }

  Result<void> OpenFirst() {
    std::lock_guard writing(files_mutex_);
    return FileOf(LogSeverity::kInfo).Open();
  }

  void Write(LogSeverity severity, std::string_view line) {
    if (OnStandardError(severity)) standard_error_->Write(severity, line);
    bool first = false;
    bool full = false;
    {
      std::lock_guard lock(mutex_);
      first = pending_bytes_ == 0;
      for (size_t i = LowestFile(severity); i <= HighestFile(severity); ++i) {
        pending_[i].Add(severity, line);
        pending_bytes_ += line.size() + 1;
      }
      full = pending_bytes_ >= kMostPending;
    }
    if (severity == LogSeverity::kError || full || simulated_ || exiting.load(std::memory_order_relaxed)) {
      Flush();
    } else if (first) {
      wake_.notify_one();
    }
  }

  // Those who write wait for each other; those who only add lines do not wait for them.
  void Flush() {
    std::lock_guard writing(files_mutex_);
    {
      std::lock_guard lock(mutex_);
      std::swap(pending_, batches_);
      pending_bytes_ = 0;
    }
    std::optional<Error> error;
    bool written = false;
    for (size_t i = 0; i < kFiles; ++i) {
      LogBatch& batch = batches_[i];
      if (batch.lines.empty()) continue;
      LogFile::Appended appended = files_[i].Append(batch);
      written = written || !appended.error;
      if (appended.error) {
        if (!error) error = std::move(appended.error);
        SetFailing(&*error);
        ShowRest(i, batch, appended.lines);
      }
      batch.Clear();
    }
    if (!error && written) SetFailing(nullptr);
  }

 private:
  static constexpr size_t kFiles = 3;  // by severity

  LogFile& FileOf(LogSeverity severity) { return files_[static_cast<size_t>(severity)]; }

  // The files that a line goes to.
  size_t LowestFile(LogSeverity severity) const {
    return options_.one_output && options_.file.empty() ? static_cast<size_t>(severity) : 0;
  }
  size_t HighestFile(LogSeverity severity) const { return options_.file.empty() ? static_cast<size_t>(severity) : 0; }

  bool OnStandardError(LogSeverity severity) const {
    return options_.stderr_threshold && severity >= *options_.stderr_threshold;
  }

  // Lines that were not written, unless they stand elsewhere.
  void ShowRest(size_t file, const LogBatch& batch, size_t first) {
    size_t offset = 0;
    for (size_t i = 0; i < batch.lines.size(); ++i) {
      const auto [length, severity] = batch.lines[i];
      if (i >= first && file == LowestFile(severity) && !OnStandardError(severity)) {
        standard_error_->Write(severity, std::string_view(batch.text).substr(offset, length - 1));
      }
      offset += length;
    }
  }

  // Says once that files cannot be written (with the error), and once that they can again (without).
  void SetFailing(const Error* error) {
    if (failing_ == (error != nullptr)) return;
    failing_ = error != nullptr;
    const std::source_location here = std::source_location::current();
    standard_error_->WriteRecord({
        .severity = failing_ ? LogSeverity::kError : LogSeverity::kInfo,
        .verbosity = 0,
        .time = Clock::WallNow(),
        .thread = this_thread::Id(),
        .path = here.file_name(),
        .line = here.line(),
        .logger = "log",
        .message = failing_ ? "Log files cannot be written: lines go to standard error until they can"
                            : "Log files are written again",
        .error = error,
        .values = {},
        .fields = {},
    });
  }

  void FlushNowAndThen() {
    std::unique_lock lock(mutex_);
    while (true) {
      wake_.wait(lock, [this] { return ending_ || pending_bytes_ > 0; });
      if (ending_) return;
      wake_.wait_for(lock, options_.flush_every, [this] { return ending_; });
      if (ending_) return;
      lock.unlock();
      Flush();
      lock.lock();
    }
  }

  const LogFileOptions options_;
  const std::shared_ptr<LogSink> standard_error_;
  const bool simulated_;

  std::mutex files_mutex_;  // locked before mutex_
  // Guarded by files_mutex_:
  std::array<LogFile, kFiles> files_{LogFile(options_, LogSeverity::kInfo), LogFile(options_, LogSeverity::kWarning),
                                     LogFile(options_, LogSeverity::kError)};
  std::array<LogBatch, kFiles> batches_;
  bool failing_ = false;

  std::mutex mutex_;
  std::condition_variable wake_;
  // Guarded by mutex_:
  std::array<LogBatch, kFiles> pending_;
  size_t pending_bytes_ = 0;
  bool ending_ = false;

  std::optional<Thread> flusher_;  // not in a simulation; started last, when all it uses is there
};

Result<std::shared_ptr<FileLogSink>> FileLogSink::Open(LogFileOptions options) {
  if (options.program.empty()) options.program = program_invocation_short_name;
  if (options.directory.empty()) {
    const char* temporary = getenv("TMPDIR");
    options.directory = temporary != nullptr && *temporary != '\0' ? temporary : "/tmp";
  }
  auto impl = std::make_unique<Impl>(std::move(options));
  KEELSON_RETURN_IF_ERROR(impl->OpenFirst());
  [[maybe_unused]] static const int registered = atexit(FlushAtExit);
  return std::shared_ptr<FileLogSink>(new FileLogSink(std::move(impl)));
}

FileLogSink::FileLogSink(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
FileLogSink::~FileLogSink() = default;

void FileLogSink::Write(LogSeverity severity, std::string_view line) { impl_->Write(severity, line); }
void FileLogSink::Flush() { impl_->Flush(); }

}  // namespace keelson
