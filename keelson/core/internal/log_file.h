// One log file and those that follow it when it is full.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "keelson/core/log.h"
#include "keelson/core/log_files.h"
#include "keelson/core/result.h"
#include "keelson/core/time.h"

namespace keelson::internal {

// Lines to be written, each with its end.
struct LogBatch {
  struct Line {
    uint32_t length = 0;
    LogSeverity severity = LogSeverity::kInfo;
  };
  std::string text;
  std::vector<Line> lines;

  void Add(LogSeverity severity, std::string_view line);
  void Clear();
};

// Used by one thread at a time. Never waits for longer than a moment: a pipe that nobody reads from is an error.
class LogFile {
 public:
  LogFile(const LogFileOptions& options, LogSeverity severity);
  ~LogFile();
  LogFile(const LogFile&) = delete;
  LogFile& operator=(const LogFile&) = delete;

  bool IsOpen() const { return descriptor_ >= 0; }
  // Opens the file for appending, making it where it is not there.
  Result<void> Open();

  struct Appended {
    size_t lines = 0;  // written whole, from the first on
    std::optional<Error> error;
  };
  // Opens and changes files as needed. What an error left can be tried again.
  Appended Append(const LogBatch& batch);

  // The present file, or the one that could not be opened.
  const std::string& path() const { return path_; }

 private:
  Result<void> OpenPath(int flags);
  Result<void> OpenNext();
  void Link(const std::string& name) const;
  void Close();
  bool HasRoomFor(uint64_t bytes) const;
  // The bytes that were written; fewer than there are only together with an error.
  size_t WriteBytes(std::string_view bytes, std::optional<Error>& error);
  std::string NameAt(WallTime time) const;
  Error Failure(std::string_view what, int code) const;

  const LogFileOptions& options_;  // of the sink, which outlives it
  const LogSeverity severity_;
  std::string path_;
  int descriptor_ = -1;
  bool regular_ = false;  // neither a pipe nor a device: it has a size and can be renamed
  bool has_lines_ = false;
  bool torn_ = false;        // the last line was not written whole
  bool unwritable_ = false;  // the last write failed
  uint64_t size_ = 0;
};

}  // namespace keelson::internal
