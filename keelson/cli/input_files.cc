#include "keelson/cli/input_files.h"

#include <glob.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace keelson::cli {

namespace fs = std::filesystem;

namespace {

bool HasExtension(const fs::path& path, const std::vector<std::string>& extensions) {
  return std::find(extensions.begin(), extensions.end(), path.extension().string()) != extensions.end();
}

// Where CMake was run, or what belongs to a tool.
bool IsSkipped(const fs::path& directory) {
  const std::string name = directory.filename().string();
  std::error_code ignored;
  return (name.size() > 1 && name.starts_with('.')) || fs::exists(directory / "CMakeCache.txt", ignored);
}

Result<void> AddDirectory(const fs::path& directory, const std::vector<std::string>& extensions,
                          std::vector<std::string>& files) {
  std::error_code error;
  fs::recursive_directory_iterator entry(directory, fs::directory_options::skip_permission_denied, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    std::error_code ignored;
    if (entry->is_directory(ignored)) {
      if (IsSkipped(entry->path())) entry.disable_recursion_pending();
    } else if (HasExtension(entry->path(), extensions)) {
      files.push_back(entry->path().lexically_normal().string());
    }
  }
  if (error) return Error::InvalidArgument("cannot read directory '" + directory.string() + "': " + error.message());
  return {};
}

std::vector<std::string> Match(const std::string& pattern) {
  glob_t matches = {};
  std::vector<std::string> paths;
  if (glob(pattern.c_str(), 0, nullptr, &matches) == 0) {
    paths.assign(matches.gl_pathv, matches.gl_pathv + matches.gl_pathc);
  }
  globfree(&matches);
  return paths;
}

}  // namespace

Result<std::vector<std::string>> FindInputs(const std::vector<std::string>& paths,
                                            const std::vector<std::string>& extensions) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    std::error_code ignored;
    const std::vector<std::string> matches = fs::exists(path, ignored) ? std::vector{path} : Match(path);
    if (matches.empty()) {
      return Error::NotFound("no such file or directory: '" + path + "'; name headers, directories or a pattern");
    }
    for (const std::string& match : matches) {
      if (fs::is_directory(match, ignored)) {
        KEELSON_RETURN_IF_ERROR(AddDirectory(match, extensions, files));
      } else {
        files.push_back(fs::path(match).lexically_normal().string());
      }
    }
  }
  std::sort(files.begin(), files.end());
  files.erase(std::unique(files.begin(), files.end()), files.end());
  if (files.empty()) {
    return Error::NotFound("no C++ file below '" + (paths.empty() ? std::string(".") : paths.front()) + "'");
  }
  return files;
}

Result<std::string> ReadFile(const std::string& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file.is_open() || file.bad()) {
    return Error::InvalidArgument("cannot read '" + path + "': " + std::strerror(errno ? errno : EIO));
  }
  return text;
}

}  // namespace keelson::cli
