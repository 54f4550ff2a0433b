// Whether two strategic merge patches disagree.
#pragma once

#include "keelson/api/json.h"
#include "keelson/api/type.h"
#include "keelson/core/result.h"

namespace keelson::internal {

// True when both set one thing to different values. Elements of merged lists are paired by merge key; merged scalars
// never disagree.
Result<bool> PatchesConflict(const Json& left, const Json& right, const Type& type);

}  // namespace keelson::internal
