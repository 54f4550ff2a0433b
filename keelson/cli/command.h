// What the subcommands of `keelson` share.
#pragma once

#include <CLI/CLI.hpp>
#include <iosfwd>

namespace keelson::cli {

// Where a command writes, and what it returns.
struct Session {
  std::ostream& out;
  std::ostream& err;
  int status = 0;
};

// Each adds its subcommand, which runs while the arguments are parsed. `session` outlives `app`.
void AddAssetsCommand(CLI::App& app, Session& session);
void AddGenerateCommand(CLI::App& app, Session& session);
void AddScaffoldCommand(CLI::App& app, Session& session);
void AddUpCommand(CLI::App& app, Session& session);
void AddVersionCommand(CLI::App& app, Session& session);

}  // namespace keelson::cli
