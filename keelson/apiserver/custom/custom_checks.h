// The checks of custom objects: their schema, their lists, embedded objects and rules, in upstream's order.
#pragma once

#include "keelson/apiserver/custom/custom_version.h"

namespace keelson::apiserver {

// Adds them to the version's rules. The version stays where it is.
void AddChecks(CustomVersion& version);

}  // namespace keelson::apiserver
