#include "examples.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

#include "keelson/controlplane/manifests.h"

namespace demo {
namespace {

namespace fs = std::filesystem;
using keelson::Error;
using keelson::Result;
using keelson::Unstructured;

Result<std::vector<fs::path>> Sorted(const fs::path& folder) {
  std::error_code problem;
  std::vector<fs::path> entries;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, problem)) entries.push_back(entry.path());
  if (problem) return Error::NotFound(fmt::format("cannot look into '{}': {}", folder.string(), problem.message()));
  std::sort(entries.begin(), entries.end());
  return entries;
}

Result<std::vector<std::string>> ReadFlags(const fs::path& file) {
  std::vector<std::string> flags;
  if (!fs::exists(file)) return flags;
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && !line.starts_with('#')) flags.push_back(line);
  }
  if (!lines.is_open() || lines.bad()) return Error::NotFound(fmt::format("cannot read '{}'", file.string()));
  return flags;
}

std::string Replaced(std::string text, std::string_view from, std::string_view to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

}  // namespace

std::vector<std::string> Example::FlagsIn(const std::string& dir) const {
  std::vector<std::string> made;
  for (const std::string& flag : flags) made.push_back(Replaced(Replaced(flag, "{config}", config), "{dir}", dir));
  return made;
}

Result<std::vector<Example>> FindExamples(const std::string& folder) {
  KEELSON_TRY(entries, Sorted(fs::absolute(folder)));
  std::vector<Example> examples;
  for (const fs::path& entry : entries) {
    const fs::path config = entry / "config";
    if (!fs::is_directory(config)) continue;
    Example example{
        .name = entry.filename().string(), .program = {}, .config = config.string(), .crds = {}, .flags = {}};
    example.program = Replaced(example.name, "_", "-") + "-operator";
    if (fs::is_directory(config / "crd")) example.crds = (config / "crd").string();
    KEELSON_TRY(flags, ReadFlags(config / "demo.flags"));
    example.flags = std::move(flags);
    examples.push_back(std::move(example));
  }
  if (examples.empty()) {
    return Error::NotFound(
        fmt::format("there is no example in '{}': expected folders with a folder config in them", folder));
  }
  return examples;
}

Result<std::vector<Unstructured>> ReadSamples(const Example& example) {
  return keelson::ReadManifests(example.config + "/samples");
}

}  // namespace demo
