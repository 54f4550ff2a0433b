// Log lines in files, as glog and klog name and divide them.
//
//   KEELSON_TRY(files, FileLogSink::Open({.directory = "/var/log/count"}));
//   SetLogSink(files);
//
//   count.node-7.root.log.INFO.20261116-072024.4866       every line
//   count.node-7.root.log.WARNING.20261116-072103.4866    warnings and errors; made with the first of them
//   count.node-7.root.log.ERROR.20261116-072103.4866      errors
//   count.INFO, count.WARNING, count.ERROR                links to the newest
//
// A disk that is full and a directory that is gone neither end nor hold up the program: lines that cannot be written go
// to standard error, after one that says so, and to files again when that works again.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "keelson/core/log.h"
#include "keelson/core/result.h"
#include "keelson/core/time.h"

namespace keelson {

struct LogFileOptions {
  std::string directory = {};  // must exist; empty: $TMPDIR, or /tmp
  std::string file = {};       // all lines into this one instead; what it held before is kept
  // In bytes, 0 for no limit. A file that would reach it is followed by another; the one of `file` is renamed to end in
  // ".1" first, in the place of the one renamed before.
  uint64_t max_size = uint64_t{1800} << 20;
  bool one_output = false;        // a line goes to the file of its severity only
  bool skip_log_headers = false;  // files begin with the first line; those of JSON lines always do
  // Lines of this severity and above go to standard error as well; none: no line does.
  std::optional<LogSeverity> stderr_threshold = LogSeverity::kError;
  // How long a line may wait in memory. Errors do not wait, and exit() flushes what does.
  Duration flush_every = std::chrono::seconds(1);
  std::string program = {};  // how names begin; empty: with this program's name
};

// Thread-safe. Lines are gathered in memory, up to a bound, and written by a thread of its own; who logs an error
// writes it, and all before it. In a simulation there is no such thread, and every line is written at once.
class FileLogSink final : public LogSink {
 public:
  // Opens the first file, so that a directory that cannot be used is known at the start.
  static Result<std::shared_ptr<FileLogSink>> Open(LogFileOptions options);

  // Flushes.
  ~FileLogSink() override;
  FileLogSink(const FileLogSink&) = delete;
  FileLogSink& operator=(const FileLogSink&) = delete;

  void Write(LogSeverity severity, std::string_view line) override;
  void Flush() override;

 private:
  class Impl;
  explicit FileLogSink(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace keelson
