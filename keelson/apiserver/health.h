// What is asked of a server rather than of its objects: version, health, metrics, the list of paths.
#pragma once

#include "keelson/apiserver/exchange.h"
#include "keelson/apiserver/resource.h"
#include "keelson/core/metrics.h"

namespace keelson::apiserver {

// Answers when the path is one of these; false when it is not. `ready` is what /readyz tells.
bool ServeHealth(Exchange& exchange, const ResourceTable& resources, MetricRegistry& metrics, bool ready);

}  // namespace keelson::apiserver
