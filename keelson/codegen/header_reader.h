// Reads the user's headers with libclang.
//
//   Diagnostics problems;
//   SourceModel model = ReadHeaders({"api/v1/app.h"}, {.include_directories = {"."}}, problems);
//
// What a header includes must be found, since the types of its members are what the compiler says they are. A type that
// Kubernetes objects cannot hold is a problem, with the one to write instead.
#pragma once

#include <string>
#include <vector>

#include "keelson/codegen/source_model.h"

namespace keelson::codegen {

struct HeaderReadOptions {
  std::vector<std::string> include_directories;  // besides the headers' own and those of Keelson itself
  std::vector<std::string> defines;              // NAME or NAME=VALUE
};

SourceModel ReadHeaders(const std::vector<std::string>& headers, const HeaderReadOptions& options,
                        Diagnostics& problems);

}  // namespace keelson::codegen
