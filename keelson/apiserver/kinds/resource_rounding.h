// Amounts finer than a thousandth are rounded up, as the server does wherever a list of resources stands in an object.
#pragma once

#include "keelson/api/map.h"
#include "keelson/api/values.h"

namespace keelson::apiserver {

void RoundUpToMilli(Map<Quantity>& resources);

}  // namespace keelson::apiserver
