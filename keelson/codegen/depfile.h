// What a generated file was made from, in the form that make and Ninja read: `generated.h: api/v1/app.h …`.
#pragma once

#include <string>
#include <vector>

#include "keelson/codegen/generated_file.h"
#include "keelson/core/result.h"

namespace keelson::codegen {

Result<void> WriteDepfile(const std::string& path, const std::string& output_directory,
                          const std::vector<GeneratedFile>& outputs, const std::vector<std::string>& inputs);

}  // namespace keelson::codegen
