// The tables of the user's types, their lists and their registration: what deepcopy-gen and register-gen give in Go.
//
//   #include "api/v1alpha1/generated.h"     // the headers of that directory, and their tables
//
//   Scheme scheme = Scheme::Builtin();
//   KEELSON_RETURN_IF_ERROR(example::v1alpha1::AddToScheme(scheme));
//
// One `generated.h` and `generated.cc` for each package.
#pragma once

#include <string>
#include <vector>

#include "keelson/codegen/generated_file.h"
#include "keelson/codegen/source_model.h"

namespace keelson::codegen {

struct CodeOptions {
  // Paths of headers and of generated files are relative to it, and so are the generated #includes.
  std::string base_directory = ".";
};

std::vector<GeneratedFile> GenerateCode(const SourceModel& model, const CodeOptions& options, Diagnostics& problems);

}  // namespace keelson::codegen
