// A folder that test frameworks look into for the programs of a control plane.
#pragma once

#include <filesystem>
#include <string>

#include "keelson/core/result.h"

namespace keelson::cli {

struct AssetsOptions {
  std::filesystem::path folder;   // made when it is not there
  std::filesystem::path program;  // what kube-apiserver and etcd are to be: this program
  std::string path = {};          // $PATH, where kubectl is looked for
};

// Links kube-apiserver, etcd and, when it is found, kubectl. A link that is there already is set anew, in one step:
// whoever starts a program meanwhile gets the one or the other. A file of such a name that is no link is an error.
Result<void> MakeAssets(const AssetsOptions& options);

// Where the assets of that program are by default: below the user's cache, of its own for each program, so that two
// versions do not take each other's links.
Result<std::filesystem::path> DefaultAssetsFolder(const std::filesystem::path& program);

}  // namespace keelson::cli
