// A log line as bytes. Pure functions of their arguments; whatever the strings hold, the result is one line of UTF-8.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "keelson/core/log.h"
#include "keelson/core/time.h"

namespace keelson::internal {

struct LogRecord {
  LogSeverity severity = LogSeverity::kInfo;
  int verbosity = 0;
  WallTime time;
  uint64_t thread = 0;
  std::string_view file;  // without its directories
  uint32_t line = 0;
  std::string_view message;
  const Error* error = nullptr;
  const LogContext* context = nullptr;
  std::span<const LogField> fields;
};

// I1115 18:23:39.123456    1234 main.cc:42] "message" key="value"
std::string FormatLogText(const LogRecord& record);
// {"ts":…,"caller":…,"level":…,"v":…,"logger":…,"msg":…,"err":…, keys}
std::string FormatLogJson(const LogRecord& record);

// In double quotes, with what is not printable escaped as Go escapes it; bytes that are not UTF-8 become \xNN.
void AppendQuoted(std::string& out, std::string_view text);
// As a JSON string; bytes that are not UTF-8 become U+FFFD.
void AppendJsonString(std::string& out, std::string_view text);

}  // namespace keelson::internal
