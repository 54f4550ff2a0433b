// What patches share: a value that a patch introduces carries no null members.
#pragma once

#include "keelson/api/json.h"

namespace keelson::internal {

// Without the null members of objects, at any depth, inside arrays too. Null elements of arrays stay. What has none is
// returned shared.
Json DropNullMembers(const Json& value);

}  // namespace keelson::internal
