// The headers given to the reader, looked at before any is compiled.
#pragma once

#include <string>
#include <vector>

#include "keelson/codegen/source_position.h"

namespace keelson::codegen::internal {

// Those that can be read, each once. One that cannot, or two with the same include guard, which would hide each other,
// are problems.
std::vector<std::string> ReadableHeaders(const std::vector<std::string>& headers, Diagnostics& problems);

}  // namespace keelson::codegen::internal
