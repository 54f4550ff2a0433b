// A directory for this process and its owner alone, for as long as it is needed: for kubeconfigs, which hold keys.
//
//   KEELSON_TRY(directory, PrivateDirectory::Make());
//   KEELSON_RETURN_IF_ERROR(WriteKubeconfig(kubeconfig, directory.path() + "/kubeconfig"));
#pragma once

#include <string>
#include <utility>

#include "keelson/core/result.h"

namespace keelson {

// Removed at the end, with all in it.
class PrivateDirectory {
 public:
  // Under $TMPDIR, or /tmp: "/tmp/keelson-x3Qf0a".
  static Result<PrivateDirectory> Make();
  ~PrivateDirectory();
  PrivateDirectory(PrivateDirectory&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  PrivateDirectory& operator=(PrivateDirectory&&) = delete;

  const std::string& path() const { return path_; }

 private:
  explicit PrivateDirectory(std::string path) : path_(std::move(path)) {}

  std::string path_;
};

}  // namespace keelson
