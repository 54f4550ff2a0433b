// What the schema of every object has: `apiVersion`, `kind` and `metadata`.
#pragma once

#include "keelson/api/json.h"

namespace keelson::codegen {

// As `generate crd` writes them.
const JsonObject& RootProperties();

}  // namespace keelson::codegen
