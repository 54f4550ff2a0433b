// The difference of two objects as a strategic merge patch.
#pragma once

#include "keelson/api/json.h"
#include "keelson/api/type.h"
#include "keelson/core/result.h"

namespace keelson::internal {

struct DiffOptions {
  bool changes = true;        // what is added or changed
  bool deletions = true;      // what is gone
  bool element_order = true;  // "$setElementOrder" for merged lists
};

// {} when nothing is to be done.
Result<Json> DiffObjects(const Json& original, const Json& modified, const Type& type, const DiffOptions& options);

}  // namespace keelson::internal
