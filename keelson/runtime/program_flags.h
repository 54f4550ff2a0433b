// The command line of a program: where its cluster is, how it logs, and flags of its own.
//
//   int workers = 2;
//   std::string health;
//   const ClientConfig config = ProgramFlags("Keeps a Deployment for every AppService.")
//                                   .Add("workers", &workers, "AppServices that are worked on at a time")
//                                   .Add("health-probe-bind-address", &health, "where /healthz is served: \":8081\"")
//                                   .Parse(argc, argv)
//                                   .OrExit();
//
// That is for controllers that are put together by hand. A program with a manager takes its own flags out, and leaves
// the rest to Manager::FromFlags:
//
//   ProgramFlags().Add("state-dir", &state_dir, "…").Take(argc, argv).OrExit();
//
// Written as Go's flags are: -name=value, --name=value, --name value; a flag that is true or false may stand alone. The
// last of several counts.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "keelson/client/config.h"
#include "keelson/client/in_cluster.h"
#include "keelson/core/result.h"
#include "keelson/core/time.h"

namespace keelson {

class ProgramFlags {
 public:
  // What the program does, for --help: a sentence.
  explicit ProgramFlags(std::string about = {}) : about_(std::move(about)) {}

  // What a flag gives is put there. What is there now is its default. A number may not be below zero, an int not below
  // `least`.
  ProgramFlags& Add(std::string name, std::string* value, std::string help);
  ProgramFlags& Add(std::string name, bool* value, std::string help);
  ProgramFlags& Add(std::string name, int* value, std::string help, int least = 0);
  ProgramFlags& Add(std::string name, double* value, std::string help);
  ProgramFlags& Add(std::string name, Duration* value, std::string help);

  // Reads all of the command line: the flags of logging (core/log_flags.h), which begins as they say, those of the
  // client (client/client_flags.h), and the program's own. Gives the cluster's configuration. Anything else is an
  // error. With --help it prints Usage() and ends the process.
  Result<ClientConfig> Parse(int argc, char** argv, const ClientEnvironment& environment = {}) const;

  // Removes the program's own flags, up to "--"; all else stays, in order. --help is left to whoever comes next, after
  // the program's own flags were printed.
  Result<void> Take(int& argc, char** argv) const;

  std::string Usage(std::string_view program) const;

 private:
  struct Int {
    int* value;
    int least;
  };
  struct Flag {
    std::string name;
    std::variant<std::string*, bool*, Int, double*, Duration*> value;
    std::string help;
  };
  ProgramFlags& AddFlag(Flag flag);
  const Flag* Find(std::string_view name) const;
  // What is not the program's own, as indexes of them.
  Result<std::vector<size_t>> Read(const std::vector<std::string>& arguments) const;
  static Result<void> Set(const Flag& flag, std::string_view text);
  std::string OwnUsage() const;

  std::string about_;
  std::vector<Flag> flags_;
};

}  // namespace keelson
