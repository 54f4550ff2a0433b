#include "keelson/controlplane/private_directory.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace keelson {

Result<PrivateDirectory> PrivateDirectory::Make() {
  std::error_code ignored;
  std::filesystem::path base = std::filesystem::temp_directory_path(ignored);
  if (base.empty()) base = "/tmp";
  std::string pattern = (base / "keelson-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) {
    return Error(ErrorCode::kUnavailable,
                 fmt::format("cannot make a directory for the kubeconfig in '{}': {}; TMPDIR can name another place",
                             base.string(), std::strerror(errno)));
  }
  return PrivateDirectory(std::move(pattern));
}

PrivateDirectory::~PrivateDirectory() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace keelson
