// The files that a command reads.
#pragma once

#include <string>
#include <vector>

#include "keelson/core/result.h"

namespace keelson::cli {

// Files stand for themselves, directories for the C++ files below them (build directories and hidden ones left out),
// patterns (`api/*/*.h`) for what they match. Sorted, each once. One that is not there or matches nothing is an error.
Result<std::vector<std::string>> FindInputs(const std::vector<std::string>& paths,
                                            const std::vector<std::string>& extensions);

Result<std::string> ReadFile(const std::string& path);

}  // namespace keelson::cli
