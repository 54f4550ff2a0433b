// The merge of two objects that stands behind applying a strategic merge patch and behind making three-way ones.
#pragma once

#include <cstdint>

#include "keelson/api/json.h"
#include "keelson/api/type.h"
#include "keelson/core/result.h"

namespace keelson::internal {

enum class MergeMode : uint8_t {
  kApply,    // a patch onto an object: nulls and directives take effect and are gone
  kCombine,  // a patch onto a patch: nulls and directives are kept for whom the result is applied to
};

Result<Json> MergeObjects(const Json& original, const Json& patch, const Type& type, MergeMode mode);

}  // namespace keelson::internal
