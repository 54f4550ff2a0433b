// A log line as bytes. Pure functions of their arguments; whatever the strings hold, the result is one line of UTF-8.
#pragma once

#include <string>
#include <string_view>

#include "keelson/core/log_record.h"

namespace keelson::internal {

struct LogTextLayout {
  bool skip_header = false;    // from the message on
  bool add_directory = false;  // core/main.cc:42
};

// I1115 18:23:39.123456    1234 main.cc:42] "message" key="value"
std::string FormatLogText(const LogRecord& record, LogTextLayout layout = {});
// {"ts":…,"caller":…,"level":…,"v":…,"logger":…,"msg":…,"err":…, keys}
std::string FormatLogJson(const LogRecord& record);

// In double quotes, with what is not printable escaped as Go escapes it; bytes that are not UTF-8 become \xNN.
void AppendQuoted(std::string& out, std::string_view text);
// As a JSON string; bytes that are not UTF-8 become U+FFFD.
void AppendJsonString(std::string& out, std::string_view text);

}  // namespace keelson::internal
