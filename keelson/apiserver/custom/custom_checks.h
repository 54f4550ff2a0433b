// The checks of custom objects: their schema, their lists, embedded objects and rules, in upstream's order.
#pragma once

#include <string>
#include <vector>

#include "keelson/api/access.h"
#include "keelson/apiserver/kinds/field_errors.h"
#include "keelson/apiserver/resource.h"

namespace keelson::apiserver {

struct CustomWrite {
  const AnyValue& object;         // in the stored version
  const AnyValue* old = nullptr;  // likewise; null when it is new
  bool status_only = false;       // an update of the status subresource
};

// All but metadata, by the schema of the version that the request speaks. What is wrong and was so before becomes a
// warning at most.
void ValidateCustom(const Resource& resource, const CustomWrite& write, FieldErrors& errors,
                    std::vector<std::string>& warnings);

}  // namespace keelson::apiserver
