// The other direction: C++ structs from anyone's CRD, so that an operator can own or watch foreign resources with
// types.
//
//   KEELSON_TRY(crd, FromYaml<apiextensionsv1::CustomResourceDefinition>(text));
//   std::vector<GeneratedFile> headers = GenerateTypes(crd, {}, problems);      // v1/certificate.h, …
//
// Each version becomes a header that `generate code` and `generate crd` read: the markers in it give the same schema
// back. What markers of Kubernetes cannot say (`oneOf`, an example that is a list of objects …) is said by
// `+keelson:schema=…`, a JSON merge patch of the schema of what it stands on.
#pragma once

#include <string>
#include <vector>

#include "keelson/api/apiextensions/v1.h"
#include "keelson/codegen/generated_file.h"
#include "keelson/codegen/source_position.h"

namespace keelson::codegen {

struct TypesOptions {
  std::string namespace_;  // default: made of the group, "cert_manager_io"; the version is a namespace inside it
  // A string with an enum of identifiers becomes an enum class, which refuses other values when it is read. Without, it
  // is a std::string, which also holds values that a later edition of the CRD may add.
  bool enum_classes = true;
};

// A problem's position is the path of the schema inside the CRD. Empty when there were problems.
std::vector<GeneratedFile> GenerateTypes(const apiextensionsv1::CustomResourceDefinition& crd,
                                         const TypesOptions& options, Diagnostics& problems);

}  // namespace keelson::codegen
