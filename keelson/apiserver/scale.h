// The subresource scale of the kinds that have replicas.
#pragma once

#include "keelson/apiserver/exchange.h"
#include "keelson/apiserver/objects.h"

namespace keelson::apiserver {

// get, update and patch of a Scale.
Result<Reply> ServeScale(Exchange& exchange, Objects& objects);

}  // namespace keelson::apiserver
