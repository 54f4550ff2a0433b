// The flags by which Kubernetes programs are told their server.
//
//   std::vector<std::string> arguments(argv + 1, argv + argc);
//   KEELSON_TRY(flags, TakeClientFlags(arguments));       // --kubeconfig, --master, --context are gone from arguments
//   KEELSON_TRY(config, LoadClientConfig(flags));         // kubeconfig.h
//
// Written as Go's flags are: -kubeconfig=x, --kubeconfig=x, -kubeconfig x. The last of several counts.
#pragma once

#include <string>
#include <vector>

#include "keelson/core/result.h"

namespace keelson {

struct ClientFlags {
  std::string kubeconfig = {};  // path of the one file to use
  std::string master = {};      // URL that replaces the server found
  std::string context = {};     // of the kubeconfig, instead of its current one
};

// Removes them from a command line, up to "--". Everything else stays, in order.
Result<ClientFlags> TakeClientFlags(std::vector<std::string>& arguments);

// The same for main's own arguments; argv[0] stays.
Result<ClientFlags> TakeClientFlags(int& argc, char** argv);

// For a program's --help.
std::string ClientFlagsUsage();

}  // namespace keelson
