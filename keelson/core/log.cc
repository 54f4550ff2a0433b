#include "keelson/core/log.h"

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <charconv>
#include <mutex>
#include <optional>

#include "keelson/core/clock.h"
#include "keelson/core/internal/log_format.h"
#include "keelson/core/thread.h"

namespace keelson {

namespace internal {

constinit std::atomic<int> log_verbosity = 0;

}  // namespace internal

namespace {

constinit std::atomic<LogFormat> log_format = LogFormat::kText;

class StandardErrorSink final : public LogSink {
 public:
  StandardErrorSink() {
    sink_.set_formatter(std::make_unique<spdlog::pattern_formatter>("%v", spdlog::pattern_time_type::utc, "\n"));
  }
  void Write(LogSeverity severity, std::string_view line) override {
    // The line carries its own time and level; these only satisfy the interface.
    sink_.log(spdlog::details::log_msg(spdlog::log_clock::time_point(), spdlog::source_loc(), spdlog::string_view_t(),
                                       LevelOf(severity), spdlog::string_view_t(line.data(), line.size())));
  }

 private:
  static spdlog::level::level_enum LevelOf(LogSeverity severity) {
    switch (severity) {
      case LogSeverity::kInfo: return spdlog::level::info;
      case LogSeverity::kWarning: return spdlog::level::warn;
      case LogSeverity::kError: return spdlog::level::err;
    }
    return spdlog::level::info;
  }

  spdlog::sinks::stderr_sink_mt sink_;
};

// A std::mutex and not a Mutex: logging is no scheduling point, so that a line more or less does not change what a
// seed does. Nothing that could wait happens under it.
struct SinkHolder {
  std::mutex mutex;
  std::shared_ptr<LogSink> sink = std::make_shared<StandardErrorSink>();  // guarded by mutex
};

// Never destroyed: destructors of other globals may log.
SinkHolder& Holder() {
  static SinkHolder& holder = *new SinkHolder;
  return holder;
}

std::shared_ptr<LogSink> CurrentSink() {
  SinkHolder& holder = Holder();
  std::lock_guard lock(holder.mutex);
  return holder.sink;
}

std::string_view FileName(const char* path) {
  const std::string_view file(path);
  return file.substr(file.find_last_of('/') + 1);
}

Result<int> ParseVerbosity(std::string_view text) {
  int verbosity = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), verbosity);
  if (error != std::errc() || end != text.data() + text.size() || verbosity < 0) {
    return Error::InvalidArgument("invalid value \"" + std::string(text) +
                                  "\" for flag -v: expected a whole number, 0 or more");
  }
  return verbosity;
}

Result<LogFormat> ParseFormat(std::string_view text) {
  if (text == "text") return LogFormat::kText;
  if (text == "json") return LogFormat::kJson;
  return Error::InvalidArgument("invalid value \"" + std::string(text) +
                                "\" for flag --logging-format: expected text or json");
}

}  // namespace

void ConfigureLogging(const LogOptions& options) {
  internal::log_verbosity.store(options.verbosity, std::memory_order_relaxed);
  log_format.store(options.format, std::memory_order_relaxed);
}

LogOptions CurrentLogging() {
  return {.verbosity = internal::log_verbosity.load(std::memory_order_relaxed),
          .format = log_format.load(std::memory_order_relaxed)};
}

Result<LogOptions> TakeLogFlags(std::vector<std::string>& arguments) {
  LogOptions options;
  std::vector<std::string> rest;
  size_t i = 0;
  // The flag's value when argument i is that flag; advances i over a value that stands apart.
  auto value_of = [&](std::string_view name) -> Result<std::optional<std::string>> {
    std::string_view argument = arguments[i];
    const size_t dashes = argument.starts_with("--") ? 2 : argument.starts_with("-") ? 1 : 0;
    if (dashes == 0) return std::optional<std::string>();
    argument.remove_prefix(dashes);
    if (!argument.starts_with(name)) return std::optional<std::string>();
    argument.remove_prefix(name.size());
    if (argument.starts_with("=")) return std::optional<std::string>(argument.substr(1));
    if (!argument.empty()) return std::optional<std::string>();
    if (i + 1 == arguments.size()) {
      return Error::InvalidArgument("flag " + arguments[i] + " needs a value and none follows");
    }
    return std::optional<std::string>(arguments[++i]);
  };
  for (; i < arguments.size() && arguments[i] != "--"; ++i) {
    KEELSON_TRY(verbosity, value_of("v"));
    if (verbosity) {
      KEELSON_TRY(parsed, ParseVerbosity(*verbosity));
      options.verbosity = parsed;
      continue;
    }
    KEELSON_TRY(format, value_of("logging-format"));
    if (format) {
      KEELSON_TRY(parsed, ParseFormat(*format));
      options.format = parsed;
      continue;
    }
    rest.push_back(arguments[i]);
  }
  rest.insert(rest.end(), arguments.begin() + static_cast<ptrdiff_t>(i), arguments.end());
  arguments = std::move(rest);
  return options;
}

std::shared_ptr<LogSink> SetLogSink(std::shared_ptr<LogSink> sink) {
  if (!sink) sink = std::make_shared<StandardErrorSink>();
  SinkHolder& holder = Holder();
  std::lock_guard lock(holder.mutex);
  std::swap(holder.sink, sink);
  return sink;
}

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
  mutable std::mutex mutex_;  // see SinkHolder
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
      .file = FileName(message.where().file_name()),
      .line = message.where().line(),
      .message = message.text(),
      .error = error,
      .context = context,
      .fields = fields,
  };
  const bool json = log_format.load(std::memory_order_relaxed) == LogFormat::kJson;
  CurrentSink()->Write(severity, json ? FormatLogJson(record) : FormatLogText(record));
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
