// The other direction: C++ structs from anyone's CRD, so that an operator can own or watch foreign resources with
// types.
//
//   KEELSON_TRY(crd, FromYaml<apiextensionsv1::CustomResourceDefinition>(text));
//   std::vector<GeneratedFile> headers = GenerateTypes(crd, {}, problems);      // v1/certificate.h, …
//
// Each served version becomes a header that `generate code` and `generate crd` read: the markers in it give the same
// schema back.
#pragma once

#include <string>
#include <vector>

#include "keelson/api/apiextensions/v1.h"
#include "keelson/codegen/generated_file.h"
#include "keelson/codegen/source_position.h"

namespace keelson::codegen {

struct TypesOptions {
  std::string namespace_;  // default: made of the group, "cert_manager_io"; the version is a namespace inside it
};

std::vector<GeneratedFile> GenerateTypes(const apiextensionsv1::CustomResourceDefinition& crd,
                                         const TypesOptions& options, Diagnostics& problems);

}  // namespace keelson::codegen
