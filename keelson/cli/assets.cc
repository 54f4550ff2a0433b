#include "keelson/cli/assets.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace keelson::cli {
namespace {

namespace fs = std::filesystem;

// The same for the same text in every build: std::hash promises less.
uint32_t Fnv1a(std::string_view text) {
  uint32_t hash = 2166136261u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return hash;
}

Error Cannot(std::string_view what, const fs::path& path, const std::error_code& why) {
  return Error(ErrorCode::kUnavailable, fmt::format("cannot {} '{}': {}", what, path.string(), why.message()));
}

Result<void> Link(const fs::path& link, const fs::path& target) {
  std::error_code problem;
  const fs::file_status there = fs::symlink_status(link, problem);
  if (fs::exists(there) && !fs::is_symlink(there)) {
    return Error::AlreadyExists(
        fmt::format("'{}' is a file of somebody else's, not a link; name another folder", link.string()));
  }
  const fs::path next = link.parent_path() / fmt::format(".{}.{}", link.filename().string(), getpid());
  fs::remove(next, problem);
  fs::create_symlink(target, next, problem);
  if (problem) return Cannot("make the link", next, problem);
  fs::rename(next, link, problem);
  if (problem) return Cannot("make the link", link, problem);
  return {};
}

// An executable file of that name in one of the folders, other than what is in `not_in` itself.
fs::path FindProgram(std::string_view name, std::string_view path, const fs::path& not_in) {
  while (!path.empty()) {
    const size_t colon = std::min(path.find(':'), path.size());
    const fs::path folder = fs::path(path.substr(0, colon));
    path.remove_prefix(std::min(colon + 1, path.size()));
    if (folder.empty()) continue;
    const fs::path candidate = folder / name;
    std::error_code ignored;
    if (fs::equivalent(folder, not_in, ignored) || !fs::is_regular_file(candidate, ignored)) continue;
    if (access(candidate.c_str(), X_OK) == 0) return fs::absolute(candidate, ignored);
  }
  return {};
}

}  // namespace

Result<fs::path> DefaultAssetsFolder(const fs::path& program) {
  fs::path base;
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && cache[0] == '/') {
    base = cache;
  } else if (const char* home = std::getenv("HOME"); home != nullptr && home[0] == '/') {
    base = fs::path(home) / ".cache";
  } else {
    return Error::NotFound("neither HOME nor XDG_CACHE_HOME is set; name a folder with --dir");
  }
  return base / "keelson" / fmt::format("assets-{:08x}", Fnv1a(program.string()));
}

Result<void> MakeAssets(const AssetsOptions& options) {
  std::error_code problem;
  fs::create_directories(options.folder, problem);
  if (problem) return Cannot("make the folder", options.folder, problem);
  for (const std::string_view name : {"kube-apiserver", "etcd"}) {
    KEELSON_RETURN_IF_ERROR(Link(options.folder / name, options.program));
  }
  const fs::path kubectl = FindProgram("kubectl", options.path, options.folder);
  if (!kubectl.empty()) return Link(options.folder / "kubectl", kubectl);
  // One that has gone since must not stay behind as a link to nothing.
  if (fs::is_symlink(options.folder / "kubectl", problem)) fs::remove(options.folder / "kubectl", problem);
  return {};
}

}  // namespace keelson::cli
