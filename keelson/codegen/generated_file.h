// Files that a generator made, and writing them: all or none, and only those that changed, so that a build which
// depends on them does not start over.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "keelson/core/result.h"

namespace keelson::codegen {

struct GeneratedFile {
  std::string path;  // relative to the output directory
  std::string content;
};

// Puts a licence text on top, as a comment in the file's own manner. `licence` may be commented already, or plain.
void AddLicence(std::string_view licence, std::vector<GeneratedFile>& files);

// Makes the directories. What was written before a failure stays in place as it was before.
Result<void> WriteFiles(const std::string& directory, const std::vector<GeneratedFile>& files);

}  // namespace keelson::codegen
