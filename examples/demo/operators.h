// The operators as processes of their own, each with its log in a file.
//
//   Operators operators(log_folder, working_folder);
//   KEELSON_RETURN_IF_ERROR(operators.Start("count-operator", "/usr/bin/count-operator", {"--kubeconfig", file}));
//   if (std::optional<std::string> ended = operators.FindEnded()) …    // "count-operator was killed by signal 9 …"
//   KEELSON_RETURN_IF_ERROR(operators.Stop());
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "keelson/core/result.h"
#include "keelson/core/time.h"

namespace demo {

// Of one thread, which must outlive the processes: the kernel sends them SIGTERM when that thread ends.
class Operators {
 public:
  Operators(std::string log_folder, std::string working_folder);
  // Stops them.
  ~Operators();
  Operators(const Operators&) = delete;
  Operators& operator=(const Operators&) = delete;

  // Ctrl-C does not reach it: it is in a process group of its own. Gives its process id.
  keelson::Result<pid_t> Start(const std::string& name, const std::string& program,
                               const std::vector<std::string>& arguments);
  size_t size() const { return processes_.size(); }

  // Of an operator that has ended although nobody asked it to: who, how, and the last lines of its log.
  std::optional<std::string> FindEnded();
  // SIGTERM to all, SIGKILL to those that are there after `grace`. An error names those that were killed, or ended with
  // another status than 0. SIGTERM itself may have ended one that had hardly begun.
  keelson::Result<void> Stop(keelson::Duration grace = std::chrono::seconds(5));

  // The lines that an operator has logged so far, the last `count` of them.
  std::vector<std::string> LastLines(const std::string& name, size_t count) const;

 private:
  struct Process {
    std::string name;
    pid_t pid;
    bool killed = false;
    std::optional<int> status = {};  // as waitpid gives it, once it has ended; -1 where that is not known
  };

  std::string LogOf(const std::string& name) const;
  // Whether all have ended.
  bool Reap();

  const std::string log_folder_;
  const std::string working_folder_;
  std::vector<Process> processes_;
};

}  // namespace demo
