// Paths into a schema as definitions of custom resources name them: ".spec.size", ".spec.labels['a.b']".
//
//   Result<SchemaPlace> place = FindInSchema(".spec.size", schema);
//   if (!place) errors.Invalid(path, Json(text), fmt::format("is an invalid path: {}", place.error().message()));
#pragma once

#include <string>
#include <string_view>

#include "keelson/api/apiextensions/v1.h"
#include "keelson/core/result.h"

namespace keelson::apiserver {

struct SchemaPlace {
  std::string path;                                          // "spec.labels[a.b]"
  std::string root;                                          // "spec"
  const apiextensionsv1::JSONSchemaProps* schema = nullptr;  // null: anything may be there
};

// Properties and keys of maps; into lists no path leads. `brackets`: whether ['name'] may be written.
Result<SchemaPlace> FindInSchema(std::string_view text, const apiextensionsv1::JSONSchemaProps& schema,
                                 bool brackets = true);

}  // namespace keelson::apiserver
