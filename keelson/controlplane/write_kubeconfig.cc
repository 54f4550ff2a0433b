#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>

#include "keelson/client/kubeconfig.h"
#include "keelson/codec/yaml_writer.h"
#include "keelson/controlplane/control_plane.h"
#include "keelson/core/ascii.h"

namespace keelson {
namespace {

Error Failed(std::string_view what, const std::string& file) {
  return Error(ErrorCode::kUnavailable, fmt::format("cannot {} '{}': {}", what, file, std::strerror(errno)));
}

// Beside the file first, so that readers see the old text or the new one.
Result<void> Replace(const std::string& file, std::string_view text) {
  const std::string beside = fmt::format("{}.{}.new", file, getpid());
  const int out = open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (out < 0) return Failed("create", beside);
  bool done = true;
  while (done && !text.empty()) {
    const ssize_t written = write(out, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<size_t>(written));
    } else {
      done = errno == EINTR;
    }
  }
  done = close(out) == 0 && done && std::rename(beside.c_str(), file.c_str()) == 0;
  if (done) return {};
  const Error error = Failed("write", file);
  unlink(beside.c_str());
  return error;
}

}  // namespace

Result<void> WriteKubeconfig(const std::string& kubeconfig, const std::string& file) {
  struct stat about = {};
  if (stat(file.c_str(), &about) != 0) {
    if (errno != ENOENT) return Failed("look at", file);
    return Replace(file, kubeconfig);
  }
  if (!S_ISREG(about.st_mode)) {
    return Error::InvalidArgument(fmt::format("'{}' is no file that a kubeconfig could be written to", file));
  }
  std::ifstream in(file);
  std::ostringstream existing;
  existing << in.rdbuf();
  if (!in) return Failed("read", file);
  if (Trim(existing.view()).empty()) return Replace(file, kubeconfig);
  const Result<clientcmdv1::Config> old = ParseKubeconfig(existing.view());
  if (!old) {
    return Error(old.error())
        .WithContext(fmt::format("'{}' is there already and is no kubeconfig; it was left as it is", file));
  }
  KEELSON_TRY(own, ParseKubeconfig(kubeconfig));
  return Replace(file, ToYaml(MergeKubeconfigs({own, *old})));
}

}  // namespace keelson
