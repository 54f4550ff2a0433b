// Documents of YAML and JSON files, each with the place where it stands.
#pragma once

#include <string>
#include <vector>

#include "keelson/core/result.h"

namespace keelson::internal {

// One that is not empty.
struct ManifestDocument {
  std::string place;  // "crds/widgets.yaml:12", the line where it begins
  std::string json;
};

// The file itself, or the files *.yaml, *.yml and *.json of a folder, by name. Folders in it are left out.
std::vector<std::string> ManifestFiles(const std::string& path);
Result<std::string> ReadManifestText(const std::string& file);
// An error names the file and the line.
Result<std::vector<ManifestDocument>> ReadManifestDocuments(const std::string& file);

// The same error, with the place before its message.
Error At(const std::string& place, const Error& error);

}  // namespace keelson::internal
