// For tests: the program in a process of its own.
#pragma once

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "keelson/cli/cli.h"

namespace keelson::cli {

// What it writes to standard output and error comes by a pipe. Killed at the end unless it has ended by then.
class CommandProcess {
 public:
  CommandProcess(const std::string& program, const std::vector<std::string>& arguments) {
    int ends[2];
    if (pipe(ends) != 0) abort();
    pid_ = fork();
    if (pid_ == 0) {
      close(ends[0]);
      dup2(ends[1], STDOUT_FILENO);
      dup2(ends[1], STDERR_FILENO);
      std::ofstream out("/dev/stdout");
      const int status = RunAs(program, arguments, out, out);
      out << std::flush;
      _exit(status);
    }
    close(ends[1]);
    out_ = fdopen(ends[0], "r");
  }
  ~CommandProcess() {
    if (pid_ > 0) {
      kill(pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
    }
    fclose(out_);
  }
  CommandProcess(const CommandProcess&) = delete;
  CommandProcess& operator=(const CommandProcess&) = delete;

  // The next line; empty when it has ended.
  std::string Line() {
    char line[4096] = {};
    return fgets(line, sizeof line, out_) != nullptr ? line : "";
  }
  // The exit status; -1 when a signal ended it.
  int End(int signal) {
    if (pid_ > 0) kill(pid_, signal);  // to -1 it would reach every process
    return Wait();
  }
  int Wait() {
    int status = 0;
    waitpid(pid_, &status, 0);
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  pid_t pid_ = -1;
  FILE* out_ = nullptr;
};

}  // namespace keelson::cli
