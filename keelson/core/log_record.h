// One log line before it is text, for those who hand lines on to another logging system.
//
//   class Journal final : public StructuredLogSink {
//    public:
//     void WriteRecord(const LogRecord& record) override {
//       Entry entry(record.severity, record.message);
//       record.ForEachField([&](std::string_view key, const LogValue& value) { entry.Add(key, ToString(value)); });
//     }
//   };
//   SetLogSink(std::make_shared<Journal>());
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "keelson/core/error.h"
#include "keelson/core/log.h"
#include "keelson/core/log_value.h"
#include "keelson/core/time.h"

namespace keelson {

// All of it is borrowed, and valid during WriteRecord.
struct LogRecord {
  LogSeverity severity = LogSeverity::kInfo;
  int verbosity = 0;  // of an info line: n of V(n)
  WallTime time;
  uint64_t thread = 0;
  std::string_view path;  // of the source file, as the compiler was given it
  uint32_t line = 0;
  std::string_view logger;  // "controller.pods"; may be empty
  std::string_view message;
  const Error* error = nullptr;                              // of an error line
  std::span<const std::pair<std::string, LogValue>> values;  // those of the logger
  std::span<const LogField> fields;                          // those of the line

  // Without directories.
  std::string_view file() const { return path.substr(path.find_last_of('/') + 1); }

  // f(std::string_view key, const LogValue& value) for the values of the logger, then the fields of the line.
  template <class F>
  void ForEachField(F f) const {
    for (const auto& [key, value] : values) f(std::string_view(key), value);
    for (const LogField& field : fields) f(field.key, field.value);
  }
};

// A sink that takes lines apart instead of whole. WriteRecord must not log.
class StructuredLogSink : public LogSink {
 public:
  void WriteRecord(const LogRecord& record) override = 0;

 private:
  void Write(LogSeverity, std::string_view) final {}
};

// The value as it stands in a line, without quotes.
std::string ToString(const LogValue& value);

}  // namespace keelson
