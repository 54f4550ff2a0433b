// The logging flags of glog and klog, for programs that are started as Kubernetes' own are.
//
//   std::vector<std::string> arguments(argv + 1, argv + argc);
//   KEELSON_TRY(flags, TakeLogFlags(arguments));    // what is left is the program's own
//   KEELSON_RETURN_IF_ERROR(StartLogging(flags));
//
//   $ count -v=2 -vmodule=reflector=4
//   $ count -logtostderr=false -alsologtostderr -log_dir=/var/log/count
//
// docs/logging.md explains them; LogFlagsUsage() is the short form of it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "keelson/core/log.h"
#include "keelson/core/log_files.h"
#include "keelson/core/result.h"

namespace keelson {

// What the flags say. A threshold of none is FATAL: no line reaches it.
struct LogFlags {
  LogOptions options = {};          // -v -vmodule -logging_format -skip_headers -add_dir_header
  LogFileOptions files = {};        // -log_dir -log_file -log_file_max_size -one_output -skip_log_headers
  bool log_to_stderr = true;        // -logtostderr: standard error instead of files
  bool also_log_to_stderr = false;  // -alsologtostderr: standard error as well as files
  std::optional<LogSeverity> stderr_threshold = LogSeverity::kError;             // -stderrthreshold
  std::optional<LogSeverity> also_log_to_stderr_threshold = LogSeverity::kInfo;  // -alsologtostderrthreshold
  bool legacy_stderr_threshold_behavior = true;  // whether -logtostderr disregards -stderrthreshold
  std::string backtrace_at = {};                 // -log_backtrace_at: checked, and has no effect
};

// Removes these flags from a command line, up to "--", and returns what they say. A flag begins with one dash or two,
// has its value after "=" or as the next argument, and may be written with "_" or "-" between words; of a repeated one
// the last counts. Those that are true or false need no value. `-v4` is `-v=4`. Changes no argument when it fails.
Result<LogFlags> TakeLogFlags(std::vector<std::string>& arguments);

// Does what the flags say. Fails when files are asked for that cannot be written, with lines still going to where they
// went. Where no flag says otherwise, a sink that was set before stays.
Result<void> StartLogging(const LogFlags& flags);

// A paragraph for --help: each flag, what it does, its default.
std::string LogFlagsUsage();

// "reflector=4,cache/*=2", the value of -vmodule.
Result<std::vector<LogModule>> ParseLogModules(std::string_view text);

}  // namespace keelson
