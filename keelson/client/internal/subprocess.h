// Runs a program to its end and takes what it prints: without a shell, from any thread, within a time.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "keelson/core/result.h"
#include "keelson/core/stop_token.h"
#include "keelson/core/time.h"

namespace keelson::internal {

struct SubprocessOptions {
  std::string command = {};  // a path when it has a slash, else looked for in PATH (absolute entries only)
  std::vector<std::string> arguments = {};
  // Added to this process's environment; of equal names the last one counts.
  std::vector<std::pair<std::string, std::string>> environment = {};
  bool share_stdin = false;  // else it reads from /dev/null
  Duration timeout = std::chrono::minutes(1);
  size_t max_output = size_t{1} << 20;
};

struct SubprocessResult {
  int exit_code = -1;  // -1: ended by a signal
  int signal = 0;
  std::string output = {};  // of its standard output; standard error is ours
};

// Errors: kNotFound when there is no such program, kTimeout, kCancelled (stop), kInvalidArgument when it prints more
// than max_output or cannot be started. A program that is not waited for to its end is killed, with its children where
// it does not share our terminal.
Result<SubprocessResult> RunSubprocess(const SubprocessOptions& options, const StopToken& stop);

}  // namespace keelson::internal
