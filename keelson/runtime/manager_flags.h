// The command line of a program that runs a manager.
//
//   std::vector<std::string> arguments(argv + 1, argv + argc);
//   KEELSON_TRY(flags, ParseManagerFlags(arguments, {.controllers = {.workers = 4}}));
//   if (flags.help) Print(ManagerFlagsUsage("my-operator", defaults));
//
// Manager::FromFlags does all this. The names are those of kubebuilder's programs, so that manifests fit. Written as
// Go's flags are: -name=value, --name=value, --name value; a flag that is true or false may stand alone. The last of
// several counts. A program that has flags of its own takes them out before.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "keelson/client/client_flags.h"
#include "keelson/client/in_cluster.h"
#include "keelson/core/result.h"
#include "keelson/runtime/manager.h"

namespace keelson {

struct ManagerFlags {
  ClientFlags client = {};
  std::optional<double> qps = {};  // instead of what the configuration says
  std::optional<int> burst = {};
  ManagerOptions options = {};  // as they were given, changed by flags
  bool help = false;            // -h, --help
  // What is no flag, in order; all that is behind "--".
  std::vector<std::string> arguments = {};
};

// Flags of logging (core/log_flags.h) are taken out before. Errors name the flag, and for an unknown one the known one
// that is closest. WATCH_NAMESPACE counts where --namespaces is not given.
Result<ManagerFlags> ParseManagerFlags(const std::vector<std::string>& arguments, ManagerOptions options = {},
                                       const ClientEnvironment& environment = {});

// What --help prints: every flag in its group, with the default that it has given these options.
std::string ManagerFlagsUsage(std::string_view program, const ManagerOptions& options = {});

// Where this pod runs, by POD_NAMESPACE or its service account's files; nothing when this is no pod.
std::optional<std::string> PodNamespace(const ClientEnvironment& environment = {});

}  // namespace keelson
