#include "keelson/core/log.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <mutex>
#include <string>

#include "keelson/core/clock.h"
#include "keelson/core/internal/log_format.h"
#include "keelson/core/internal/log_module.h"
#include "keelson/core/thread.h"

namespace keelson {

namespace internal {

constinit std::atomic<int> log_verbosity = 0;
constinit std::atomic<int> most_log_verbosity = 0;

}  // namespace internal

namespace {

// What a line needs of the options, in one word.
struct LineLayout {
  LogFormat format = LogFormat::kText;
  bool skip_header = false;
  bool add_directory = false;
  bool unused = false;
};
constinit std::atomic<LineLayout> line_layout = LineLayout();

// Counts calls of ConfigureLogging, so that threads see that what they know of source files is out of date.
constinit std::atomic<uint32_t> options_generation = 1;

class StandardErrorSink final : public LogSink {
 public:
  // In one piece, so that lines of several processes do not mix; the standard library keeps those of threads apart.
  void Write(LogSeverity, std::string_view line) override {
    std::string whole;
    whole.reserve(line.size() + 1);
    whole.append(line).push_back('\n');
    (void)std::fwrite(whole.data(), 1, whole.size(), stderr);
  }
};

// A std::mutex and not a Mutex: logging is no scheduling point, so that a line more or less does not change what a
// seed does. Nothing that could wait happens under it.
struct LogState {
  std::mutex mutex;
  const std::shared_ptr<LogSink> standard_error = std::make_shared<StandardErrorSink>();
  // Guarded by mutex:
  std::shared_ptr<LogSink> sink = standard_error;
  LogOptions options;
};

// Never destroyed: destructors of other globals may log.
LogState& State() {
  static LogState& state = *new LogState;
  return state;
}

std::shared_ptr<LogSink> CurrentSink() {
  LogState& state = State();
  std::lock_guard lock(state.mutex);
  return state.sink;
}

// Of the first pattern that matches; -1 when none does.
int ModuleVerbosity(const char* file) {
  LogState& state = State();
  std::lock_guard lock(state.mutex);
  for (const LogModule& module : state.options.modules) {
    if (internal::MatchesSourceFile(module.pattern, file)) return module.verbosity;
  }
  return -1;
}

}  // namespace

void ConfigureLogging(const LogOptions& options) {
  int most = options.verbosity;
  for (const LogModule& module : options.modules) most = std::max(most, module.verbosity);
  LogState& state = State();
  std::lock_guard lock(state.mutex);
  state.options = options;
  internal::log_verbosity.store(options.verbosity, std::memory_order_relaxed);
  internal::most_log_verbosity.store(most, std::memory_order_relaxed);
  line_layout.store(
      {.format = options.format, .skip_header = options.skip_headers, .add_directory = options.add_dir_header},
      std::memory_order_relaxed);
  options_generation.fetch_add(1, std::memory_order_relaxed);
}

LogOptions CurrentLogging() {
  LogState& state = State();
  std::lock_guard lock(state.mutex);
  return state.options;
}

// Patterns are compared once for each file and thread: a file's name is a literal, so that its address stands for it.
bool internal::LogModuleShows(int verbosity, const char* file) {
  struct Known {
    const char* file = nullptr;
    uint32_t generation = 0;
    int verbosity = 0;
  };
  static constinit thread_local std::array<Known, 64> known{};
  const auto address = reinterpret_cast<uintptr_t>(file);
  Known& slot = known[(address ^ (address >> 6)) % known.size()];
  // Read before the patterns are: at worst a line later they are compared again.
  const uint32_t generation = options_generation.load(std::memory_order_relaxed);
  if (slot.file != file || slot.generation != generation) {
    slot = {.file = file, .generation = generation, .verbosity = ModuleVerbosity(file)};
  }
  return verbosity <= slot.verbosity;
}

void LogSink::WriteRecord(const LogRecord& record) {
  const LineLayout layout = line_layout.load(std::memory_order_relaxed);
  if (layout.format == LogFormat::kJson) return Write(record.severity, internal::FormatLogJson(record));
  Write(record.severity,
        internal::FormatLogText(record, {.skip_header = layout.skip_header, .add_directory = layout.add_directory}));
}

std::shared_ptr<LogSink> SetLogSink(std::shared_ptr<LogSink> sink) {
  LogState& state = State();
  if (!sink) sink = state.standard_error;
  std::lock_guard lock(state.mutex);
  std::swap(state.sink, sink);
  return sink;
}

std::shared_ptr<LogSink> StandardErrorLogSink() { return State().standard_error; }

void FlushLogs() { CurrentSink()->Flush(); }

class ScopedLogCapture::Memory final : public LogSink {
 public:
  void Write(LogSeverity, std::string_view line) override {
    std::lock_guard lock(mutex_);
    lines_.emplace_back(line);
  }
  std::vector<std::string> lines() const {
    std::lock_guard lock(mutex_);
    return lines_;
  }

 private:
  mutable std::mutex mutex_;  // see LogState
  std::vector<std::string> lines_;
};

ScopedLogCapture::ScopedLogCapture(const LogOptions& options)
    : memory_(std::make_shared<Memory>()), previous_sink_(SetLogSink(memory_)), previous_options_(CurrentLogging()) {
  ConfigureLogging(options);
}

ScopedLogCapture::~ScopedLogCapture() {
  SetLogSink(previous_sink_);
  ConfigureLogging(previous_options_);
}

std::vector<std::string> ScopedLogCapture::lines() const { return memory_->lines(); }

void internal::EmitLog(LogSeverity severity, int verbosity, const LogContext* context, const Error* error,
                       const LogMessage& message, std::span<const LogField> fields) {
  const LogRecord record{
      .severity = severity,
      .verbosity = verbosity,
      .time = Clock::WallNow(),
      .thread = this_thread::Id(),
      .path = message.where().file_name(),
      .line = message.where().line(),
      .logger = context != nullptr ? std::string_view(context->name) : std::string_view(),
      .message = message.text(),
      .error = error,
      .values = context != nullptr ? std::span(context->values) : std::span<const std::pair<std::string, LogValue>>(),
      .fields = fields,
  };
  CurrentSink()->WriteRecord(record);
}

Logger::Logger(std::string name)
    : context_(std::make_shared<internal::LogContext>(internal::LogContext{.name = std::move(name), .values = {}})) {}

Logger Logger::WithName(std::string_view name) const {
  auto context =
      context_ ? std::make_shared<internal::LogContext>(*context_) : std::make_shared<internal::LogContext>();
  if (!context->name.empty()) context->name += '.';
  context->name += name;
  Logger child;
  child.context_ = std::move(context);
  return child;
}

Logger Logger::WithFields(std::span<const LogField> fields) const {
  auto context =
      context_ ? std::make_shared<internal::LogContext>(*context_) : std::make_shared<internal::LogContext>();
  for (const LogField& field : fields) context->values.emplace_back(field.key, field.value.Owned());
  Logger child;
  child.context_ = std::move(context);
  return child;
}

}  // namespace keelson
