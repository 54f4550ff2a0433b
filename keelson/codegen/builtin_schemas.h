// The schemas of the built-in Kubernetes types, as they appear inside a custom resource.
//
//   const Json* schema = FindBuiltinSchema("core/v1.Container");   // null: no such type
//
// data/kubernetes/crd_schemas.json, which is part of the program: `$ref` holds the name of another built-in type.
#pragma once

#include <string_view>

#include "keelson/api/json.h"

namespace keelson::codegen {

const Json* FindBuiltinSchema(std::string_view name);

}  // namespace keelson::codegen
