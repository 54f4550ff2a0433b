// CustomResourceDefinitions from the user's types, the same that controller-gen makes of the equivalent Go types.
//
//   for (const auto& crd : GenerateCrds(model, {}, problems)) files.push_back(CrdFile(crd));
//
// Versions of a kind, which live in different packages, become one CRD. Built-in types inside a user's struct have the
// schema that data/kubernetes/crd_schemas.json records, without descriptions.
#pragma once

#include <optional>
#include <vector>

#include "keelson/api/apiextensions/v1.h"
#include "keelson/codegen/generated_file.h"
#include "keelson/codegen/source_model.h"

namespace keelson::codegen {

struct CrdOptions {
  // Longer descriptions are cut at a sentence; 0 leaves all out.
  std::optional<int> max_description_length = {};
  bool allow_dangerous_types = false;  // floating-point fields
  bool embedded_object_meta = false;   // ObjectMeta below the root has its fields, not just `type: object`
};

// Sorted by name. Empty when there were problems.
std::vector<apiextensionsv1::CustomResourceDefinition> GenerateCrds(const SourceModel& model, const CrdOptions& options,
                                                                    Diagnostics& problems);

// `example.com_apps.yaml`, as it is committed and applied.
GeneratedFile CrdFile(const apiextensionsv1::CustomResourceDefinition& crd);

}  // namespace keelson::codegen
