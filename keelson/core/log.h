// Structured logging: a constant message and key–value pairs, printed as Kubernetes programs print them.
//
//   Logger log("controller");
//   log.Info("Reconciled", "namespace", key.namespace_, "name", key.name, "took", Clock::Now() - start);
//   log.V(2).Info("Cache hit", "key", key);              // shown from -v=2 on
//   log.Error(error, "Update failed", "attempt", attempt);
//   Logger pod_log = log.WithName("pods").WithValues("pod", name);
//
//   I1115 18:23:39.123456    1234 main.cc:42] "Reconciled" logger="controller" namespace="default" name="web"
//   took="1.5ms"
//   {"ts":1763231019.123456,"caller":"main.cc:42","level":"info","v":0,"logger":"controller","msg":"Reconciled",…}
//
// The message must be a literal, and pairs must be complete: anything else does not compile. Values are strings,
// numbers, booleans, durations, times, Errors, optionals of these, and whatever has a ToString(value) beside its type.
// A disabled line costs one comparison. Timestamps are UTC. Never log a secret or a whole object.
//
// Lines go to standard error. log_flags.h has the flags by which users of a program change that, log_files.h writes
// files, log_record.h is for those who hand lines on to another logging system.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "keelson/core/log_value.h"
#include "keelson/core/result.h"

namespace keelson {

enum class LogSeverity : uint8_t { kInfo, kWarning, kError };
enum class LogFormat : uint8_t { kText, kJson };

// More verbosity for some source files: {"reflector", 4}, {"cache/*", 4}. A pattern is compared with the file's name
// without directories and extension; one that has slashes, with as many directories before it. `*` and `?` stand for
// anything but a slash, `[a-c]` and `[^a-c]` for one character of a set, `\` takes the next one literally.
struct LogModule {
  std::string pattern;
  int verbosity = 0;
};

struct LogOptions {
  int verbosity = 0;  // -v=N: V(n) lines appear for n <= N
  LogFormat format = LogFormat::kText;
  std::vector<LogModule> modules = {};  // the first that matches counts; none takes away what `verbosity` shows
  bool skip_headers = false;            // text only: lines without time, thread and place
  bool add_dir_header = false;          // text only: the place has the file's directory too
};

// Both thread-safe, and apply to every Logger of the process from the next line on.
void ConfigureLogging(const LogOptions& options);
LogOptions CurrentLogging();

struct LogRecord;  // log_record.h

// Where lines go. All functions may be called by several threads at once.
class LogSink {
 public:
  virtual ~LogSink() = default;
  // One line, without its end.
  virtual void Write(LogSeverity severity, std::string_view line) = 0;
  // What a logger calls. Unless it is overridden: Write of the record as a line, in the present format.
  virtual void WriteRecord(const LogRecord& record);
  // Returns when what was written before has left the process.
  virtual void Flush() {}
};

// Replaces the sink of the process and returns the one before; null stands for the default, standard error.
std::shared_ptr<LogSink> SetLogSink(std::shared_ptr<LogSink> sink);
std::shared_ptr<LogSink> StandardErrorLogSink();
// Flushes the sink of the process: before _exit(), which skips what exit() does.
void FlushLogs();

// For tests: while it lives, lines are kept here and options may differ. One at a time.
class [[nodiscard]] ScopedLogCapture {
 public:
  explicit ScopedLogCapture(const LogOptions& options = {});
  ~ScopedLogCapture();
  ScopedLogCapture(const ScopedLogCapture&) = delete;
  ScopedLogCapture& operator=(const ScopedLogCapture&) = delete;

  std::vector<std::string> lines() const;

 private:
  class Memory;
  std::shared_ptr<Memory> memory_;
  std::shared_ptr<LogSink> previous_sink_;
  LogOptions previous_options_;
};

// A literal and the place it stands at.
class LogMessage {
 public:
  template <size_t N>
  consteval LogMessage(const char (&text)[N], std::source_location where = std::source_location::current())
      : text_(text, N - 1), where_(where) {}

  std::string_view text() const { return text_; }
  const std::source_location& where() const { return where_; }

 private:
  std::string_view text_;
  std::source_location where_;
};

namespace internal {

extern constinit std::atomic<int> log_verbosity;       // of every file
extern constinit std::atomic<int> most_log_verbosity;  // of any file; never less than log_verbosity

// Whether a pattern of LogOptions::modules shows it.
bool LogModuleShows(int verbosity, const char* file);

struct LogContext {
  std::string name;
  std::vector<std::pair<std::string, LogValue>> values;  // owned
};

void EmitLog(LogSeverity severity, int verbosity, const LogContext* context, const Error* error,
             const LogMessage& message, std::span<const LogField> fields);

inline void FillLogFields(LogField*) {}
template <class Key, class Value, class... Rest>
void FillLogFields(LogField* field, const Key& key, const Value& value, const Rest&... rest) {
  field->key = key;
  field->value = LogValue(value);
  FillLogFields(field + 1, rest...);
}

// Key, value, key, value, … as fields.
template <class... Pairs>
std::array<LogField, sizeof...(Pairs) / 2> MakeLogFields(const Pairs&... pairs) {
  std::array<LogField, sizeof...(Pairs) / 2> fields;
  FillLogFields(fields.data(), pairs...);
  return fields;
}

// Every other type of the pairs, from the first on, is a string.
template <class... Pairs>
struct KeysAreStrings : std::true_type {};
template <class Key, class Value, class... Rest>
struct KeysAreStrings<Key, Value, Rest...>
    : std::bool_constant<std::is_convertible_v<const Key&, std::string_view> && !std::is_null_pointer_v<Key> &&
                         KeysAreStrings<Rest...>::value> {};

template <class... Pairs>
concept LogPairs = sizeof...(Pairs) % 2 == 0 && KeysAreStrings<Pairs...>::value;

}  // namespace internal

// What V() returns: lines of one verbosity. For immediate use, while the Logger it came from exists.
class VerboseLogger {
 public:
  bool Enabled(const std::source_location& where = std::source_location::current()) const {
    if (verbosity_ > internal::most_log_verbosity.load(std::memory_order_relaxed)) return false;
    return verbosity_ <= internal::log_verbosity.load(std::memory_order_relaxed) ||
           internal::LogModuleShows(verbosity_, where.file_name());
  }

  template <class... Pairs>
    requires internal::LogPairs<Pairs...>
  void Info(const LogMessage& message, const Pairs&... pairs) const {
    if (!Enabled(message.where())) return;
    internal::EmitLog(LogSeverity::kInfo, verbosity_, context_, nullptr, message, internal::MakeLogFields(pairs...));
  }

 private:
  friend class Logger;
  VerboseLogger(const internal::LogContext* context, int verbosity) : context_(context), verbosity_(verbosity) {}

  const internal::LogContext* context_;
  int verbosity_;
};

// A name and values that every line of it carries. Immutable, cheap to copy, thread-safe.
class Logger {
 public:
  Logger() = default;
  explicit Logger(std::string name);

  VerboseLogger V(int verbosity) const { return VerboseLogger(context_.get(), verbosity); }

  template <class... Pairs>
    requires internal::LogPairs<Pairs...>
  void Info(const LogMessage& message, const Pairs&... pairs) const {
    V(0).Info(message, pairs...);
  }
  template <class... Pairs>
    requires internal::LogPairs<Pairs...>
  void Warning(const LogMessage& message, const Pairs&... pairs) const {
    internal::EmitLog(LogSeverity::kWarning, 0, context_.get(), nullptr, message, internal::MakeLogFields(pairs...));
  }
  template <class... Pairs>
    requires internal::LogPairs<Pairs...>
  void Error(const keelson::Error& error, const LogMessage& message, const Pairs&... pairs) const {
    internal::EmitLog(LogSeverity::kError, 0, context_.get(), &error, message, internal::MakeLogFields(pairs...));
  }

  // "parent.child"
  [[nodiscard]] Logger WithName(std::string_view name) const;
  template <class... Pairs>
    requires internal::LogPairs<Pairs...>
  [[nodiscard]] Logger WithValues(const Pairs&... pairs) const {
    return WithFields(internal::MakeLogFields(pairs...));
  }

 private:
  Logger WithFields(std::span<const LogField> fields) const;

  std::shared_ptr<const internal::LogContext> context_;
};

}  // namespace keelson
