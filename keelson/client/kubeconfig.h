// Kubeconfig files: read, merged and turned into a client's configuration as kubectl and controller-runtime do.
//
//   KEELSON_TRY(config, LoadClientConfig(flags));                    // wherever it is: what a program's main wants
//
//   KEELSON_TRY(files, LoadKubeconfigs({"team.yaml", "own.yaml"}));  // step by step
//   KEELSON_TRY(config, ClientConfigFrom(files, {.context = "staging"}));
//
// Of entries with one name the first file's counts, whole; so does the first current-context that is set. Relative
// paths in a file start at that file's directory.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "keelson/api/clientcmd/v1.h"
#include "keelson/client/client_flags.h"
#include "keelson/client/config.h"
#include "keelson/client/in_cluster.h"

namespace keelson {

// Finds the configuration: the file of --kubeconfig, else the files in KUBECONFIG, else what the cluster gives its pods
// (not when --context is given, which only a file can have), else $HOME/.kube/config. --master replaces the server, and
// is enough by itself. When there is nothing the error lists what was looked for, and where.
Result<ClientConfig> LoadClientConfig(const ClientFlags& flags = {}, const ClientEnvironment& environment = {});

// YAML or JSON. Paths stay as they are. Errors: malformed text, another kind or apiVersion, a name that comes twice.
Result<clientcmdv1::Config> ParseKubeconfig(std::string_view text);

// One file, its paths made absolute. kNotFound when there is none.
Result<clientcmdv1::Config> LoadKubeconfig(const std::string& path);

// Several files merged; missing ones are skipped and, where `missing` is given, named there.
Result<clientcmdv1::Config> LoadKubeconfigs(const std::vector<std::string>& paths,
                                            std::vector<std::string>* missing = nullptr);

// The first one counts where both say something. Entries come sorted by name.
clientcmdv1::Config MergeKubeconfigs(const std::vector<clientcmdv1::Config>& configs);

// Relative paths in it start at that directory from now on. A plugin's command is a path when it has a slash.
void ResolveKubeconfigPaths(clientcmdv1::Config& config, const std::string& directory);

// What a command line says instead of the kubeconfig. Empty: as the kubeconfig has it.
struct KubeconfigOverrides {
  std::string context = {};
  std::string cluster = {};
  std::string user = {};
  std::string namespace_ = {};
  std::string server = {};  // the cluster's tls-server-name, meant for another, then does not count
};

// Checks what the chosen context names; the error lists everything that is wrong with it. Credentials are left out when
// the server's URL is not https: they would travel in the clear. Files of certificates and tokens are read later.
Result<ClientConfig> ClientConfigFrom(const clientcmdv1::Config& kubeconfig, const KubeconfigOverrides& overrides = {});

}  // namespace keelson
